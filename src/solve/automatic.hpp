// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The choice that `auto` makes.

#include <daedal/options.hpp>
#include <string>
#include <vector>

#include "formulation/registry.hpp"

namespace daedal::solve_detail {

struct Choice {
  const formulation::MethodInfo* method = nullptr;
  std::vector<std::string> reasons;  ///< full sentences; empty when the user chose
};

/// The method asked for, or the one that fits the model.
Choice choose_method(const formulation::Request& request, const Options& options);

}  // namespace daedal::solve_detail
