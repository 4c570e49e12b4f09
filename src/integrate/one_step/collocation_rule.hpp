// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Collocation methods (Gauss, Radau IIA) for F(t, x, x') = 0, as numbers.
///
/// A polynomial p of degree s with p(t0) = x0 satisfies the equations at the nodes t0 + c_i h. With
/// Z_i = p(t0 + c_i h) - x0 the unknowns,
///
///     F(t0 + c_i h, x0 + Z_i, (1/h) Σ_j d_ij Z_j) = 0,   D = A⁻¹ of the Runge-Kutta matrix.
///
/// D = T Λ T⁻¹ splits the Newton matrix h⁻¹ D ⊗ F_x' + I ⊗ F_x into one matrix (γ/h) F_x' + F_x
/// per eigenvalue γ (Butcher; Hairer, Wanner IV.8). All numbers follow from the node polynomial
/// M(θ) = Π (θ - c_i) alone: the eigenvalues are the roots of Σ_k M⁽ᵏ⁾(0) γ^(s-k), and the
/// eigenvector of γ has the entries Σ_k M⁽ᵏ⁾(c_i)/γᵏ, because P = Σ_k M⁽ᵏ⁾/γᵏ satisfies
/// P - P'/γ = M, that is γ∫P = P at the nodes when P(0) = 0. They are computed in extended
/// precision once.

#include <complex>
#include <vector>

#include "core/types.hpp"

namespace daedal::integration {

struct CollocationRule {
  /// An eigenvalue of D with its column of T and its row of T⁻¹. A conjugate pair is listed once.
  struct Mode {
    std::complex<double> gamma;
    std::vector<std::complex<double>> right;
    std::vector<std::complex<double>> left;
  };

  /// A point between the stages: p = x0 + Σ_j value_j Z_j there, p' = (1/h) Σ_j slope_j Z_j.
  struct Gap {
    double theta = 0.0;
    double widest = 1.0;  ///< gap that the start, the stages and this point leave
    Vector value, slope;
  };

  int stages = 1;
  int order = 1;
  bool is_stiffly_accurate = false;  ///< the last node is the end of the step
  Vector c;
  Matrix d;
  Vector start_slope;          ///< p'(t0) = (1/h) Σ_j start_slope_j Z_j
  Vector end_slope;            ///< p'(t0 + h), likewise
  Vector end_value;            ///< p(t0 + h) = x0 + Σ_j end_value_j Z_j
  Matrix monomials;            ///< p = x0 + Σ_k θ^(k+1) Σ_j monomials(j, k) Z_j
  std::vector<Mode> modes;     ///< complex pairs
  bool has_real_mode = false;  ///< an odd number of stages has one real eigenvalue
  Mode real_mode;
  /// Right sides of the modes from the residuals of the stages, R·to_modes, and back: of the real
  /// mode, then real and imaginary parts of the others.
  Matrix to_modes, from_modes;
  Matrix to_slopes;  ///< Dᵀ
  /// The real eigenvalue; with an even number of stages |γ|, for the error estimate.
  double real_gamma = 1.0;
  Gap gap;
};

/// Radau IIA: order 2s - 1, stiffly accurate.
const CollocationRule& radau_iia(int stages);
/// Gauss: order 2s, symmetric.
const CollocationRule& gauss_legendre(int stages);

}  // namespace daedal::integration
