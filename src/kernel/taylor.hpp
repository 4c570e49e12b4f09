// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Taylor series of inputs for `Program::evaluate_taylor`.
///
/// A vector series Σ x_j τ^j is stored coefficient after coefficient: x_0, x_1, ..., so that each
/// coefficient is a contiguous vector of the model's unknowns.

#include <span>

#include "core/types.hpp"

namespace daedal::kernel {

struct DerivativeSeries {
  std::span<const double> x;  ///< coefficients of n values each, x_0 first
  Index n = 0;
  int derivative = 1;     ///< m
  double scale = 1.0;     ///< h, if coefficients are scaled: x_j stands for h^j·x^(j)/j!
  std::span<double> out;  ///< of the same layout, as many coefficients as fit
};

/// The series of the m-th time derivative of x: coefficient j is (j+m)!/j!·x_{j+m}/h^m. As many
/// coefficients as `out` takes; those beyond the known ones are zero.
void fill_derivative_series(const DerivativeSeries& series);

}  // namespace daedal::kernel
