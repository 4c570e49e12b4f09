// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The first sign change of a polynomial on an interval, with none missed: in Bernstein's basis the
/// number of sign changes among the coefficients bounds that of the roots and is exact for 0 and 1
/// (Descartes' rule; Collins, Akritas 1976); where it is more the interval is halved.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace daedal::integration {

/// Two places with no sign change before `root`, one at it within round-off, and none between it
/// and `clear`.
struct FirstCrossing {
  double root = 0.0;   ///< the polynomial has its new sign here
  double clear = 0.0;  ///< end of the stretch that has no further root
};

class CrossingFinder {
 public:
  /// The first zero of Σ p_k τ^k in (0, end]. A zero at τ = 0, up to rounding, does not count.
  [[nodiscard]] std::optional<FirstCrossing> find(std::span<const double> p, double end);

  /// Where a polynomial that starts at zero, as far as rounding errors tell, starts beside it on
  /// the side that it leaves: about where it passes zero.
  [[nodiscard]] std::optional<double> root_at_start(std::span<const double> p, double end);

 private:
  struct Scaled {
    double sum = 0.0;       ///< of |q_k|
    std::size_t first = 0;  ///< coefficient that is more than rounding errors
  };
  Scaled scale(std::span<const double> p, double end);
  struct Part {
    double from, to;
    int depth;
    std::vector<double> b;  ///< Bernstein coefficients
  };
  [[nodiscard]] FirstCrossing refine(std::span<const double> p, double from, double to) const;

  std::vector<double> q_;
  std::vector<Part> open_;
};

}  // namespace daedal::integration
