// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// P R A = L U with rows scaled by powers of two (R) and partial pivoting for small dense matrices,
/// real and complex, column-major. The storage is allocated once; factoring costs 2n³/3 operations,
/// a solve 2n². Zero pivots are recognised by cancellation (cancellation.hpp), in whatever scaling.

#include <complex>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::linalg {

template <class Scalar>
class DenseLu {
 public:
  explicit DenseLu(Index n);

  [[nodiscard]] Index size() const { return n_; }
  /// The matrix to be factored, column-major: fill it, then call factor(), which overwrites it.
  [[nodiscard]] std::span<Scalar> matrix() { return a_; }

  FactorReport factor();
  void solve(std::span<Scalar> rhs) const;
  /// Aᴴ x = b in place.
  void solve_adjoint(std::span<Scalar> rhs) const;
  [[nodiscard]] double reciprocal_condition() const;
  /// log |det A| of what was factored.
  [[nodiscard]] double log_determinant() const;

 private:
  [[nodiscard]] Index non_finite_column();
  void scale_rows();
  [[nodiscard]] Index find_pivot(Index k) const;
  void swap_rows(Index i, Index k);
  [[nodiscard]] bool is_zero_pivot(Index k) const;
  void eliminate(Index k);
  [[nodiscard]] double pivot_growth() const;

  Scalar* column(Index j) { return a_.data() + j * n_; }
  const Scalar* column(Index j) const { return a_.data() + j * n_; }

  Index n_;
  std::vector<Scalar> a_;
  std::vector<Index> pivot_;  ///< row exchanged with row k in step k
  std::vector<double> row_scale_;
  std::vector<double> column_max_;  ///< of R A
  double norm_1_ = 0.0;
  mutable std::vector<Scalar> work_;
};

extern template class DenseLu<double>;
extern template class DenseLu<std::complex<double>>;

/// The dense solver behind LinearSolver: scatters the pattern's values, then DenseLu.
template <class Scalar>
class DenseSolver final : public LinearSolver<Scalar> {
 public:
  explicit DenseSolver(const SparsityPattern& pattern);
  FactorReport factor(std::span<const Scalar> values) override;
  void solve(std::span<Scalar> rhs) const override { lu_.solve(rhs); }
  [[nodiscard]] double reciprocal_condition() const override { return lu_.reciprocal_condition(); }

 private:
  std::vector<Index> position_;  ///< of each value in the dense matrix
  DenseLu<Scalar> lu_;
};

extern template class DenseSolver<double>;
extern template class DenseSolver<std::complex<double>>;

}  // namespace daedal::linalg
