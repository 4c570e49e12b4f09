// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Random matrices and an allocation counter for the tests of linear algebra.

#include <complex>
#include <daedal/sparsity.hpp>
#include <random>
#include <vector>

#include "core/types.hpp"
#include "support/allocation_count.hpp"

namespace daedal::linalg {

/// Counts calls of operator new since its construction.
class AllocationCount {
 public:
  [[nodiscard]] long so_far() const { return test::n_allocations() - start_; }

 private:
  long start_ = test::n_allocations();
};

template <class Scalar>
Scalar random_value(std::mt19937& random) {
  std::normal_distribution<double> normal;
  if constexpr (std::is_same_v<Scalar, double>) {
    return normal(random);
  } else {
    const double re = normal(random);
    return {re, normal(random)};
  }
}

template <class Scalar>
std::vector<Scalar> random_vector(std::mt19937& random, Index n) {
  std::vector<Scalar> x(to_size(n));
  for (Scalar& v : x) v = random_value<Scalar>(random);
  return x;
}

inline Matrix random_dense(std::mt19937& random, Index rows, Index columns) {
  Matrix a(rows, columns);
  for (double& v : a.reshaped()) v = random_value<double>(random);
  return a;
}

template <class Scalar>
struct SparseMatrix {
  SparsityPattern pattern;
  std::vector<Scalar> values;

  template <class Visit>
  void for_each_value(Visit visit) {
    for (Index j = 0; j < pattern.columns; ++j) {
      for (auto k = to_size(pattern.column_start[to_size(j)]);
           k < to_size(pattern.column_start[to_size(j + 1)]); ++k) {
        visit(pattern.row[k], j, values[k]);
      }
    }
  }
  template <class Visit>
  void for_each(Visit visit) const {
    auto copy = *this;
    copy.for_each_value([&](Index i, Index j, const Scalar& v) { visit(i, j, v); });
  }
};

/// A square matrix with a full, shuffled diagonal (so that it is structurally regular and no
/// order is natural) and other entries with the given probability.
template <class Scalar>
SparseMatrix<Scalar> random_matrix(std::mt19937& random, Index n, double fill) {
  std::vector<Index> image(to_size(n));
  for (Index i = 0; i < n; ++i) image[to_size(i)] = i;
  std::shuffle(image.begin(), image.end(), random);
  std::uniform_real_distribution<double> uniform;
  SparseMatrix<Scalar> a;
  a.pattern = {.rows = n, .columns = n, .column_start = {0}, .row = {}};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (uniform(random) < fill || image[to_size(j)] == i) {
        a.pattern.row.push_back(i);
        a.values.push_back(random_value<Scalar>(random));
      }
    }
    a.pattern.column_start.push_back(to_index(a.pattern.row.size()));
  }
  return a;
}

}  // namespace daedal::linalg
