// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The words for boundary conditions that do not determine one solution.

#include <string>

#include "bvp/discretization.hpp"

namespace daedal::bvp {

/// Throws ModelError{unbalanced} when there are more or fewer conditions than the problem needs.
/// Which of them are too many is seen in the equations linearised along `u`.
void check_number_of_conditions(const Problem& problem, Discretization& equations,
                                const Trajectory& u);

/// After a factorisation without full rank: a full sentence that names the conditions which depend
/// on each other, and says whether they agree.
[[nodiscard]] std::string describe_dependence(Discretization& equations);

}  // namespace daedal::bvp
