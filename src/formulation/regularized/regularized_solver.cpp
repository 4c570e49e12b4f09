// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/regularized_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

using Rule = Regularization::Rule;

void warn_of_shift(double epsilon, double size_of_a, std::vector<std::string>& warnings) {
  constexpr double small_shift = 1e-2;
  if (!(epsilon > small_shift * size_of_a)) return;
  warnings.push_back(fmt::format(
      "In the units of this model epsilon = {:.3g} is not small beside what it is added to, which "
      "is {:.3g} at the start: the multipliers may be those of another system. Give a smaller "
      "epsilon.",
      epsilon, size_of_a));
}

RegularSolver::RegularSolver(Index n, Index m)
    : mass_(n),
      b_(Matrix::Zero(n, m)),
      g_(Matrix::Zero(m, n)),
      a_(Matrix::Zero(m, m)),
      damped_(m, m),
      truncated_(m, m),
      bounded_(m, m),
      shifted_(m),
      right_(to_size(m)) {}

RegularReport RegularSolver::factor(const Regularization& how) {
  const linalg::FactorReport mass = mass_.factor();
  if (!mass.ok) {
    return {.is_finite = g_.allFinite() && b_.allFinite() && mass.singular_column >= 0,
            .massless = mass.singular_column};
  }
  for (Index j = 0; j < b_.cols(); ++j) mass_.solve({b_.col(j).data(), to_size(b_.rows())});
  a_.noalias() = g_ * b_;
  return refactor(how);
}

RegularReport RegularSolver::refactor(const Regularization& how) {
  how_ = how;
  RegularReport report;
  report.is_finite = a_.allFinite();
  if (!report.is_finite || a_.rows() == 0) return report;
  report.scale = a_.cwiseAbs().rowwise().sum().maxCoeff();
  switch (how.rule) {
    case Rule::damp:
      report.is_finite = damped_.factor(a_, how.amount);
      break;
    case Rule::bound:
      bounded_.factor(a_);
      break;
    case Rule::shift: {
      const auto n = to_size(a_.size());
      std::copy_n(a_.data(), n, shifted_.matrix().begin());
      for (Index i = 0; i < a_.rows(); ++i) {
        shifted_.matrix()[to_size(i * (a_.rows() + 1))] += how.amount;
      }
      report.is_shift_safe = shifted_.factor().ok;
      break;
    }
    case Rule::truncate: {
      // The first pivot is the greatest column norm: an absolute cutoff is a share of it.
      const double greatest = a_.colwise().norm().maxCoeff();
      is_dropped_ = greatest <= how.amount;
      if (is_dropped_) break;
      truncated_.set_tolerance(std::max(how.amount / greatest, linalg::rank_tolerance));
      truncated_.matrix() = a_;
      truncated_.factor();
      break;
    }
  }
  return report;
}

void RegularSolver::choose(std::span<const double> r, std::span<double> y) const {
  switch (how_.rule) {
    case Rule::damp:
      // Petzold et al. (2.10): [AᵀA + εI] y = Aᵀ r, as the stacked least-squares problem.
      damped_.solve(r, y);
      return;
    case Rule::bound:
      bounded_.solve_within(how_.amount, r, y);
      return;
    case Rule::shift:
      std::copy(r.begin(), r.end(), y.begin());
      shifted_.solve(y);
      return;
    case Rule::truncate:
      if (is_dropped_) {
        std::fill(y.begin(), y.end(), 0.0);
      } else {
        truncated_.solve(r, y);
      }
      return;
  }
}

void RegularSolver::solve(std::span<double> top, std::span<double> bottom) const {
  mass_.solve(top);
  if (bottom.empty()) return;
  as_vector(right_) = -as_vector(bottom);
  as_vector(right_).noalias() += g_ * as_vector(top);
  choose(right_, bottom);
  as_vector(top).noalias() -= b_ * as_vector(bottom);
}

void scatter(const SparsityPattern& pattern, std::span<const double> values, Matrix& dense) {
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j + 1)];
         ++p) {
      dense(pattern.row[to_size(p)], j) = values[to_size(p)];
    }
  }
}

}  // namespace daedal::formulation
