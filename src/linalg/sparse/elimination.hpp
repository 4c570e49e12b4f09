// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Gaussian elimination of a sparse matrix A of any shape and rank, L⁻¹ A = [U; 0] up to
/// permutations, in an order that is chosen once (rook_pivots.hpp) and then repeated for new
/// values: a list of multiply-subtracts without search, allocation or pivoting.
///
/// A monitor watches what the order was chosen for: when a pivot becomes small against its row or
/// column, or the part that was zero no longer is, factor() refuses and the pivots must be chosen
/// anew.

#include <cstdint>
#include <daedal/sparsity.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::linalg {

class SparseElimination {
 public:
  explicit SparseElimination(SparsityPattern pattern, double relative_tolerance = rank_tolerance);

  /// Chooses the pivots for these values and factors. When the decision is not clear, or NaN, there
  /// are no factors: is_ready() is false.
  RankDecision choose_pivots(std::span<const double> values);
  [[nodiscard]] bool is_ready() const { return is_ready_; }
  /// Factors new values with the pivots chosen; false when they will not do.
  bool factor(std::span<const double> values);

  [[nodiscard]] Index rank() const { return to_index(steps_.size()); }
  [[nodiscard]] const SparsityPattern& pattern() const { return pattern_; }
  /// Multiply-subtracts of one factorisation.
  [[nodiscard]] Index n_operations() const { return n_operations_; }

  /// A solution of A x = b for b in the range of A: components without a pivot are zero. `b` is
  /// overwritten.
  void solve(std::span<double> b, std::span<double> x) const;
  /// An orthonormal basis of {y : yᵀ A = 0}, the columns: `basis` has pattern().rows − rank() of
  /// them.
  void left_null_space(Matrix& basis) const;

 private:
  struct Step {
    Index row = 0;
    Index column = 0;
    std::int32_t pivot = 0;         ///< where it stands in entries_; the rest of its row follows
    std::int32_t n_rest = 0;        ///< entries after it, all columns
    std::int32_t n_determined = 0;  ///< those of them that have pivots
    std::int32_t first_target = 0;  ///< in targets_
    std::int32_t end_target = 0;
    double reciprocal = 0.0;  ///< of the pivot
  };
  /// A row below a pivot.
  struct Target {
    std::int32_t row = 0;
    std::int32_t multiplier = 0;  ///< where it stands in entries_
    std::int32_t first = 0;       ///< the targets of its subtractions: first, first + 1, ... or
    std::int32_t list = -1;       ///< listed from here in places_
  };
  class Layout;
  void lay_out(const Layout& layout);
  void add_step(std::size_t number, const Layout& layout);
  void add_target(std::size_t row, const Step& step, const Layout& layout);
  [[nodiscard]] bool is_good(const Step& step) const;
  void subtract(const Step& step, const Target& target);

  SparsityPattern pattern_;
  double tolerance_;
  double largest_ = 0.0;
  bool is_ready_ = false;
  Index n_operations_ = 0;
  std::vector<Step> steps_;
  std::vector<Target> targets_;
  std::vector<std::int32_t> places_;
  std::vector<std::int32_t> source_;   ///< where each value of the pattern goes in entries_
  std::vector<std::int32_t> columns_;  ///< of each entry
  std::vector<std::int32_t> zeros_;    ///< entries that must vanish
  std::vector<Index> free_rows_;       ///< without a pivot
  std::vector<double> entries_;        ///< row after row, each in the order of the pivots
};

}  // namespace daedal::linalg
