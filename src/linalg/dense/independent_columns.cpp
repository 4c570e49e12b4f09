// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/independent_columns.hpp"

#include <cmath>
#include <numeric>

namespace daedal::linalg {

namespace {

/// Pivots below this share of the greatest entry are rounding errors of dependent rows.
constexpr double dependence_tolerance = 1e-13;

}  // namespace

Matrix& PivotSearch::matrix(Index rows, Index columns) {
  a_.resize(rows, columns);
  return a_;
}

const PivotColumns& PivotSearch::choose() {
  const Index m = a_.rows();
  const Index n = a_.cols();
  rows_.resize(to_size(m));
  columns_.resize(to_size(n));
  std::iota(rows_.begin(), rows_.end(), Index{0});
  std::iota(columns_.begin(), columns_.end(), Index{0});
  result_.columns.clear();
  result_.smallest_pivot = infinity;
  result_.dependent_row = result_.weakest_row = -1;
  const double scale = a_.size() == 0 ? 0.0 : a_.cwiseAbs().maxCoeff();
  for (Index k = 0; k < m; ++k) {
    Eigen::Index i = 0;
    Eigen::Index j = 0;
    const double pivot =
        k < n ? a_.bottomRightCorner(m - k, n - k).cwiseAbs().maxCoeff(&i, &j) : 0.0;
    if (!(pivot > dependence_tolerance * scale)) {
      result_.smallest_pivot = 0.0;
      result_.dependent_row = result_.weakest_row = rows_[k];
      return result_;
    }
    a_.row(k).swap(a_.row(k + i));
    a_.col(k).swap(a_.col(k + j));
    std::swap(rows_[k], rows_[k + i]);
    std::swap(columns_[k], columns_[k + j]);
    result_.columns.push_back(columns_[k]);
    if (pivot < result_.smallest_pivot) {
      result_.smallest_pivot = pivot;
      result_.weakest_row = rows_[k];
    }
    for (Index r = k + 1; r < m; ++r) {
      const double factor = a_(r, k) / a_(k, k);
      if (factor != 0.0) a_.row(r).tail(n - k) -= factor * a_.row(k).tail(n - k);
    }
  }
  return result_;
}

PivotColumns choose_pivot_columns(const Matrix& a) {
  PivotSearch search;
  search.matrix(a.rows(), a.cols()) = a;
  return search.choose();
}

double smallest_pivot(const Matrix& a, std::span<const Index> columns) {
  PivotSearch search;
  Matrix& chosen = search.matrix(a.rows(), to_index(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) chosen.col(to_index(j)) = a.col(columns[j]);
  return search.choose().smallest_pivot;
}

}  // namespace daedal::linalg
