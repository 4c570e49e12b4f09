// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// P A = L U with partial pivoting for small dense matrices, real and complex, column-major.
/// The storage is allocated once; factoring costs 2n³/3 operations, a solve 2n².
///
/// A pivot counts as zero when rounding errors alone could have made it: u_kk is a difference
/// whose terms |l_kj||u_jk| are known, and no scaling of rows or columns changes its relation to
/// them (Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.3). So badly scaled
/// matrices are not refused, and singular ones are found although no pivot is exactly 0.

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

 private:
  bool measure_columns(FactorReport& report);
  [[nodiscard]] Index find_pivot(Index k) const;
  void swap_rows(Index i, Index k);
  [[nodiscard]] bool is_cancelled(Index k) const;
  void eliminate(Index k);
  [[nodiscard]] double pivot_growth() const;

  Scalar* column(Index j) { return a_.data() + j * n_; }
  const Scalar* column(Index j) const { return a_.data() + j * n_; }

  Index n_;
  std::vector<Scalar> a_;
  std::vector<Index> pivot_;        ///< row exchanged with row k in step k
  std::vector<double> column_max_;  ///< of A, not of its factors
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
