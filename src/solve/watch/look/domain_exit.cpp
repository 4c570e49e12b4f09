// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/domain_exit.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve_detail {

namespace {

/// The errors of the variables, in tolerances, that a function must be outside its domain with.
constexpr double certain_tolerances = 10.0;
/// A part of the step that is outside by its values is searched at the ends of so many pieces: the
/// function is least affected by errors where it is farthest outside, which is inside the part.
constexpr int n_pieces = 8;
/// Bisections after which the ends of any interval of time are neighbouring numbers.
constexpr int most_bisections = 60;

}  // namespace

bool DomainExit::is_outside(std::size_t suspect) const {
  const Watched& function = step_.function(suspect);
  return function.kind == Watched::Kind::steep &&
         !suspects_.is_known_undefined(step_.number(suspect)) &&
         step_.functions().is_undefined(function, step_.bounds().all()) &&
         step_.is_chosen(suspect) && !std::isinf(step_.bounds()[function.a].magnitude());
}

void DomainExit::note(const Instant& before, const Instant& at) {
  if (is_found()) return;
  step_.bound_at(at, [&](std::size_t k) {
    const StepBounds::Leaf& leaf = step_.bounds().leaves()[k];
    const double size = std::max({std::abs(leaf.value(at)), std::abs(leaf.value(step_.begin())),
                                  std::abs(leaf.value(step_.end()))});
    const double scale = options_.follows_scales ? std::min(leaf.nominal, size) : leaf.nominal;
    return certain_tolerances * (options_.rtol * size + options_.atol * scale);
  });
  for (std::size_t i = 0; i < step_.n_suspects() && !is_found(); ++i) {
    if (!is_outside(i)) continue;
    outside_ = at.t;
    before_ = before.t;
    suspect_ = i;
  }
}

void DomainExit::search(const Instant& a, const Instant& b) {
  for (int k = 1; k < n_pieces && !is_found(); ++k) {
    note(a, step_.at(a.t + (b.t - a.t) * k / n_pieces));
  }
}

double DomainExit::last_inside() {
  const double begin = step_.begin().t;
  const auto is_beyond = [&](double t) {
    (void)step_.at(t);
    return step_.functions().beyond_domain(step_.function(suspect_), step_.bounds().all()) > 0.0;
  };
  double inside = before_;
  double outside = outside_;
  for (double width = outside - inside; inside != begin && is_beyond(inside); width *= 2.0) {
    outside = inside;
    const bool is_at_start = std::abs(width) >= std::abs(inside - begin);
    inside = is_at_start ? begin : inside - width;
  }
  for (int k = 0; k < most_bisections; ++k) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (is_beyond(middle) ? outside : inside) = middle;
  }
  return inside;
}

}  // namespace daedal::solve_detail
