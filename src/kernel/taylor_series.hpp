// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Truncated power series u(τ) = Σ u_k τ^k, k ≤ order, and the recurrences that the rules of
/// taylor_rules.hpp are made of (Moore; Griewank & Walther, Evaluating Derivatives, ch. 13).
///
/// They are written with θ = τ·d/dτ, which turns u_k into k·u_k without shifting indices:
/// r = exp(u) has θr = r·θu. And they look to the right: a coefficient, once known, is added at
/// once to all later ones, so that the inner loops are free of dependence.

#include <algorithm>
#include <array>
#include <cstddef>

namespace daedal::kernel::taylor {

/// A series: coefficients 0..order, those above `degree` are zero.
struct Operand {
  const double* c;
  int degree;
};

/// Series that live within one rule.
using Scratch = std::array<double*, 3>;

/// What a rule is called with; the order is known at run time or, for low orders, where loops are
/// worth unrolling, when the rule is compiled.
struct AnyOrder {
  int order;
  Scratch scratch;
};
template <int fixed_order>
struct FixedOrder {
  static constexpr int order = fixed_order;
  Scratch scratch;
};
template <class C>
inline constexpr bool is_unrolled = true;
template <>
inline constexpr bool is_unrolled<AnyOrder> = false;

/// r[i+k] += factor·u[k] for 1 ≤ k ≤ order - i.
template <class C>
inline void accumulate(const C& context, double* r, int i, double factor, const double* u) {
  double* const to = r + i;
  for (int k = 1; k <= context.order - i; ++k) to[k] += factor * u[k];
}

template <class C>
inline void add_to(const C& context, double* r, const double* u, double factor) {
  for (int k = 0; k <= context.order; ++k) r[k] += factor * u[k];
}

template <class C>
inline int fill_zero(const C& context, double* r, int from) {
  std::fill(r + from, r + context.order + 1, 0.0);
  return from - 1;
}

/// θu.
template <class C>
inline void theta(const C& context, double* r, const double* u) {
  for (int k = 0; k <= context.order; ++k) r[k] = k * u[k];
}

/// r = a·b (Cauchy product), all coefficients.
template <class C>
inline int product(const C& context, double* r, Operand a, Operand b) {
  if (a.degree > b.degree) std::swap(a, b);
  const int order = context.order;
  for (int k = 0; k <= order; ++k) r[k] = a.c[0] * b.c[k];
  if (a.degree == 0) return b.degree;
  for (int i = 1; i <= (is_unrolled<C> ? order : a.degree); ++i) {
    const int last = is_unrolled<C> ? order - i : std::min(b.degree, order - i);
    for (int k = 0; k <= last; ++k) r[i + k] += a.c[i] * b.c[k];
  }
  return std::min(order, a.degree + b.degree);
}

/// Adds what the new coefficient w_k contributes to factor·w² from index k on.
template <class C>
inline void accumulate_square(const C& context, double* square, double factor, const double* w,
                              int k) {
  const int last = std::min(k - 1, context.order - k);
  for (int j = 0; j <= last; ++j) square[j + k] += factor * 2.0 * w[j] * w[k];
  if (2 * k <= context.order) square[2 * k] += factor * w[k] * w[k];
}

/// r from θr = numerator/denominator; r[0] given, `numerator` is overwritten.
template <class C>
inline void integrate_quotient(const C& context, double* r, double* numerator,
                               const double* denominator) {
  for (int k = 1; k <= context.order; ++k) {
    const double q = numerator[k] / denominator[0];
    accumulate(context, numerator, k, -q, denominator);
    r[k] = q / k;
  }
}

/// r from θr = r·θw; r[0] given.
template <class C>
inline void integrate_exponential(const C& context, double* r, const double* theta_w) {
  fill_zero(context, r, 1);
  accumulate(context, r, 0, r[0], theta_w);
  for (int k = 1; k <= context.order; ++k) {
    r[k] /= k;
    accumulate(context, r, k, r[k], theta_w);
  }
}

/// The pair s' = c·u', c' = sign·s·u' (sign -1: sine and cosine, +1: hyperbolic).
template <class C>
inline void integrate_pair(const C& context, double* s, double* c, double sign,
                           const double* theta_u) {
  fill_zero(context, s, 1);
  fill_zero(context, c, 1);
  for (int k = 0; k <= context.order; ++k) {
    if (k > 0) {
      s[k] /= k;
      c[k] /= k;
    }
    accumulate(context, s, k, c[k], theta_u);
    accumulate(context, c, k, sign * s[k], theta_u);
  }
}

}  // namespace daedal::kernel::taylor
