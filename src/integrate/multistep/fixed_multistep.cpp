// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/fixed_multistep.hpp"

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

namespace daedal::integration {

namespace {

/// A limit this close to a grid point, relative to the step, is the grid point.
constexpr double grid_tolerance = 1e-9;

}  // namespace

FixedMultistep::FixedMultistep(const System& system, const StepOptions& options,
                               const Formula& formula, std::unique_ptr<Stepper> starter)
    : Stepper(system),
      x_new_(x_.size()),
      xp_new_(x_.size()),
      dense_(system.size(), formula.degree),
      options_(options),
      formula_(formula),
      starter_(std::move(starter)),
      past_x_(Matrix::Zero(system.size(), formula.history)),
      past_xp_(past_x_) {
  if (!std::isfinite(options.fixed_step) || options.fixed_step <= 0.0) {
    throw OptionError(ErrorCode::invalid_option,
                      "This integrator has no error control: give it a fixed step.");
  }
}

int FixedMultistep::slot(int j) const {
  return (newest_ + j) % formula_.history;
}

void FixedMultistep::remember() {
  newest_ = (newest_ + formula_.history - 1) % formula_.history;
  past_x_.col(newest_) = as_vector(x_);
  past_xp_.col(newest_) = as_vector(xp_);
  n_past_ = std::min(n_past_ + 1, formula_.history);
}

void FixedMultistep::start(double t, std::span<const double> x, std::span<const double> xp,
                           Run& run, double direction_limit) {
  run_ = &run;
  t_ = t;
  end_ = direction_limit;
  direction_ = direction_limit >= t ? 1.0 : -1.0;
  std::ranges::copy(x, x_.begin());
  std::ranges::fill(xp_, 0.0);
  std::ranges::copy(xp, xp_.begin());
  renew_slope(t, run);
  forget_matrices();
  n_past_ = 0;
  remember();
  starter_is_here_ = false;
  last_by_starter_ = false;
}

void FixedMultistep::start_with_history(double t, const Matrix& x, const Matrix& xp, Run& run,
                                        double direction_limit) {
  const auto column = [](const Matrix& m, Index j) {
    return std::span<const double>(m.col(j).data(), to_size(m.rows()));
  };
  start(t, column(x, 0), column(xp, 0), run, direction_limit);
  n_past_ = static_cast<int>(std::min<Index>(x.cols(), formula_.history));
  for (int j = 0; j < n_past_; ++j) {
    past_x_.col(slot(j)) = x.col(j);
    past_xp_.col(slot(j)) = xp.col(j);
  }
  std::ranges::copy(column(xp, 0), xp_.begin());
}

StepReport FixedMultistep::advance(double limit) {
  const double left = direction_ * (limit - t_);
  if (!(left > 0.0)) return {.t0 = t_, .t1 = t_, .message = {}};
  const double size = options_.fixed_step;
  const bool is_cut = left < size * (1.0 - grid_tolerance);
  const bool lands = left <= size * (1.0 + grid_tolerance);
  StepReport report;
  if (starter_ != nullptr && (is_cut || n_past_ < formula_.history)) {
    report = step_by_starter(limit);
  } else {
    if (is_cut) n_past_ = 1;
    run_->failure = {};
    report = step_by_formula(t_, is_cut ? limit - t_ : direction_ * size, *run_);
    report.t0 = t_;
    report.t1 = report.status != Status::success ? t_ : lands ? limit : t_ + direction_ * size;
    last_by_starter_ = false;
    starter_is_here_ = false;
    ++(report.status == Status::success ? steps_ : failed_);
  }
  if (report.status != Status::success) return report;
  report.order = formula_.order;
  t_ = report.t1;
  std::ranges::copy(x_new_, x_.begin());
  std::ranges::copy(xp_new_, xp_.begin());
  if (is_cut) n_past_ = 0;  // the points behind are off the grid now
  remember();
  return report;
}

StepReport FixedMultistep::step_by_starter(double limit) {
  if (!starter_is_here_) starter_->start(t_, x_, xp_, *run_, end_);
  StepReport report = starter_->advance(limit);
  if (report.status != Status::success) return report;
  std::ranges::copy(starter_->x(), x_new_.begin());
  std::ranges::copy(starter_->xp(), xp_new_.begin());
  last_by_starter_ = true;
  starter_is_here_ = true;
  return report;
}

void FixedMultistep::interpolate(double t, std::span<double> x, std::span<double> xp) const {
  if (last_by_starter_) {
    starter_->interpolate(t, x, xp);
  } else {
    dense_.evaluate(dense_.theta(t), x, xp);
  }
}

int FixedMultistep::max_derivative() const {
  return last_by_starter_ ? starter_->max_derivative() : dense_.shape().order;
}

void FixedMultistep::derivative(double t, int k, std::span<double> out) const {
  if (last_by_starter_) {
    starter_->derivative(t, k, out);
  } else {
    dense_.derivative(dense_.theta(t), k, out);
  }
}

void FixedMultistep::replace_state(std::span<const double> x, std::span<const double> xp) {
  if (last_by_starter_) {
    starter_->replace_state(x, xp);
  } else {
    for (std::size_t i = 0; i < x_.size(); ++i) x_new_[i] = x[i] - x_[i];
    dense_.shift_end(x_new_);
  }
  std::ranges::copy(x, x_.begin());
  if (xp.empty()) {
    renew_slope(t_, *run_);
  } else {
    std::ranges::copy(xp, xp_.begin());
  }
  past_x_.col(newest_) = as_vector(x_);
  past_xp_.col(newest_) = as_vector(xp_);
}

void FixedMultistep::equations_changed() {
  if (starter_ != nullptr && starter_is_here_) starter_->equations_changed();
  forget_matrices();
}

void FixedMultistep::count(Statistics& statistics) const {
  statistics.steps += steps_;
  statistics.rejected += failed_;
  if (starter_ != nullptr) starter_->count(statistics);
}

}  // namespace daedal::integration
