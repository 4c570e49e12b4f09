// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Looks for the places inside a step where a measure that is never negative, such as the square of
/// a singular value, comes down to zero and rises again: an integrator steps over them unseen.

#include <functional>
#include <optional>
#include <vector>

#include "core/types.hpp"

namespace daedal::formulation {

class NearZeroScan {
 public:
  struct Sample {
    double t = 0.0;
    double square = 0.0;
  };
  using Square = std::function<double(double)>;

  /// A minimum of the square below this is a zero: interpolants are accurate to a small multiple of
  /// the tolerance.
  static constexpr double zero = 1e-8;

  /// The times between two samples, looked at in `parts`, of minima up to `most`; one that was
  /// found at the end of the last step is not found again.
  std::vector<double> find(Sample begin, const Sample& end, int parts, const Square& square,
                           double most = zero);

  /// The least square between three samples, where it may be near zero and rises again towards
  /// the end.
  static std::optional<Sample> least_inside(const Sample& begin, const Sample& middle,
                                            const Sample& end, const Square& square);

 private:
  double last_ = -infinity;
};

}  // namespace daedal::formulation
