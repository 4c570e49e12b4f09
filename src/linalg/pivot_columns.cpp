// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/pivot_columns.hpp"

#include <cmath>
#include <numeric>

namespace daedal::linalg {

namespace {

/// Pivots below this share of the greatest entry are rounding errors of dependent rows.
constexpr double dependence_tolerance = 1e-13;

}  // namespace

PivotColumns choose_pivot_columns(Matrix a) {
  const Index m = a.rows();
  std::vector<Index> rows(to_size(m));
  std::vector<Index> columns(to_size(a.cols()));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::iota(columns.begin(), columns.end(), Index{0});
  PivotColumns result;
  result.smallest_pivot = infinity;
  const double scale = a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff();
  for (Index k = 0; k < m; ++k) {
    Eigen::Index i = 0;
    Eigen::Index j = 0;
    const double pivot =
        k < a.cols() ? a.bottomRightCorner(m - k, a.cols() - k).cwiseAbs().maxCoeff(&i, &j) : 0.0;
    if (!(pivot > dependence_tolerance * scale)) {
      result.smallest_pivot = 0.0;
      result.dependent_row = rows[to_size(k)];
      return result;
    }
    a.row(k).swap(a.row(k + i));
    a.col(k).swap(a.col(k + j));
    std::swap(rows[to_size(k)], rows[to_size(k + i)]);
    std::swap(columns[to_size(k)], columns[to_size(k + j)]);
    result.columns.push_back(columns[to_size(k)]);
    result.smallest_pivot = std::min(result.smallest_pivot, pivot);
    for (Index r = k + 1; r < m; ++r) {
      const double factor = a(r, k) / a(k, k);
      if (factor != 0.0) a.row(r).tail(a.cols() - k) -= factor * a.row(k).tail(a.cols() - k);
    }
  }
  return result;
}

double smallest_pivot(const Matrix& a, std::span<const Index> columns) {
  Matrix chosen(a.rows(), to_index(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) chosen.col(to_index(j)) = a.col(columns[j]);
  return choose_pivot_columns(std::move(chosen)).smallest_pivot;
}

int determinant_sign(Matrix a) {
  int sign = 1;
  for (Index k = 0; k < a.rows(); ++k) {
    Eigen::Index i = 0;
    const double pivot = a.col(k).tail(a.rows() - k).cwiseAbs().maxCoeff(&i);
    if (!(pivot > 0.0)) return 0;
    if (i > 0) {
      a.row(k).swap(a.row(k + i));
      sign = -sign;
    }
    if (a(k, k) < 0.0) sign = -sign;
    for (Index r = k + 1; r < a.rows(); ++r) {
      const double factor = a(r, k) / a(k, k);
      if (factor != 0.0) a.row(r).tail(a.cols() - k) -= factor * a.row(k).tail(a.cols() - k);
    }
  }
  return sign;
}

}  // namespace daedal::linalg
