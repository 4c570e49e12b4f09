// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/regularized_constraints.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

namespace {

/// Below this share of its terms a pivot of GM⁻¹Gᵀ says that constraints approach dependence, and
/// below this share of its usual length a row of G that a constraint vanishes. Above, unregularised
/// factors lose three digits at most; and where the rules change over, ε/σ² ≤ rtol²·1e6 is below
/// the tolerance.
constexpr double near_dependence = 1e-3;
constexpr double near_vanishing = 3e-2;
/// Projections leave directions alone in which GB is below this share of its scale, that is G
/// below 1e-3 of its own: there a drift of d would move the position by 1000 d.
constexpr double projection_cutoff = 1e-6;

}  // namespace

RegularConstraints::RegularConstraints(const SparsityPattern& mass, const SparsityPattern& jacobian,
                                       const RegularSettings& settings)
    : mass_pattern_(mass),
      jacobian_pattern_(jacobian),
      settings_(settings),
      solver_(jacobian.columns, jacobian.rows),
      mass_(Matrix::Zero(mass.rows, mass.columns)),
      conditioning_(jacobian),
      force_(to_size(jacobian.columns)) {}

bool RegularConstraints::is_independent(const linalg::SaddlePointReport& report) {
  conditioning_.take(report);
  return report.ok && report.pivot_ratio >= near_dependence &&
         conditioning_.shortest_row() >= near_vanishing;
}

Regularization RegularConstraints::rule(Purpose purpose) const {
  const double scale = std::max(scale_, usual_scale_);
  if (purpose == Purpose::projection) {
    return {Regularization::Rule::truncate, projection_cutoff * scale};
  }
  if (settings_.given) return *settings_.given;
  const double root = settings_.rtol * scale;
  return {Regularization::Rule::damp, root * root};
}

void RegularConstraints::fill(std::span<const double> mass, std::span<const double> jacobian) {
  scatter(mass_pattern_, mass, mass_);
  scatter(jacobian_pattern_, jacobian, solver_.jacobian());
  Eigen::Map<Matrix> matrix(solver_.mass().data(), mass_.rows(), mass_.cols());
  if (settings_.mass_shift == 0.0) {
    matrix = mass_;
    solver_.coefficient() = solver_.jacobian().transpose();
    return;
  }
  // Petzold et al. (4.11).
  matrix.noalias() = mass_.transpose() * mass_;
  matrix.diagonal().array() += settings_.mass_shift;
  solver_.coefficient().noalias() = mass_.transpose() * solver_.jacobian().transpose();
}

RegularReport RegularConstraints::factor(std::span<const double> mass,
                                         std::span<const double> jacobian, Purpose purpose,
                                         linalg::SaddlePointSolver& sparse) {
  conditioning_.measure_rows(jacobian);
  const bool may_be_sparse =
      (!settings_.given || purpose == Purpose::projection) && settings_.mass_shift == 0.0;
  const double greatest_row = conditioning_.greatest_row();
  const bool has_scale = greatest_row <= 2.0 * measured_row_;
  is_sparse_ = false;
  if (may_be_sparse && has_scale) {
    const bool reuses = settings_.is_mass_constant && has_mass_;
    const linalg::SaddlePointReport report =
        reuses ? sparse.factor(jacobian) : sparse.factor(mass, jacobian);
    has_mass_ = report.ok;
    is_sparse_ = is_independent(report);
  } else {
    conditioning_.take_singular();
  }
  if (is_sparse_) return {.scale = scale_};
  fill(mass, jacobian);
  RegularReport report = solver_.factor(rule(purpose));
  if (!report.ok()) return report;
  const bool is_new_scale = report.scale > std::max(scale_, usual_scale_);
  scale_ = report.scale;
  measured_row_ = std::max(measured_row_, greatest_row);
  // The rule of a first factorisation had no scale to go by.
  return is_new_scale ? solver_.refactor(rule(purpose)) : report;
}

void RegularConstraints::solve(std::span<double> top, std::span<double> bottom,
                               const linalg::SaddlePointSolver& sparse) {
  if (is_sparse_) {
    sparse.solve(top, bottom);
    return;
  }
  if (settings_.mass_shift != 0.0) {
    std::copy(top.begin(), top.end(), force_.begin());
    as_vector(top).noalias() = mass_.transpose() * as_vector(force_);
  }
  solver_.solve(top, bottom);
}

void RegularConstraints::accept(double t) {
  rate_.accept(t);
  usual_scale_ = std::max(usual_scale_, scale_);
  conditioning_.accept();
}

}  // namespace daedal::formulation
