// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/linear_solver.hpp"

#include <daedal/error.hpp>

#include "linalg/dense/lu.hpp"
#include "linalg/sparse/klu.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {

namespace {

/// Systems up to this size are dense whatever their pattern. tuned: bench/linalg
constexpr Index always_dense_size = 8;
/// Larger ones are dense when this share of the matrix is filled. tuned: bench/linalg
constexpr double dense_fill = 0.25;

bool prefers_dense(const SparsityPattern& pattern) {
  const double n = static_cast<double>(pattern.columns);
  return pattern.columns <= always_dense_size ||
         static_cast<double>(pattern.nonzeros()) >= dense_fill * n * n;
}

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_solver(const SparsityPattern& pattern, Storage storage) {
  check_pattern(pattern);
  if (pattern.rows != pattern.columns) {
    throw Error(ErrorCode::internal, "A linear solver was asked for a matrix that is not square.");
  }
  const bool dense = storage == Storage::dense || pattern.columns == 0 ||
                     (storage == Storage::automatic && prefers_dense(pattern));
  if (dense) return std::make_unique<DenseSolver<Scalar>>(pattern);
  return std::make_unique<KluSolver<Scalar>>(pattern);
}

}  // namespace

std::unique_ptr<RealSolver> make_real_solver(const SparsityPattern& pattern, Storage storage) {
  return make_solver<double>(pattern, storage);
}

std::unique_ptr<ComplexSolver> make_complex_solver(const SparsityPattern& pattern,
                                                   Storage storage) {
  return make_solver<std::complex<double>>(pattern, storage);
}

}  // namespace daedal::linalg
