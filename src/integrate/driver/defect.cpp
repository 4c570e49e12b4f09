// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/driver/defect.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::integration {

Defect::Defect(const System& system, const WeightOptions& tolerances)
    : explicit_(dynamic_cast<const ExplicitSystem*>(&system)),
      implicit_(dynamic_cast<const ImplicitSystem*>(&system)),
      error_weights_(system, tolerances),
      follows_scales_(tolerances.follows_scales) {
  x_.resize(to_size(system.size()));
  xp_.resize(x_.size());
  weights_.resize(x_.size());
  r_.resize(x_.size() + (implicit_ != nullptr ? to_size(implicit_->n_constraints()) : 0));
}

double Defect::largest(std::span<const double> change, double length, const Stepper& stepper) {
  ahead_.resize(x_.size());
  for (std::size_t i = 0; i < ahead_.size(); ++i) {
    ahead_[i] = std::abs(x_[i]) + std::abs(change[i]);
  }
  // The stepper may have given up the scales of small unknowns, which counts for its steps alone.
  const ErrorWeights* norm = stepper.norm();
  const bool is_its_own = norm == nullptr || (follows_scales_ && !norm->has_small());
  if (is_its_own) error_weights_.observe(x_);
  (is_its_own ? error_weights_ : *norm).compute(x_, length, weights_, ahead_);
  double result = 0.0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double size = std::abs(change[i] * weights_[i]);
    // What is not a number must not vanish in a comparison.
    if (!(size <= result)) result = size;
  }
  return std::isnan(result) ? infinity : result;
}

bool Defect::look(double t, const Stepper& stepper, Run& run) {
  stepper.interpolate(t, x_, xp_);
  // A stepper may complete x and x' by the equations themselves, which leaves no defect: what it
  // has integrated is the polynomial.
  if (stepper.max_derivative() > 0) stepper.derivative(t, 1, xp_);
  Evaluation evaluation = Evaluation::ok;
  if (explicit_ != nullptr) {
    if (explicit_->has_complete()) evaluation = explicit_->complete(t, x_, run);
    if (evaluation == Evaluation::ok) evaluation = explicit_->rhs(t, x_, run, r_);
    for (std::size_t i = 0; i < x_.size(); ++i) r_[i] -= xp_[i];
  } else {
    evaluation = implicit_->residual(t, x_, xp_, run, r_);
  }
  run.failure = {};
  return evaluation == Evaluation::ok;
}

bool Defect::linearize(double t, const Stepper& stepper, Run& run) {
  f_x_.resize(to_size(implicit_->pattern().nonzeros()));
  f_xp_.resize(f_x_.size());
  matrix_.resize(f_x_.size());
  stepper.interpolate(t, x_, xp_);
  const bool is_known = implicit_->jacobian(t, x_, xp_, run, f_x_, f_xp_) == Evaluation::ok;
  if (!is_known) run.failure = {};
  return is_known;
}

double Defect::response(double length, std::span<const double> defect, const Stepper& stepper) {
  if (!solver_) solver_ = linalg::make_real_solver(implicit_->pattern());
  for (std::size_t p = 0; p < f_x_.size(); ++p) matrix_[p] = f_x_[p] + f_xp_[p] / length;
  // Where no step of this length can be made the defect says nothing.
  if (!solver_->factor(matrix_).ok) return 0.0;
  worst_.assign(defect.begin(), defect.end());
  solver_->solve(worst_);
  return largest(worst_, length, stepper);
}

double Defect::measure(std::span<const Part> parts, const Stepper& stepper, Run& run) {
  sum_.assign(r_.size(), 0.0);
  double length = 0.0;
  double longest = 0.0;
  const Part* loudest = nullptr;
  for (const Part& part : parts) {
    const double own = part.end - part.begin;
    if (!look(part.begin + 0.5 * own, stepper, run)) return infinity;
    length += own;
    double size = 0.0;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      sum_[i] += explicit_ != nullptr ? std::abs(r_[i] * own) : r_[i] * own;
      size = std::max(size, std::abs(r_[i]));
    }
    if (implicit_ != nullptr && size > longest) {
      longest = size;
      loudest = &part;
      at_loudest_ = r_;
    }
  }
  if (explicit_ != nullptr) return largest(sum_, length, stepper);
  if (loudest == nullptr || implicit_->n_constraints() > 0) return longest > 0.0 ? infinity : 0.0;
  for (double& mean : sum_) mean /= length;
  if (!linearize(0.5 * (loudest->begin + loudest->end), stepper, run)) return infinity;
  const double mean = response(length, sum_, stepper);
  if (parts.size() == 1) return mean;
  return std::max(mean, response(loudest->end - loudest->begin, at_loudest_, stepper));
}

}  // namespace daedal::integration
