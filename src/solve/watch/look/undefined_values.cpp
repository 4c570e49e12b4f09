// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/undefined_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace daedal::solve_detail {

namespace {

/// There is a pole where a value grows by at least the first factor as the distance shrinks from
/// 2⁻⁹ to 2⁻¹⁷ of the step, and by the second one as it shrinks further to 2⁻²³.
constexpr double far = 0x1p-9;
constexpr double near = 0x1p-17;
constexpr double nearest_side = 0x1p-23;
constexpr double near_growth = 0x1p6;
constexpr double nearer_growth = 0x1p4;
/// Distances are taken after the instant, unless it is nearer to the end of the step than this.
constexpr double end_distance = 0x1p-8;

/// Whether a choice, as in `if abs(i) > eps then psi / i else 0`, takes another branch where the
/// divisor of a suspect is zero.
bool is_avoided(std::size_t suspect, double t, SampledStep& step) {
  const std::size_t divisor = step.function(suspect).a;
  if (!step.bounds().is_input(divisor)) return false;
  (void)step.at(t);
  step.bound_input(divisor, {0.0, 0.0});
  return !step.is_chosen(suspect);
}

/// Whether a quotient is infinite where its divisor is zero. Beside other terms that need not show
/// in any distance that a time of double precision can have.
bool is_leap_over_pole(std::size_t suspect, double t, SampledStep& step) {
  const Watched& function = step.function(suspect);
  if (function.kind != Watched::Kind::steep) return false;
  (void)step.at(t);
  if (step.bounds().is_input(function.a)) step.bound_input(function.a, {0.0, 0.0});
  return step.functions().is_infinite(function, step.bounds().all());
}

/// The column of a row that grows beyond all bounds towards an instant: one of an equation if there
/// is one, for these come last.
std::optional<std::size_t> column_with_pole(double t, SampledStep& step) {
  const double length = step.length();
  const bool has_room = std::abs(step.end().t - t) > end_distance * std::abs(length);
  const double side = has_room ? 1.0 : -1.0;
  const std::vector<double> row_far = step.row(t + side * far * length);
  const std::vector<double> row_near = step.row(t + side * near * length);
  const std::vector<double> row_nearer = step.row(t + side * nearest_side * length);
  for (std::size_t i = row_near.size(); i-- > 0;) {
    const bool grows = std::abs(row_near[i]) > near_growth * std::abs(row_far[i]) &&
                       row_far[i] != 0.0 &&
                       !(std::abs(row_nearer[i]) <= nearer_growth * std::abs(row_near[i]));
    if (grows) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> column_without_value(double t, SampledStep& step) {
  const std::vector<double> row = step.row(t);
  for (std::size_t i = row.size(); i-- > 0;) {
    if (!std::isfinite(row[i])) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<UndefinedValues::Place> UndefinedValues::judge(const Loss& loss,
                                                             const SampledStep& step,
                                                             Suspects& suspects) {
  const auto names = step.map().names();
  const bool is_output = loss.column < names.size();
  const std::string whose =
      is_output ? fmt::format("'{}'", names[loss.column]) : "the right-hand side";
  Place place{loss.t, fmt::format("At t = {:.12g} {} {}.", loss.t, whose, loss.what)};
  if (!is_output) return place;
  suspects.note_undefined(step.number(loss.suspect));
  if (!of_output_) of_output_ = std::move(place);
  return std::nullopt;
}

std::optional<UndefinedValues::Place> UndefinedValues::find_end(SampledStep& step, StepParts& parts,
                                                                Suspects& suspects,
                                                                std::vector<Passage>& passages) {
  if (step.map().formulation().watch.may_lack_values) return std::nullopt;
  DomainExit& exit = parts.exit();
  for (const Bracket& bracket : parts.possible_poles()) {
    const double t = crossing(bracket, step).end;
    if (exit.is_found() && step.is_earlier(exit.t(), t)) break;
    if (is_avoided(bracket.suspect, t, step)) continue;
    const auto column = column_with_pole(t, step);
    if (!column) {
      // The unknown of the equation may be one of the integrator's, whose interpolant is smooth:
      // its pole shows only when a step ends near it.
      const bool is_leap = is_leap_over_pole(bracket.suspect, t, step);
      if (is_leap || step.function(bracket.suspect).kind == Watched::Kind::divisor) {
        passages.push_back({t, is_leap});
      }
      continue;
    }
    const Loss loss{t, *column, bracket.suspect, "grows beyond all bounds: it has a pole"};
    if (auto place = judge(loss, step, suspects)) return place;
  }
  if (!exit.is_found()) return std::nullopt;
  const auto column = column_without_value(exit.t(), step);
  if (!column) return std::nullopt;
  const double t = exit.last_inside();
  const std::string what =
      fmt::format("has no finite value any more: the argument of {} leaves its domain",
                  step.functions().name(step.function(exit.suspect())));
  return judge({t, *column, exit.suspect(), what}, step, suspects);
}

}  // namespace daedal::solve_detail
