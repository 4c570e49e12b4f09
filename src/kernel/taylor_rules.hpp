// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The Taylor column of the operation table: one rule per function, on truncated power series
/// u(τ) = Σ u_k τ^k, k ≤ order.
///
/// The recurrences (Moore; Griewank & Walther, Evaluating Derivatives, ch. 13) are written with
/// θ = τ·d/dτ, which turns u_k into k·u_k without shifting indices: r = exp(u) has θr = r·θu.
/// They look to the right: a coefficient, once known, is added at once to all later ones, so that
/// the inner loops are free of dependence.
///
/// Every rule is called with r[0] set by the operation's own formula and fills r[1..order]; it
/// returns the degree of r, above which coefficients are known to be zero (operands of degree 0
/// never come here). An operand outside the domain where the function is analytic, such as
/// sqrt(τ) at 0, gives coefficients that are not finite.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace daedal::kernel::taylor {

/// A series: coefficients 0..order, those above `degree` are zero.
struct Operand {
  const double* c;
  int degree;
};

struct Context {
  int order;
  std::array<double*, 3> scratch;  ///< series that live within one rule
};

/// r[i+k] += factor·u[k] for first ≤ k ≤ order - i.
inline void accumulate(const Context& context, double* r, int i, double factor, const double* u,
                       int first = 1) {
  double* const to = r + i;
  for (int k = first; k <= context.order - i; ++k) to[k] += factor * u[k];
}

inline void add_to(const Context& context, double* r, const double* u, double factor) {
  for (int k = 0; k <= context.order; ++k) r[k] += factor * u[k];
}

inline int fill_zero(const Context& context, double* r, int from) {
  std::fill(r + from, r + context.order + 1, 0.0);
  return from - 1;
}

/// θu.
inline void theta(const Context& context, double* r, const double* u) {
  for (int k = 0; k <= context.order; ++k) r[k] = k * u[k];
}

/// r = a·b (Cauchy product), all coefficients.
inline int product(const Context& context, double* r, Operand a, Operand b) {
  if (a.degree > b.degree) std::swap(a, b);
  const int order = context.order;
  for (int k = 0; k <= order; ++k) r[k] = a.c[0] * b.c[k];
  for (int i = 1; i <= a.degree; ++i) {
    const int last = std::min(b.degree, order - i);
    for (int k = 0; k <= last; ++k) r[i + k] += a.c[i] * b.c[k];
  }
  return std::min(order, a.degree + b.degree);
}

/// Adds what the new coefficient w_k contributes to factor·w² from index k on.
inline void accumulate_square(const Context& context, double* square, double factor,
                              const double* w, int k) {
  const int last = std::min(k - 1, context.order - k);
  for (int j = 0; j <= last; ++j) square[j + k] += factor * 2.0 * w[j] * w[k];
  if (2 * k <= context.order) square[2 * k] += factor * w[k] * w[k];
}

/// r from θr = numerator/denominator; r[0] given, `numerator` is overwritten.
inline void integrate_quotient(const Context& context, double* r, double* numerator,
                               const double* denominator) {
  for (int k = 1; k <= context.order; ++k) {
    const double q = numerator[k] / denominator[0];
    accumulate(context, numerator, k, -q, denominator);
    r[k] = q / k;
  }
}

/// r from θr = r·θw; r[0] given.
inline void integrate_exponential(const Context& context, double* r, const double* theta_w) {
  fill_zero(context, r, 1);
  accumulate(context, r, 0, r[0], theta_w);
  for (int k = 1; k <= context.order; ++k) {
    r[k] /= k;
    accumulate(context, r, k, r[k], theta_w);
  }
}

/// The pair s' = c·u', c' = sign·s·u' (sign -1: sine and cosine, +1: hyperbolic).
inline void integrate_pair(const Context& context, double* s, double* c, double sign,
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

/// r from θr = (1 + sign·r²)·θu: tangent (+1) and hyperbolic tangent (-1).
inline int integrate_riccati(const Context& context, double* r, Operand a, double sign) {
  const auto [theta_u, slope, unused] = context.scratch;
  theta(context, theta_u, a.c);
  fill_zero(context, r, 1);
  fill_zero(context, slope, 0);
  slope[0] = 1.0 + sign * r[0] * r[0];
  for (int k = 0; k <= context.order; ++k) {
    if (k > 0) {
      r[k] /= k;
      accumulate_square(context, slope, sign, r, k);
    }
    accumulate(context, r, k, slope[k], theta_u);
  }
  return context.order;
}

// Linear rules.

inline int neg(const Context& context, double* r, Operand a) {
  for (int k = 1; k <= context.order; ++k) r[k] = -a.c[k];
  return a.degree;
}

inline int add(const Context& context, double* r, Operand a, Operand b) {
  for (int k = 1; k <= context.order; ++k) r[k] = a.c[k] + b.c[k];
  return std::max(a.degree, b.degree);
}

inline int sub(const Context& context, double* r, Operand a, Operand b) {
  for (int k = 1; k <= context.order; ++k) r[k] = a.c[k] - b.c[k];
  return std::max(a.degree, b.degree);
}

inline int add_add(const Context& context, double* r, Operand a, Operand b, Operand c) {
  for (int k = 1; k <= context.order; ++k) r[k] = a.c[k] + b.c[k] + c.c[k];
  return std::max({a.degree, b.degree, c.degree});
}

// Products and quotients.

inline int mul(const Context& context, double* r, Operand a, Operand b) {
  return product(context, r, a, b);
}

inline int mul_mul(const Context& context, double* r, Operand a, Operand b, Operand c) {
  double* const ab = context.scratch[0];
  const int degree = product(context, ab, a, b);
  return product(context, r, {ab, degree}, c);
}

inline int mul_add(const Context& context, double* r, Operand a, Operand b, Operand c) {
  const int degree = product(context, r, a, b);
  add_to(context, r, c.c, 1.0);
  return std::max(degree, c.degree);
}

inline int mul_sub(const Context& context, double* r, Operand a, Operand b, Operand c) {
  const int degree = product(context, r, a, b);
  add_to(context, r, c.c, -1.0);
  return std::max(degree, c.degree);
}

inline int neg_mul_add(const Context& context, double* r, Operand a, Operand b, Operand c) {
  const int degree = product(context, r, a, b);
  for (int k = 0; k <= context.order; ++k) r[k] = c.c[k] - r[k];
  return std::max(degree, c.degree);
}

inline int mul_add_mul(const Context& context, double* r, Operand a, Operand b, Operand c,
                       Operand d) {
  double* const cd = context.scratch[0];
  const int degree = product(context, cd, c, d);
  return mul_add(context, r, a, b, {cd, degree});
}

inline int mul_sub_mul(const Context& context, double* r, Operand a, Operand b, Operand c,
                       Operand d) {
  double* const cd = context.scratch[0];
  const int degree = product(context, cd, c, d);
  return mul_sub(context, r, a, b, {cd, degree});
}

inline int div(const Context& context, double* r, Operand a, Operand b) {
  std::copy(a.c + 1, a.c + context.order + 1, r + 1);
  if (b.degree == 0) {
    for (int k = 1; k <= context.order; ++k) r[k] /= b.c[0];
    return a.degree;
  }
  accumulate(context, r, 0, -r[0], b.c);
  for (int k = 1; k <= context.order; ++k) {
    r[k] /= b.c[0];
    accumulate(context, r, k, -r[k], b.c);
  }
  return context.order;
}

// Powers.

/// u^p for u_0 ≠ 0: k·u_0·r_k = Σ_{j=1..k} (p·j - (k - j))·u_j·r_{k-j}; r[0] given.
inline void power_recurrence(double* r, const double* u, double p, int order) {
  for (int k = 1; k <= order; ++k) {
    double sum = 0.0;
    for (int j = 1; j <= k; ++j) sum += (p * j - (k - j)) * u[j] * r[k - j];
    r[k] = sum / (k * u[0]);
  }
}

/// u^n where u_0 = 0 and n ≥ 0 is a whole number: u = τ^m·v with v_0 ≠ 0, so u^n = τ^(mn)·v^n.
inline int power_at_zero(const Context& context, double* r, Operand a, double n) {
  int m = 1;
  while (m < a.degree && a.c[m] == 0.0) ++m;
  fill_zero(context, r, 1);
  if (n == 0.0 || m * n > context.order) return 0;
  const int shift = m * static_cast<int>(n);
  r[shift] = std::pow(a.c[m], n);
  power_recurrence(r + shift, a.c + m, n, context.order - shift);
  return context.order;
}

inline int pow(const Context& context, double* r, Operand a, Operand b) {
  if (b.degree == 0) {
    const double p = b.c[0];
    if (a.c[0] == 0.0 && p >= 0.0 && p == std::floor(p)) return power_at_zero(context, r, a, p);
    power_recurrence(r, a.c, p, context.order);
    return context.order;
  }
  // a^b = exp(b·log a)
  const auto [theta_a, log_a, exponent] = context.scratch;
  theta(context, theta_a, a.c);
  log_a[0] = std::log(a.c[0]);
  integrate_quotient(context, log_a, theta_a, a.c);
  product(context, exponent, {log_a, context.order}, b);
  theta(context, exponent, exponent);
  integrate_exponential(context, r, exponent);
  return context.order;
}

/// u = r² gives 2·r_0·r_k = u_k - Σ_{0<j<k} r_j·r_{k-j}.
inline int sqrt(const Context& context, double* r, Operand a) {
  std::copy(a.c + 1, a.c + context.order + 1, r + 1);
  const double twice = 2.0 * r[0];
  for (int k = 1; k <= context.order; ++k) {
    r[k] /= twice;
    const int last = std::min(k - 1, context.order - k);
    for (int j = 1; j <= last; ++j) r[j + k] -= 2.0 * r[j] * r[k];
    if (2 * k <= context.order) r[2 * k] -= r[k] * r[k];
  }
  return context.order;
}

// Elementary functions, each by the differential equation it satisfies.

inline int exp(const Context& context, double* r, Operand a) {
  double* const theta_u = context.scratch[0];
  theta(context, theta_u, a.c);
  integrate_exponential(context, r, theta_u);
  return context.order;
}

inline int log(const Context& context, double* r, Operand a) {
  double* const theta_u = context.scratch[0];
  theta(context, theta_u, a.c);
  integrate_quotient(context, r, theta_u, a.c);
  return context.order;
}

inline int sin_cos(const Context& context, double* sine, double* cosine, Operand a) {
  double* const theta_u = context.scratch[0];
  theta(context, theta_u, a.c);
  integrate_pair(context, sine, cosine, -1.0, theta_u);
  return context.order;
}

inline int sin(const Context& context, double* r, Operand a) {
  double* const cosine = context.scratch[1];
  cosine[0] = std::cos(a.c[0]);
  return sin_cos(context, r, cosine, a);
}

inline int cos(const Context& context, double* r, Operand a) {
  double* const sine = context.scratch[1];
  sine[0] = std::sin(a.c[0]);
  return sin_cos(context, sine, r, a);
}

inline int sinh(const Context& context, double* r, Operand a) {
  const auto [theta_u, other, unused] = context.scratch;
  theta(context, theta_u, a.c);
  other[0] = std::cosh(a.c[0]);
  integrate_pair(context, r, other, 1.0, theta_u);
  return context.order;
}

inline int cosh(const Context& context, double* r, Operand a) {
  const auto [theta_u, other, unused] = context.scratch;
  theta(context, theta_u, a.c);
  other[0] = std::sinh(a.c[0]);
  integrate_pair(context, other, r, 1.0, theta_u);
  return context.order;
}

inline int tan(const Context& context, double* r, Operand a) {
  return integrate_riccati(context, r, a, 1.0);
}

inline int tanh(const Context& context, double* r, Operand a) {
  return integrate_riccati(context, r, a, -1.0);
}

/// θr = sign·θu/√(1 - u²).
inline int inverse_sine(const Context& context, double* r, Operand a, double sign) {
  const auto [theta_u, radicand, root] = context.scratch;
  product(context, radicand, a, a);
  for (int k = 0; k <= context.order; ++k) radicand[k] = -radicand[k];
  radicand[0] = (1.0 - a.c[0]) * (1.0 + a.c[0]);
  root[0] = std::sqrt(radicand[0]);
  sqrt(context, root, {radicand, context.order});
  for (int k = 0; k <= context.order; ++k) theta_u[k] = sign * k * a.c[k];
  integrate_quotient(context, r, theta_u, root);
  return context.order;
}

inline int asin(const Context& context, double* r, Operand a) {
  return inverse_sine(context, r, a, 1.0);
}

inline int acos(const Context& context, double* r, Operand a) {
  return inverse_sine(context, r, a, -1.0);
}

inline int atan(const Context& context, double* r, Operand a) {
  const auto [theta_u, denominator, unused] = context.scratch;
  product(context, denominator, a, a);
  denominator[0] += 1.0;
  theta(context, theta_u, a.c);
  integrate_quotient(context, r, theta_u, denominator);
  return context.order;
}

/// atan2(y, x): θr = (x·θy - y·θx)/(x² + y²).
inline int atan2(const Context& context, double* r, Operand y, Operand x) {
  const auto [numerator, denominator, work] = context.scratch;
  theta(context, work, y.c);
  product(context, numerator, x, {work, y.degree});
  theta(context, work, x.c);
  product(context, denominator, y, {work, x.degree});
  add_to(context, numerator, denominator, -1.0);
  product(context, denominator, x, x);
  product(context, work, y, y);
  add_to(context, denominator, work, 1.0);
  integrate_quotient(context, r, numerator, denominator);
  return context.order;
}

// Functions in pieces: the piece on the right of τ = 0, found by the first coefficient that
// decides.

inline int select(const Context& context, double* r, Operand chosen) {
  std::copy(chosen.c + 1, chosen.c + context.order + 1, r + 1);
  return chosen.degree;
}

inline int abs(const Context& context, double* r, Operand a) {
  int k = 0;
  while (k < a.degree && a.c[k] == 0.0) ++k;
  return a.c[k] < 0.0 ? neg(context, r, a) : select(context, r, a);
}

/// The first coefficient at which a and b differ, or the last; NaN counts as a difference.
inline int first_difference(const Context& context, Operand a, Operand b) {
  int k = 0;
  while (k < context.order && a.c[k] == b.c[k]) ++k;
  return k;
}

inline int min(const Context& context, double* r, Operand a, Operand b) {
  const int k = first_difference(context, a, b);
  return select(context, r, a.c[k] < b.c[k] || std::isnan(a.c[k]) ? a : b);
}

inline int max(const Context& context, double* r, Operand a, Operand b) {
  const int k = first_difference(context, a, b);
  return select(context, r, a.c[k] > b.c[k] || std::isnan(a.c[k]) ? a : b);
}

inline int if_else(const Context& context, double* r, Operand a, Operand b, Operand c) {
  return select(context, r, a.c[0] != 0.0 ? b : c);
}

/// Relations, logic, sign, floor: the value at τ = 0 stands.
template <class... Operands>
int locally_constant(const Context& context, double* r, Operands...) {
  return fill_zero(context, r, 1);
}

}  // namespace daedal::kernel::taylor
