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

#include "core/types.hpp"
#include "linalg/saddle_point.hpp"

namespace daedal::formulation {

class ConstraintConditioning {
 public:
  /// `jacobian` is the pattern of G; it must outlive the object.
  explicit ConstraintConditioning(const SparsityPattern& jacobian)
      : pattern_(&jacobian), rows_(to_size(jacobian.rows)), usual_(rows_.size()) {}

  /// The lengths of the rows of G, to be called before take().
  void measure_rows(std::span<const double> jacobian) {
    std::fill(rows_.begin(), rows_.end(), 0.0);
    for (std::size_t p = 0; p < jacobian.size(); ++p) {
      rows_[to_size(pattern_->row[p])] += jacobian[p] * jacobian[p];
    }
    for (double& row : rows_) row = std::sqrt(row);
  }
  /// Sets the lengths of the rows from their squares.
  void set_rows(std::span<const double> squares) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = std::sqrt(squares[i]);
  }
  [[nodiscard]] double greatest_row() const {
    return rows_.empty() ? 0.0 : *std::max_element(rows_.begin(), rows_.end());
  }
  /// The shortest row over its usual length, at most 1.
  [[nodiscard]] double shortest_row() const {
    double shortest = 1.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i] < shortest * usual_[i]) shortest = rows_[i] / usual_[i];
      if (rows_[i] == 0.0) shortest = 0.0;
    }
    return shortest;
  }

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
    const double shortest = shortest_row();
    newest_ = report.ok ? report.pivot_ratio * shortest * shortest : 0.0;
    least_ = std::min(least_, newest_);
    has_taken_ = true;
  }
  /// An evaluation made elsewhere: squares of the rows, every `stride`-th
  /// number, and what it came to.
  struct Squares {
    const double* first;
    std::size_t stride;
  };
  void take(const Squares& rows, double newest) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      rows_[i] = std::sqrt(rows.first[i * rows.stride]);
    newest_ = newest;
    note(newest);
  }
  /// The least of evaluations that others have made.
  void note(double least) {
    least_ = std::min(least_, least);
    has_taken_ = true;
  }
  [[nodiscard]] std::span<const double> usual_rows() const { return usual_; }
  /// A factorisation that says nothing good of the constraints.
  void take_singular() { least_ = newest_ = 0.0; }
  /// At the start and after accepted steps.
  void accept() {
    least_ = newest_;
    has_taken_ = false;
    for (std::size_t i = 0; i < usual_.size(); ++i) usual_[i] = std::max(usual_[i], rows_[i]);
  }
  [[nodiscard]] double newest() const { return newest_; }
  /// The least since the last accepted step; 0 when nothing was factored since.
  [[nodiscard]] double least() const { return has_taken_ ? least_ : 0.0; }

 private:
  const SparsityPattern* pattern_;
  std::vector<double> rows_;   ///< lengths, now
  std::vector<double> usual_;  ///< the greatest at accepted steps
  double least_ = infinity;
  double newest_ = 0.0;
  bool has_taken_ = false;
};

}  // namespace daedal::formulation
