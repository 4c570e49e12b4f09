// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/lane_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/weights.hpp"

namespace daedal::integration {

LaneSteps::LaneSteps(const ExplicitSystem& system, LaneSystem& lanes, const Tableau& tableau)
    : lanes_(lanes),
      tableau_(tableau),
      single_(system, tableau),
      n_(to_size(system.size())),
      stride_(lane_count * n_),
      x_(stride_),
      slopes_(stride_ * to_size(tableau.all_stages())),
      stage_(stride_),
      x_new_(stride_),
      polynomials_(stride_ * to_size(single_.dense_weights().cols())),
      end_x_(stride_),
      end_xp_(stride_),
      end_weights_(stride_) {
  for (auto& error : errors_) error.resize(stride_);
  for (auto& part : stiff_) part.resize(stride_);
  rows_.resize(to_size(tableau.all_stages()));
  for (std::size_t first = 0; first < tableau.a.size();) {
    std::size_t last = first;
    while (last < tableau.a.size() && tableau.a[last].row == tableau.a[first].row) ++last;
    rows_[to_size(tableau.a[first].row)] = tableau.a.subspan(first, last - first);
    first = last;
  }
  for (const Coefficient& entry : tableau.error) {
    error_rows_[to_size(entry.row)].push_back(entry);
    error_needs_end_ = error_needs_end_ || entry.from == tableau.stages;
  }
  for (const int row : {tableau.stages - 1, tableau.stages}) {
    for (Coefficient entry : rows_[to_size(row)]) {
      if (row != tableau.stages) entry.value = -entry.value;
      stiff_row_.push_back(entry);
    }
  }
}

void LaneSteps::take(std::size_t lane, Run& run) {
  lanes_.take(lane, run);
  runs_[lane] = &run;
}

void LaneSteps::set(std::size_t lane, const Step& step) {
  t_[lane] = step.t;
  h_[lane] = step.h;
  double* const first = slope(0);
  for (std::size_t i = 0; i < n_; ++i) {
    x_[lane_count * i + lane] = step.x[i];
    first[lane_count * i + lane] = step.xp[i];
  }
}

void LaneSteps::apply(const double* start, const double* h, bool in_pairs, double* out) {
  lanes_.sum({.out = out,
              .start = start,
              .h = h,
              .terms = terms_.data(),
              .n_terms = terms_.size(),
              .n = n_,
              .in_pairs = in_pairs});
}

/// As ExplicitRungeKutta::form_stage() has it.
void LaneSteps::form_stage(int i, std::vector<double>& out) {
  terms_.clear();
  for (const Coefficient& entry : rows_[to_size(i)]) {
    terms_.push_back({slope(entry.from), entry.value});
  }
  apply(x_.data(), h_.data(), true, out.data());
}

void LaneSteps::evaluate_stage(int i, const std::vector<double>& x, Part& part) {
  PerLane t;
  PerLane conditioning;
  conditioning.fill(infinity);
  for (std::size_t l = 0; l < lane_count; ++l) t[l] = t_[l] + tableau_.c[to_size(i)] * h_[l];
  part.good &= lanes_.rhs(t.data(), x.data(), slope(i), conditioning.data());
  for (std::size_t l = 0; l < lane_count; ++l) {
    part.conditioning[l] = std::min(part.conditioning[l], conditioning[l]);
  }
}

void LaneSteps::attempt() {
  stages_.begin();
  end_.is_known = dense_.is_known = false;
  for (int i = 1; i < tableau_.stages; ++i) {
    form_stage(i, stage_);
    evaluate_stage(i, stage_, stages_);
  }
  form_stage(tableau_.stages, x_new_);
  if (!error_needs_end_) sum_errors();
}

void LaneSteps::sum(std::span<const Coefficient> row, std::vector<double>& out) {
  terms_.clear();
  for (const Coefficient& entry : row) terms_.push_back({slope(entry.from), entry.value});
  apply(nullptr, nullptr, false, out.data());
}

void LaneSteps::sum_errors() {
  for (std::size_t row = 0; row < error_rows_.size(); ++row) {
    if (!error_rows_[row].empty()) sum(error_rows_[row], errors_[row]);
  }
}

const LaneSteps::Part& LaneSteps::end() {
  if (end_.is_known) return end_;
  end_.begin();
  const int last = tableau_.stages;
  evaluate_stage(last, x_new_, end_);
  if (error_needs_end_) sum_errors();
  if (tableau_.stability == 0.0) return end_;
  sum(stiff_row_, stiff_[0]);
  for (std::size_t i = 0; i < stride_; ++i) stiff_[1][i] = slope(last)[i] - slope(last - 1)[i];
  return end_;
}

const LaneSteps::Part& LaneSteps::dense() {
  if (dense_.is_known) return dense_;
  dense_.begin();
  for (int i = tableau_.stages + 1; i < tableau_.all_stages(); ++i) {
    form_stage(i, stage_);
    evaluate_stage(i, stage_, dense_);
  }
  const Matrix& weights = single_.dense_weights();
  for (Index j = 0; j < weights.cols(); ++j) {
    terms_.clear();
    for (int i = 0; i < tableau_.all_stages(); ++i) {
      if (weights(i, j) != 0.0) terms_.push_back({slope(i), weights(i, j)});
    }
    apply(nullptr, h_.data(), false, polynomials_.data() + to_size(j) * stride_);
  }
  return dense_;
}

void LaneSteps::set_end(std::size_t lane, const End& end) {
  ends_ |= 1U << lane;
  end_t_[lane] = end.t;
  for (std::size_t i = 0; i < n_; ++i) {
    end_x_[lane_count * i + lane] = end.x[i];
    end_weights_[lane_count * i + lane] = end.weights[i];
  }
}

void LaneSteps::project() {
  if (ends_ == 0) return;
  PerLane conditioning;
  conditioning.fill(infinity);
  ends_ = lanes_.project({end_t_.data(), end_x_.data(), end_weights_.data(), runs_}, ends_) &
          lanes_.rhs(end_t_.data(), end_x_.data(), end_xp_.data(), conditioning.data());
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    if ((ends_ >> lane & 1U) != 0) lanes_.note_end(lane, conditioning[lane], *runs_[lane]);
  }
  end_good_ = std::exchange(ends_, 0);
}

bool LaneSteps::read_end(std::size_t lane, std::span<double> x, std::span<double> xp) const {
  for (std::size_t i = 0; i < n_; ++i) {
    x[i] = end_x_[lane_count * i + lane];
    xp[i] = end_xp_[lane_count * i + lane];
  }
  return (end_good_ >> lane & 1U) != 0;
}

LaneScheme::LaneScheme(const ExplicitSystem& system, LaneSteps& steps, std::size_t lane)
    : system_(system),
      steps_(steps),
      lane_(lane),
      x_new_(steps.n_),
      xp_new_(steps.n_),
      inside_(2 * steps.n_),
      slope_inside_(steps.n_),
      dense_(to_index(steps.n_), static_cast<int>(steps.single_.dense_weights().cols())) {}

/// False where the lane has none.
bool LaneScheme::take(const LaneSteps::Part& part, Run& run) {
  const bool is_good = (part.good >> lane_ & 1U) != 0;
  has_failed_ = has_failed_ || !is_good;
  if (std::isfinite(part.conditioning[lane_])) {
    steps_.lanes_.note_conditioning(part.conditioning[lane_], run);
  }
  return is_good;
}

double LaneScheme::norm(const std::vector<double>& values, std::span<const double> weights) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double scaled = values[lane_count * i + lane_] * weights[i];
    sum += scaled * scaled;
  }
  return std::sqrt(sum / static_cast<double>(weights.size()));
}

double LaneScheme::error_norm(std::span<const double> weights) {
  std::array<double, 2> rows{};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!steps_.error_rows_[row].empty()) rows[row] = norm(steps_.errors_[row], weights);
  }
  return combined_error(steps_.tableau_, h_, rows, stretch_);
}

Attempt LaneScheme::attempt(const StepTask& task, Run& run) {
  const Attempt failed{.outcome = Attempt::Outcome::non_finite};
  h_ = task.h;
  is_complete_ = false;
  if (!take(steps_.stages_, run)) return failed;
  const Tableau& tableau = steps_.tableau_;
  const bool needs_end = steps_.error_needs_end_;
  Attempt attempt{.error_order = tableau.error_order, .safety = tableau.control.safety};
  if (!needs_end) {
    attempt.error = error_norm(task.weights);
    if (attempt.error > 1.0) return attempt;
  }
  if (!take(steps_.end(), run)) return failed;
  const double* const slope = steps_.slope(tableau.stages);
  double check = 0.0;
  for (std::size_t i = 0; i < x_new_.size(); ++i) {
    x_new_[i] = steps_.x_new_[lane_count * i + lane_];
    xp_new_[i] = slope[lane_count * i + lane_];
    check += 0.0 * x_new_[i] + 0.0 * xp_new_[i];
  }
  if (check != 0.0) {
    has_failed_ = true;
    return failed;
  }
  if (needs_end) attempt.error = error_norm(task.weights);
  return attempt;
}

void LaneScheme::accept(Run&) {
  if (is_complete_) return;
  dense_.reshape({.t0 = steps_.t_[lane_],
                  .h = h_,
                  .degree = static_cast<int>(steps_.single_.dense_weights().cols()),
                  .order = steps_.tableau_.dense_order});
}

void LaneScheme::complete_dense(Run& run) {
  if (is_complete_ || !take(steps_.dense(), run)) return;
  is_complete_ = true;
  const int degree = static_cast<int>(steps_.single_.dense_weights().cols());
  dense_.reshape(
      {.t0 = steps_.t_[lane_], .h = h_, .degree = degree, .order = steps_.tableau_.dense_order});
  double check = 0.0;
  for (int j = 0; j <= degree; ++j) {
    const double* const from =
        j == 0 ? steps_.x_.data() : steps_.polynomials_.data() + to_size(j - 1) * steps_.stride_;
    auto coefficient = dense_.coefficient(j);
    for (std::size_t i = 0; i < x_new_.size(); ++i) {
      coefficient[to_index(i)] = from[lane_count * i + lane_];
      check += 0.0 * coefficient[to_index(i)];
    }
  }
  // A stage of the dense output outside the domain.
  has_failed_ = has_failed_ || check != 0.0;
}

bool LaneScheme::local_error(std::span<double> error) {
  for (std::size_t i = 0; i < error.size(); ++i) {
    double sum = 0.0;
    for (const Coefficient& entry : steps_.error_rows_[0]) {
      sum += (h_ * entry.value) * steps_.slope(entry.from)[lane_count * i + lane_];
    }
    error[i] = sum * stretch_;
  }
  return true;
}

double LaneScheme::defect_inside(std::span<const double> weights, Run& run) {
  complete_dense(run);
  const std::size_t n = x_new_.size();
  const std::span<double> x(inside_.data(), n);
  const std::span<double> xp(inside_.data() + n, n);
  dense_.evaluate(look_inside_at, x, xp);
  const double t = steps_.t_[lane_] + look_inside_at * h_;
  if (has_failed_ || system_.rhs(t, x, run, slope_inside_) != Evaluation::ok) return 0.0;
  for (std::size_t i = 0; i < n; ++i) xp[i] -= slope_inside_[i];
  return std::abs(h_) * weighted_rms(xp, weights);
}

double LaneScheme::stiffness(std::span<const double> weights) {
  if (steps_.tableau_.stability == 0.0) return 0.0;
  const double distance = norm(steps_.stiff_[0], weights);
  if (!(distance > 0.0)) return 0.0;
  return norm(steps_.stiff_[1], weights) / (distance * steps_.tableau_.stability);
}

}  // namespace daedal::integration
