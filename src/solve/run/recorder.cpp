// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedal::solve_detail {

Recorder::Recorder(std::shared_ptr<const OutputMap> map, std::shared_ptr<Solution::Dense> dense,
                   const Lookers& lookers, Solution& solution)
    : map_(std::move(map)),
      solution_(solution),
      workspace_(map_->make_workspace()),
      dense_(std::move(dense)),
      lookers_(lookers),
      is_repeated_(!solution.times.empty()) {
  solution_.names.assign(map_->names().begin(), map_->names().end());
  const auto n_known = static_cast<int>(solution_.constraints.size());
  for (int level = n_known; level < map_->formulation().levels.n; ++level) {
    solution_.constraints.push_back({level, 0.0});
  }
  if (dense_) dense_->begin_leg(map_);
}

void Recorder::on_output(double t, std::span<const double> x, std::span<const double> xp,
                         Run& run) {
  double row_time = t;
  if (std::exchange(is_repeated_, false)) {
    if (!lookers_.row_time) return;
    row_time = *lookers_.row_time;
  }
  const int n_levels = map_->formulation().levels.count(run);
  for (auto level = static_cast<int>(solution_.constraints.size()); level < n_levels; ++level) {
    solution_.constraints.push_back({level, 0.0});
  }
  const std::size_t width = solution_.names.size();
  solution_.times.push_back(row_time);
  solution_.values.resize(solution_.values.size() + width);
  const std::span<double> row(solution_.values.data() + solution_.values.size() - width, width);
  map_->evaluate(t, x, xp, run, row, workspace_);
  if (!bad_value_ && !map_->formulation().watch.may_lack_values) {
    const auto bad = std::ranges::find_if_not(row, [](double v) { return std::isfinite(v); });
    if (bad != row.end()) bad_value_ = {t, static_cast<std::size_t>(bad - row.begin())};
  }
  for (ConstraintLevel& level : solution_.constraints) {
    if (level.level >= n_levels) break;
    const double residual = map_->formulation().levels.residual(t, x, xp, level.level, run);
    // A residual that is not a number must not vanish in a comparison.
    if (!(residual <= level.max_residual)) level.max_residual = residual;
    level.residuals.resize(solution_.times.size() - 1, std::numeric_limits<double>::quiet_NaN());
    level.residuals.push_back(residual);
  }
}

void Recorder::on_step(const integration::StepReport& report, const integration::Stepper& stepper,
                       Run& run) {
  if (dense_) dense_->add_step(report.t0, report.t1, report.order, stepper, run);
  if (lookers_.check != nullptr) lookers_.check->look(report, stepper, map_->formulation(), run);
  lookers_.growth.look(report, stepper, run);
  end_.remember(report, stepper, run);
}

void Recorder::on_event(double t, std::span<const std::int64_t> fired, const Change& change, Run&) {
  solution_.events.push_back(
      {t, map_->formulation().outputs.describe_event(fired, change), solution_.times.size()});
  end_.forget();
}

}  // namespace daedal::solve_detail
