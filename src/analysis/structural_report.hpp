// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The structure of a model: which unknown occurs in which equation with which derivative.
///
/// Models of first order name their derivatives: der(x) = v. Such an equation determines nothing,
/// it gives x' a second name. It is taken out, and v counts as the first derivative of x, so that
/// x'' in C++ and der(x) = v, der(v) in text have the same structure.

#include <daedal/model.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "structure/assignment.hpp"
#include "structure/block_triangular.hpp"
#include "structure/signature.hpp"

namespace daedal::analysis {

/// A variable is the `order`-th derivative of an unknown.
struct DerivativeOf {
  Index unknown = 0;
  Index order = 0;
};

struct StructuralModel {
  std::vector<DerivativeOf> variables;  ///< of every variable of the model
  std::vector<Index> derivatives;       ///< the variable that is the derivative of each, or -1
  std::vector<Index> unknowns;          ///< the variable that each unknown itself is
  std::vector<Index> equations;         ///< the equations left, by their numbers in the model
  structure::Signature signature;       ///< a row per equation left, a column per unknown
};

/// Variables and equations of any order; looks at the equation section alone.
[[nodiscard]] StructuralModel structural_model(const Model& model);

/// The Σ-method on a model (Pryce 2001).
struct StructuralReport {
  StructuralModel model;
  structure::Matching transversal;
  structure::Offsets offsets;
  Index index = 0;     ///< an upper bound of the index where the system Jacobian is nonsingular
  Index n_states = 0;  ///< free initial values
  /// Blocks of the system Jacobian ∂f_i^(c_i)/∂x_j^(d_j), matched along the transversal.
  structure::BlockTriangularForm blocks;
};

/// Nothing where the model is structurally singular.
[[nodiscard]] std::optional<StructuralReport> find_structural_report(const Model& model);
/// Throws ModelError{structurally_singular} that names a smallest set of equations with too few
/// unknowns in them, a smallest set of unknowns in too few equations, and where they stand.
[[nodiscard]] StructuralReport structural_report(const Model& model);

/// The unknowns whose highest derivatives are tears of the blocks (see structure/tearing.hpp):
/// given their values, the others follow one by one.
[[nodiscard]] std::vector<Index> torn_unknowns(const StructuralReport& report);

/// The variable of the highest order up to that of a derivative of an unknown.
[[nodiscard]] Index nearest_variable(const StructuralModel& structural,
                                     const DerivativeOf& derivative);

/// "x", or the derivative of the nearest variable that has a name: "v", "der(v)", "der(v, 2)".
[[nodiscard]] std::string derivative_name(const Model& model, const StructuralModel& structural,
                                          const DerivativeOf& derivative);

/// Names of the highest derivatives of all unknowns, which the blocks are solved for.
[[nodiscard]] std::vector<std::string> highest_derivative_names(const Model& model,
                                                                const StructuralReport& report);

}  // namespace daedal::analysis
