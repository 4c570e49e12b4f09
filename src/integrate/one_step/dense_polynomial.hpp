// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Dense output of one step as a polynomial in θ = (t - t0)/h:  x(t0 + θh) = Σ_j c_j θ^j.
/// Every one-step scheme writes its interpolant in this form, so that values, derivatives and the
/// history of any scheme are read by the same few lines.

#include <array>
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

  /// x(t0 + θh), and x' where xp is not empty: Horner's rule for both at once, four components
  /// beside each other, so that none waits for the last product of another.
  void evaluate(double theta, std::span<double> x, std::span<double> xp) const {
    const Index n = coefficients_.rows();
    Index i = 0;
    for (; i + 4 <= n; i += 4) evaluate_some<4>(theta, i, x, xp);
    for (; i + 2 <= n; i += 2) evaluate_some<2>(theta, i, x, xp);
    for (; i < n; ++i) evaluate_some<1>(theta, i, x, xp);
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
  template <std::size_t count>
  void evaluate_some(double theta, Index first, std::span<double> x, std::span<double> xp) const {
    const Index n = coefficients_.rows();
    const double* c = coefficients_.data() + shape_.degree * n + first;
    std::array<double, count> value;
    std::array<double, count> slope{};
    for (std::size_t k = 0; k < count; ++k) value[k] = c[k];
    for (int j = shape_.degree; j > 0; --j) {
      c -= n;
      for (std::size_t k = 0; k < count; ++k) {
        slope[k] = slope[k] * theta + value[k];
        value[k] = value[k] * theta + c[k];
      }
    }
    const auto at = to_size(first);
    for (std::size_t k = 0; k < count; ++k) x[at + k] = value[k];
    if (xp.empty()) return;
    for (std::size_t k = 0; k < count; ++k) xp[at + k] = slope[k] / shape_.h;
  }

  Matrix coefficients_;
  Shape shape_;
};

}  // namespace daedal::integration
