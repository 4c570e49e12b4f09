// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The equations of a model together with their derivatives: equation i as written and
/// differentiated up to c_i times, in the unknowns x_j and their derivatives up to order d_j, with
/// the offsets c, d of the Σ-method. Every derivative x_j^(l), l = 0 ... d_j, is a *place*: a
/// number of its own, whatever it means to the others.
///
///     pendulum   x'' = −λx,  y'' = −λy − g,  x² + y² = 1:    c = (0, 0, 2),  d = (2, 2, 0)
///     places     x, x', x'', y, y', y'', λ                   Σ (d_j + 1) = 7
///     equations  two of motion, the rod, (rod)', (rod)''     Σ (c_i + 1) = 5

#include <daedal/system.hpp>
#include <span>
#include <string>
#include <vector>

#include "analysis/structural_report.hpp"
#include "formulation/frame/model_run.hpp"
#include "kernel/program.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

/// The derivative of an unknown.
struct Place {
  Index unknown = 0;
  Index order = 0;
  Index variable = -1;  ///< the variable of the model with this value, where there is one
  bool is_highest = false;
};

/// Properties of the places for integrators, one after the other.
struct PlaceTraits {
  std::vector<UnknownKind> kinds;
  std::vector<double> nominals;
};
[[nodiscard]] PlaceTraits traits_of_places(const Model& model,
                                           const analysis::StructuralReport& report);

/// An equation of the model, differentiated.
struct DerivedEquation {
  Index row = 0;    ///< of the signature matrix
  Index level = 0;  ///< times differentiated
  bool is_highest = false;
};

/// A sparse Jacobian with a program for its nonzeros: entries by columns, then rows.
struct SparseProgram {
  SparsityPattern pattern;
  kernel::Program program;
};

class DifferentiatedSystem {
 public:
  /// Throws ModelError{structurally_singular}.
  explicit DifferentiatedSystem(GeneralView view);

  [[nodiscard]] const GeneralView& view() const { return view_; }
  [[nodiscard]] const analysis::StructuralReport& report() const { return report_; }

  [[nodiscard]] std::span<const Place> places() const { return places_; }
  [[nodiscard]] Index n_places() const { return to_index(places_.size()); }
  [[nodiscard]] Index place(Index unknown, Index order) const {
    return first_place_[to_size(unknown)] + order;
  }
  /// Where the value of a variable of the view's model is found.
  [[nodiscard]] Index place_of(Index variable) const;
  /// Where its derivative is found, or -1.
  [[nodiscard]] Index place_of_derivative(Index variable) const;

  [[nodiscard]] std::span<const DerivedEquation> equations() const { return equations_; }
  [[nodiscard]] Index n_equations() const { return to_index(equations_.size()); }
  [[nodiscard]] Index equation(Index row, Index level) const {
    return first_equation_[to_size(row)] + level;
  }

  /// The inputs of programs over places: blocks as in model_run.hpp, places as values. Leaves are
  /// made in `pool`, a child of pool().
  [[nodiscard]] std::vector<kernel::Input> inputs(Pool& pool) const;
  [[nodiscard]] const std::shared_ptr<const Pool>& pool() const { return pool_; }
  /// Residuals as expressions, one per equation.
  [[nodiscard]] std::span<const NodeId> residual_nodes() const { return residual_nodes_; }
  enum class Columns { all, highest };
  /// lhs − rhs of the initial equations.
  [[nodiscard]] std::span<const NodeId> initial_nodes() const { return initial_nodes_; }
  /// ∂roots/∂places, of all places or of the highest derivatives alone, then by parameters. Throws
  /// ModelError{unsupported} for a root with a derivative that has no place.
  [[nodiscard]] SparseProgram jacobian_of(std::span<const NodeId> roots, Columns which,
                                          std::span<const std::size_t> parameters = {}) const;
  [[nodiscard]] const kernel::Program& residual() const { return residual_; }
  [[nodiscard]] const SparseProgram& jacobian() const { return jacobian_; }

  /// "'rod' (line 12), differentiated twice".
  [[nodiscard]] std::string equation_name(Index equation) const;
  /// "x", "v" where der(x) = v, "der(v)".
  [[nodiscard]] std::string place_name(Index place) const;

 private:
  void make_places();
  void differentiate();

  GeneralView view_;
  analysis::StructuralReport report_;
  std::vector<Place> places_;
  std::vector<Index> first_place_;
  std::vector<DerivedEquation> equations_;
  std::vector<Index> first_equation_;
  std::shared_ptr<const Pool> pool_;
  std::vector<NodeId> residual_nodes_;
  std::vector<NodeId> initial_nodes_;
  kernel::Program residual_;
  SparseProgram jacobian_;
};

}  // namespace daedal::formulation
