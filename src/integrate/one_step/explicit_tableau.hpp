// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Explicit Runge-Kutta methods as data:
///
///     k_i = f(t + c_i h, x + h Σ_j a_ij k_j),   x_new = x + h Σ_j b_j k_j.
///
/// The stages are numbered 0 … stages-1; row `stages` of `a` holds b, so that k_stages is x' at the
/// end of the step and the first stage of the next one. Rows beyond it are stages that only the
/// dense output needs.

#include <span>
#include <string_view>

#include "integrate/one_step/one_step.hpp"

namespace daedal::integration {

/// One coefficient that is not zero: of stage `from` in row `row`.
struct Coefficient {
  int row = 0;
  int from = 0;
  double value = 0.0;
};

enum class ErrorEstimate {
  none,
  difference,  ///< h Σ e_j k_j: the difference to an embedded solution
  stretched,   ///< DOP853: e5²/sqrt(e5² + 0.01 e3²) from two rows (Hairer, Nørsett, Wanner II.10)
};

struct Tableau {
  std::string_view name;
  int order = 1;
  int stages = 1;
  int error_order = 1;
  int dense_order = 1;
  std::span<const double> c;           ///< of all stages, those for dense output included
  std::span<const Coefficient> a;      ///< ascending rows
  std::span<const Coefficient> error;  ///< rows 0 and 1
  std::span<const Coefficient> dense;  ///< rows beyond Hermite's cubic, see explicit_rk.cpp
  ErrorEstimate estimate = ErrorEstimate::none;
  StepControl control;
  /// The size of the region of stability along the negative axis, where stage `stages` - 1 lies at
  /// the end of the step and h|λ| can be estimated; 0 elsewhere.
  double stability = 0.0;
  /// The greatest z with |R(−s)| ≤ 1 for all s in [0, z], R the stability function of the method.
  double real_stability = 0.0;

  [[nodiscard]] int all_stages() const { return static_cast<int>(c.size()); }
};

const Tableau& forward_euler();
const Tableau& classical_rk4();
const Tableau& dormand_prince5();
const Tableau& dormand_prince853();

}  // namespace daedal::integration
