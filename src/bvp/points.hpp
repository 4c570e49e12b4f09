// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Collocation points on [0, 1] and the numbers that follow from them.
///
/// On an interval of length h a polynomial p of degree k has p' = (1/h) Σ_j K_j ℓ_j, ℓ_j the
/// Lagrange polynomials of the points c_j, so that with p(0) = x
///
///     p(c_i) = x + Σ_j a_ij K_j,   p(1) = x + Σ_j b_j K_j,   a_ij = ∫_0^c_i ℓ_j,  b_j = ∫_0^1 ℓ_j.
///
/// Unlike the rules of the integrators (integrate/collocation_rule.hpp) the unknowns are the
/// slopes: Lobatto points begin at 0, where A has no inverse.

#include <span>
#include <string_view>

#include "core/types.hpp"

namespace daedal::bvp {

enum class Scheme { gauss, radau, lobatto };

[[nodiscard]] std::string_view to_string(Scheme scheme);

struct Points {
  Scheme scheme = Scheme::gauss;
  int k = 1;
  int order = 2;          ///< of x at mesh points, index 1: 2k, 2k − 1, 2k − 2
  int uniform_order = 2;  ///< of x everywhere: min(k + 1, order)
  bool ends_at_one = false;
  Vector c;
  Matrix a;
  Vector b;
  Matrix slopes;  ///< ℓ_j(θ) = Σ_m slopes(j, m) θ^m
  Matrix values;  ///< ∫_0^θ ℓ_j = Σ_m values(j, m) θ^(m+1)
  Vector bubble;  ///< of θ Π(θ − c_j), which vanishes at 0 and the points, scaled to 1 at θ = 1;
                  ///< powers 1..k + 1. Zero where a point lies at 1

  /// With M = Π(θ − c_j): the greatest |∫_0^θ M| / k! and |M| / k! on [0, 1]. Times h^(k+1) x^(k+1)
  /// and h^k y^(k) they are the errors of the polynomials inside an interval.
  double value_error = 0.0;
  double slope_error = 0.0;

  /// ℓ_j(θ) and ∫_0^θ ℓ_j for all j.
  void evaluate(double theta, std::span<double> slope, std::span<double> value) const;
  [[nodiscard]] double bubble_value(double theta) const;
  [[nodiscard]] double bubble_slope(double theta) const;
};

/// k = 1..5 points; Lobatto 2..5. Throws OptionError{invalid_option} for others.
[[nodiscard]] const Points& collocation_points(Scheme scheme, int k);

}  // namespace daedal::bvp
