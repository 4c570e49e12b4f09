// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Condition numbers from factors, and the arithmetic that real and complex factorisations share.

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include "linalg/scaling.hpp"

namespace daedal::linalg {

inline double size_of(double x) {
  return std::abs(x);
}
/// Within √2 of the modulus and without its square root, as in LAPACK's pivot search.
inline double size_of(std::complex<double> x) {
  return std::abs(x.real()) + std::abs(x.imag());
}
inline double adjoint(double x) {
  return x;
}
inline std::complex<double> adjoint(std::complex<double> x) {
  return std::conj(x);
}
/// Plain complex product: operator* checks for infinities by a library call.
inline double product(double x, double y) {
  return x * y;
}
inline std::complex<double> product(std::complex<double> x, std::complex<double> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

inline double larger(double x, double y) {
  return std::max(x, y);
}
/// Least of several sizes: overloads serve numbers and vectors of numbers (complex_lanes.hpp).
inline double least(double x) {
  return x;
}
inline double greatest(double x) {
  return x;
}
inline bool any(bool x) {
  return x;
}
inline double reciprocal(double x) {
  return 1.0 / x;
}
/// By a power of two near 1/|x|, so that no square leaves the range of numbers.
inline std::complex<double> reciprocal(std::complex<double> x) {
  const double scale = reciprocal_power_of_two(size_of(x));
  const double re = scale * x.real();
  const double im = scale * x.imag();
  const double inverse = scale / (re * re + im * im);
  return {re * inverse, -im * inverse};
}

namespace inverse_norm {

template <class Scalar>
double norm_1(std::span<const Scalar> x) {
  double sum = 0.0;
  for (const Scalar& v : x) sum += std::abs(v);
  return sum;
}

/// x / |x|, and 1 where x = 0: the subgradient of the 1-norm.
template <class Scalar>
Scalar sign_of(Scalar x) {
  const double size = std::abs(x);
  return size == 0.0 ? Scalar(1.0) : x / size;
}

template <class Scalar>
std::size_t largest(std::span<const Scalar> x) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (std::abs(x[i]) > std::abs(x[best])) best = i;
  }
  return best;
}

}  // namespace inverse_norm

/// Estimates ‖A⁻¹‖₁ from a few solves with A and Aᴴ (Hager's method with the safeguards of
/// N. J. Higham, ACM Trans. Math. Softw. 14 (1988) 381-396): at most eleven solves, a lower bound
/// that is almost always within a factor 3 of the norm.
///
/// `solve(x)` and `solve_adjoint(x)` work in place; `x` is a workspace of the matrix's size.
template <class Scalar, class Solve, class SolveAdjoint>
double estimate_inverse_norm_1(std::span<Scalar> x, Solve&& solve, SolveAdjoint&& solve_adjoint) {
  const std::size_t n = x.size();
  if (n == 0) return 0.0;
  for (Scalar& v : x) v = Scalar(1.0 / static_cast<double>(n));
  solve(x);
  double estimate = inverse_norm::norm_1<Scalar>(x);
  std::size_t previous = n;
  for (int iteration = 0; iteration < 5; ++iteration) {
    for (Scalar& v : x) v = inverse_norm::sign_of(v);
    solve_adjoint(x);
    const std::size_t next = inverse_norm::largest<Scalar>(x);
    if (next == previous) break;
    previous = next;
    for (Scalar& v : x) v = Scalar(0.0);
    x[next] = Scalar(1.0);
    solve(x);
    const double candidate = inverse_norm::norm_1<Scalar>(x);
    if (candidate <= estimate) break;
    estimate = candidate;
  }
  // Higham's extra vector catches the matrices on which the iteration above is deceived.
  for (std::size_t i = 0; i < n; ++i) {
    const double ramp = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0;
    x[i] = Scalar((i % 2 == 0 ? 1.0 : -1.0) * (1.0 + ramp));
  }
  solve(x);
  return std::max(estimate, 2.0 * inverse_norm::norm_1<Scalar>(x) / (3.0 * static_cast<double>(n)));
}

/// 1/(‖A‖₁‖A⁻¹‖₁) by the estimate above; 1 for an empty matrix.
template <class Scalar, class Solve, class SolveAdjoint>
double estimate_reciprocal_condition(double norm, std::span<Scalar> work, Solve&& solve,
                                     SolveAdjoint&& solve_adjoint) {
  if (work.empty()) return 1.0;
  const double condition = norm * estimate_inverse_norm_1<Scalar>(work, solve, solve_adjoint);
  return std::isfinite(condition) && condition > 0.0 ? 1.0 / condition : 0.0;
}

}  // namespace daedal::linalg
