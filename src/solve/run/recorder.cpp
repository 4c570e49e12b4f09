// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/types.hpp"

namespace daedal::solve_detail {

Recorder::Recorder(std::shared_ptr<const OutputMap> map, std::shared_ptr<Solution::Dense> dense,
                   const Lookers& lookers, Solution& solution)
    : map_(std::move(map)),
      solution_(solution),
      workspace_(map_->make_workspace()),
      all_(map_->names().size()),
      row_(map_->n_columns()),
      dense_(std::move(dense)),
      lookers_(lookers),
      delayed_(map_, lookers.model),
      is_repeated_(!solution.times.empty()) {
  solution_.names = map_->column_names();
  if (lookers_.feed != nullptr) lookers_.feed->begin(solution_.names);
  const auto n_known = static_cast<int>(solution_.constraints.size());
  for (int level = n_known; level < map_->formulation().levels.n; ++level) {
    solution_.constraints.push_back({level, 0.0});
  }
  if (dense_) dense_->begin_leg(map_);
}

void Recorder::on_output(double t, std::span<const double> x, std::span<const double> xp,
                         Run& run) {
  if (lookers_.feed != nullptr && lookers_.feed->has_stopped()) return;
  map_->evaluate(t, x, xp, run, all_, row_, workspace_);
  record(t, {t, x, xp}, run);
}

bool Recorder::on_output_before(double t, const integration::Ray& at, Run& run) {
  if (lookers_.feed != nullptr && lookers_.feed->has_stopped()) return true;
  map_->evaluate(at.t, at.x, at.xp, run, all_, row_, workspace_);
  if (at.t == t && first_without_value() != all_.end()) return false;
  record(t, at, run);
  return true;
}

std::vector<double>::const_iterator Recorder::first_without_value() const {
  if (map_->formulation().watch.may_lack_values) return all_.end();
  return std::ranges::find_if_not(all_, [](double v) { return std::isfinite(v); });
}

void Recorder::record(double row_time, const integration::Ray& at, Run& run) {
  if (std::exchange(is_repeated_, false)) {
    if (!lookers_.row_time) return;
    row_time = *lookers_.row_time;
  }
  const auto& [t, x, xp] = at;
  const int n_levels = map_->formulation().levels.count(run);
  for (auto level = static_cast<int>(solution_.constraints.size()); level < n_levels; ++level) {
    solution_.constraints.push_back({level, 0.0});
  }
  if (!lookers_.keep_rows) {
    solution_.times.clear();
    solution_.values.clear();
  }
  solution_.times.push_back(row_time);
  solution_.values.insert(solution_.values.end(), row_.begin(), row_.end());
  if (!bad_value_) {
    const auto bad = first_without_value();
    if (bad != all_.end()) bad_value_ = {t, map_->names()[to_size(bad - all_.begin())]};
  }
  if (lookers_.rows != nullptr) lookers_.rows->look(row_time, all_);
  // Between the steps a row that was not asked for only makes curves smooth.
  const bool is_judged = std::exchange(is_step_end_, !lookers_.has_step_rows);
  const formulation::Levels& levels = map_->formulation().levels;
  if (is_judged && levels.residuals) {
    residuals_.resize(to_size(n_levels));
    levels.residuals(t, x, xp, run, residuals_);
  }
  for (ConstraintLevel& level : solution_.constraints) {
    if (level.level >= n_levels || !is_judged) break;
    const double residual = levels.residuals ? residuals_[to_size(level.level)]
                                             : levels.residual(t, x, xp, level.level, run);
    // A residual that is not a number must not vanish in a comparison.
    if (!(residual <= level.max_residual)) level.max_residual = residual;
    if (!lookers_.keep_rows) continue;
    level.residuals.resize(solution_.times.size() - 1, std::numeric_limits<double>::quiet_NaN());
    level.residuals.push_back(residual);
  }
  if (lookers_.feed == nullptr) return;
  if (!event_.empty()) lookers_.feed->event(t, std::exchange(event_, {}), row_);
  lookers_.feed->output(row_time, row_);
}

void Recorder::on_step_end(const integration::Ray& end, double t0, Run& run) {
  is_step_end_ = true;
  if (lookers_.feed == nullptr || !lookers_.feed->wants_steps()) return;
  map_->evaluate(end.t, end.x, end.xp, run, all_, row_, workspace_);
  lookers_.feed->step({.start = t0, .end = end.t, .order = order_, .row = row_});
}

void Recorder::on_step(const integration::StepReport& report, const integration::Stepper& stepper,
                       Run& run) {
  order_ = report.order;
  delayed_.on_step(report, stepper, run);
  if (dense_) dense_->add_step(report.t0, report.t1, report.order, stepper, run);
  if (lookers_.check != nullptr) lookers_.check->look(report, stepper, map_->formulation(), run);
  lookers_.growth.look(report, stepper, run);
  end_.remember(report, stepper, run);
}

void Recorder::on_event(double t, std::span<const std::int64_t> fired, const Change& change,
                        Run& run) {
  delayed_.on_event(run);
  event_ = map_->formulation().outputs.describe_event(fired, change);
  is_step_end_ = true;
  const bool is_shown = lookers_.feed != nullptr && lookers_.feed->wants_events();
  if (lookers_.keep_rows || !is_shown) {
    const std::size_t row = lookers_.keep_rows ? solution_.times.size() : EventRecord::no_row;
    solution_.events.push_back({t, event_, row});
  }
  end_.forget();
  if (lookers_.check != nullptr) lookers_.check->forget();
  lookers_.growth.forget();
}

}  // namespace daedal::solve_detail
