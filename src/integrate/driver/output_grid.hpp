// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The times origin + i·interval strictly between the start and the end of a run, without drift.
/// The start and the end are output points of their own.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace daedal::integrate {

class OutputGrid {
 public:
  /// An interval of 0 is an empty grid.
  OutputGrid(double origin, double t1, double interval)
      : origin_(origin), step_(std::copysign(interval, t1 - origin)) {
    // A last point that only round-off keeps from the end is the end.
    constexpr double slack = 1e-9;
    if (interval > 0.0) n_ = std::ceil(std::abs(t1 - origin) / interval - slack);
  }

  /// Leaves out what does not lie after `t`.
  void skip_to(double t) {
    if (step_ == 0.0) return;
    next_ = std::max(1.0, std::floor((t - origin_) / step_));
    while (!is_done() && (time() - t) / step_ <= 0.0) advance();
  }

  [[nodiscard]] bool is_done() const { return next_ >= n_; }
  [[nodiscard]] double time() const { return origin_ + next_ * step_; }
  void advance() { ++next_; }

 private:
  double origin_;
  double step_;
  double n_ = 0.0;  // whole numbers, as doubles: they never overflow
  double next_ = 1.0;
};

}  // namespace daedal::integrate
