// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/crossings.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/driver/event_roots.hpp"

namespace daedal::solve_detail {

namespace {

/// A bracket is shrunk to this share of what is not told from an end of the step.
constexpr double bracket_share = 1e-3;
/// The errors of a difference in units of rounding of its two sides: some operations are behind
/// each.
constexpr double n_round_off = 16.0;

}  // namespace

Bracket crossing(const Bracket& bracket, SampledStep& step) {
  const auto difference = [&](double t) { return step.at(t).differences[bracket.suspect]; };
  const double before = difference(bracket.begin);
  const double after = difference(bracket.end);
  if (sign(before) * sign(after) >= 0) return {bracket.end, bracket.end, bracket.suspect};
  const auto found = integration::shrink_bracket(
      {.a = bracket.begin, .value_a = before, .b = bracket.end, .value_b = after},
      bracket_share * (SampledStep::end_share * std::abs(step.length())), difference);
  return {found.a, found.b, bracket.suspect};
}

Bracket about_crossing(const Bracket& bracket, SampledStep& step) {
  Bracket found = crossing(bracket, step);
  const double t = found.end;
  const double rise = step.at(bracket.end).differences[bracket.suspect] -
                      step.at(bracket.begin).differences[bracket.suspect];
  const double rate = std::abs(rise / (bracket.end - bracket.begin));
  (void)step.at(t);
  const Watched& function = step.function(bracket.suspect);
  const double size = step.bounds()[function.a].magnitude() +
                      (function.has_b ? step.bounds()[function.b].magnitude() : 0.0);
  const double way = n_round_off * round_off * std::max(size / rate, std::abs(t));
  if (std::isfinite(way) && way < SampledStep::end_share * std::abs(step.length())) {
    found.begin -= std::copysign(way, step.length());
    found.end += std::copysign(way, step.length());
  }
  return found;
}

}  // namespace daedal::solve_detail
