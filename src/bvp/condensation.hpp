// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Local elimination: every interval of a collocation method has unknowns s of its own (slopes,
/// algebraic values, multipliers of the projection), and its equations
///
///     M s + C x_i + D x_(i+1) = r          (c + n rows, s of c numbers)
///
/// become n rows between x_i and x_(i+1) alone. All rows take part in the pivoting, also those that
/// join the interval to the next one: s as a function of x_i alone need not exist (the midpoint
/// rule for x' = λx has none at hλ = 2, yet it has a solution). Cost per interval (c + n) c (c +
/// 2n) operations.

#include <daedal/stop_signal.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::bvp {

class Condensation {
 public:
  /// Room for `n_intervals` intervals with c local unknowns and n unknowns per mesh point.
  void resize(Index n_intervals, Index n_local, Index n);

  [[nodiscard]] Index n_rows() const { return rows_; }
  [[nodiscard]] Index width() const { return width_; }
  /// The rows of one interval to be filled: c + n rows [M C D], row-major of `width()` numbers.
  [[nodiscard]] std::span<double> matrix(Index interval);

  /// Overwrites the rows; false when the local unknowns are not determined, or `stop` is raised.
  bool eliminate(Index interval, Eigen::Map<Matrix> left, Eigen::Map<Matrix> right,
                 const StopSignal& stop = {});
  /// r (c + n numbers) becomes what the local unknowns see (c) and the right side f of the n rows.
  void transform(Index interval, std::span<double> r, std::span<double> f) const;
  /// s from the transformed right side, which it replaces, and the values at both mesh points.
  void substitute(Index interval, std::span<double> s, std::span<const double> x,
                  std::span<const double> x_next) const;

 private:
  [[nodiscard]] const double* row(Index interval, Index r) const {
    return matrix_.data() + (interval * rows_ + r) * width_;
  }

  Index local_ = 0;
  Index n_ = 0;
  Index rows_ = 0;
  Index width_ = 0;
  std::vector<double> matrix_;
  std::vector<double> scale_;        ///< per row: powers of two, before the elimination
  std::vector<double> final_scale_;  ///< of the n rows that remain
  std::vector<std::int32_t> pivot_;
};

}  // namespace daedal::bvp
