// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// An ordinary differential equation with constraints that algebraic variables hold:
///
///     x' = f(x, u, t),   0 = g(x, t).
///
/// Differentiated along the equation, each constraint gᵢ is free of u for a while and meets it in
/// its rᵢ-th derivative. Where these together determine u,
///
///     0 = gᵢ⁽ʳⁱ⁾(x, u, t),   ∂g⁽ʳ⁾/∂u regular,
///
/// the system has index k = 1 + max rᵢ, and g, ġ, ..., g⁽ᵏ⁻²⁾ are invariants of x alone. This is
/// the general form (4) of Poell and Hafner, y' = f(y,z), z' = k(y,z,u), 0 = g(y), which has
/// k = 3, and the Hessenberg form of any index k; u may enter nonlinearly, and constraints may have
/// different depths.

#include <daedal/model.hpp>
#include <memory>
#include <span>
#include <vector>

#include "expr/pool.hpp"
#include "model/views/semi_explicit.hpp"

namespace daedal {

struct ConstrainedOdeView {
  Model model;                          ///< of first order; its variables are meant below
  std::shared_ptr<const Pool> pool;     ///< frozen child of the model's pool
  std::vector<std::int32_t> states;     ///< the variables x
  std::vector<std::int32_t> algebraic;  ///< the variables u
  std::vector<NodeId> rates;            ///< f(x, u, t)
  /// A derivative of a constraint that is an expression of x and t alone.
  struct Invariant {
    std::int32_t constraint = 0;
    NodeId value = no_node;
  };
  std::vector<std::vector<Invariant>> levels;      ///< levels[j]: g⁽ʲ⁾ of constraints with rᵢ > j
  std::vector<NodeId> determining;                 ///< gᵢ⁽ʳⁱ⁾(x, u, t)
  std::vector<int> depths;                         ///< rᵢ
  bool is_linear = true;                           ///< `determining` in u
  std::vector<std::int32_t> constraint_equations;  ///< equations of the model that g comes from
  /// Every variable of the model by x, u and the leaves der(x).
  std::vector<NodeId> outputs;

  [[nodiscard]] int index() const { return static_cast<int>(levels.size()) + 1; }
};

Recognition<ConstrainedOdeView> constrained_ode_view(const Model& model,
                                                     std::span<const double> parameters);

}  // namespace daedal
