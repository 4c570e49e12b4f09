// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What every constrained view begins with: a model read as
///
///   chains       x₁' = x₂, x₂' = x₃, ...       (length 1: just x₁)
///   dynamics     M x' = f                      (x' the derivatives of the chains' last members)
///   constraints  0 = g                         (no derivative, no algebraic variable)
///
/// with u the algebraic variables that no equation gives explicitly: they may stand in M and f.
/// Others, w = expression (forces written for themselves, accelerations a = der(v)), are
/// substituted. Where u enters linearly, f is also given as f − B u.

#include <daedal/model.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "expr/pool.hpp"

namespace daedal {

/// A view, or why the model has not that shape: a clause that names the equation or variable.
template <class View>
struct Recognition {
  std::optional<View> view;
  std::string reason;
  [[nodiscard]] explicit operator bool() const { return view.has_value(); }
};

struct SemiExplicitForm {
  Model model;                                    ///< of first order
  std::shared_ptr<const Pool> pool;               ///< a frozen child of the model's pool
  std::vector<std::vector<std::int32_t>> chains;  ///< variables, by order of their heads
  std::vector<std::int32_t> algebraic;            ///< u
  std::vector<std::int32_t> rows;                 ///< equations of the dynamics
  std::vector<JacobianEntry> mass;                ///< M: row of the dynamics, chain
  std::vector<NodeId> force;                      ///< f with u
  std::vector<NodeId> free_force;                 ///< f without B u, where u enters linearly
  std::vector<JacobianEntry> coefficient;         ///< B: row of the dynamics, algebraic variable
  std::string not_linear;                         ///< why there is no B, a clause; else empty
  std::vector<std::int32_t> constraint_rows;      ///< equations of the constraints
  std::vector<NodeId> constraints;                ///< g
  /// Every variable of the model by chains, u and derivatives of chains' last members.
  std::vector<NodeId> outputs;
  NodeId energy = no_node;  ///< in the same terms, if the model has one
};

Recognition<SemiExplicitForm> semi_explicit_form(const Model& model,
                                                 std::span<const double> parameters);

}  // namespace daedal
