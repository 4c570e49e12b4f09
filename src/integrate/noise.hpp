// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The rounding errors of functions along a solution, from their values alone. What no derivative
/// tells shows here: terms that cancel inside an expression, or t - t₁ near t = 0.

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/system.hpp>
#include <span>
#include <vector>

namespace daedal::integration {

class Noise {
 public:
  /// Rounding errors are what remains in the sixth differences Σ ±(6 over j) f_j of values at
  /// points so close that a smooth function has none: √(12 over 6) of those of one value, for they
  /// are independent (Moré & Wild, Estimating computational noise, 2011). A kink that is met by
  /// chance is not met twice. `evaluate(s, values)` gives `n` values at the share s of a step.
  template <class Evaluate>
  bool measure(std::size_t n, const Evaluate& evaluate) {
    values_.resize(n);
    errors_.assign(n, HUGE_VAL);
    for (const double distance : {0x1p-10, 0x1p-14}) {
      differences_.assign(n, 0.0);
      for (std::size_t j = 0; j < binomials.size(); ++j) {
        const double share = static_cast<double>(j + 1) * distance;
        if (evaluate(share, std::span<double>(values_)) != Evaluation::ok) return false;
        for (std::size_t i = 0; i < n; ++i) differences_[i] += binomials[j] * values_[i];
      }
      for (std::size_t i = 0; i < n; ++i) {
        errors_[i] = std::min(errors_[i], std::abs(differences_[i]) / growth);
      }
    }
    return true;
  }
  [[nodiscard]] std::span<const double> errors() const { return errors_; }

 private:
  static constexpr std::array<double, 7> binomials{1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0};
  static constexpr double growth = 30.4;
  std::vector<double> values_, differences_, errors_;
};

}  // namespace daedal::integration
