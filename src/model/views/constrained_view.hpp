// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A system with constraints:
///
///     M x⁽ᵐ⁾ = f(x, x', ..., x⁽ᵐ⁻¹⁾, u, t),   0 = g(x, t).
///
/// Differentiated along the equations, each constraint gᵢ is free of u for a while and meets it in
/// its rᵢ-th derivative. Where these derivatives together determine u, the system has index
/// 1 + max rᵢ, and g, ġ, ..., g⁽ʳ⁻¹⁾ are invariants of the states alone. A model is read in one of
/// two ways.
///
/// *Linear*: u enters as f − B u, and every constraint is differentiated m times, so that
///
///     M x⁽ᵐ⁾ = f − B u,   g⁽ᵐ⁾ = G x⁽ᵐ⁾ + remainder,   G = ∂g/∂x.
///
/// This is a Hessenberg system where g⁽ᵐ⁾ determines u; Petzold, Ren & Maly write it with B for our
/// M⁻¹B. It is mechanical where m = 2, M is symmetric and B = GᵀS with a constant nonsingular S:
/// models write their multipliers in scales and signs of their own (the pendulum x'' = −λx with
/// x² + y² = 1 has S = ½), and methods of mechanics work with Su.
///
/// *General*: m = 1 and M = I; u may enter nonlinearly, and constraints may differ in depth. This
/// is (4) of Poell and Hafner, y' = f(y,z), z' = k(y,z,u), 0 = g(y), for any index.

#include <daedal/model.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "model/views/force_matching.hpp"
#include "model/views/semi_explicit.hpp"

namespace daedal {

class MatchedForces;

/// B = GᵀS.
struct ConstraintForces {
  std::vector<SparseEntry> scale;                ///< S
  std::vector<SparseEntry> inverse_scale;        ///< S⁻¹
  std::shared_ptr<const MatchedForces> matched;  ///< what S and the factors of the rows rest on
};

struct ConstrainedView {
  Model model;                       ///< of first order; its variables are meant below
  std::shared_ptr<const Pool> pool;  ///< frozen descendant of the model's pool
  /// states[k][i]: the variable that is the k-th derivative of xᵢ, k = 0..m−1.
  std::vector<std::vector<std::int32_t>> states;
  std::vector<std::int32_t> algebraic;          ///< the variables u
  std::vector<JacobianEntry> mass;              ///< M, by columns; empty in the general reading: I
  std::vector<NodeId> force;                    ///< f, without B u in the linear reading
  std::vector<JacobianEntry> coefficient;       ///< B, by columns
  std::vector<std::int32_t> dynamic_equations;  ///< the equation behind each row of M
  std::vector<std::int32_t> constraint_equations;  ///< the equation behind each constraint
  std::vector<int> depths;                         ///< rᵢ
  /// levels[j][i]: the j-th total derivative of gᵢ as an expression of the states; no_node where
  /// j ≥ rᵢ.
  std::vector<std::vector<NodeId>> levels;
  std::vector<JacobianEntry> jacobian;  ///< G, by columns
  std::vector<NodeId> remainder;        ///< g⁽ᵐ⁾ − G x⁽ᵐ⁾, in the linear reading
  std::vector<NodeId> determining;      ///< gᵢ⁽ʳⁱ⁾(x, u, t), in the general reading
  /// Every variable of the model by states, u and the leaves der(last state) = x⁽ᵐ⁾.
  std::vector<NodeId> outputs;
  NodeId energy = no_node;  ///< by states and time, if the model has one (Lagrangian)

  bool is_linear = true;                   ///< u enters the derivatives that determine it linearly
  bool mass_is_identity = true;            ///< as expressions
  bool mass_is_constant = true;            ///< depends on parameters alone
  std::optional<ConstraintForces> forces;  ///< of a mechanical system

  [[nodiscard]] int order() const { return static_cast<int>(states.size()); }
  [[nodiscard]] int index() const { return static_cast<int>(levels.size()) + 1; }
  [[nodiscard]] std::size_t n_constraints() const { return constraint_equations.size(); }
  [[nodiscard]] bool is_mechanical() const { return forces.has_value(); }
};

/// A model in the linear reading. Each reason is a clause that names an equation or a variable;
/// empty: the view is of that kind.
struct LinearReading {
  std::optional<ConstrainedView> view;
  std::string not_hessenberg;
  std::string not_mechanical;
};
/// Rows may stand in any order and scale; those of a mechanical system are sorted and scaled so
/// that M is symmetric. m is the length of the chains when g depends on their heads alone, else 1.
LinearReading read_linear(const Recognition<SemiExplicitForm>& form,
                          std::span<const double> parameters);
Recognition<ConstrainedView> read_general(const Recognition<SemiExplicitForm>& form,
                                          std::span<const double> parameters);

/// The view of a model for one kind of methods, or why it has none.
Recognition<ConstrainedView> mechanical_view(const Model& model,
                                             std::span<const double> parameters);
Recognition<ConstrainedView> hessenberg_view(const Model& model,
                                             std::span<const double> parameters);

/// The initial equations of the model by the states alone.
struct InitialResiduals {
  std::vector<NodeId> residuals;
  std::vector<int> levels;  ///< the highest derivative of x that each has
  std::vector<std::string> names;
  std::string reason;  ///< why that is not possible, a clause; else empty
};
InitialResiduals initial_residuals(const ConstrainedView& view, Pool& pool);

/// Whether S and the factors of the rows, found at some values of the parameters, hold at others.
bool holds_for(const ConstrainedView& view, std::span<const double> parameters);

/// u of the model from Su of a mechanical view. Allocates nothing.
void multipliers_of_model(const ConstrainedView& view, std::span<const double> ours,
                          std::span<double> model);

/// Appends the values of a matrix to what a program computes.
inline void append_values(std::vector<NodeId>& nodes, std::span<const JacobianEntry> entries) {
  for (const JacobianEntry& entry : entries) nodes.push_back(entry.value);
}

}  // namespace daedal
