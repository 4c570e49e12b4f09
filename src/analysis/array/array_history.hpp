// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Seeds for the higher derivatives of a derivative array from the past of x': the polynomial
/// through its last values (Campbell, Moore 5.3).
///
/// Components of w that the array does not determine would grow without bound if they were carried
/// from step to step; taken from the history they stay near the derivatives of the solution.

#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::analysis {

class ArrayHistory {
 public:
  /// For series X_0..X_(level+1) of n unknowns each: level + 1 values of x' determine them.
  ArrayHistory(Index n, int level);

  void clear() { n_past_ = 0; }
  void push(double t, std::span<const double> xp);
  [[nodiscard]] bool is_full() const { return n_past_ == capacity_; }
  /// Overwrites X_2, X_3, ... at the newest time as far as the history determines them above
  /// round-off, and returns how many orders those are.
  int seed(double scale, std::span<double> series);

 private:
  [[nodiscard]] std::size_t slot(int age) const {
    return static_cast<std::size_t>((newest_ + age) % capacity_);
  }
  void divide_differences(double scale);
  [[nodiscard]] int usable_degree() const;

  Index n_;
  int capacity_;
  int newest_ = 0;
  int n_past_ = 0;
  std::vector<double> times_;
  Matrix slopes_;               ///< n × capacity, a ring
  std::vector<double> places_;  ///< (t − newest)/scale, newest first
  Matrix differences_;          ///< f[s_0..s_j] by columns, then coefficients of powers of s
};

}  // namespace daedal::analysis
