// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The Taylor column of the operation table: one rule per function.
///
/// Every rule is called with r[0] set to the operation's own value and fills r[1..order]; it
/// returns the degree of r, above which coefficients are known to be zero (operands of degree 0
/// never come here). An operand outside the domain where the function is analytic, such as
/// sqrt(τ) at 0, gives coefficients that are not finite.

#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/external.hpp"
#include "kernel/taylor_series.hpp"

namespace daedal::kernel::taylor {

// Linear rules.

template <class C>
inline int neg(const C& context, double* r, Operand a) {
  for (int k = 1; k <= context.order; ++k) r[k] = -a.c[k];
  return a.degree;
}

template <class C>
inline int add(const C& context, double* r, Operand a, Operand b) {
  for (int k = 1; k <= context.order; ++k) r[k] = a.c[k] + b.c[k];
  return std::max(a.degree, b.degree);
}

template <class C>
inline int sub(const C& context, double* r, Operand a, Operand b) {
  for (int k = 1; k <= context.order; ++k) r[k] = a.c[k] - b.c[k];
  return std::max(a.degree, b.degree);
}

template <class C>
inline int add_add(const C& context, double* r, Operand a, Operand b, Operand c) {
  for (int k = 1; k <= context.order; ++k) r[k] = a.c[k] + b.c[k] + c.c[k];
  return std::max({a.degree, b.degree, c.degree});
}

// Products and quotients.

template <class C>
inline int mul(const C& context, double* r, Operand a, Operand b) {
  return product(context, r, a, b);
}

template <class C>
inline int mul_mul(const C& context, double* r, Operand a, Operand b, Operand c) {
  double* const ab = context.scratch[0];
  const int degree = product(context, ab, a, b);
  return product(context, r, {ab, degree}, c);
}

template <class C>
inline int mul_add(const C& context, double* r, Operand a, Operand b, Operand c) {
  const int degree = product(context, r, a, b);
  add_to(context, r, c.c, 1.0);
  return std::max(degree, c.degree);
}

template <class C>
inline int mul_sub(const C& context, double* r, Operand a, Operand b, Operand c) {
  const int degree = product(context, r, a, b);
  add_to(context, r, c.c, -1.0);
  return std::max(degree, c.degree);
}

template <class C>
inline int neg_mul_add(const C& context, double* r, Operand a, Operand b, Operand c) {
  const int degree = product(context, r, a, b);
  for (int k = 0; k <= context.order; ++k) r[k] = c.c[k] - r[k];
  return std::max(degree, c.degree);
}

template <class C>
inline int mul_add_mul(const C& context, double* r, Operand a, Operand b, Operand c, Operand d) {
  double* const cd = context.scratch[0];
  const int degree = product(context, cd, c, d);
  return mul_add(context, r, a, b, {cd, degree});
}

template <class C>
inline int mul_sub_mul(const C& context, double* r, Operand a, Operand b, Operand c, Operand d) {
  double* const cd = context.scratch[0];
  const int degree = product(context, cd, c, d);
  return mul_sub(context, r, a, b, {cd, degree});
}

template <class C>
inline int div(const C& context, double* r, Operand a, Operand b) {
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

/// u^n where u_0 = 0 and n ≥ 0: u = τ^m·v with v_0 ≠ 0, so u^n = τ^(mn)·v^n, which is a series for
/// whole numbers n. Where u vanishes altogether, as max(h, 0) does below 0, so does u^n for n > 0.
template <class C>
inline int power_at_zero(const C& context, double* r, Operand a, double n) {
  int m = 1;
  while (m < a.degree && a.c[m] == 0.0) ++m;
  fill_zero(context, r, 1);
  if (n == 0.0 || a.degree < m || a.c[m] == 0.0) return 0;
  if (n != std::floor(n)) {
    std::fill(r + 1, r + context.order + 1, std::numeric_limits<double>::quiet_NaN());
    return context.order;
  }
  if (m * n > context.order) return 0;
  const int shift = m * static_cast<int>(n);
  r[shift] = std::pow(a.c[m], n);
  power_recurrence(r + shift, a.c + m, n, context.order - shift);
  return context.order;
}

template <class C>
inline int pow(const C& context, double* r, Operand a, Operand b) {
  if (b.degree == 0) {
    const double p = b.c[0];
    if (a.c[0] == 0.0 && p >= 0.0) return power_at_zero(context, r, a, p);
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
template <class C>
inline int sqrt(const C& context, double* r, Operand a) {
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

template <class C>
inline int exp(const C& context, double* r, Operand a) {
  double* const theta_u = context.scratch[0];
  theta(context, theta_u, a.c);
  integrate_exponential(context, r, theta_u);
  return context.order;
}

template <class C>
inline int log(const C& context, double* r, Operand a) {
  double* const theta_u = context.scratch[0];
  theta(context, theta_u, a.c);
  integrate_quotient(context, r, theta_u, a.c);
  return context.order;
}

template <class C>
inline int sin_cos(const C& context, double* sine, double* cosine, Operand a) {
  double* const theta_u = context.scratch[0];
  theta(context, theta_u, a.c);
  integrate_pair(context, sine, cosine, -1.0, theta_u);
  return context.order;
}

template <class C>
inline int sin(const C& context, double* r, Operand a) {
  double* const cosine = context.scratch[1];
  cosine[0] = std::cos(a.c[0]);
  return sin_cos(context, r, cosine, a);
}

template <class C>
inline int cos(const C& context, double* r, Operand a) {
  double* const sine = context.scratch[1];
  sine[0] = std::sin(a.c[0]);
  return sin_cos(context, sine, r, a);
}

template <class C>
inline int sinh(const C& context, double* r, Operand a) {
  const auto [theta_u, other, unused] = context.scratch;
  theta(context, theta_u, a.c);
  other[0] = std::cosh(a.c[0]);
  integrate_pair(context, r, other, 1.0, theta_u);
  return context.order;
}

template <class C>
inline int cosh(const C& context, double* r, Operand a) {
  const auto [theta_u, other, unused] = context.scratch;
  theta(context, theta_u, a.c);
  other[0] = std::sinh(a.c[0]);
  integrate_pair(context, other, r, 1.0, theta_u);
  return context.order;
}

/// θr = (1 + sign·r²)·θu: tangent (+1) and hyperbolic tangent (-1).
template <int sign, class C>
inline int riccati(const C& context, double* r, Operand a) {
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

/// θr = sign·θu/√(1 - u²): arc sine (+1) and arc cosine (-1).
template <int sign, class C>
inline int inverse_sine(const C& context, double* r, Operand a) {
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

/// θr = θu/(1 + sign·u²): arc tangent (+1) and its hyperbolic counterpart (-1).
template <int sign, class C>
inline int inverse_tangent(const C& context, double* r, Operand a) {
  const auto [theta_u, denominator, unused] = context.scratch;
  product(context, denominator, a, a);
  for (int k = 0; k <= context.order; ++k) denominator[k] *= sign;
  denominator[0] += 1.0;
  theta(context, theta_u, a.c);
  integrate_quotient(context, r, theta_u, denominator);
  return context.order;
}

/// f(u) = Σ f⁽ᵏ⁾(u_0)/k! (u − u_0)ᵏ by Horner's rule, with the derivatives that there are.
template <class C>
inline int external(const C& context, double* r, Operand u, Operand number) {
  const int n = context.order;
  double* const power = context.scratch[0];
  double* const sum = context.scratch[1];
  std::copy(u.c, u.c + n + 1, power);
  power[0] = 0.0;
  std::fill(sum, sum + n + 1, 0.0);
  double factorial = 1.0;
  for (int k = 2; k <= n; ++k) factorial *= k;
  const double value = r[0];
  for (int k = n; k > 0; factorial /= k, --k) {
    const bool is_there = k <= further_derivatives(number.c[0]);
    sum[0] += is_there ? call_external(u.c[0], number.c[0] + k) / factorial : NAN;
    product(context, r, {sum, n}, {power, n});
    std::copy(r, r + n + 1, sum);
  }
  r[0] = value;
  return n;
}

/// atan2(y, x): θr = (x·θy - y·θx)/(x² + y²).
template <class C>
inline int atan2(const C& context, double* r, Operand y, Operand x) {
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

template <class C>
inline int select(const C& context, double* r, Operand chosen) {
  std::copy(chosen.c + 1, chosen.c + context.order + 1, r + 1);
  return chosen.degree;
}

template <class C>
inline int abs(const C& context, double* r, Operand a) {
  int k = 0;
  while (k < a.degree && a.c[k] == 0.0) ++k;
  return a.c[k] < 0.0 ? neg(context, r, a) : select(context, r, a);
}

/// The first coefficient at which a and b differ, or the last; NaN counts as a difference.
template <class C>
inline int first_difference(const C& context, Operand a, Operand b) {
  int k = 0;
  while (k < context.order && a.c[k] == b.c[k]) ++k;
  return k;
}

template <class C>
inline int min(const C& context, double* r, Operand a, Operand b) {
  const int k = first_difference(context, a, b);
  return select(context, r, a.c[k] < b.c[k] || std::isnan(a.c[k]) ? a : b);
}

template <class C>
inline int max(const C& context, double* r, Operand a, Operand b) {
  const int k = first_difference(context, a, b);
  return select(context, r, a.c[k] > b.c[k] || std::isnan(a.c[k]) ? a : b);
}

template <class C>
inline int if_else(const C& context, double* r, Operand a, Operand b, Operand c) {
  return select(context, r, a.c[0] != 0.0 ? b : c);
}

/// Relations, logic, sign, floor: the value at τ = 0 stands.
template <class C, class... Operands>
int locally_constant(const C& context, double* r, Operands...) {
  return fill_zero(context, r, 1);
}

}  // namespace daedal::kernel::taylor
