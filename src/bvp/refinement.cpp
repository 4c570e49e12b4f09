// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/refinement.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/newton_watch.hpp"

namespace daedal::bvp {

Refinement::Refinement(const Problem& problem, const Layout& layout, Run& run)
    : problem_(problem),
      layout_(layout),
      run_(run),
      is_useful_(layout.n_g() == 0 && layout.n_y() > 0),
      lu_(layout.n_g() == 0 ? layout.n : 0),
      f_(to_size(layout.n)),
      f_x_(to_size(problem.system.pattern().nonzeros())),
      f_xp_(f_x_.size()) {}

bool Refinement::factor(double t, std::span<const double> x, std::span<const double> xp) {
  if (problem_.system.residual(t, x, xp, run_, f_) != Evaluation::ok ||
      problem_.system.jacobian(t, x, xp, run_, f_x_, f_xp_) != Evaluation::ok) {
    return false;
  }
  const Index n = layout_.n;
  const SparsityPattern& pattern = problem_.system.pattern();
  auto matrix = lu_.matrix();
  std::ranges::fill(matrix, 0.0);
  for (Index column = 0; column < n; ++column) {
    const bool is_slope = layout_.place[to_size(column)] < layout_.n_d();
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      matrix[to_size(column * n + pattern.row[to_size(p)])] =
          is_slope ? f_xp_[to_size(p)] : f_x_[to_size(p)];
    }
  }
  return lu_.factor().ok;
}

bool Refinement::refine(double t, std::span<double> x, std::span<double> xp) {
  if (!is_useful_) return false;
  // Quadratic from a collocation solution: three or four are usual.
  constexpr int most_steps = 6;
  x_.assign(x.begin(), x.end());
  xp_.assign(xp.begin(), xp.end());
  // A correction that grows is no improvement on the polynomials.
  using Verdict = linalg::NewtonWatch::Verdict;
  linalg::NewtonWatch watch(
      {.tolerance = 1e-10, .remainder = 0.0, .noise = 0.0, .diverging_rate = 1.0});
  for (int step = 0; step < most_steps; ++step) {
    if (!factor(t, x_, xp_)) return false;
    lu_.solve(f_);
    double moved = 0.0;
    for (Index column = 0; column < layout_.n; ++column) {
      const bool is_slope = layout_.place[to_size(column)] < layout_.n_d();
      double& value = (is_slope ? xp_ : x_)[to_size(column)];
      value -= f_[to_size(column)];
      moved = std::max(moved, std::abs(f_[to_size(column)]) / (1.0 + std::abs(value)));
    }
    const Verdict verdict = watch.judge(moved);
    if (verdict == Verdict::diverging) return false;
    if (verdict == Verdict::converged) break;
  }
  std::ranges::copy(x_, x.begin());
  std::ranges::copy(xp_, xp.begin());
  return true;
}

bool Refinement::slopes(double t, std::span<const double> x, std::span<const double> xp,
                        std::span<double> out) {
  if (layout_.n_g() > 0 || !factor(t, x, xp)) return false;
  lu_.solve(f_);
  for (std::size_t u = 0; u < out.size(); ++u) out[u] = xp[u] - f_[u];
  return true;
}

bool Refinement::differentiate(double t, std::span<const double> x, std::span<const double> xp,
                               Matrix& derivatives) {
  if (!is_useful_ || !factor(t, x, xp)) return false;
  const SparsityPattern& pattern = problem_.system.pattern();
  derivatives.resize(layout_.n_y(), layout_.n_d());
  for (Index d = 0; d < layout_.n_d(); ++d) {
    const Index column = layout_.differential[to_size(d)];
    std::ranges::fill(f_, 0.0);
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      f_[to_size(pattern.row[to_size(p)])] = f_x_[to_size(p)];
    }
    lu_.solve(f_);
    for (Index a = 0; a < layout_.n_y(); ++a) {
      derivatives(a, d) = -f_[to_size(layout_.algebraic[to_size(a)])];
    }
  }
  return true;
}

}  // namespace daedal::bvp
