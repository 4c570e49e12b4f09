// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The times t0 + i·interval strictly between the start and the end of a run, without drift. The
/// start and the end are output points of their own.

#include <cmath>
#include <cstdint>

namespace daedal::integrate {

class OutputGrid {
 public:
  /// An interval of 0 is an empty grid.
  OutputGrid(double t0, double t1, double interval)
      : t0_(t0), step_(std::copysign(interval, t1 - t0)) {
    // A last point that only round-off keeps from the end is the end.
    constexpr double slack = 1e-9;
    if (interval > 0.0) n_ = std::ceil(std::abs(t1 - t0) / interval - slack);
  }

  [[nodiscard]] bool is_done() const { return next_ >= n_; }
  [[nodiscard]] double time() const { return t0_ + next_ * step_; }
  void advance() { ++next_; }

 private:
  double t0_;
  double step_;
  double n_ = 0.0;  // whole numbers, as doubles: they never overflow
  double next_ = 1.0;
};

}  // namespace daedal::integrate
