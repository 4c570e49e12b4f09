// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A sparse K = L D Lᵀ whose order is fixed beforehand: no pivoting, no searching, no allocation.
///
/// The analysis turns the elimination into a tape: for every pivot the places that its multiples
/// are subtracted from, as flat index lists for short columns and as runs for long ones. A numeric
/// factorisation is one pass over the tape (about 1 ns a multiply-subtract).
///
/// The order must make sense for the matrix: positive definite ones allow any, saddle-point
/// matrices those of elimination_order.hpp. A monitor watches what pivoting would have avoided:
/// the ratio of each pivot to the sum of the terms it was made of. 1 is perfect, round-off is a
/// singular matrix; below the given tolerance, or with the wrong sign, the factorisation stops.

#include <cstdint>
#include <daedal/sparsity.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

class StaticLdlt {
 public:
  struct Report {
    bool ok = true;
    double smallest_ratio = 1.0;  ///< |pivot| / Σ|its terms|, the smallest, or the one that failed
    Index weakest = -1;           ///< its unknown
  };

  /// `lower`: the pattern of the lower triangle, `order`: the unknowns as they are eliminated,
  /// `sign`: +1 or −1, the sign that each unknown's pivot has to have.
  StaticLdlt(const SparsityPattern& lower, std::span<const Index> order,
             std::span<const signed char> sign);

  [[nodiscard]] Index size() const { return n_; }
  /// Entries of L below its diagonal, and multiply-subtracts of one factorisation.
  [[nodiscard]] Index nonzeros() const { return to_index(row_.size()); }
  [[nodiscard]] Index n_operations() const { return n_operations_; }

  /// The unknowns as they are eliminated: an order equivalent to the given one.
  [[nodiscard]] std::span<const Index> order() const { return order_; }

  /// Where entry k of `lower` is kept: clear(), then set the values there, then factor().
  [[nodiscard]] std::span<const std::uint32_t> places() const { return place_; }
  [[nodiscard]] std::span<double> values() { return values_; }
  void clear();
  Report factor(double tolerance);
  /// Factors, and solves K x = b in place: cheaper than one after the other. x is undefined when
  /// the factorisation fails.
  Report factor_and_solve(double tolerance, std::span<double> x);
  /// K x = b in place.
  void solve(std::span<double> x) const;

 private:
  struct Run {
    std::uint32_t target;
    std::uint32_t length;
  };
  void analyse_places(const SparsityPattern& lower, std::span<const Index> position);
  void measure_tail();
  void record_updates(Index pivot);
  void record_run(std::uint32_t target, bool starts_column);
  [[nodiscard]] std::uint32_t place_of(Index row, Index column) const;
  [[nodiscard]] Report judge_pivots(double tolerance) const;
  [[nodiscard]] bool is_long(Index pivot) const;
  /// All pivots, and L y = b in work_.
  Report eliminate(double tolerance);
  void update_by_runs(Index pivot, double inverse, const Run*& run);
  void gather(std::span<const double> x) const;
  /// D Lᵀ y = b in work_, then y in the order of the unknowns.
  void substitute_backward(std::span<double> x) const;

  Index n_;
  Index n_operations_ = 0;
  Index tail_ = 0;                      ///< last pivots that form a full triangle: dense_tail.hpp
  std::vector<Index> order_;            ///< unknown of a pivot
  std::vector<std::uint32_t> column_;   ///< start of a pivot's column in L
  std::vector<std::uint32_t> row_;      ///< pivot number of each entry of L, by columns
  std::vector<std::uint32_t> place_;    ///< of each entry of the given pattern in values_
  std::vector<std::uint32_t> targets_;  ///< the tape of the short columns
  std::vector<Run> runs_;               ///< and of the long ones
  std::vector<double> sign_;            ///< of each pivot
  std::vector<double> values_;          ///< D (n entries), then L by columns
  std::vector<double> inverse_;         ///< 1 / D
  std::vector<double> scale_;           ///< Σ|terms| of each pivot
  mutable std::vector<double> work_;
};

}  // namespace daedal::linalg
