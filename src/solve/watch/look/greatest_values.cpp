// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/greatest_values.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve_detail {

namespace {

/// A bound at most so many times above a value of the function is near enough.
constexpr double near_values = 1e3;
/// How often a part of the step is halved for a nearer bound.
constexpr int most_halvings = 64;
/// Evaluations of bounds for a halving: those of both halves and of the point between them.
constexpr double evaluations_per_halving = 3.0;

/// Interval arithmetic may give bounds far above all values, as of exp(u - exp(u)): its argument
/// has the difference of the bounds of both terms. Any change would be flat beside such a bound, so
/// the part of the step that has the greatest bound is halved until the bound is near a value.
/// `value` is one that the function has at an end of the step.
double near_bound(std::size_t number, double value, SampledStep& step, LookBudget& budget) {
  struct Piece {
    Instant begin, end;
    double bound;
  };
  const std::size_t place = step.functions().watched()[number].place;
  const auto piece = [&](const Instant& a, const Instant& b) {
    step.bound(a, b);
    return Piece{a, b, step.bounds()[place].magnitude()};
  };
  std::vector<Piece> pieces{piece(step.begin(), step.end())};
  for (int k = 0; k < most_halvings && budget.is_positive(); ++k) {
    budget.charge(evaluations_per_halving, step.n_needed());
    const auto greatest = std::ranges::max_element(pieces, {}, &Piece::bound);
    if (greatest->bound <= near_values * value || !std::isfinite(greatest->bound)) break;
    const Piece halved = std::move(*greatest);
    const Instant middle = step.at(0.5 * (halved.begin.t + halved.end.t));
    const kernel::Interval& at_middle = step.bounds()[place];
    if (at_middle.is_point()) value = std::max(value, at_middle.magnitude());
    *greatest = piece(halved.begin, middle);
    pieces.push_back(piece(middle, halved.end));
  }
  const double bound = std::ranges::max(pieces, {}, &Piece::bound).bound;
  return std::isfinite(bound) ? bound : 0.0;
}

}  // namespace

std::vector<double> greatest_values(SampledStep& step, LookBudget& budget) {
  bool has_steep = false;
  for (std::size_t i = 0; i < step.n_suspects(); ++i) {
    has_steep = has_steep || step.function(i).kind == Watched::Kind::steep;
  }
  if (!has_steep) return {};
  step.bound(step.begin(), step.end());
  std::vector<double> greatest = step.functions().greatest(step.bounds().all());
  for (std::size_t i = 0; i < step.n_suspects(); ++i) {
    if (step.function(i).kind != Watched::Kind::steep) continue;
    for (std::size_t number = step.number(i);;) {
      const double value = step.magnitudes_at_ends()[number];
      if (!(greatest[number] <= near_values * value)) {
        greatest[number] = near_bound(number, value, step, budget);
      }
      const Watched& function = step.functions().watched()[number];
      if (!function.is_covered) break;
      number = function.cover;
    }
  }
  return greatest;
}

}  // namespace daedal::solve_detail
