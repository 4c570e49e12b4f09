// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Whether the jumps of an event fit together. Where reinit moves a state, others that follow from
/// it jump as well: q = p². Derivatives of theirs are impulses, and so are unknowns that depend on
/// them: der(q) = i. In every equation these have to balance,
///
///     Σ ∂F/∂x'_j Δx_j + Σ ∂F/∂z_k ζ_k = 0,
///
/// with the jumps Δx of the differentiated variables, the impulses ζ of the others, and whatever
/// impulse on the variables that reinit sets, for that is where they come from. Where no ζ does
/// that, a state would have to jump that does not: der(w) = i.

#include <daedal/model.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/written_equations.hpp"
#include "kernel/jacobian_program.hpp"

namespace daedal::solve_detail {

class ImpulseBalance {
 public:
  /// `system` outlives it.
  ImpulseBalance(const formulation::WrittenEquations& system, std::span<const double> parameters);

  /// Small enough for it.
  [[nodiscard]] static bool is_possible(const formulation::WrittenEquations& system);
  /// Whether a when-clause may set the variable.
  [[nodiscard]] bool is_set(std::size_t variable) const { return is_set_[variable]; }

  /// Values of all variables and discrete ones after an event, and how far variables jumped.
  struct Jumps {
    double t = 0.0;
    std::span<const double> values, discretes, jumps;
    std::span<const double> sizes;  ///< of the variables in the run so far
  };
  /// The equation that does not hold; nothing where all do.
  [[nodiscard]] std::optional<std::string> broken_equation(const Jumps& event);

 private:
  const formulation::WrittenEquations& system_;
  std::vector<bool> is_set_;
  std::unique_ptr<formulation::ModelRun> run_;
  kernel::JacobianProgram slopes_;  ///< by algebraic unknowns and by derivatives
  kernel::JacobianWorkspace workspace_;
};

}  // namespace daedal::solve_detail
