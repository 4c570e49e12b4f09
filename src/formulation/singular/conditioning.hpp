// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How well conditioned the constraints were in the evaluations of a step, from factors that exist
/// anyway: the smallest pivot over the terms it was made of, times the square of the shortest row
/// of G over its usual length. Where constraints become dependent, or one of them vanishes, it
/// falls with the square of the distance; what it costs is a pass over the values of G.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/short_copy.hpp"
#include "core/types.hpp"
#include "linalg/saddle_point.hpp"

namespace daedal::formulation {

class ConstraintConditioning {
 public:
  /// `jacobian` is the pattern of G; it must outlive the object.
  explicit ConstraintConditioning(const SparsityPattern& jacobian)
      : pattern_(&jacobian),
        rows_(to_size(jacobian.rows)),
        usual_(rows_.size()),
        one_over_usual_(rows_.size(), infinity) {}

  /// The lengths of the rows of G, to be called before take().
  void measure_rows(std::span<const double> jacobian) {
    std::fill(rows_.begin(), rows_.end(), 0.0);
    for (std::size_t p = 0; p < jacobian.size(); ++p) {
      rows_[to_size(pattern_->row[p])] += jacobian[p] * jacobian[p];
    }
  }
  [[nodiscard]] double greatest_row() const {
    return rows_.empty() ? 0.0 : std::sqrt(*std::max_element(rows_.begin(), rows_.end()));
  }
  /// The shortest row over its usual length, at most 1.
  [[nodiscard]] double shortest_row() const { return std::sqrt(shortest_square(rows_)); }

  /// The row that is the shortest beside its usual length.
  [[nodiscard]] Index shortest_constraint() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      if (rows_[i] * usual_[best] < rows_[best] * usual_[i]) best = i;
    }
    return to_index(best);
  }

  /// After a factorisation with the rows measured.
  void take(const linalg::SaddlePointReport& report) {
    newest_ = report.ok ? report.pivot_ratio * shortest_square(rows_) : 0.0;
    note(newest_);
  }
  /// The same of an elimination by a program: the squares of the rows, and its pivot ratio.
  void take_pivots(std::span<const double> squares, double pivot_ratio) {
    newest_ = pivot_ratio * shortest_square(squares);
    note(newest_);
    copy_short(squares.data(), squares.size(), rows_.data());
  }
  /// An evaluation made elsewhere: squares of the rows, every `stride`-th
  /// number, and what it came to.
  struct Squares {
    const double* first;
    std::size_t stride;
  };
  void take(const Squares& rows, double newest) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = rows.first[i * rows.stride];
    newest_ = newest;
    note(newest);
  }
  /// The least of evaluations that others have made.
  void note(double least) {
    least_ = std::min(least_, least);
    has_taken_ = true;
  }
  /// One over the squares of the usual lengths.
  [[nodiscard]] std::span<const double> one_over_usual() const { return one_over_usual_; }
  /// A factorisation that says nothing good of the constraints.
  void take_singular() { least_ = newest_ = 0.0; }
  /// At the start and after accepted steps.
  void accept() {
    least_ = newest_;
    has_taken_ = false;
    for (std::size_t i = 0; i < usual_.size(); ++i) {
      if (rows_[i] <= usual_[i]) continue;
      usual_[i] = rows_[i];
      one_over_usual_[i] = 1.0 / rows_[i];
    }
  }
  [[nodiscard]] double newest() const { return newest_; }
  /// The least since the last accepted step; 0 when nothing was factored since.
  [[nodiscard]] double least() const { return has_taken_ ? least_ : 0.0; }

 private:
  [[nodiscard]] double shortest_square(std::span<const double> squares) const {
    double shortest = 1.0;
    for (std::size_t i = 0; i < squares.size(); ++i) {
      if (squares[i] == 0.0) return 0.0;
      const double share = squares[i] * one_over_usual_[i];
      shortest = share < shortest ? share : shortest;
    }
    return shortest;
  }

  const SparsityPattern* pattern_;
  std::vector<double> rows_;            ///< squared lengths, now
  std::vector<double> usual_;           ///< the greatest at accepted steps
  std::vector<double> one_over_usual_;  ///< infinite where there is none yet
  double least_ = infinity;
  double newest_ = 0.0;
  bool has_taken_ = false;
};

}  // namespace daedal::formulation
