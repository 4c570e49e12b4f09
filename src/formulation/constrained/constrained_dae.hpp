// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The implicit forms of M x⁽ᵐ⁾ = f(x, ..., u, t), 0 = g(x, t) for any index k. Each constraint
/// stands on one level for u, and the levels below it are dropped, held by multipliers that vanish
/// on the exact solution, or put under the square block; with X = (x, ..., x⁽ᵐ⁻¹⁾):
///
///     the equations of X'  =  − Σ_j (∂g⁽ʲ⁾/∂X)ᵀ μ_j
///     0  = gᵢ⁽ʳⁱ⁺¹⁻ⁱⁿᵈᵉˣ⁾(X, u, t)                  for u
///     0  = gᵢ⁽ʲ⁾(X, t), j below it                  for μ_j, or overdetermined
///
/// With index 2 and multipliers this is the stabilisation of Gear, Gupta and Leimkuhler, which
/// Poell and Hafner (41) and Fuehrer and Leimkuhler (43)-(46) write for mechanics; with index 1 the
/// one of Fuehrer and Leimkuhler (31)-(35). u and μ stay out of the error and Newton tests where u
/// enters linearly.

#include <memory>
#include <vector>

#include "formulation/constrained/constrained_ode.hpp"
#include "formulation/mechanics/mechanics.hpp"

namespace daedal::formulation {

struct ConstrainedForm {
  enum class Below { dropped, held, overdetermined };
  int index = 1;  ///< of the result, where nothing below is held
  Below below = Below::dropped;
  ConstraintDamping damping{};    ///< for index 1
  std::vector<double> weights{};  ///< of g, ġ, ... in place of those of `damping`
  /// For index 1 of the linear reading: g⁽ᵐ⁾ = G x⁽ᵐ⁾ + remainder with x⁽ᵐ⁾ as it stands in the
  /// other rows, or solved for u, G M⁻¹(f − B u) + remainder: Fuehrer, Leimkuhler (6).
  bool is_coupled = false;
  bool has_remainder = true;  ///< false: Petzold, Ren, Maly (4.5)
};

/// Whether M⁻¹ can be written in closed form, with pivots from the diagonal.
bool has_inverse_mass(const ConstrainedView& view);

Formulation make_constrained_dae(const Request& request, const ConstrainedView& view,
                                 const ConstrainedForm& form);

}  // namespace daedal::formulation
