// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/residual_measure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

namespace {

/// Rounding errors of so many units are added to what is allowed, in units of many tolerances.
constexpr double noise_share = 50.0 / ResidualMeasure::many_tolerances_at_ends;
/// The share of its value by which an unknown without a rate is moved to see its rounding errors.
constexpr double small_move = 0x1p-8;
/// The residuals are clearly within the tolerances if they are below this share of what one move of
/// all unknowns makes of them.
constexpr double clear_share = 0.1;
constexpr double golden_share = 0.6180339887;
/// The share of the terms of an equation below which its residual cannot be told from zero.
constexpr double rounding_errors = 8.0 * round_off;
/// Variables below the first number are small. Below the second share of the greatest variable they
/// are rounding errors.
constexpr double small_value = 1e-2;
constexpr double smallest_share = 1e-14;

}  // namespace

ResidualMeasure::ResidualMeasure(std::shared_ptr<const formulation::WrittenEquations> system,
                                 const Tolerances& tolerances)
    : system_(std::move(system)),
      tolerances_(tolerances),
      own_run_(system_->make_model_run<formulation::ModelRun>()) {
  system_->prepare(*own_run_);
  const auto n = to_size(system_->size());
  for (auto* each :
       {&peaks_, &residual_, &allowed_, &terms_, &moved_, &moved_rates_, &moved_residual_}) {
    each->resize(n);
  }
  for (std::size_t j = 0; j < n; ++j) {
    const double share = 0.5 + 0.5 * std::fmod(golden_share * static_cast<double>(j), 1.0);
    moves_.push_back(j % 2 == 0 ? share : -share);
  }
}

void ResidualMeasure::take_over(Run& run) {
  own_run_->modes = run.modes;
  own_run_->discretes = run.discretes;
  own_run_->pre = run.discretes;
  own_run_->parameters = parameters_of(run);
}

void ResidualMeasure::note_peaks(std::span<const double> x) {
  for (std::size_t j = 0; j < x.size(); ++j) peaks_[j] = std::max(peaks_[j], std::abs(x[j]));
}

double ResidualMeasure::tolerance(std::size_t unknown, double magnitude) const {
  const double nominal = system_->nominals().empty() ? 1.0 : system_->nominals()[unknown];
  const double peak = std::max(peaks_[unknown], magnitude);
  const bool is_small = tolerances_.follows_scales && nominal == 1.0 && peak > least_;
  const double scale = is_small ? std::min(1.0, peak / small_value) : nominal;
  return tolerances_.rtol * magnitude + tolerances_.atol * scale;
}

bool ResidualMeasure::evaluate(const Point& point) {
  return system_->residual(point.t, point.x, point.xp, *own_run_, residual_) == Evaluation::ok;
}

bool ResidualMeasure::differentiate(const Point& point) {
  f_x_.resize(to_size(system_->pattern().nonzeros()));
  f_xp_.resize(f_x_.size());
  return system_->jacobian(point.t, point.x, point.xp, *own_run_, f_x_, f_xp_) == Evaluation::ok;
}

ResidualMeasure::Size ResidualMeasure::inside(const Point& point) {
  if (!evaluate(point)) return {.t = point.t};
  for (const double value : point.x) least_ = std::max(least_, smallest_share * std::abs(value));
  if (is_clearly_within(point, Place::inside)) return {.t = point.t};
  return measure(point, Place::inside);
}

ResidualMeasure::Size ResidualMeasure::at_end(const Point& point) {
  if (!evaluate(point)) return {.t = point.t};
  for (const double value : point.x) least_ = std::max(least_, smallest_share * std::abs(value));
  if (is_clearly_within(point, Place::end)) return {.t = point.t};
  bool has_gross_residual = false;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    const bool is_gross = std::abs(residual_[i]) > tolerances_.rtol;
    has_gross_residual = has_gross_residual || (is_gross && counts(i, Place::end));
  }
  Size size = measure(point, Place::end);
  if (size.in_tolerances > many_tolerances_at_ends) note_drift(size);
  if (!has_gross_residual) size.relative = 0.0;
  return size;
}

double ResidualMeasure::in_tolerances(const Drift& drift) const {
  double allowed = drift.rounding;
  for (const auto& [unknown, slope] : drift.slopes) {
    allowed += slope * tolerance(unknown, peaks_[unknown]);
  }
  return drift.residual / allowed;
}

void ResidualMeasure::note_drift(const Size& size) {
  const auto row = to_size(size.row);
  Drift drift{.t = size.t, .row = size.row, .residual = std::abs(residual_[row])};
  const SparsityPattern& pattern = system_->pattern();
  double allowed = 0.0;
  for (std::size_t j = 0; j < peaks_.size(); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      if (pattern.row[p] != size.row) continue;
      drift.slopes.emplace_back(j, std::abs(f_x_[p]));
      allowed += std::abs(f_x_[p]) * tolerance(j, peaks_[j]);
    }
  }
  drift.rounding = std::max(drift.residual / size.in_tolerances - allowed, 0.0);
  if (drift_.row < 0 || size.in_tolerances > in_tolerances(drift_)) drift_ = drift;
}

ResidualMeasure::Size ResidualMeasure::drift() const {
  if (drift_.row < 0 || in_tolerances(drift_) < many_tolerances_at_ends) return {};
  return {.in_tolerances = in_tolerances(drift_), .t = drift_.t, .row = drift_.row};
}

bool ResidualMeasure::counts(std::size_t row, Place place) const {
  return place == Place::inside || system_->is_algebraic_row()[row];
}

double ResidualMeasure::tolerance_at(std::size_t unknown, const Point& point, Place place) const {
  return tolerance(unknown, place == Place::end ? peaks_[unknown] : std::abs(point.x[unknown]));
}

/// Whether no residual is worth a closer look. All unknowns are moved by at most their tolerances,
/// with signs and shares for which the effects of different unknowns do not cancel except by
/// chance. Each equation then changes by at most what measure() allows it.
bool ResidualMeasure::is_clearly_within(const Point& point, Place place) {
  const auto& [t, h, x, xp] = point;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double move = moves_[j] * tolerance_at(j, point, place);
    moved_[j] = x[j] + move;
    moved_rates_[j] = xp[j] + move / std::abs(h);
  }
  if (system_->residual(t, moved_, moved_rates_, *own_run_, moved_residual_) != Evaluation::ok)
    return false;
  const double share = clear_share * many(place);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double allowed = share * std::abs(moved_residual_[i] - residual_[i]);
    if (counts(i, place) && !(std::abs(residual_[i]) <= allowed)) return false;
  }
  return true;
}

ResidualMeasure::Size ResidualMeasure::measure(const Point& point, Place place) {
  Size size{.t = point.t};
  const double most = many(place);
  if (!differentiate(point)) return size;
  const auto& [t, h, x, xp] = point;
  std::ranges::fill(allowed_, 0.0);
  std::ranges::fill(terms_, 0.0);
  const SparsityPattern& pattern = system_->pattern();
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double w = tolerance_at(j, point, place);
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      const auto i = to_size(pattern.row[p]);
      allowed_[i] += std::abs(f_x_[p]) * w + std::abs(f_xp_[p]) * w / std::abs(h);
      terms_[i] += std::abs(f_x_[p] * x[j]) + std::abs(f_xp_[p] * xp[j]);
    }
  }
  const auto least = [&](std::size_t i) { return allowed_[i] + rounding_errors * terms_[i]; };
  bool is_alarming = false;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    is_alarming = is_alarming || (counts(i, place) && std::abs(residual_[i]) > most * least(i));
  }
  if (is_alarming) allow_noise(point);
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    const double r = std::abs(residual_[i]);
    if (r == 0.0 || !counts(i, place)) continue;
    const double in_tolerances = r / least(i);
    // An equation is violated only if it is so in both measures, because one whose terms all vanish
    // has no size of its own.
    const double relative = in_tolerances > most ? r / (terms_[i] + r) : 0.0;
    if (in_tolerances > size.in_tolerances) {
      size.in_tolerances = in_tolerances;
      size.row = to_index(i);
    }
    size.relative = std::max(size.relative, relative);
  }
  return size;
}

/// Adds the rounding errors of terms that cancel inside an expression: its derivatives do not show
/// how great the terms are.
void ResidualMeasure::allow_noise(const Point& point) {
  const auto& [t, h, x, xp] = point;
  const auto evaluate_at = [&](double share, std::span<double> values) {
    for (std::size_t i = 0; i < point.x.size(); ++i) {
      // Algebraic unknowns have no rate here. Any small move will do.
      const double move = point.xp[i] != 0.0 ? point.h * point.xp[i] : small_move * point.x[i];
      moved_[i] = point.x[i] + share * move;
    }
    return system_->residual(point.t + share * point.h, moved_, point.xp, *own_run_, values);
  };
  if (!noise_.measure(x.size(), evaluate_at)) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(noise_.errors()[i])) allowed_[i] += noise_share * noise_.errors()[i];
  }
}

}  // namespace daedal::solve_detail
