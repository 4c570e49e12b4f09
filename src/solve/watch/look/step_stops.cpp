// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/step_stops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve_detail {

namespace {

/// A step is taken again if its defect is greater than so many tolerances.
constexpr double significant_tolerances = 10.0;

/// The pieces that the stops and the parts of a look divide the step into, up to where either ends.
std::vector<integration::Part> parts_between(std::span<const StepStops::Stop> stops,
                                             const SampledStep& step, const StepParts& parts,
                                             const std::optional<UndefinedValues::Place>& end) {
  const auto is_earlier = [&](double a, double b) { return step.is_earlier(a, b); };
  std::vector<double> borders{parts.end()};
  for (const StepStops::Stop& stop : stops) borders.push_back(stop.t);
  for (const StepParts::Part& part : parts.parts()) {
    if (is_earlier(part.begin, parts.end())) borders.push_back(part.begin);
  }
  std::ranges::sort(borders, is_earlier);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::vector<integration::Part> result;
  for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
    if (end && is_earlier(end->t, borders[k + 1])) break;
    result.push_back({borders[k], borders[k + 1]});
  }
  return result;
}

}  // namespace

StepStops::Choice StepStops::choose(SampledStep& step, StepParts& parts,
                                    std::span<const UndefinedValues::Passage> passages,
                                    const std::optional<UndefinedValues::Place>& end) {
  std::vector<Stop> stops;
  for (const Bracket& bracket : parts.sign_changes()) {
    const Bracket about = about_crossing(bracket, step);
    const bool is_jump = step.function(bracket.suspect).kind == Watched::Kind::jump;
    stops.push_back({about.end, true, is_jump});
    // A step that ended only beyond a jump would be computed with values from there throughout.
    if (is_jump) stops.push_back({about.begin});
  }
  // A variable without a value between values at both ends of the step shows a singular point of
  // what the model solves for within its equations. The scheme has passed that point, and no step
  // could end next to it.
  if (step.has_gap() && !parts.exit().is_found()) return {};

  for (const StepParts::Part& part : parts.parts()) {
    if (part.is_active) stops.insert(stops.end(), {Stop{part.begin}, Stop{part.end}});
  }
  for (const double t : parts.floor_changes()) stops.push_back({t, true, true});
  for (const UndefinedValues::Passage& passage : passages) stops.push_back({passage.t, true});
  const double margin = SampledStep::end_share * std::abs(step.length());
  const auto is_inside = [&](double t) {
    return std::abs(t - step.begin().t) > margin && std::abs(step.end().t - t) > margin &&
           !step.is_earlier(parts.end(), t) && (!end || step.is_earlier(t, end->t));
  };
  std::erase_if(stops, [&](const Stop& stop) { return !is_inside(stop.t); });
  // The solution beyond a pole satisfies the equations, too: no defect tells of a leap.
  const bool has_leapt =
      std::ranges::any_of(passages, [&](const UndefinedValues::Passage& passage) {
        return passage.is_leap && is_inside(passage.t);
      });
  if (!stops.empty() && !options_.is_kept && !has_leapt) {
    const std::vector<integration::Part> between = parts_between(stops, step, parts, end);
    if (defect_of(between, step) <= significant_tolerances) stops.clear();
  }

  const bool is_significant = !stops.empty();
  const auto add = [&](double t) {
    if (is_inside(t)) stops.push_back({t});
  };
  for (const double t : parts.sides().stops()) add(t);
  if (parts.end() != step.end().t) add(parts.end());
  return {std::move(stops), is_significant};
}

double StepStops::defect_of(std::span<const integration::Part> parts, SampledStep& step) {
  if (!defect_) {
    defect_.emplace(step.map().formulation().system(),
                    integration::WeightOptions{.rtol = options_.rtol,
                                               .atol = options_.atol,
                                               .follows_scales = options_.follows_scales});
  }
  return defect_->measure(parts, step.stepper(), step.run());
}

}  // namespace daedal::solve_detail
