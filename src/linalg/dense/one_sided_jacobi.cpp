// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/one_sided_jacobi.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "linalg/scaling.hpp"

namespace daedal::linalg {

namespace {

/// Convergence is quadratic: random matrices take 5 to 10 sweeps, graded ones a few more.
constexpr int max_sweeps = 60;

}  // namespace

OneSidedJacobi::OneSidedJacobi(Index rows, Index columns)
    : is_tall_(rows >= columns),
      w_(std::max(rows, columns), std::min(rows, columns)),
      v_(w_.cols(), w_.cols()),
      s_(w_.cols()),
      sorted_(w_.cols()) {}

RankDecision OneSidedJacobi::factor(const Matrix& a, double relative_tolerance) {
  assert(a.rows() == rows() && a.cols() == columns());
  if (!a.allFinite()) {
    s_.setConstant(std::numeric_limits<double>::quiet_NaN());
    return {.rank = 0, .largest = std::numeric_limits<double>::quiet_NaN()};
  }
  // Squares of the entries must neither overflow nor vanish.
  const double scale = a.size() > 0 ? reciprocal_power_of_two(a.cwiseAbs().maxCoeff()) : 1.0;
  if (is_tall_) {
    w_ = scale * a;
  } else {
    w_ = scale * a.transpose();
  }
  v_.setIdentity();
  for (int count = 0; count < max_sweeps && sweep(); ++count) {
  }
  for (Index k = 0; k < s_.size(); ++k) {
    const double norm = w_.col(k).norm();
    if (norm > 0.0) w_.col(k) /= norm;
    s_(k) = norm / scale;
  }
  return decide(relative_tolerance);
}

/// Makes every pair of columns orthogonal once; false when all of them were so already.
bool OneSidedJacobi::sweep() {
  bool rotated = false;
  for (Index i = 0; i + 1 < w_.cols(); ++i) {
    for (Index j = i + 1; j < w_.cols(); ++j) {
      const double alpha = w_.col(i).squaredNorm();
      const double beta = w_.col(j).squaredNorm();
      const double gamma = w_.col(i).dot(w_.col(j));
      if (std::abs(gamma) <= round_off * std::sqrt(alpha * beta)) continue;
      rotated = true;
      const double zeta = (beta - alpha) / (2.0 * gamma);
      // An infinite square makes t = 0, which is its limit.
      const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
      const double c = 1.0 / std::sqrt(1.0 + t * t);
      const double s = c * t;
      const auto rotate = [&](Matrix& m) {
        for (Index r = 0; r < m.rows(); ++r) {
          const double x = m(r, i);
          const double y = m(r, j);
          m(r, i) = c * x - s * y;
          m(r, j) = s * x + c * y;
        }
      };
      rotate(w_);
      rotate(v_);
    }
  }
  return rotated;
}

RankDecision OneSidedJacobi::decide(double relative_tolerance) {
  sorted_ = s_;
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  return decide_rank(sorted_, relative_tolerance);
}

double OneSidedJacobi::project_left(Index k, std::span<const double> x) const {
  return (is_tall_ ? w_ : v_).col(k).dot(as_vector(x));
}
void OneSidedJacobi::add_right(Index k, double factor, std::span<double> x) const {
  as_vector(x) += factor * (is_tall_ ? v_ : w_).col(k);
}

}  // namespace daedal::linalg
