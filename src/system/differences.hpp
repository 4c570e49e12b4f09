// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Jacobians by central differences on a known pattern. Columns that share no row are moved
/// together (Curtis, Powell & Reid 1974), so that a Jacobian takes two evaluations a group.
///
/// The increments are ε^(1/3)·max(|x|, 1e-3·nominal). Central differences are exact for quadratic
/// terms, whose small rate constants one-sided differences of tiny concentrations lose. At the edge
/// of the domain, where one of the two evaluations has no value, the difference is one-sided.

#include <algorithm>
#include <cmath>
#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal {

class Differences {
 public:
  explicit Differences(const SparsityPattern& pattern);

  /// The entries of ∂g/∂x at x on the pattern. `g(x, values)` returns an Evaluation. Where g has no
  /// finite value at x itself, the failure of the run names the row.
  template <class Function>
  Evaluation evaluate(std::span<const double> x, std::span<const double> nominals,
                      const Function& g, Run& run, std::span<double> entries);

  [[nodiscard]] const SparsityPattern& pattern() const { return pattern_; }
  [[nodiscard]] std::size_t n_groups() const { return group_start_.size() - 1; }
  /// Room for one point, for functions that complete theirs before they evaluate it.
  [[nodiscard]] std::span<double> point() { return point_; }

 private:
  using Columns = std::span<const std::size_t>;
  /// What g came to with some columns moved, or else at x.
  struct Side {
    Evaluation evaluation = Evaluation::ok;
    bool has_moved = false;
  };
  template <class Function>
  Side evaluate_side(Columns columns, double sign, std::span<const double> x, const Function& g,
                     std::span<double> values);
  /// The entries of columns that share no row.
  template <class Function>
  Evaluation move_together(Columns columns, std::span<const double> x, const Function& g, Run& run,
                           std::span<double> entries);

  const SparsityPattern& pattern_;
  std::vector<std::size_t> columns_;  ///< group by group
  std::vector<std::size_t> group_start_;
  std::vector<double> increment_, moved_, point_, above_, below_;
};

/// The differences of a run on a pattern that outlives it; made when first asked for.
Differences& differences_of(Run& run, const SparsityPattern& pattern);

template <class Function>
Evaluation Differences::evaluate(std::span<const double> x, std::span<const double> nominals,
                                 const Function& g, Run& run, std::span<double> entries) {
  // Below this share of its nominal value an unknown counts as 0.
  constexpr double least_share = 1e-3;
  std::ranges::copy(x, moved_.begin());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double nominal = nominals.empty() ? 1.0 : std::abs(nominals[j]);
    increment_[j] = std::cbrt(round_off) * std::max(std::abs(x[j]), least_share * nominal);
  }
  for (std::size_t k = 0; k < n_groups(); ++k) {
    const Columns group =
        Columns(columns_).subspan(group_start_[k], group_start_[k + 1] - group_start_[k]);
    const Evaluation evaluation = move_together(group, x, g, run, entries);
    if (evaluation != Evaluation::ok) return evaluation;
  }
  return Evaluation::ok;
}

template <class Function>
Differences::Side Differences::evaluate_side(Columns columns, double sign,
                                             std::span<const double> x, const Function& g,
                                             std::span<double> values) {
  for (const std::size_t j : columns) moved_[j] = x[j] + sign * increment_[j];
  const Evaluation evaluation = g(moved_, values);
  for (const std::size_t j : columns) moved_[j] = x[j];
  if (evaluation == Evaluation::ok && first_not_finite(values) < 0) return {.has_moved = true};
  return {.evaluation = g(x, values)};
}

template <class Function>
Evaluation Differences::move_together(Columns columns, std::span<const double> x, const Function& g,
                                      Run& run, std::span<double> entries) {
  const Side up = evaluate_side(columns, 1.0, x, g, above_);
  if (up.evaluation != Evaluation::ok) return up.evaluation;
  if (const Index bad = first_not_finite(above_); bad >= 0) {
    run.failure = {Status::non_finite_value, bad, ""};
    return Evaluation::recoverable;
  }
  const Side down = evaluate_side(columns, -1.0, x, g, below_);
  if (down.evaluation != Evaluation::ok) return down.evaluation;
  if (!up.has_moved && !down.has_moved && columns.size() > 1) {
    // One column may keep the others of its group from both sides.
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Evaluation evaluation = move_together(columns.subspan(i, 1), x, g, run, entries);
      if (evaluation != Evaluation::ok) return evaluation;
    }
    return Evaluation::ok;
  }
  for (const std::size_t j : columns) {
    // Divide by what was really moved, without the round-off of the additions.
    const double distance = (up.has_moved ? x[j] + increment_[j] : x[j]) -
                            (down.has_moved ? x[j] - increment_[j] : x[j]);
    for (Index k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
      const std::size_t row = to_size(pattern_.row[to_size(k)]);
      entries[to_size(k)] = (above_[row] - below_[row]) / distance;
    }
  }
  return Evaluation::ok;
}

}  // namespace daedal
