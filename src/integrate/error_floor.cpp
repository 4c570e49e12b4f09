// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/error_floor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <ranges>

namespace daedal::integration {

namespace {

/// Moves by so many units of rounding show the rounding errors inside an evaluation, which do not
/// appear in derivatives, besides the effect of the moves on its result.
constexpr double few_floors = 3.0;
/// Error estimates of high order combine rounding errors with weights of about ten. An error test
/// in which there is nothing else must pass.
constexpr double many_rounding_errors = 50.0;
/// Rounding errors of a rate are below this share of it where its terms do not cancel.
constexpr double usual_noise = 1e-10;
/// Where they are not, they are looked at once more in the step, before the solution has bent.
constexpr double share_beside = 1.0 / 16.0;
/// Errors of one unknown reach another through so many derivatives: jerk, acceleration, velocity.
constexpr int n_sweeps = 3;
/// Steps of explicit schemes end where the product of their length and the greatest eigenvalue
/// reaches some units.
constexpr double most_feedback = 10.0;
/// A rate that changes by this share may have jumped. It has jumped if the change on one side is
/// less than this share of that on the other: rounding errors change it on both sides.
constexpr double share_of_jump = 1e-3;

bool is_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

ErrorFloor::ErrorFloor(const System& system)
    : explicit_(dynamic_cast<const ExplicitSystem*>(&system)),
      implicit_(dynamic_cast<const ImplicitSystem*>(&system)),
      floor_(to_size(system.size()), 0.0),
      floor_rate_(floor_.size(), 0.0),
      moved_(floor_.size()),
      values_(floor_.size()),
      others_(floor_.size()),
      opposite_(explicit_ != nullptr ? floor_.size() : 0) {
  if (implicit_ == nullptr) return;
  values_.resize(floor_.size() + to_size(implicit_->n_constraints()));
  others_.resize(values_.size());
}

bool ErrorFloor::is_due() {
  return std::has_single_bit(static_cast<std::uint64_t>(++n_calls_));
}

bool ErrorFloor::measure(const Point& at, Run& run) {
  const Failure before = run.failure;
  std::ranges::fill(floor_rate_, 0.0);
  // The steps that rounding errors have shortened say nothing of how far these come.
  longest_ = std::max(longest_, std::abs(at.h));
  const bool is_known =
      explicit_ != nullptr ? measure_explicit(at, run) : measure_implicit(at, run);
  run.failure = before;
  if (!is_known) {
    std::ranges::fill(floor_, 0.0);
    std::ranges::fill(floor_rate_, 0.0);
  }
  for (double& floor : floor_) floor *= many_rounding_errors;
  for (double& rate : floor_rate_) rate *= many_rounding_errors;
  if (is_known && implicit_ != nullptr) {
    rounding_ = floor_;
    carry_tolerances(at);
  }
  return is_known;
}

bool ErrorFloor::measure_explicit(const Point& at, Run& run) {
  if (!measure_rates(at, run)) return false;
  const auto is_doubtful = [&](std::size_t i) {
    const double size = std::max(std::abs(at.x[i]), longest_ * std::abs(values_[i]));
    return longest_ * floor_rate_[i] > usual_noise * size;
  };
  if (std::ranges::any_of(std::views::iota(std::size_t{0}, floor_.size()), is_doubtful)) {
    // A root that begins at this point, as that of t - t₀ at t₀, magnifies rounding errors nowhere
    // else.
    const std::vector<double> here = floor_rate_;
    const double way = share_beside * at.h;
    std::vector<double> x(at.x.begin(), at.x.end());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += way * values_[i];
    const bool is_known =
        measure_rates({.t = at.t + way, .h = at.h, .x = x, .xp = {}, .weights = at.weights}, run);
    for (std::size_t i = 0; i < here.size(); ++i) {
      floor_rate_[i] = is_known ? std::min(here[i], floor_rate_[i]) : here[i];
    }
  }
  for (std::size_t i = 0; i < floor_.size(); ++i) {
    floor_[i] = few_floors * round_off * std::abs(at.x[i]);
  }
  return true;
}

/// Sets floor_rate_ to what rounding errors come to in the rates at a point.
bool ErrorFloor::measure_rates(const Point& at, Run& run) {
  if (explicit_->rhs(at.t, at.x, run, values_) != Evaluation::ok) return false;
  const auto evaluate = [&](double shift, std::span<double> values) {
    for (std::size_t i = 0; i < floor_.size(); ++i) {
      moved_[i] = at.x[i] + shift * at.h * values_[i];
    }
    return explicit_->rhs(at.t + shift * at.h, moved_, run, values);
  };
  // Beyond a border of the domain there is no noise to measure.
  const bool has_noise = noise_.measure(floor_.size(), evaluate);
  const auto carry = [&](double length) {
    std::ranges::fill(floor_rate_, 0.0);
    if (has_noise) std::ranges::copy(noise_.errors(), floor_rate_.begin());
    return carry_rounding(at, length, run);
  };
  double feedback = carry(longest_);
  // No explicit scheme takes steps in which errors feed back on themselves that much.
  if (longest_ * feedback > most_feedback) feedback = carry(most_feedback / feedback);
  return std::isfinite(feedback) && is_finite(floor_);
}

/// e ← ε|x| + h |f(t(1+ε), x ± e) − f(t, x)|, which carries the rounding of an acceleration to the
/// velocity and on to the position. Returns the greatest |f(x ± e) − f(x)|/e after that has been
/// done once, NaN where f has no value.
double ErrorFloor::carry_rounding(const Point& at, double length, Run& run) {
  for (std::size_t i = 0; i < floor_.size(); ++i) {
    const double size = std::max(std::abs(at.x[i]), length * std::abs(values_[i]));
    floor_[i] = std::max(few_floors * round_off * size, length * floor_rate_[i]);
  }
  const double t = at.t * (1.0 + few_floors * round_off);
  const auto move = [&](int sweep, double side, std::span<double> values) {
    for (std::size_t i = 0; i < floor_.size(); ++i) {
      moved_[i] = at.x[i] + side * irregular_sign(i + to_size(sweep)) * floor_[i];
    }
    return explicit_->rhs(t, moved_, run, values) == Evaluation::ok;
  };
  const auto change = [&](std::size_t i) { return std::abs(others_[i] - values_[i]); };
  const auto may_be_jump = [&](std::size_t i) {
    return change(i) > share_of_jump * std::max(std::abs(others_[i]), std::abs(values_[i]));
  };
  double feedback = 0.0;
  for (int sweep = 0; sweep < n_sweeps; ++sweep) {
    if (!move(sweep, 1.0, others_)) return std::numeric_limits<double>::quiet_NaN();
    const bool is_doubtful =
        std::ranges::any_of(std::views::iota(std::size_t{0}, floor_.size()), may_be_jump);
    if (is_doubtful && !move(sweep, -1.0, opposite_))
      return std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < floor_.size(); ++i) {
      double rate = change(i);
      if (is_doubtful && may_be_jump(i)) {
        const double other = std::abs(opposite_[i] - values_[i]);
        if (other < share_of_jump * rate) rate = other;
      }
      if (sweep > 0 && floor_[i] > 0.0) feedback = std::max(feedback, rate / floor_[i]);
      floor_rate_[i] = std::max(floor_rate_[i], rate);
      const double own = few_floors * round_off * std::abs(at.x[i]);
      floor_[i] = std::max(floor_[i], own + length * floor_rate_[i]);
    }
  }
  return feedback;
}

/// (F_x'/h + F_x) e = ε (|F_x| |x| + |F_x'| |x'| + |F_t| |t|): what a Newton iteration cannot
/// improve.
bool ErrorFloor::measure_implicit(const Point& at, Run& run) {
  if (implicit_->n_constraints() > 0 || longest_ == 0.0) return false;
  const SparsityPattern& pattern = implicit_->pattern();
  if (!solver_) {
    solver_ = linalg::make_real_solver(pattern);
    f_x_.resize(pattern.row.size());
    f_xp_.resize(pattern.row.size());
  }
  if (implicit_->jacobian(at.t, at.x, at.xp, run, f_x_, f_xp_) != Evaluation::ok) return false;
  const double t = at.t * (1.0 + few_floors * round_off);
  for (std::size_t i = 0; i < floor_.size(); ++i) {
    moved_[i] = at.x[i] * (1.0 + irregular_sign(i) * few_floors * round_off);
  }
  if (implicit_->residual(at.t, at.x, at.xp, run, values_) != Evaluation::ok ||
      implicit_->residual(t, moved_, at.xp, run, others_) != Evaluation::ok) {
    return false;
  }
  const auto evaluate = [&](double shift, std::span<double> values) {
    for (std::size_t i = 0; i < floor_.size(); ++i) moved_[i] = at.x[i] + shift * at.h * at.xp[i];
    return implicit_->residual(at.t + shift * at.h, moved_, at.xp, run, values);
  };
  const bool has_noise = noise_.measure(values_.size(), evaluate);
  for (std::size_t i = 0; i < floor_.size(); ++i) {
    moved_[i] = std::abs(others_[i] - values_[i]) + (has_noise ? noise_.errors()[i] : 0.0);
  }
  for (std::size_t j = 0; j < floor_.size(); ++j) {
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const auto k = to_size(p);
      moved_[to_size(pattern.row[k])] +=
          round_off * (std::abs(f_x_[k] * at.x[j]) + std::abs(f_xp_[k] * at.xp[j]));
      f_x_[k] += f_xp_[k] / std::copysign(longest_, at.h);
    }
  }
  if (!is_finite(f_x_) || !solver_->factor(f_x_).ok) return false;
  std::ranges::copy(moved_, floor_.begin());
  for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] *= irregular_sign(i);
  solver_->solve(floor_);
  solver_->solve(moved_);
  for (std::size_t i = 0; i < floor_.size(); ++i) {
    floor_[i] = std::max(std::abs(floor_[i]), std::abs(moved_[i]));
  }
  return is_finite(floor_);
}

/// (F_x'/h + F_x) e = F_x' δ/h with the tolerances δ of the differential unknowns, after
/// measure_implicit(): what they leave of the algebraic ones.
void ErrorFloor::carry_tolerances(const Point& at) {
  const SparsityPattern& pattern = implicit_->pattern();
  const auto kinds = implicit_->kinds();
  if (kinds.empty()) return;
  std::ranges::fill(moved_, 0.0);
  for (std::size_t j = 0; j < floor_.size(); ++j) {
    if (!kinds[j].differential || !(at.weights[j] > 0.0)) continue;
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const auto k = to_size(p);
      moved_[to_size(pattern.row[k])] += irregular_sign(j) * f_xp_[k] / (at.weights[j] * longest_);
    }
  }
  solver_->solve(moved_);
  if (!is_finite(moved_)) return;
  for (std::size_t i = 0; i < floor_.size(); ++i) {
    if (!kinds[i].differential) floor_[i] = std::max(floor_[i], std::abs(moved_[i]));
  }
}

}  // namespace daedal::integration
