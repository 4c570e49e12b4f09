// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/scaling.hpp"

#include <cassert>
#include <cmath>

namespace daedal::linalg {

namespace {

/// Calls visit(i, j, value) for every entry.
template <class Visit>
void for_each_entry(const Matrix& a, Visit visit) {
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) visit(i, j, a(i, j));
  }
}

struct SparseView {
  const SparsityPattern& pattern;
  std::span<const double> values;
};

template <class Visit>
void for_each_entry(const SparseView& a, Visit visit) {
  for (Index j = 0; j < a.pattern.columns; ++j) {
    for (auto k = to_size(a.pattern.column_start[j]); k < to_size(a.pattern.column_start[j + 1]);
         ++k) {
      visit(a.pattern.row[k], j, a.values[k]);
    }
  }
}

template <class AnyMatrix>
void equilibrate_any(const AnyMatrix& a, Equilibration& scales) {
  scales.row.setZero();
  scales.column.setZero();
  for_each_entry(
      a, [&](Index i, Index, double v) { scales.row(i) = std::max(scales.row(i), std::abs(v)); });
  for (double& scale : scales.row) scale = reciprocal_power_of_two(scale);
  for_each_entry(a, [&](Index i, Index j, double v) {
    scales.column(j) = std::max(scales.column(j), std::abs(v) * scales.row(i));
  });
  for (double& scale : scales.column) scale = reciprocal_power_of_two(scale);
}

}  // namespace

Equilibration equilibrate(const Matrix& a) {
  Equilibration scales{Vector(a.rows()), Vector(a.cols())};
  equilibrate_any(a, scales);
  return scales;
}

Equilibration equilibrate(const SparsityPattern& pattern, std::span<const double> values) {
  Equilibration scales{Vector(pattern.rows), Vector(pattern.columns)};
  equilibrate(pattern, values, scales);
  return scales;
}

void equilibrate(const SparsityPattern& pattern, std::span<const double> values,
                 Equilibration& scales) {
  assert(to_index(values.size()) == pattern.nonzeros());
  equilibrate_any(SparseView{pattern, values}, scales);
}

void apply(const Equilibration& scales, Matrix& a) {
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) a(i, j) = a(i, j) * scales.row(i) * scales.column(j);
  }
}

void apply(const Equilibration& scales, const SparsityPattern& pattern, std::span<double> values) {
  for_each_entry(SparseView{pattern, values},
                 [&, k = std::size_t{0}](Index i, Index j, double v) mutable {
                   values[k++] = v * scales.row(i) * scales.column(j);
                 });
}

}  // namespace daedal::linalg
