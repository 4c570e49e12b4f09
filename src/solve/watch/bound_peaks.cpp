// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/bound_peaks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve_detail {

namespace {

/// A parabola rises above both ends of a step by an eighth of what its slope changes by over the
/// step. That change is taken from the mean slopes of this step and the one before.
constexpr double greatest_rise = 0.5;
/// A step is cut into so many pieces, and one more for so many orders of its interpolant, which may
/// bend more often.
constexpr int least_pieces = 2;
constexpr int orders_per_piece = 4;
/// Steps of series may hold several turns, of which mean slopes say nothing.
constexpr int order_of_turns = 10;

}  // namespace

BoundPeaks::BoundPeaks(std::shared_ptr<const OutputMap> map, RowChecks& checks)
    : map_(std::move(map)),
      checks_(checks),
      workspace_(map_->make_workspace()),
      x_(to_size(map_->formulation().system().size())),
      xp_(x_.size()),
      slopes_(checks.bounds().size(), 0.0) {}

void BoundPeaks::read(double t, const integration::Stepper& stepper, Run& run, Point& point) {
  point.t = t;
  point.values.resize(map_->names().size());
  if (t == stepper.time()) {
    map_->evaluate(t, stepper.x(), stepper.xp(), run, point.values, workspace_);
    return;
  }
  const Failure before = run.failure;
  stepper.interpolate(t, x_, xp_);
  const auto* system = map_->formulation().explicit_system.get();
  if (system != nullptr && system->has_complete()) (void)system->complete(t, x_, run);
  map_->evaluate(t, x_, xp_, run, point.values, workspace_);
  run.failure = before;
}

void BoundPeaks::find_near(const integration::StepReport& step) {
  const double length = step.t1 - step.t0;
  near_.clear();
  const auto bounds = checks_.bounds();
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const double begin = points_.front().values[bounds[k].column];
    const double end = end_.values[bounds[k].column];
    const double slope = (end - begin) / length;
    const double bend = std::abs((slope - std::exchange(slopes_[k], slope)) * length);
    const double lacking = -std::max(bounds[k].excess(begin), bounds[k].excess(end));
    if (lacking < greatest_rise * bend || step.order >= order_of_turns) near_.push_back(k);
  }
}

/// Fits a parabola to the greatest of the points and its neighbours, and reads the step at its
/// vertex.
void BoundPeaks::look_for_peak(const RowChecks::Bound& bound, const integration::Stepper& stepper,
                               Run& run) {
  const auto excess = [&](std::size_t i) { return bound.excess(points_[i].values[bound.column]); };
  std::size_t highest = 1;
  for (std::size_t i = 2; i + 1 < points_.size(); ++i) {
    if (excess(i) > excess(highest)) highest = i;
  }
  const double bend = excess(highest - 1) - 2.0 * excess(highest) + excess(highest + 1);
  const double vertex = 0.5 * (excess(highest - 1) - excess(highest + 1)) / bend;
  if (!(bend < 0.0) || !(std::abs(vertex) <= 1.0)) return;
  const double apart = points_[1].t - points_[0].t;
  read(points_[highest].t + vertex * apart, stepper, run, peak_);
  checks_.look_inside(peak_.t, peak_.values);
}

void BoundPeaks::on_step(const integration::StepReport& step, const integration::Stepper& stepper,
                         Run& run) {
  const int n_pieces = least_pieces + step.order / orders_per_piece;
  points_.resize(to_size(n_pieces) + 1);
  if (end_.t == step.t0) {
    std::swap(points_.front(), end_);
  } else {
    read(step.t0, stepper, run, points_.front());
  }
  read(step.t1, stepper, run, end_);
  checks_.look_inside(step.t1, end_.values);
  find_near(step);
  if (near_.empty()) return;
  for (int i = 1; i < n_pieces; ++i) {
    Point& point = points_[to_size(i)];
    read(step.t0 + (step.t1 - step.t0) * i / n_pieces, stepper, run, point);
    checks_.look_inside(point.t, point.values);
  }
  points_.back() = end_;
  for (const std::size_t k : near_) look_for_peak(checks_.bounds()[k], stepper, run);
  // The next step begins with what is solved for inside the equations at the end of this one.
  read(step.t1, stepper, run, end_);
}

}  // namespace daedal::solve_detail
