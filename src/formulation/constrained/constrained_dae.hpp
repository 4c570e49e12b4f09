// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The implicit forms of x' = f(x, u, t), 0 = g(x, t) for any index k. Each constraint stands on
/// one level for u, and the levels below it are dropped, held by multipliers that vanish on the
/// exact solution, or put under the square block:
///
///     x' = f(x, u, t) − Σ_j (∂g⁽ʲ⁾/∂x)ᵀ μ_j
///     0  = gᵢ⁽ʳⁱ⁺¹⁻ⁱⁿᵈᵉˣ⁾(x, u, t)                  for u
///     0  = gᵢ⁽ʲ⁾(x, t), j below it                  for μ_j, or overdetermined
///
/// With index 2 and multipliers this is the stabilisation of Gear, Gupta and Leimkuhler, which
/// Poell and Hafner (41) and Fuehrer and Leimkuhler (43)-(46) write for mechanics.

#include <memory>

#include "formulation/constrained/constrained_ode.hpp"

namespace daedal::formulation {

struct ConstrainedForm {
  enum class Below { dropped, held, overdetermined };
  int index = 1;  ///< of the result, where nothing below is held
  Below below = Below::dropped;
  ConstraintDamping damping{};  ///< for index 1
};

Formulation make_constrained_dae(const Request& request, ConstrainedView view,
                                 const ConstrainedForm& form);

}  // namespace daedal::formulation
