// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/scaling.hpp"

#include <cassert>
#include <cmath>
#include <vector>

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

template <class AnyMatrix>
Equilibration balance_any(const AnyMatrix& a, Index rows, Index columns) {
  // Rows and columns in turn; the mean logarithms settle within few sweeps.
  constexpr int n_sweeps = 20;
  struct NonZero {
    Index i, j;
    double logarithm;
  };
  std::vector<NonZero> entries;
  Vector row = Vector::Zero(rows);
  Vector column = Vector::Zero(columns);
  Vector n_in_row = row;
  Vector n_in_column = column;
  for_each_entry(a, [&](Index i, Index j, double v) {
    if (v == 0.0) return;
    entries.push_back({i, j, std::log2(std::abs(v))});
    n_in_row(i) += 1.0;
    n_in_column(j) += 1.0;
  });
  const auto settle = [&entries](auto own, Vector& scale, const Vector& count, auto other) {
    scale.setZero();
    for (const NonZero& entry : entries) scale(entry.*own) += other(entry);
    for (Index k = 0; k < scale.size(); ++k) {
      scale(k) = count(k) > 0.0 ? -scale(k) / count(k) : 0.0;
    }
  };
  for (int sweep = 0; sweep < n_sweeps; ++sweep) {
    settle(&NonZero::i, row, n_in_row, [&](const NonZero& e) { return e.logarithm + column(e.j); });
    settle(&NonZero::j, column, n_in_column,
           [&](const NonZero& e) { return e.logarithm + row(e.i); });
  }
  const auto power = [](double exponent) {
    return std::ldexp(1.0, static_cast<int>(std::lround(exponent)));
  };
  return {row.unaryExpr(power), column.unaryExpr(power)};
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

Equilibration balance(const SparsityPattern& pattern, std::span<const double> values) {
  return balance_any(SparseView{pattern, values}, pattern.rows, pattern.columns);
}

Equilibration balance(const Matrix& a) {
  return balance_any(a, a.rows(), a.cols());
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
