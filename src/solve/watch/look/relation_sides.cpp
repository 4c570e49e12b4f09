// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/relation_sides.hpp"

#include <array>
#include <cmath>

namespace daedal::solve_detail {

namespace {

/// Ties are looked for at these shares of the step: no simple fractions, at which two functions
/// that are not the same might meet.
constexpr std::array tie_shares{0.137, 0.382, 0.618, 0.863};
/// The difference of a tie, as a share of what is compared.
constexpr double tie_share = SampledStep::shortest_share;

}  // namespace

RelationSides::RelationSides(SampledStep& step)
    : step_(step), is_tie_(step.n_suspects(), false), farthest_(step.n_suspects()) {
  find_ties();
  (void)note(step_.begin());
}

void RelationSides::find_ties() {
  step_.bound(step_.begin(), step_.end());
  std::vector<double> noise(is_tie_.size(), 0.0);
  const auto is_same = [&](std::size_t i, const Instant& at) {
    return std::abs(at.differences[i]) <= noise[i];
  };
  bool has_tie = false;
  for (std::size_t i = 0; i < is_tie_.size(); ++i) {
    const Watched& function = step_.function(i);
    if (function.kind != Watched::Kind::relation || function.is_of_time) continue;
    const double size = step_.bounds()[function.a].magnitude();
    if (!(size > 0.0) || !std::isfinite(size) || !function.has_b) continue;
    noise[i] = tie_share * size;
    is_tie_[i] = is_same(i, step_.begin()) && is_same(i, step_.end());
    has_tie = has_tie || is_tie_[i];
  }
  if (!has_tie) return;
  for (const double share : tie_shares) {
    const Instant at = step_.at(step_.begin().t + share * step_.length());
    for (std::size_t i = 0; i < is_tie_.size(); ++i) is_tie_[i] = is_tie_[i] && is_same(i, at);
  }
}

bool RelationSides::note(const Instant& here) {
  bool has_changed = false;
  for (std::size_t i = 0; i < farthest_.size(); ++i) {
    if (step_.function(i).kind != Watched::Kind::relation || is_tie_[i]) continue;
    Farthest& farthest = farthest_[i];
    const double difference = here.differences[i];
    if (sign(difference) * sign(farthest.difference) < 0) {
      has_changed = true;
      if (farthest.n_changes++ > 0) stops_.push_back(farthest.t);
      farthest.difference = 0.0;
    }
    if (std::abs(difference) > std::abs(farthest.difference)) {
      farthest.difference = difference;
      farthest.t = here.t;
    }
  }
  return has_changed;
}

}  // namespace daedal::solve_detail
