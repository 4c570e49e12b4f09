// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/fold_point.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

/// Samples below such a share of the greatest are errors of the state: rounding errors, or with
/// loose tolerances larger ones. t* − t is as small a share of the run there.
constexpr double floors[] = {1e-9, 1e-7, 1e-5, 1e-3, 1e-2};
/// The parabola spans at least this factor of q, better the second.
constexpr double least_fall = 2.0;
constexpr double wanted_fall = 8.0;
/// The slope at the zero over that of the chord to it: 1 for a simple zero, 0 for a double one.
constexpr double least_slope = 0.5;
constexpr double greatest_slope = 2.0;
/// The run may end behind the predicted zero by this share of the parabola's span, and before it by
/// this share of all that it ran.
constexpr double overshoot = 0.2;
constexpr double reach = 0.1;

/// From the samples above `floor`.
std::optional<Fold> find_above(double floor, std::span<const FoldSample> samples) {
  std::size_t last = samples.size();
  while (last > 0 && samples[last - 1].q <= floor) --last;
  if (last < 3) return std::nullopt;
  --last;
  const FoldSample b = samples[last];
  std::size_t first = last;
  while (first > 0 && samples[first].q < wanted_fall * b.q) --first;
  const FoldSample a = samples[first];
  if (a.q < least_fall * b.q || last - first < 2) return std::nullopt;
  // The sample nearest to the middle, in time.
  std::size_t middle = first + 1;
  const auto off = [&](std::size_t i) { return std::abs(2.0 * samples[i].t - a.t - b.t); };
  for (std::size_t i = first + 1; i < last; ++i) {
    if (off(i) < off(middle)) middle = i;
  }
  // q = b.q + α u + β u² with u = 0 at b and 1 at a: the zero is at u < 0.
  const FoldSample c = samples[middle];
  const double span = a.t - b.t;
  const double u = (c.t - b.t) / span;
  if (!(u > 0.0 && u < 1.0)) return std::nullopt;
  const double beta = ((a.q - b.q) - (c.q - b.q) / u) / (1.0 - u);
  const double alpha = a.q - b.q - beta;
  const double discriminant = alpha * alpha - 4.0 * beta * b.q;
  if (!(discriminant > 0.0 && alpha > 0.0)) return std::nullopt;
  const double zero = -2.0 * b.q / (alpha + std::sqrt(discriminant));
  const double slope = std::sqrt(discriminant) * (1.0 - zero) / a.q;
  if (slope < least_slope || slope > greatest_slope) return std::nullopt;
  const double end = (samples.back().t - b.t) / span;
  const double begin = (samples.front().t - b.t) / span;
  if (end < zero - overshoot || end - zero > reach * (begin - end)) return std::nullopt;
  // Against the chord through b and c: the error of an extrapolation of one order less.
  const double by_chord = -b.q * u / (c.q - b.q);
  return Fold{b.t + zero * span, std::abs((zero - by_chord) * span), last};
}

}  // namespace

std::optional<Fold> find_fold(std::span<const FoldSample> samples) {
  double greatest = 0.0;
  for (const FoldSample& sample : samples) {
    if (!std::isfinite(sample.q)) return std::nullopt;
    greatest = std::max(greatest, sample.q);
  }
  for (const double floor : floors) {
    if (const auto found = find_above(floor * greatest, samples)) return found;
  }
  return std::nullopt;
}

}  // namespace daedal::analysis
