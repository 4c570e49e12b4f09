// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Estimates ‖A⁻¹‖₁ from a few solves with A and Aᴴ (Hager's method with the safeguards of
/// N. J. Higham, ACM Trans. Math. Softw. 14 (1988) 381-396): at most eleven solves, a lower bound
/// that is almost always within a factor 3 of the norm.

#include <cmath>
#include <complex>
#include <span>

#include "core/types.hpp"

namespace daedal::linalg {

namespace detail {

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

}  // namespace detail

/// `solve(x)` and `solve_adjoint(x)` work in place; `x` is a workspace of the matrix's size.
template <class Scalar, class Solve, class SolveAdjoint>
double estimate_inverse_norm_1(std::span<Scalar> x, Solve&& solve, SolveAdjoint&& solve_adjoint) {
  const std::size_t n = x.size();
  if (n == 0) return 0.0;
  for (Scalar& v : x) v = Scalar(1.0 / static_cast<double>(n));
  solve(x);
  double estimate = detail::norm_1<Scalar>(x);
  std::size_t previous = n;
  for (int iteration = 0; iteration < 5; ++iteration) {
    for (Scalar& v : x) v = detail::sign_of(v);
    solve_adjoint(x);
    const std::size_t next = detail::largest<Scalar>(x);
    if (next == previous) break;
    previous = next;
    for (Scalar& v : x) v = Scalar(0.0);
    x[next] = Scalar(1.0);
    solve(x);
    const double candidate = detail::norm_1<Scalar>(x);
    if (candidate <= estimate) break;
    estimate = candidate;
  }
  // Higham's extra vector catches the matrices on which the iteration above is deceived.
  for (std::size_t i = 0; i < n; ++i) {
    const double ramp = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0;
    x[i] = Scalar((i % 2 == 0 ? 1.0 : -1.0) * (1.0 + ramp));
  }
  solve(x);
  return std::max(estimate, 2.0 * detail::norm_1<Scalar>(x) / (3.0 * static_cast<double>(n)));
}

}  // namespace daedal::linalg
