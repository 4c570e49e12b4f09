// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <daedal/solution.hpp>

#include "bindings.hpp"

namespace daedal::python {

using SolutionHolder = std::shared_ptr<Solution>;

/// The greatest residual by level of differentiation.
py::dict constraint_levels(const std::vector<ConstraintLevel>& levels);
py::dict statistics_dict(const Statistics& statistics);

}  // namespace daedal::python
