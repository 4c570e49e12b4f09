// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Regularised multipliers y = (A + εI)⁻¹ r are off by ε A⁻¹ y where A is regular, which a motion
/// that is projected does not feel, and who reads them does. Iterated,
///
///     y ← y + (A + εI)⁻¹ (r − A y),
///
/// the error becomes ε/(σ + ε) times as large in each direction, σ being the eigenvalue of A. Where
/// that is no small number, near singular positions, it is the regularisation that was asked for.

#include <span>
#include <vector>

#include "core/types.hpp"

namespace daedal::formulation {

/// `correct` fills the changes of a, the accelerations, and of y for what they leave of r − A y.
template <class Correct>
void refine(std::span<double> a, std::span<double> y, Correct&& correct) {
  constexpr int most = 4;
  constexpr double contraction = 0.1;
  std::vector<double> change_of_a(a.size()), change_of_y(y.size());
  double last = as_vector(std::span<const double>(y)).norm();
  for (int k = 0; k < most; ++k) {
    correct(std::span(change_of_a), std::span(change_of_y));
    const double size = as_vector(std::span<const double>(change_of_y)).norm();
    if (!(size <= contraction * last)) return;
    as_vector(a) += as_vector(std::span<const double>(change_of_a));
    as_vector(y) += as_vector(std::span<const double>(change_of_y));
    last = size;
  }
}

}  // namespace daedal::formulation
