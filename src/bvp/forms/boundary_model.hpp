// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Models as boundary value problems see them.

#include <daedal/model.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "model/views/constrained_view.hpp"
#include "model/views/general_view.hpp"

namespace daedal::solve_detail {

/// The model without what only a run forward in time has: relations follow their arguments instead
/// of holding between events, and parameters with fixed = false are variables with der(p) = 0,
/// whose start values are the parameters' values. Throws ModelError{unsupported} for when-clauses
/// and discrete variables.
Model as_boundary_model(const Model& model);

/// First-order equations of index 1 or 2 with the same solutions as a model.
struct BoundaryForm {
  Model model;  ///< its variables are the unknowns
  /// The variables of the given model by the unknowns; empty: they are the first unknowns.
  std::vector<NodeId> outputs;
  std::shared_ptr<const Pool> pool;  ///< of the outputs
  std::vector<int> levels;           ///< of each equation that is a constraint, -1 for the others
  Index n_tested = 0;  ///< the unknowns behind are multipliers, zero in exact solutions
  std::string note;    ///< a full sentence where the equations are not as written
};

/// The equations as written, of first order.
BoundaryForm form_as_written(const Model& model);

/// A Hessenberg system of order m (index m + 1) as one of index 2, after Gear, Gupta, Leimkuhler:
///
///     x_j' = x_(j+1) − Gᵀ μ_j,  j < m,     M x_m' = f − B y,    0 = g⁽ʲ⁾(x_1, ..., x_(j+1)),  j <
///     m.
///
/// All constraint levels hold, and μ = 0 in the exact solution. Throws ModelError naming a boundary
/// condition on a variable that is neither a state nor y.
BoundaryForm reduced_form(const ConstrainedView& view);

/// The same system as one of index 1 with its constraints damped, Baumgarte's stabilisation for
/// boundary values (Ascher, Lin (2.10) with (2.2), (2.3b)),
///
///     x_j' = x_(j+1),  j < m,     M x_m' = f − B y,    (d/dt + γ)ᵐ g = 0,
///
/// and all constraint levels as conditions at the beginning: the modes that differentiation adds
/// decay from there on. Not for constraints that become singular.
BoundaryForm damped_form(const ConstrainedView& view, double gamma);

}  // namespace daedal::solve_detail
