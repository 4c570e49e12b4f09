// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Systems that expand their solution through a point in a Taylor series.

#include <daedal/system.hpp>
#include <span>

#include "core/types.hpp"

namespace daedal {

class SeriesSource {
 public:
  virtual ~SeriesSource() = default;

  /// False: functions without derivatives are among its own.
  [[nodiscard]] virtual bool has_series() const { return true; }

  /// Whether an unknown is part of what the others follow from.
  [[nodiscard]] virtual bool is_state(Index) const { return true; }

  struct Point {
    double t = 0.0;
    double direction = 1.0;  ///< of time: 1 or −1
    int order = 1;
    std::span<double> x;         ///< near the solution; on return on it, all constraints met
    std::span<const double> xp;  ///< near its derivative
  };
  /// coefficients[k·size() + i] of unknown i, 0 ≤ k ≤ order, in powers of τ = (t' − t)/scale; the
  /// source chooses the scale, which has the sign of the direction. Not ok: run.failure says why.
  virtual Evaluation expand(const Point& point, Run& run, std::span<double> coefficients,
                            double& scale) const = 0;

  /// The order from 8 to 30 with which a unit of time costs least, if the terms fall to
  /// `tolerance` within a step.
  [[nodiscard]] virtual int best_order(double tolerance) const = 0;

  /// Functions of time that are smooth within the last expansion: where one changes sign an event
  /// is due, or the equations change to another piece, and the series ends.
  [[nodiscard]] virtual Index n_switches(const Run& run) const = 0;
  /// Coefficients of one of them, as many as `out` holds; false where it has none.
  virtual bool switch_series(Index number, Run& run, std::span<double> out) const = 0;
};

}  // namespace daedal
