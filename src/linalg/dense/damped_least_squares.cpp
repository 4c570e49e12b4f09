// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/damped_least_squares.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace daedal::linalg {

DampedQr::DampedQr(Index rows, Index columns)
    : rows_(rows), qr_(rows + columns, columns), rhs_(Vector::Zero(rows + columns)) {}

bool DampedQr::factor(const Matrix& a, double epsilon) {
  assert(a.rows() == rows_ && a.cols() == qr_.columns() && epsilon >= 0.0);
  Matrix& stacked = qr_.matrix();
  stacked.topRows(rows_) = a;
  stacked.bottomRows(a.cols()).setZero();
  stacked.bottomRows(a.cols()).diagonal().setConstant(std::sqrt(epsilon));
  // With ε > 0 the columns are independent however small √ε is beside A.
  qr_.set_tolerance(epsilon > 0.0 ? 0.0 : rank_tolerance);
  return std::isfinite(qr_.factor().largest);
}

void DampedQr::solve(std::span<const double> r, std::span<double> y) const {
  assert(to_index(r.size()) == rows_);
  rhs_.head(rows_) = as_vector(r);
  rhs_.tail(rhs_.size() - rows_).setZero();
  qr_.solve({rhs_.data(), to_size(rhs_.size())}, y);
}

TrustRegionLeastSquares::TrustRegionLeastSquares(Index rows, Index columns)
    : svd_(rows, columns), coefficient_(std::min(rows, columns)) {}

RankDecision TrustRegionLeastSquares::factor(const Matrix& a, double relative_tolerance) {
  decision_ = svd_.factor(a, relative_tolerance);
  cutoff_ = relative_tolerance * decision_.largest;
  return decision_;
}

void TrustRegionLeastSquares::project(std::span<const double> r) const {
  for (Index k = 0; k < coefficient_.size(); ++k) {
    coefficient_(k) = svd_.singular_values()(k) > cutoff_ ? svd_.project_left(k, r) : 0.0;
  }
}

void TrustRegionLeastSquares::combine(double epsilon, std::span<double> y) const {
  if (std::isnan(decision_.largest)) {
    std::ranges::fill(y, decision_.largest);
    return;
  }
  std::ranges::fill(y, 0.0);
  for (Index k = 0; k < coefficient_.size(); ++k) {
    const double s = svd_.singular_values()(k);
    if (coefficient_(k) != 0.0) svd_.add_right(k, coefficient_(k) / (s + epsilon / s), y);
  }
}

void TrustRegionLeastSquares::solve(double epsilon, std::span<const double> r,
                                    std::span<double> y) const {
  assert(epsilon >= 0.0);
  project(r);
  combine(epsilon, y);
}

double TrustRegionLeastSquares::solve_within(double radius, std::span<const double> r,
                                             std::span<double> y) const {
  assert(radius > 0.0);
  project(r);
  const double epsilon = find_epsilon(radius);
  combine(epsilon, y);
  return epsilon;
}

/// Newton's method on 1/‖y(ε)‖ = 1/δ, which is concave and almost linear in ε: from ε = 0 it climbs
/// to the root without passing it (J. J. Moré, The Levenberg-Marquardt algorithm, 1978).
double TrustRegionLeastSquares::find_epsilon(double radius) const {
  double epsilon = 0.0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    double square = 0.0;  // ‖y‖² = Σ (σc/(σ²+ε))²
    double slope = 0.0;   // −½ d‖y‖²/dε = Σ (σc)²/(σ²+ε)³
    for (Index k = 0; k < coefficient_.size(); ++k) {
      if (coefficient_(k) == 0.0) continue;
      const double s = svd_.singular_values()(k);
      const double component = coefficient_(k) / (s + epsilon / s);
      square += component * component;
      slope += component * component / (s * s + epsilon);
    }
    const double length = std::sqrt(square);
    if (!(length > radius * (1.0 + 4.0 * round_off))) break;
    const double step = (length / radius - 1.0) * square / slope;
    if (!(epsilon + step > epsilon)) break;
    epsilon += step;
  }
  return epsilon;
}

}  // namespace daedal::linalg
