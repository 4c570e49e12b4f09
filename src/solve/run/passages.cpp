// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/passages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace daedal::solve_detail {

namespace {

/// How far beyond a point the run is taken up again, as shares of the way so far: the smallest that
/// leads to a solution.
constexpr std::array reaches{1e-13, 1e-11, 1e-9, 1e-7, 1e-5};
/// Points so near to each other, as a share of the way, are the same one.
constexpr double same_point = 1e-4;
constexpr int most_attempts = 1000;
/// The least share of the time so far that a run beyond a point must cover: one that stops sooner
/// has followed rounding errors.
constexpr double least_way_share = 1e-2;
/// The largest jump across a point, relative to the largest value of the variable: a greater one
/// leads to another branch.
constexpr double largest_gap = 0.2;
/// The same for differential variables, whose slopes have to be finite.
constexpr double largest_move = 1e-3;

/// The values of `end`, the differential ones carried on to a later time.
StartPoint start_beyond(const SegmentEnd& end, double t0, const RunContext& context) {
  const PreparedModel& model = context.reading->prepared.restarted();
  StartPoint from{&model, end.parameters, t0};
  from.parameters.resize(context.parameters.size());
  const auto& is_differential = model.written()->view().is_differential;
  for (std::size_t j = 0; j < end.values.size(); ++j) {
    const bool moves = is_differential[j] && std::isfinite(end.rates[j]);
    from.parameters.push_back(end.values[j] + (moves ? (t0 - end.t) * end.rates[j] : 0.0));
  }
  return from;
}

bool is_continuous(const PreparedRun& next, const SegmentEnd& end, const Solution& solution) {
  const std::vector<double> values = start_values_of(next);
  const auto& is_differential = next.from.model->written()->view().is_differential;
  const auto& variables = next.from.model->model().variables();
  for (std::size_t j = 0; j < end.values.size(); ++j) {
    const auto column = std::ranges::find(solution.names, variables[j].name);
    double size = std::max(std::abs(values[j]), std::abs(end.values[j]));
    // A nominal value of 1 may be the default, so it counts only where nothing else is known.
    const double nominal = std::abs(variables[j].nominal);
    if (nominal != 1.0 || solution.n_rows() <= 1) size = std::max(size, nominal);
    for (std::size_t i = 0; column != solution.names.end() && i < solution.n_rows(); ++i) {
      const auto k = static_cast<std::size_t>(column - solution.names.begin());
      size = std::max(size, std::abs(solution.row(i)[k]));
    }
    const double largest = is_differential[j] ? largest_move : largest_gap;
    if (!(std::abs(values[j] - end.values[j]) <= largest * size)) return false;
  }
  return true;
}

}  // namespace

std::optional<PreparedRun> Passages::beyond(const Candidate& candidate, const SegmentEnd& end,
                                            const RunContext& context, const Solution& solution) {
  const TimeSpan& span = context.span;
  const double way = end.t != span.start ? end.t - span.start : span.stop - span.start;
  if (++n_attempts_ > most_attempts || context.stop.is_raised()) return std::nullopt;
  if (!(std::abs(end.t - last_) <= same_point * std::abs(way))) next_reach_ = 0;
  const double gap = std::abs(end.singular_time - end.t);
  while (next_reach_ < reaches.size()) {
    const double reach = std::max(4.0 * gap, reaches[next_reach_++] * std::abs(way));
    StartPoint from = start_beyond(end, end.t + std::copysign(reach, way), context);
    if ((span.stop - from.t0) * way <= 0.0) return std::nullopt;
    if (const double interval = std::copysign(context.options.interval, way); interval != 0.0) {
      const double point = span.start + std::floor((from.t0 - span.start) / interval) * interval;
      if ((point - end.t) * way > 0.0) from.row_time = point;
    }
    auto next = Expected<PreparedRun>::from([&] { return resume_run(candidate, from, context); });
    if (!next) return std::nullopt;  // the method does not fit the model that goes on
    if (next->start.status != Status::success || !is_continuous(*next, end, solution)) continue;
    last_ = end.t;
    const auto last_row = solution.row(solution.n_rows() - 1);
    passage_ = Passage{.before = {end, candidate},
                       .status = solution.status,
                       .message = solution.message,
                       .resumed_at = from.t0,
                       .least_way = std::max(reach, least_way_share * std::abs(way)),
                       .n_rows = solution.n_rows(),
                       .n_events = solution.events.size(),
                       .n_notices = solution.notices.size(),
                       .n_warnings = solution.warnings.size(),
                       .last_time = solution.times.back(),
                       .last_row = {last_row.begin(), last_row.end()}};
    next->start.notices = {
        fmt::format("At t = {:.6g} a slope is infinite, and the solution continues beyond it.",
                    end.singular_time)};
    return std::move(*next);
  }
  return std::nullopt;
}

std::optional<Passages::Before> Passages::come_back(double t, Solution& solution) {
  if (!passage_) return std::nullopt;
  Passage passage = std::move(*passage_);
  passage_.reset();
  const double way = std::abs(t - passage.resumed_at);
  if (is_success(solution.status) || way > passage.least_way) return std::nullopt;
  solution.status = passage.status;
  solution.message = std::move(passage.message);
  solution.notices.resize(passage.n_notices);
  solution.warnings.resize(passage.n_warnings);
  solution.times.resize(passage.n_rows);
  solution.values.resize(passage.n_rows * solution.names.size());
  solution.times.back() = passage.last_time;
  std::ranges::copy(passage.last_row, solution.values.end() - to_index(passage.last_row.size()));
  solution.events.resize(passage.n_events);
  for (ConstraintLevel& level : solution.constraints) {
    level.residuals.resize(std::min(level.residuals.size(), passage.n_rows));
  }
  return std::move(passage.before);
}

}  // namespace daedal::solve_detail
