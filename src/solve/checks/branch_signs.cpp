// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/branch_signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "linalg/dense/rank.hpp"
#include "linalg/sparse/independent_columns.hpp"

namespace daedal::solve_detail {

namespace {

/// Determinants of larger systems would take a visible share of the time of a run.
constexpr std::size_t most_unknowns_with_branches = 30;
/// Halvings of the way between two matrices, to the resolution of their entries.
constexpr int n_halvings = 30;
/// Looks at determinants of 0 become so often half as frequent.
constexpr int most_doublings = 6;

linalg::PivotReport pivots_of(const Matrix& matrix) {
  linalg::ColumnPivoting pivoting;
  pivoting.start(matrix.rows(), matrix.cols());
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      if (matrix(i, j) != 0.0) pivoting.add(i, j, matrix(i, j));
    }
  }
  return pivoting.run();
}

/// The sign of the determinant of a regular matrix with entries up to 1, where elimination with row
/// exchanges makes it clear; else 0. By Hadamard's inequality the minor of the other pivots is at
/// most the product of the lengths of rows, so that the last pivot is no less than the ratio.
int clear_sign(Matrix a) {
  const Index n = a.rows();
  double ratio = 1.0;
  for (Index i = 0; i < n; ++i) ratio /= std::max(1.0, a.row(i).norm());
  for (Index k = 0; k < n; ++k) {
    Index row = k;
    for (Index i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(row, k))) row = i;
    }
    if (row != k) a.row(row).swap(a.row(k));
    ratio *= row == k ? a(k, k) : -a(k, k);
    for (Index i = k + 1; i < n; ++i) {
      if (a(i, k) == 0.0) continue;
      const double factor = a(i, k) / a(k, k);
      for (Index j = k + 1; j < n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  if (!(std::abs(ratio) > linalg::rank_tolerance)) return 0;
  return ratio > 0.0 ? 1 : -1;
}

/// The sign of the determinant; 0 where the matrix is singular.
int sign_of(const Matrix& matrix) {
  if (const int sign = clear_sign(matrix); sign != 0) return sign;
  const linalg::PivotReport pivots = pivots_of(matrix);
  return pivots.smallest_pivot > linalg::rank_tolerance ? pivots.sign : 0;
}

/// The algebraic unknown that is least determined where a matrix is singular on the straight way
/// from one to another, with determinants of different signs.
Index undetermined_between(Matrix from, Matrix to, const std::vector<bool>& is_differential) {
  const int sign = pivots_of(from).sign;
  for (int k = 0; k < n_halvings; ++k) {
    const Matrix middle = 0.5 * (from + to);
    (pivots_of(middle).sign == sign ? from : to) = middle;
  }
  const Matrix v = linalg::svd(from).v;
  Index worst = -1;
  for (Index j = 0; j < v.rows(); ++j) {
    if (is_differential[to_size(j)]) continue;
    if (worst < 0 || std::abs(v(j, v.cols() - 1)) > std::abs(v(worst, v.cols() - 1))) worst = j;
  }
  return worst;
}

}  // namespace

BranchSigns::BranchSigns(std::shared_ptr<const formulation::WrittenEquations> system)
    : system_(std::move(system)) {
  const GeneralView& view = system_->view();
  is_possible_ =
      view.n_given == system_->size() && to_size(system_->size()) <= most_unknowns_with_branches &&
      !std::ranges::all_of(view.is_differential, std::identity{}) && system_->gives_rates_by_each();
  // What every look will need is made before the steps begin.
  if (is_possible_) (void)system_->pattern();
}

Matrix BranchSigns::scaled_matrix(std::span<const double> f_x, std::span<const double> f_xp) const {
  const auto n = to_index(to_size(system_->size()));
  Matrix matrix = Matrix::Zero(n, n);
  const SparsityPattern& pattern = system_->pattern();
  for (Index j = 0; j < n; ++j) {
    const auto& values = system_->view().is_differential[to_size(j)] ? f_xp : f_x;
    for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j) + 1];
         ++p) {
      matrix(pattern.row[to_size(p)], j) = values[to_size(p)];
    }
  }
  for (Index i = 0; i < n; ++i) matrix.row(i) /= matrix.row(i).cwiseAbs().maxCoeff();
  for (Index j = 0; j < n; ++j) matrix.col(j) /= matrix.col(j).cwiseAbs().maxCoeff();
  return matrix;
}

bool BranchSigns::is_due(const Run& run) {
  if (modes_ != run.modes || discretes_ != run.discretes) n_singular_ = n_to_skip_ = 0;
  return is_possible_ && n_to_skip_-- <= 0;
}

void BranchSigns::look(double t, const Run& run, std::span<const double> f_x,
                       std::span<const double> f_xp) {
  const bool has_changed = modes_ != run.modes || discretes_ != run.discretes;
  if (has_changed) last_.reset();
  modes_ = run.modes;
  discretes_ = run.discretes;
  Matrix matrix = scaled_matrix(f_x, f_xp);
  if (!matrix.allFinite()) return;
  const int sign = sign_of(matrix);
  if (sign == 0) {  // for another reason: the index is above 1
    n_to_skip_ = (1 << std::min(n_singular_++, most_doublings)) - 1;
    return;
  }
  n_singular_ = n_to_skip_ = 0;
  if (last_ && last_->sign != sign && sentence_.empty()) {
    const Index unknown =
        undetermined_between(last_->matrix, matrix, system_->view().is_differential);
    sentence_ = fmt::format(
        "Between t = {:.9g} and t = {:.9g} two solutions for '{}' meet, or come as near to each "
        "other as the tolerance is wide, with no event: which of them the run has followed since "
        "is a matter of chance. A sharper tolerance may tell them apart.",
        last_->t, t, system_->unknown_name(unknown));
  }
  last_ = {.t = t, .sign = sign, .matrix = std::move(matrix)};
}

}  // namespace daedal::solve_detail
