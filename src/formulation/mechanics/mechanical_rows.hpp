// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The rows of the implicit mechanical forms as expressions.

#include <vector>

#include "expr/pool.hpp"
#include "formulation/mechanics/mechanical_dae.hpp"
#include "model/views/mechanical_view.hpp"

namespace daedal::formulation {

/// Leaves of the unknowns of a form: those of the view, and fresh ones for the multipliers.
struct MechanicalLeaves {
  std::vector<NodeId> q, v, lambda, mu, eta;
  std::vector<NodeId> q_prime, v_prime;

  /// All unknowns in order, and their derivatives (no_node for multipliers).
  [[nodiscard]] std::vector<NodeId> x() const;
  [[nodiscard]] std::vector<NodeId> xp() const;
};
MechanicalLeaves make_leaves(const MechanicalView& view, const MechanicalForm& form, Pool& pool);

/// Residuals of the square block, then of the overdetermined one.
/// Throws ModelError{not_recognized} when (6) needs M⁻¹ and M has a zero pivot.
std::vector<NodeId> make_rows(const MechanicalView& view, const MechanicalForm& form,
                              const MechanicalLeaves& leaves, Pool& pool);

}  // namespace daedal::formulation
