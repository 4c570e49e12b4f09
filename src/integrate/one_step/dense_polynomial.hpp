// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Dense output of one step as a polynomial in θ = (t - t0)/h:  x(t0 + θh) = Σ_j c_j θ^j.
/// Every one-step scheme writes its interpolant in this form, so that values, derivatives and the
/// history of any scheme are read by the same few lines.

#include <span>

#include "core/types.hpp"

namespace daedal::integration {

class DensePolynomial {
 public:
  DensePolynomial(Index n, int max_degree) : coefficients_(Matrix::Zero(n, max_degree + 1)) {}

  /// Starts the polynomial of the step from t0 to t0 + h; its error is O(h^(order+1)).
  struct Shape {
    double t0 = 0.0;
    double h = 1.0;
    int degree = 1;
    int order = 1;
  };
  void reshape(const Shape& shape) { shape_ = shape; }

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] auto coefficient(int j) { return coefficients_.col(j); }
  [[nodiscard]] auto coefficient(int j) const { return coefficients_.col(j); }

  [[nodiscard]] double theta(double t) const { return (t - shape_.t0) / shape_.h; }

  /// x(t0 + θh), and x' where xp is not empty.
  void evaluate(double theta, std::span<double> x, std::span<double> xp) const {
    auto value = as_vector(x);
    value = coefficients_.col(shape_.degree);
    for (int j = shape_.degree - 1; j >= 0; --j) value = value * theta + coefficients_.col(j);
    if (!xp.empty()) derivative(theta, 1, xp);
  }

  /// The k-th derivative with respect to t at t0 + θh.
  void derivative(double theta, int k, std::span<double> out) const {
    auto value = as_vector(out);
    value.setZero();
    for (int j = shape_.degree; j >= k; --j) {
      double falling = 1.0;  // j!/(j-k)! / h^k
      for (int m = 0; m < k; ++m) falling *= static_cast<double>(j - m) / shape_.h;
      value = value * theta + falling * coefficients_.col(j);
    }
  }

  /// Bends the polynomial so that it ends `delta` further (a projection after the step).
  void shift_end(std::span<const double> delta) { coefficients_.col(1) += as_vector(delta); }

 private:
  Matrix coefficients_;
  Shape shape_;
};

}  // namespace daedal::integration
