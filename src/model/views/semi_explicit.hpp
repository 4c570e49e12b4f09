// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the Hessenberg and the mechanical view have in common: a model read as
///
///   chains       u₁' = u₂, u₂' = u₃, ...       (length 1: just u₁)
///   dynamics     M u' = f − B y                (u' the derivatives of the chains' last members)
///   constraints  0 = g                         (no derivative, no algebraic variable)
///
/// with y the algebraic variables that no equation gives explicitly. Others, w = expression (forces
/// written for themselves, accelerations a = der(v)), are substituted.

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
  std::shared_ptr<Pool> pool;                     ///< a child of the model's pool, open
  std::vector<std::vector<std::int32_t>> chains;  ///< variables, by order of their heads
  std::vector<std::int32_t> algebraic;            ///< y
  std::vector<std::int32_t> rows;                 ///< equations of the dynamics
  std::vector<JacobianEntry> mass;                ///< M: row of the dynamics, chain
  std::vector<NodeId> force;                      ///< f
  std::vector<JacobianEntry> coefficient;         ///< B: row of the dynamics, algebraic variable
  std::vector<std::int32_t> constraint_rows;      ///< equations of the constraints
  std::vector<NodeId> constraints;                ///< g
  /// Every variable of the model by chains, y and derivatives of chains' last members.
  std::vector<NodeId> outputs;
  NodeId energy = no_node;  ///< in the same terms, where the model knows it
};

struct SemiExplicitOptions {
  /// Equations u' = w form chains; otherwise they count as dynamics with chains of length 1.
  bool chains = false;
  /// The dynamics are linear in y, with B; otherwise y may stand anywhere in M and f.
  bool linear = true;
};
Recognition<SemiExplicitForm> semi_explicit_form(const Model& model,
                                                 std::span<const double> parameters,
                                                 SemiExplicitOptions options);

}  // namespace daedal
