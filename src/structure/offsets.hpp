// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Pryce's Σ-method: J. D. Pryce, "A simple structural analysis method for DAEs", BIT 41 (2001)
/// 364-394. The canonical offsets are the smallest solution of the dual of the assignment problem.

#include "structure/assignment.hpp"

namespace daedal::structure {

/// The elementwise smallest c >= 0 and d with d_j - c_i >= σ_ij, equal on the transversal.
/// Pryce's fixed-point iteration needs as many sweeps as the index is high; here it is one run of
/// Dijkstra's algorithm, started from the duals of the assignment.
[[nodiscard]] Offsets canonical_offsets(const Signature& signature, const Assignment& assignment);

/// max c_i, plus 1 if some d_j is 0: an upper bound of the differentiation index where the
/// system Jacobian is nonsingular. 0 for an empty system.
[[nodiscard]] Index structural_index(const Offsets& offsets);

/// Σ d_j - Σ c_i: the number of free initial values.
[[nodiscard]] Index n_states(const Offsets& offsets);

/// The entries with d_j - c_i = σ_ij, where the system Jacobian ∂f_i^(c_i)/∂x_j^(d_j) may differ
/// from 0.
[[nodiscard]] Incidence system_jacobian_pattern(const Signature& signature, const Offsets& offsets);

}  // namespace daedal::structure
