// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/refinement.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::bvp {

Refinement::Refinement(const Problem& problem, const Layout& layout, Run& run)
    : problem_(problem),
      layout_(layout),
      run_(run),
      is_useful_(layout.n_g() == 0 && layout.n_y() > 0),
      lu_(is_useful_ ? layout.n : 0),
      f_(to_size(layout.n)),
      f_x_(to_size(problem.system.pattern().nonzeros())),
      f_xp_(f_x_.size()) {}

void Refinement::refine(double t, std::span<double> x, std::span<double> xp) {
  if (!is_useful_) return;
  constexpr int most_steps = 4;
  const Index n = layout_.n;
  const SparsityPattern& pattern = problem_.system.pattern();
  x_.assign(x.begin(), x.end());
  xp_.assign(xp.begin(), xp.end());
  double before = infinity;
  for (int step = 0; step < most_steps; ++step) {
    if (problem_.system.residual(t, x_, xp_, run_, f_) != Evaluation::ok ||
        problem_.system.jacobian(t, x_, xp_, run_, f_x_, f_xp_) != Evaluation::ok) {
      return;
    }
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
    if (!lu_.factor().ok) return;
    lu_.solve(f_);
    double moved = 0.0;
    for (Index column = 0; column < n; ++column) {
      const bool is_slope = layout_.place[to_size(column)] < layout_.n_d();
      double& value = (is_slope ? xp_ : x_)[to_size(column)];
      value -= f_[to_size(column)];
      moved = std::max(moved, std::abs(f_[to_size(column)]) / (1.0 + std::abs(value)));
    }
    // A correction that grows is no improvement on the polynomials.
    if (!(moved < before)) return;
    before = moved;
    if (moved < 1e-10) break;
  }
  std::ranges::copy(x_, x.begin());
  std::ranges::copy(xp_, xp.begin());
}

}  // namespace daedal::bvp
