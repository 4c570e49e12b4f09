// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the search for the index of a model saw, in the words of an Analysis: every rank that was
/// decided, and the assumptions A1 to A4 that these decisions support or contradict.

#include <daedal/analyze.hpp>
#include <vector>

#include "analysis/array/numerical_index.hpp"

namespace daedal::solve_detail {

struct ArraySize {
  Index n_equations = 0;
  Index n_unknowns = 0;
};

/// Two for every level looked at.
std::vector<ArrayRank> array_ranks(const analysis::NumericalIndex& index, const ArraySize& size);

/// How the search for a consistent start ended.
struct StartFinding {
  Status status = Status::success;
  const std::string& message;
};
std::vector<Assumption> check_assumptions(const analysis::NumericalIndex& index,
                                          const ArraySize& size, const StartFinding& start);

}  // namespace daedal::solve_detail
