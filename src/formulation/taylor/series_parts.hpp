// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What every source of Taylor series needs beside its equations: a scale of time, the order, and
/// the series of the event functions.

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "formulation/frame/model_context.hpp"
#include "formulation/frame/model_run.hpp"
#include "kernel/taylor.hpp"

namespace daedal::formulation {

/// Series go up to this order.
inline constexpr int highest_series_order = 60;

/// The unit of τ, a power of two: no rounding error is made by it, and none grows with the steps.
/// Coefficients in it stay within the range of numbers.
class SeriesScale {
 public:
  [[nodiscard]] double value() const { return value_; }
  void begin() { n_shrunk_ = 0; }
  /// Series that say nothing of the scale, and the first ones, are in the power of two next to it.
  void set_unit(double unit) {
    const double power = std::exp2(std::round(std::log2(unit)));
    if (power > 0.0 && std::isfinite(power)) value_ = unit_ = power;
  }
  /// Whether a series with n coefficients whose |x_k/x_0|^(1/k) is 2^log_growth fits the scale;
  /// where not, the scale has been changed and the series must start again.
  [[nodiscard]] bool fits(double log_growth, int n);
  /// After a coefficient that is not finite; false: no scale helps.
  [[nodiscard]] bool shrink();
  /// Whether the last coefficients of all series have vanished in a scale that had to be made
  /// shorter: they would allow steps of any length. No scale helps then.
  [[nodiscard]] bool hides(double log_growth, int n);

 private:
  double value_ = 1.0;
  double unit_ = 1.0;
  int n_shrunk_ = 0;
};

/// Operations that have so many coefficients beyond the order.
struct SeriesCost {
  double n_operations = 0.0;
  int extra = 0;
};
/// The order from 8 to 30 with which a unit of time costs least, if the terms fall to `tolerance`
/// within a step.
[[nodiscard]] int cheapest_order(std::span<const SeriesCost> costs, double tolerance);

/// The series of event functions.
class EventSeries {
 public:
  explicit EventSeries(const ModelContext& context);

  [[nodiscard]] Index size() const { return n_; }
  /// Another expansion: the series will be computed when they are first asked for.
  void forget() { is_current_ = false; }
  /// values[k·n + v] of the n variables of the model, k ≤ order.
  using Fill = std::function<void(std::span<double> values)>;
  struct Around {
    double t = 0.0, scale = 1.0;
    int order = 0;
  };
  /// Coefficients of one function, as many as `out` holds; false where it has none.
  bool read(Index number, const Around& around, const Fill& fill, ModelRun& run,
            std::span<double> out);

 private:
  Index n_ = 0;
  std::size_t n_variables_ = 0;
  std::optional<kernel::TaylorEvaluator> functions_;
  bool is_current_ = false;
  std::vector<double> values_, derivatives_, series_;
};

/// Blocks for series: time, and what is held; values and derivatives are for the caller to add.
[[nodiscard]] std::array<kernel::SeriesBlock, n_blocks> held_series(
    ModelRun& run, std::span<const double, 2> time);

}  // namespace daedal::formulation
