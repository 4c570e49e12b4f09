// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The mechanical view of a model:
///
///   q' = v,   M(q,t) v' = f(q,v,t) − G(q,t)ᵀ λ,   0 = g(q,t),   G = ∂g/∂q,
///
/// with the levels ġ = Gv + g_t and g̈ = Gv' + z, z = g_qq(v,v) + 2 g_qt v + g_tt.
///
/// Models write their multipliers in scales and signs of their own, M v' = f − GᵀSλ with a constant
/// nonsingular S (the pendulum x'' = −λx with x² + y² = 1 has S = ½). The view works with Sλ and
/// keeps S, so that results can be given in the model's λ.

#include <daedal/model.hpp>
#include <memory>
#include <span>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "model/views/force_matching.hpp"
#include "model/views/semi_explicit.hpp"

namespace daedal {

class MatchedForces;

struct MechanicalView {
  Model model;                                  ///< of first order; its variables are meant below
  std::shared_ptr<const Pool> pool;             ///< frozen child of the model's pool
  std::vector<std::int32_t> positions;          ///< the variables q
  std::vector<std::int32_t> velocities;         ///< the variables v
  std::vector<std::int32_t> multipliers;        ///< the variables λ, in the model's scale
  std::vector<JacobianEntry> mass;              ///< M, by columns
  bool mass_is_symmetric = true;                ///< at all sampled points
  bool mass_is_constant = true;                 ///< depends on parameters alone
  std::vector<NodeId> force;                    ///< f
  std::vector<NodeId> constraints;              ///< g
  std::vector<JacobianEntry> jacobian;          ///< G, by columns
  std::vector<NodeId> rate;                     ///< g_t
  std::vector<NodeId> velocity_level;           ///< Gv + g_t
  std::vector<NodeId> curvature;                ///< z
  std::vector<SparseEntry> scale;               ///< S: our multipliers are S times the model's
  std::vector<SparseEntry> inverse_scale;       ///< S⁻¹
  std::vector<std::int32_t> dynamic_equations;  ///< the equation behind each row of M
  std::vector<std::int32_t> constraint_equations;  ///< the equation behind each constraint
  /// Every variable of the model by q, v, the leaves der(v), and the model's λ.
  std::vector<NodeId> outputs;
  NodeId energy = no_node;  ///< by q, v, t, where the model knows it (Lagrangian)
  std::shared_ptr<const MatchedForces> forces;  ///< what S and the factors of the rows rest on
};

/// Finds the view in a model, for given values of its parameters. Accelerations may be variables of
/// their own, intermediate forces too; rows may stand in any order and scale.
Recognition<MechanicalView> mechanical_view(const Model& model, std::span<const double> parameters);

/// Whether S and the factors of the rows, found at some values of the parameters, hold at others.
bool holds_for(const MechanicalView& view, std::span<const double> parameters);

/// λ of the model from ours: S⁻¹ times them. Allocates nothing.
void multipliers_of_model(const MechanicalView& view, std::span<const double> ours,
                          std::span<double> model);

}  // namespace daedal
