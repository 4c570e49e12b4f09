// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/calm_box.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve_detail {

void CalmBox::rebuild(const WatchedFunctions& functions, const Suspects& suspects,
                      const Stretch& step, StepBounds& bounds) {
  clear();
  if (pause_ > 0) {
    --pause_;
    return;
  }
  bool is_all_calm =
      bounds.set_ahead(step.begin, step.end, n_steps_ * std::abs(step.end.t - step.begin.t));
  if (is_all_calm) bounds.evaluate(functions.arguments());
  for (std::size_t i = 0; i < functions.watched().size() && is_all_calm; ++i) {
    is_all_calm = suspects.is_calm(i, bounds);
  }
  if (!is_all_calm) {
    if (n_steps_ == fewest_steps) pause_ = longest_pause;
    n_steps_ = std::max(0.5 * n_steps_, fewest_steps);
    return;
  }
  n_steps_ = std::min(growth * n_steps_, most_steps);
  for (const std::size_t place : bounds.times()) ranges_.push_back(bounds[place]);
  for (const auto& leaf : bounds.leaves()) ranges_.push_back(bounds[leaf.place]);
}

bool CalmBox::contains(const StepBounds& bounds) const {
  if (ranges_.empty()) return false;
  auto range = ranges_.begin();
  const auto is_inside = [&](std::size_t place) {
    const kernel::Interval& outer = *range++;
    return outer.low <= bounds[place].low && bounds[place].high <= outer.high;
  };
  return std::ranges::all_of(bounds.times(), is_inside) &&
         std::ranges::all_of(bounds.leaves(), is_inside, &StepBounds::Leaf::place);
}

}  // namespace daedal::solve_detail
