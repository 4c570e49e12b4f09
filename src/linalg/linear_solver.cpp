// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/linear_solver.hpp"

#include <daedal/error.hpp>

#include "linalg/dense/lu.hpp"
#include "linalg/sparse/klu.hpp"
#include "linalg/sparse/listed_lu.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {

namespace {

/// Systems up to this size are dense whatever their pattern. tuned: bench/linalg
constexpr Index always_dense_size = 8;
/// Larger ones are dense when this share of the matrix is filled. tuned: bench/linalg
constexpr double dense_fill = 0.25;

Storage choose(const SparsityPattern& pattern) {
  const double n = static_cast<double>(pattern.columns);
  const bool is_dense = pattern.columns <= always_dense_size ||
                        static_cast<double>(pattern.nonzeros()) >= dense_fill * n * n;
  if (is_dense) return Storage::dense;
  return pattern.columns <= largest_listed ? Storage::listed : Storage::sparse;
}

/// The list of operations behind LinearSolver.
template <class Scalar>
class ListedSolver final : public LinearSolver<Scalar> {
 public:
  explicit ListedSolver(const SparsityPattern& pattern) : lu_(pattern) {}
  FactorReport factor(std::span<const Scalar> values) override { return lu_.factor(values); }
  void solve(std::span<Scalar> rhs) const override { lu_.solve(rhs); }
  [[nodiscard]] double reciprocal_condition() const override { return lu_.reciprocal_condition(); }

 private:
  ListedLu<Scalar> lu_;
};

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_solver(const SparsityPattern& pattern, Storage storage) {
  check_pattern(pattern);
  if (pattern.rows != pattern.columns) {
    throw Error(ErrorCode::internal, "A linear solver was asked for a matrix that is not square.");
  }
  if (pattern.columns == 0) storage = Storage::dense;
  if (storage == Storage::automatic) storage = choose(pattern);
  if (storage == Storage::dense) return std::make_unique<DenseSolver<Scalar>>(pattern);
  if (storage == Storage::listed) return std::make_unique<ListedSolver<Scalar>>(pattern);
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
