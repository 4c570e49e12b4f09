// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The choice that `auto` makes: candidates in the order in which they are tried. A candidate is
/// passed over when the model has not its shape, when its index is above what it takes, or when the
/// integrator asked for cannot step what it yields. The rules are the table in automatic.cpp.

#include <cstddef>
#include <daedal/options.hpp>
#include <limits>
#include <string_view>
#include <vector>

#include "formulation/registry.hpp"

namespace daedal::solve_detail {

struct Candidate {
  const formulation::MethodInfo* method = nullptr;
  std::string_view reason;  ///< a full sentence; empty when the user chose
  std::size_t max_unknowns = std::numeric_limits<std::size_t>::max();
  /// Considered only after the start of another candidate turned out singular.
  bool is_for_singular = false;
};

/// The method asked for alone, or the candidates of `auto` for the model, the first one first.
std::vector<Candidate> candidates(const Options& options, const Model& model);

}  // namespace daedal::solve_detail
