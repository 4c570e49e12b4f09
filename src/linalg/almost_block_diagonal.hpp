// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The linear systems of boundary value problems: almost block diagonal, with the boundary
/// conditions as a last row of blocks,
///
///     L_i x_i + R_i x_(i+1) = f_i,    i = 0..N−1   (n rows each),
///     A x_0 + B x_N = b               (n rows or more).
///
/// Unknowns are eliminated from left to right. With V x_0 + W x_i = g what is left so far, an
/// orthogonal transformation of [W; L_i] leaves x_i in n rows and n rows that hold x_0 and x_(i+1)
/// alone. Orthogonal elimination is stable whenever the problem is well conditioned, for separated
/// and for coupled conditions, with growing and decaying modes (Wright, SIAM J. Sci. Stat. Comput.
/// 13 (1992) 742-764); Gaussian elimination in the same order is not always. Time N·O(n³), memory
/// N·(4n² + n) numbers.

#include <daedal/stop_signal.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::linalg {

class AlmostBlockDiagonal {
 public:
  /// Makes room for `n_blocks` ≥ 1 blocks of size n and `n_conditions` boundary rows.
  void resize(Index n, Index n_blocks, Index n_conditions);

  [[nodiscard]] Index block_size() const { return n_; }
  [[nodiscard]] Index n_blocks() const { return n_blocks_; }

  /// The n × n blocks L_i and R_i, to be filled (column-major) before each factor().
  [[nodiscard]] Eigen::Map<Matrix> left(Index i);
  [[nodiscard]] Eigen::Map<Matrix> right(Index i);
  /// The boundary rows A and B, n_conditions × n; factor() leaves them as they are.
  [[nodiscard]] Matrix& first_condition() { return a_; }
  [[nodiscard]] Matrix& last_condition() { return b_; }

  /// Overwrites the blocks. The rank is that of the equilibrated matrix of 2n columns for x_0 and
  /// x_N that is left at the end: 2n when the conditions determine one solution.
  /// The result must not be used if `stop` is raised meanwhile.
  RankDecision factor(const StopSignal& stop = {});
  /// Decides the rank of the last factorisation anew by another tolerance.
  RankDecision decide(double relative_tolerance);
  /// The block whose unknowns x_i no equation determines, or -1; solve() must not be called then.
  [[nodiscard]] Index singular_block() const { return singular_block_; }

  /// f of N·n numbers and b, overwritten; x of (N+1)·n numbers. With a rank below 2n, or more
  /// conditions than n, x_0 and x_N are the solution of least norm and least squares.
  void solve(std::span<double> f, std::span<double> b, std::span<double> x) const;

  /// For a diagnosis: combinations Σ y_j (row j) of the boundary rows that vanish given all other
  /// equations, one per column, and what they come to on the right side, Σ y_j b_j less what the
  /// other equations give. A right side that is not zero is a contradiction.
  struct Dependence {
    Matrix combinations;
    Vector right_side;
  };
  [[nodiscard]] Dependence dependent_conditions(std::span<double> f, std::span<double> b) const;

 private:
  [[nodiscard]] double* stacked(Index i) { return data_.data() + i * stride_; }
  [[nodiscard]] const double* stacked(Index i) const { return data_.data() + i * stride_; }
  [[nodiscard]] Matrix last_system() const;
  /// Transforms the right sides; what is left for x_0 and x_N goes to `rest`, n numbers.
  void eliminate(std::span<double> f, Vector& rest) const;

  Index n_ = 0;
  Index n_blocks_ = 0;
  Index stride_ = 0;
  /// Per block: [W; L_i] and later its reflections (2n × n), the rows of x_i on x_0 (n × n) and on
  /// x_(i+1) (n × n), the scales of the reflections (n). Block 0 holds L_0 and R_0 only.
  std::vector<double> data_;
  Matrix a_, b_;
  Matrix v_, w_;  ///< V x_0 + W x_N = g at the end
  Vector row_scale_, column_scale_;
  Svd last_;  ///< of the scaled last system
  RankDecision decision_;
  Index singular_block_ = -1;
};

}  // namespace daedal::linalg
