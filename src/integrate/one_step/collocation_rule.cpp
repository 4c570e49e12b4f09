// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/collocation_rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/lazy.hpp"

namespace daedal::integration {

namespace {

using Real = long double;
using Complex = std::complex<Real>;
using Polynomial = std::vector<Real>;  ///< ascending powers

constexpr int max_stages = 7;

template <class Argument>
Argument evaluate(const Polynomial& p, Argument x) {
  Argument value{};
  for (std::size_t k = p.size(); k-- > 0;) value = value * x + p[k];
  return value;
}

Polynomial differentiate(const Polynomial& p) {
  Polynomial result;
  for (std::size_t k = 1; k < p.size(); ++k) result.push_back(static_cast<Real>(k) * p[k]);
  return result;
}

/// The Legendre polynomial of degree s on [0, 1]: Σ_k (-1)^(s+k) C(s,k) C(s+k,k) θ^k.
Polynomial shifted_legendre(int s) {
  Polynomial p(to_size(s + 1));
  Real coefficient = s % 2 == 0 ? 1.0L : -1.0L;
  for (int k = 0; k <= s; ++k) {
    p[to_size(k)] = coefficient;
    // C(s,k+1) C(s+k+1,k+1) / (C(s,k) C(s+k,k)) = (s-k)(s+k+1)/(k+1)².
    coefficient *= -static_cast<Real>((s - k) * (s + k + 1)) / static_cast<Real>((k + 1) * (k + 1));
  }
  return p;
}

/// All roots, by the Durand-Kerner iteration; the polynomials here have simple roots, to which it
/// converges quadratically: from `near` two more sweeps reach round-off.
std::vector<Complex> roots(Polynomial p) {
  for (Real& coefficient : p) coefficient /= p.back();
  const std::size_t n = p.size() - 1;
  std::vector<Complex> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = std::polar(2.0L, 0.4L + 2.1L * static_cast<Real>(i));
  constexpr Real near = 1e-8L;
  for (int n_left = 2; n_left > 0;) {
    Real moved = 0.0L;
    for (std::size_t i = 0; i < n; ++i) {
      Complex product = 1.0L;
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i) product *= z[i] - z[j];
      }
      const Complex delta = evaluate<Complex>(p, z[i]) / product;
      z[i] -= delta;
      moved = std::max(moved, std::abs(delta) / std::abs(z[i]));
    }
    if (moved < near) --n_left;
  }
  return z;
}

std::vector<Real> nodes_of(const Polynomial& m, bool ends_at_one) {
  std::vector<Real> c;
  for (const Complex& root : roots(m)) c.push_back(root.real());
  std::ranges::sort(c);
  if (ends_at_one) c.back() = 1.0L;
  return c;
}

/// The Lagrange polynomials of the nodes {0, c_1, …, c_s} that vanish at 0.
std::vector<Polynomial> lagrange_basis(const std::vector<Real>& c) {
  std::vector<Polynomial> basis;
  for (std::size_t j = 0; j < c.size(); ++j) {
    Polynomial p{0.0L, 1.0L / c[j]};
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (i == j) continue;
      Polynomial next(p.size() + 1, 0.0L);
      for (std::size_t k = 0; k < p.size(); ++k) {
        next[k + 1] += p[k] / (c[j] - c[i]);
        next[k] -= p[k] * c[i] / (c[j] - c[i]);
      }
      p = std::move(next);
    }
    basis.push_back(std::move(p));
  }
  return basis;
}

/// The inverse of a small matrix given by columns, by Gauss-Jordan elimination with pivoting.
std::vector<std::vector<Complex>> invert(std::vector<std::vector<Complex>> columns) {
  const std::size_t n = columns.size();
  // Rows of [T | I].
  std::vector<std::vector<Complex>> rows(n, std::vector<Complex>(2 * n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) rows[i][j] = columns[j][i];
    rows[i][n + i] = 1.0L;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto pivot = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(k), rows.end(),
        [k](const auto& a, const auto& b) { return std::abs(a[k]) < std::abs(b[k]); });
    std::swap(rows[k], *pivot);
    const Complex scale = 1.0L / rows[k][k];
    for (Complex& entry : rows[k]) entry *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Complex factor = rows[i][k];
      for (std::size_t j = 0; j < 2 * n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  for (auto& row : rows) row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
  return rows;
}

std::vector<Complex> eigenvalues(const Polynomial& m) {
  Polynomial characteristic(m.size());
  Real factorial = 1.0L;
  for (std::size_t k = 0; k < m.size(); ++k) {
    if (k > 0) factorial *= static_cast<Real>(k);
    characteristic[m.size() - 1 - k] = factorial * m[k];
  }
  return roots(characteristic);
}

std::vector<Complex> eigenvector(const Polynomial& m, const std::vector<Real>& c, Complex gamma) {
  std::vector<Complex> v(c.size(), 0.0L);
  Polynomial derivative = m;
  Complex power = 1.0L;
  for (std::size_t k = 1; k < m.size(); ++k) {
    derivative = differentiate(derivative);
    power *= gamma;
    for (std::size_t i = 0; i < c.size(); ++i) v[i] += evaluate<Complex>(derivative, c[i]) / power;
  }
  Real greatest = 0.0L;
  for (const Complex& entry : v) greatest = std::max(greatest, std::abs(entry));
  for (Complex& entry : v) entry /= greatest;
  return v;
}

CollocationRule::Mode rounded(Complex gamma, const std::vector<Complex>& right,
                              const std::vector<Complex>& left) {
  CollocationRule::Mode mode{.gamma = std::complex<double>(gamma), .right = {}, .left = {}};
  for (const Complex& entry : right) mode.right.emplace_back(entry);
  for (const Complex& entry : left) mode.left.emplace_back(entry);
  return mode;
}

void add_modes(CollocationRule& rule, const Polynomial& m, const std::vector<Real>& c) {
  const auto gammas = eigenvalues(m);
  std::vector<std::vector<Complex>> vectors;
  for (const Complex& gamma : gammas) vectors.push_back(eigenvector(m, c, gamma));
  const auto inverse = invert(vectors);
  rule.real_gamma = static_cast<double>(std::abs(gammas.front()));
  for (std::size_t k = 0; k < gammas.size(); ++k) {
    // Real to round-off: the pairs of these methods have imaginary parts of their own size.
    if (std::abs(gammas[k].imag()) < 1e-9L * std::abs(gammas[k])) {
      rule.has_real_mode = true;
      rule.real_mode = rounded(gammas[k], vectors[k], inverse[k]);
      rule.real_gamma = static_cast<double>(gammas[k].real());
    } else if (gammas[k].imag() > 0.0L) {
      rule.modes.push_back(rounded(gammas[k], vectors[k], inverse[k]));
    }
  }
}

/// The modes as real matrices. A conjugate pair contributes twice the real part of its own.
void stack_modes(CollocationRule& rule) {
  rule.to_modes.resize(rule.stages, rule.stages);
  rule.from_modes.resize(rule.stages, rule.stages);
  for (int j = 0; j < rule.stages; ++j) {
    const auto stage = to_size(j);
    int k = 0;
    if (rule.has_real_mode) {
      rule.to_modes(j, k) = -rule.real_mode.left[stage].real();
      rule.from_modes(k++, j) = rule.real_mode.right[stage].real();
    }
    for (const CollocationRule::Mode& mode : rule.modes) {
      rule.to_modes(j, k) = -mode.left[stage].real();
      rule.from_modes(k++, j) = 2.0 * mode.right[stage].real();
      rule.to_modes(j, k) = -mode.left[stage].imag();
      rule.from_modes(k++, j) = -2.0 * mode.right[stage].imag();
    }
  }
}

/// Where θ·Π(θ - c_i), the shape of the error of the polynomial, is greatest.
CollocationRule::Gap middle_of_gap(const CollocationRule& rule) {
  constexpr int n_looks = 1000;
  CollocationRule::Gap gap;
  double greatest = 0.0;
  for (int k = 1; k < n_looks; ++k) {
    const double theta = static_cast<double>(k) / n_looks;
    double size = theta;
    for (int i = 0; i < rule.stages; ++i) size *= std::abs(theta - rule.c(i));
    if (size <= greatest) continue;
    greatest = size;
    gap.theta = theta;
  }
  std::vector<double> seen(rule.c.begin(), rule.c.end());
  seen.insert(seen.end(), {0.0, gap.theta, 1.0});
  std::ranges::sort(seen);
  gap.widest = 0.0;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    gap.widest = std::max(gap.widest, seen[i] - seen[i - 1]);
  }
  gap.value = gap.slope = Vector::Zero(rule.stages);
  double power = 1.0;
  for (int k = 0; k < rule.stages; ++k) {
    gap.slope += (k + 1) * power * rule.monomials.col(k);
    power *= gap.theta;
    gap.value += power * rule.monomials.col(k);
  }
  return gap;
}

CollocationRule make_rule(int stages, bool is_radau) {
  Polynomial m = shifted_legendre(stages);
  if (is_radau) {
    const Polynomial lower = shifted_legendre(stages - 1);
    for (std::size_t k = 0; k < lower.size(); ++k) m[k] -= lower[k];
  }
  const auto c = nodes_of(m, is_radau);
  CollocationRule rule;
  rule.stages = stages;
  rule.order = is_radau ? 2 * stages - 1 : 2 * stages;
  rule.is_stiffly_accurate = is_radau;
  rule.c.resize(stages);
  rule.d.resize(stages, stages);
  rule.start_slope.resize(stages);
  rule.end_slope.resize(stages);
  rule.end_value.resize(stages);
  rule.monomials.resize(stages, stages);
  const auto basis = lagrange_basis(c);
  for (int j = 0; j < stages; ++j) {
    const Polynomial& value = basis[to_size(j)];
    const Polynomial slope = differentiate(value);
    rule.c(j) = static_cast<double>(c[to_size(j)]);
    for (int i = 0; i < stages; ++i) {
      rule.d(i, j) = static_cast<double>(evaluate(slope, c[to_size(i)]));
      rule.monomials(j, i) = static_cast<double>(value[to_size(i + 1)]);
    }
    rule.start_slope(j) = static_cast<double>(evaluate(slope, 0.0L));
    rule.end_slope(j) = static_cast<double>(evaluate(slope, 1.0L));
    rule.end_value(j) = static_cast<double>(evaluate(value, 1.0L));
  }
  if (is_radau) rule.end_value = Vector::Unit(stages, stages - 1);
  add_modes(rule, m, c);
  stack_modes(rule);
  rule.to_slopes = rule.d.transpose();
  rule.gap = middle_of_gap(rule);
  return rule;
}

const CollocationRule& cached(int stages, bool is_radau) {
  static const std::array<Lazy<CollocationRule>, 2 * max_stages> all;
  const auto& rule = all.at(to_size(stages - 1 + (is_radau ? 0 : max_stages)));
  return rule.get([&] { return make_rule(stages, is_radau); });
}

}  // namespace

const CollocationRule& radau_iia(int stages) {
  return cached(stages, true);
}

const CollocationRule& gauss_legendre(int stages) {
  return cached(stages, false);
}

}  // namespace daedal::integration
