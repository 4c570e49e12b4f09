// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/kept_signs.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve_detail {

namespace {

/// Samples show how a smooth curve goes in a part that is this short, as a share of the step, and
/// in which the curve bends by less than the second share of its distance from zero.
constexpr double short_part = 0x1p-4;
constexpr double least_bend = 0.5;
/// A variable follows its rates where its change differs from their mean by less than this share of
/// the greatest of them, apart from errors that are so small a share of its tolerance.
constexpr double rate_share = 0.1;
constexpr double sign_noise = 1e-4;

/// Whether a difference that is zero at an end of the step, up to rounding errors, is on one side
/// of zero.
bool is_beside_zero(std::size_t suspect, const Instant& a, const Instant& b,
                    const SampledStep& step) {
  const auto is_zero = [&](const Instant& end) {
    return !end.is_zero.empty() && end.is_zero[suspect];
  };
  if (!is_zero(a) && !is_zero(b)) return false;
  const kernel::Interval difference = step.difference(suspect);
  const double rounding = SampledStep::rounding_share * difference.width();
  return difference.low >= -rounding || difference.high <= rounding;
}

/// Within a transient that the step has not resolved, variables do not follow their rates.
bool follow_their_rates(const Instant& a, const Instant& b, double rtol) {
  const double h = b.t - a.t;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    const double mean = 0.5 * (a.derivatives[k] + b.derivatives[k]);
    const double fastest = std::max(std::abs(a.derivatives[k]), std::abs(b.derivatives[k]));
    const double excess = std::abs(b.values[k] - a.values[k] - h * mean);
    const double noise = sign_noise * rtol * std::abs(a.values[k]);
    if (!(excess <= rate_share * std::abs(h) * fastest + noise)) return false;
  }
  return true;
}

/// Where terms cancel in a difference, as for a state that follows another one, its bounds are far
/// wider than its range. As a smooth curve it nevertheless keeps its sign when it bends by less
/// than its distance from zero. A kink next to zero bends it by more.
bool bends_little(std::size_t suspect, const Instant& a, const Instant& b, SampledStep& step,
                  double rtol) {
  const double at_a = a.differences[suspect];
  const double at_b = b.differences[suspect];
  const bool is_short = std::abs(b.t - a.t) <= short_part * std::abs(step.length());
  if (!is_short || sign(at_a) * sign(at_b) <= 0) return false;
  if (!step.functions().is_smooth(step.function(suspect), step.bounds().all())) return false;
  if (!follow_their_rates(a, b, rtol)) return false;
  const double middle = step.at(0.5 * (a.t + b.t)).differences[suspect];
  step.bound(a, b);
  const double bend = std::abs(at_a - 2.0 * middle + at_b);
  const double distance = std::min({std::abs(at_a), std::abs(at_b), std::abs(middle)});
  return sign(middle) == sign(at_a) && bend <= least_bend * distance;
}

}  // namespace

bool keeps_sign(std::size_t suspect, const Instant& a, const Instant& b, SampledStep& step,
                double rtol) {
  return is_beside_zero(suspect, a, b, step) || bends_little(suspect, a, b, step, rtol);
}

}  // namespace daedal::solve_detail
