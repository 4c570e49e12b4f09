// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/tangent.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve_detail {

namespace {

/// The step of difference quotients, relative to the size of the unknowns: large enough to hide the
/// errors of x', small enough to hide the second derivatives.
constexpr double difference = 1e-4;
/// The formula may miss a third of a growth or decay that is faster than this in a step, which is
/// half of what it finds.
constexpr double fast_growth = 0.5;
constexpr double missed_share = 0.5;
/// With more unknowns than this, growth of what oscillates is found without looking for it.
constexpr std::size_t most_without_swing = 3;
/// Steps after which v is put on the manifold again, from which it drifts by powers of time.
constexpr std::int64_t steps_between_projections = 16;

}  // namespace

Tangent::Tangent(const ExplicitSystem& system, std::span<const double> greatest)
    : system_(system), v_(to_size(system.size())), scale_(greatest.begin(), greatest.end()) {
  // No direction that a model would prefer, but one of growth more often than of decay: what moves
  // away moves as it is displaced.
  for (std::size_t j = 0; j < v_.size(); ++j) {
    v_[j] = 1.0 + 0.3 * std::cos(1.0 + static_cast<double>(j * j));
  }
  moved_.resize(v_.size());
  slope_.resize(v_.size());
  weights_.resize(v_.size());
  for (Past& past : past_) past.rate.resize(v_.size());
}

bool Tangent::follow(const integration::StepReport& report, const integration::Stepper& stepper,
                     Run& run) {
  const double length = std::abs(report.t1 - report.t0);
  measure(stepper, length);
  if (n_steps_++ > 0) {
    advance(length);
  } else {
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] *= scale_[j];
  }
  const bool is_due = (n_steps_ - 1) % steps_between_projections == 0;
  if (is_due && system_.manifold() != nullptr && !put_on_manifold(stepper, run)) return false;
  const double before = log_size_;
  normalize();
  if (n_steps_ == 1) log_size_ = least_ = 0.0;
  const double growth = log_size_ - before;
  if (v_.size() <= most_without_swing && std::abs(growth) > fast_growth && n_steps_ > 1) {
    missed_ = std::max(0.0, missed_ + missed_share * growth);  // what swings gives it back
  }
  if (log_size_ <= least_) missed_ = 0.0;
  least_ = std::min(least_, log_size_);
  return std::isfinite(log_size_) && differentiate(stepper, run);
}

void Tangent::measure(const integration::Stepper& stepper, double length) {
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    scale_[j] = std::max({scale_[j], std::abs(stepper.x()[j]), std::abs(stepper.xp()[j]) * length});
    if (scale_[j] > 0.0 || n_steps_ > 0) continue;
    scale_[j] = system_.nominals().empty() ? 1.0 : std::abs(system_.nominals()[j]);
  }
}

bool Tangent::put_on_manifold(const integration::Stepper& stepper, Run& run) {
  normalize();
  for (std::size_t j = 0; j < v_.size(); ++j) {
    moved_[j] = stepper.x()[j] + difference * v_[j];
    // The weights decide which moves are too long for a projection, which itself converges to
    // rounding errors in any case.
    weights_[j] = scale_[j] > 0.0 ? 1.0 / scale_[j] : 0.0;
  }
  if (system_.manifold()->project(stepper.time(), moved_, weights_, run) != Evaluation::ok) {
    return false;
  }
  for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = (moved_[j] - stepper.x()[j]) / difference;
  return true;
}

bool Tangent::differentiate(const integration::Stepper& stepper, Run& run) {
  const double t = stepper.time();
  for (std::size_t j = 0; j < v_.size(); ++j) moved_[j] = stepper.x()[j] + difference * v_[j];
  if (system_.has_complete() && system_.complete(t, moved_, run) != Evaluation::ok) return false;
  if (system_.rhs(t, moved_, run, slope_) != Evaluation::ok) return false;
  for (std::size_t j = 0; j < v_.size(); ++j) {
    slope_[j] = (slope_[j] - stepper.xp()[j]) / difference;
  }
  std::ranges::rotate(past_, past_.end() - 1);
  past_[0].t = time_;
  std::ranges::copy(slope_, past_[0].rate.begin());
  n_known_ = std::min(n_known_ + 1, n_past);
  return true;
}

/// The integral of the polynomial through the last rates, in Newton's form.
void Tangent::advance(double length) {
  for (std::size_t j = 0; j < v_.size(); ++j) {
    double change = length * past_[0].rate[j];
    if (n_known_ > 1) {
      const double first = past_[0].t - past_[1].t;
      const double slope = (past_[0].rate[j] - past_[1].rate[j]) / first;
      change += 0.5 * length * length * slope;
      if (n_known_ > 2) {
        const double second = past_[1].t - past_[2].t;
        const double before = (past_[1].rate[j] - past_[2].rate[j]) / second;
        const double curve = (slope - before) / (first + second);
        // ∫ s (s + first) ds
        change += curve * length * length * (length / 3.0 + 0.5 * first);
      }
    }
    v_[j] += change;
  }
  time_ += length;
}

void Tangent::normalize() {
  double size = 0.0;
  for (std::size_t j = 0; j < v_.size(); ++j) {
    if (scale_[j] > 0.0) size = std::max(size, std::abs(v_[j]) / scale_[j]);
  }
  log_size_ += std::log(size);
  const double factor = 1.0 / size;
  for (double& value : v_) value *= factor;
  for (Past& past : past_) {
    for (double& value : past.rate) value *= factor;
  }
}

}  // namespace daedal::solve_detail
