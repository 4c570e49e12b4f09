// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/array_structure.hpp"

#include <cmath>

#include "linalg/dense/independent_columns.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/scaling.hpp"

namespace daedal::analysis {

namespace {

/// Parts of an orthonormal basis below this are round-off, above it they count.
constexpr double support_tolerance = 1e-8;

/// The equilibrated Jacobian of the array.
Matrix scaled_jacobian(const DerivativeArray& array, const ArrayPoint& point, int level) {
  auto workspace = array.make_workspace();
  std::vector<double> r(to_size(array.n_equations() * (level + 1)));
  array.linearize(point, level, r, workspace);
  Matrix jacobian(array.n_equations() * (level + 1), array.n_unknowns() * (level + 2));
  array.assemble(level, workspace, jacobian);
  linalg::apply(array_scales(jacobian), jacobian);
  return jacobian;
}

/// Rows of a basis that are not zero.
std::vector<Index> support(const Matrix& basis) {
  std::vector<Index> result;
  for (Index i = 0; i < basis.rows(); ++i) {
    if (basis.cols() > 0 && basis.row(i).cwiseAbs().maxCoeff() > support_tolerance) {
      result.push_back(i);
    }
  }
  return result;
}

}  // namespace

ArrayDeficiency find_deficiency(const DerivativeArray& array, const ArrayPoint& point, int level) {
  const Index n = array.n_unknowns();
  const Matrix jacobian = scaled_jacobian(array, point, level);
  ArrayDeficiency result;
  if (!jacobian.allFinite()) return result;
  const Matrix left = linalg::left_null_space(jacobian);
  Matrix by_equation = Matrix::Zero(array.n_equations(), left.cols());
  for (Index i = 0; i < left.rows(); ++i) {
    by_equation.row(i % array.n_equations()) += left.row(i).cwiseAbs();
  }
  result.equations = support(by_equation);
  const Matrix open = linalg::null_space(jacobian.rightCols(n * (level + 1)));
  result.unknowns = support(open.topRows(n));
  return result;
}

std::vector<Index> constrained_unknowns(const DerivativeArray& array, const ArrayPoint& point,
                                        int level) {
  const Index n = array.n_unknowns();
  const Matrix jacobian = scaled_jacobian(array, point, level);
  if (!jacobian.allFinite()) return {};
  const Matrix left = linalg::left_null_space(jacobian.rightCols(n * (level + 1)));
  return support(jacobian.leftCols(n).transpose() * left);
}

ArrayStructure find_structure(const DerivativeArray& array, const ArrayPoint& point, int index,
                              const std::vector<int>& preference) {
  const Index n = array.n_unknowns();
  ArrayStructure result;
  Matrix constraints;  // on x alone: Q₂ᵀ G_x
  Index before = 0;
  for (int level = 0; level <= index; ++level) {
    const Matrix jacobian = scaled_jacobian(array, point, level);
    const Matrix left = linalg::left_null_space(jacobian.rightCols(n * (level + 1)));
    if (left.cols() > before) {
      result.constraints.push_back({.level = level,
                                    .count = left.cols() - before,
                                    .equations = support(left.bottomRows(array.n_equations()))});
      before = left.cols();
    }
    constraints = left.transpose() * jacobian.leftCols(n);
  }
  // The dependent unknowns are those with the best pivots; a preferred one only where it must be.
  const Matrix freedom = linalg::null_space(constraints);
  std::vector<bool> is_movable(to_size(n), false);
  for (const Index j : support(freedom)) is_movable[j] = true;
  Matrix weighed = constraints;
  for (Index j = 0; j < n; ++j) {
    weighed.col(j) *= std::pow(1e-3, preference[j]);
  }
  std::vector<bool> is_dependent(to_size(n), false);
  for (const Index j : linalg::choose_pivot_columns(weighed).columns) {
    is_dependent[j] = true;
  }
  for (Index j = 0; j < n; ++j) {
    if (!is_movable[j]) result.determined.push_back(j);
    if (!is_dependent[j]) result.free.push_back(j);
  }
  return result;
}

}  // namespace daedal::analysis
