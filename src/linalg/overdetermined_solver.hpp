// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Corrector equations of overdetermined DAEs (C. Führer, B. Leimkuhler, section 3): A₁ (n×n) comes
/// from the square part of the system, A₂ (m×n) from its invariants, and
///
///     [A₁; A₂] x = [a₁; a₂]
///
/// has in general no solution. Three generalised ones, all exact where one exists:
///
/// - state space form, (27): A₂ x = a₂ and Vᵀ(A₁ x − a₁) = 0, V a basis of the null space of A₂. It
///   is the x of [A₁ A₂ᵀ; A₂ 0][x; μ] = [a₁; a₂], and the one that makes a multistep method on the
///   overdetermined system equivalent to the same method on the state space form;
/// - least squares, (20): min ‖[A₁; A₂] x − [a₁; a₂]‖, leaves the invariants;
/// - constrained least squares, (28): min ‖A₁ x − a₁‖ subject to A₂ x = a₂.

#include <daedal/methods.hpp>
#include <daedal/sparsity.hpp>
#include <memory>
#include <span>

#include "core/types.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::linalg {

using daedal::Corrector;

struct OverdeterminedReport {
  bool ok = true;
  Index dependent_constraint = -1;  ///< when not ok: a row of A₂ that depends on the others, or
  Index singular_column = -1;       ///< an unknown that the equations do not determine
};

class OverdeterminedSolver {
 public:
  virtual ~OverdeterminedSolver() = default;
  /// Values on the pattern given at construction.
  virtual OverdeterminedReport factor(std::span<const double> values) = 0;
  /// `rhs` is (a₁, a₂) of n + m entries, `x` has n.
  virtual void solve(std::span<const double> rhs, std::span<double> x) = 0;
  /// μ of the last solve: m entries for the state space form, none for the others.
  [[nodiscard]] virtual std::span<const double> multipliers() const { return {}; }
};

/// `pattern` is that of [A₁; A₂]: n + m rows, n columns. The state space form uses dense or sparse
/// LU like any square system; the two least-squares correctors are dense.
std::unique_ptr<OverdeterminedSolver> make_overdetermined_solver(
    const SparsityPattern& pattern, Corrector corrector, Storage storage = Storage::automatic);

}  // namespace daedal::linalg
