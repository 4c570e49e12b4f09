// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/start_notices.hpp"

#include <fmt/format.h>

#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// More names than this say nothing more.
constexpr std::size_t most_names = 20;

}  // namespace

void add_start_notices(const analysis::InitialValues& found,
                       const analysis::ConstraintSet& constraints,
                       const std::vector<bool>& is_given, Start& start) {
  if (found.left_domain >= 0) {
    start.notices.push_back(fmt::format(
        "The equation {} is not finite at the start values; the search for consistent ones began "
        "where values that follow from known ones are computed from them.",
        constraints.equation_name(found.left_domain)));
  }
  std::vector<std::string> completed;
  for (std::size_t j = 0; j < is_given.size(); ++j) {
    if (is_given[j]) continue;
    completed.push_back(
        fmt::format("{} = {:.6g}", constraints.unknown_name(to_index(j)), found.values[j]));
  }
  if (!completed.empty()) {
    start.notices.push_back("No start value was given for these variables; completed: " +
                            join_words(completed, most_names) + ".");
  }
  std::vector<std::string> moved;
  for (const analysis::Move& move : found.moved) {
    if (to_size(move.unknown) >= is_given.size() || !is_given[to_size(move.unknown)]) continue;
    moved.push_back(fmt::format("{} from {:.6g} to {:.6g}", move.name, move.from, move.to));
  }
  if (!moved.empty()) {
    start.notices.push_back("Start values that are not fixed were moved to meet the equations: " +
                            join_words(moved, most_names) + ".");
  }
}

}  // namespace daedal::formulation
