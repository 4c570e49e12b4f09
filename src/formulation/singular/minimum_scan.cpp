// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/singular/minimum_scan.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

namespace {

using Sample = NearZeroScan::Sample;

/// Only minima that three samples predict to lie below this are looked at closely.
constexpr double suspicious = 0.1;
constexpr int golden_iterations = 60;
/// Where the greatest square between the ends of a search is no more than this many times the
/// least, the minimum is another one than zero.
constexpr double flat = 1.5;

/// The parabola through three samples: s in [0, 1] from begin to end.
bool may_vanish(const Sample& begin, const Sample& middle, const Sample& end) {
  const double curvature = 2.0 * (begin.square - 2.0 * middle.square + end.square);
  const double slope = -3.0 * begin.square + 4.0 * middle.square - end.square;
  const double at = curvature > 0.0 ? -slope / (2.0 * curvature) : -1.0;
  const double predicted = begin.square + slope * at + curvature * at * at;
  return at > -0.1 && at < 1.1 && predicted <= suspicious;
}

/// Golden-section search: the measure has one minimum on a step that resolves the motion.
Sample least(const Sample& begin, const Sample& end, const NearZeroScan::Square& square) {
  const double share = (std::sqrt(5.0) - 1.0) / 2.0;
  Sample a = begin, b = end;
  Sample left{b.t - share * (b.t - a.t)}, right{a.t + share * (b.t - a.t)};
  left.square = square(left.t);
  right.square = square(right.t);
  for (int i = 0; i < golden_iterations; ++i) {
    const auto [low, high] = std::minmax({a.square, left.square, right.square, b.square});
    if (high < flat * low) break;
    if (left.square < right.square) {
      b = right;
      right = left;
      left.t = b.t - share * (b.t - a.t);
      left.square = square(left.t);
    } else {
      a = left;
      left = right;
      right.t = a.t + share * (b.t - a.t);
      right.square = square(right.t);
    }
  }
  const Sample inner = left.square < right.square ? left : right;
  const Sample outer = begin.square < end.square ? begin : end;
  return inner.square < outer.square ? inner : outer;
}

}  // namespace

std::optional<Sample> NearZeroScan::least_inside(const Sample& begin, const Sample& middle,
                                                 const Sample& end, const Square& square) {
  if (!may_vanish(begin, middle, end)) return std::nullopt;
  const Sample found = least(begin, end, square);
  if (!(flat * found.square < end.square)) return std::nullopt;
  return found;
}

std::vector<double> NearZeroScan::find(Sample begin, const Sample& end, int parts,
                                       const Square& square, double most) {
  std::vector<double> zeros;
  const double part = (end.t - begin.t) / parts;
  for (int i = 0; i < parts; ++i) {
    const double half = begin.t + 0.5 * part;
    const Sample middle{half, square(half)};
    const double to = begin.t + part;
    const Sample next = i + 1 == parts ? end : Sample{to, square(to)};
    if (may_vanish(begin, middle, next)) {
      const Sample found = least(begin, next, square);
      const bool is_new = std::abs(found.t - last_) > 1e-3 * std::abs(part);
      // What has not risen again is not passed yet, or stays.
      const bool has_risen = next.square > most;
      if (found.square <= most && has_risen && is_new) zeros.push_back(last_ = found.t);
    }
    begin = next;
  }
  return zeros;
}

}  // namespace daedal::formulation
