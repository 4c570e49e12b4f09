// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Compiled equations as the initialiser sees them.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/start_problem.hpp"
#include "kernel/jacobian_program.hpp"

namespace daedal::formulation {

/// Equations in some unknowns; the other inputs of the programs are given.
struct CompiledEquations {
  kernel::Program residual;
  kernel::JacobianProgram jacobian;
  std::vector<std::string> names;      ///< of the equations
  std::vector<std::int32_t> unknowns;  ///< variables of a model

  /// `derivatives`: by the unknowns, where they are known.
  static CompiledEquations compile(Pool& pool, std::span<const NodeId> equations,
                                   std::vector<std::int32_t> unknowns,
                                   std::span<const kernel::Input> inputs,
                                   std::span<const JacobianEntry> derivatives = {});
};

class ProgramConstraints final : public analysis::ConstraintSet {
 public:
  /// `blocks` points the programs to the unknowns u and all the rest.
  using Blocks = std::function<std::vector<const double*>(std::span<const double> u)>;
  ProgramConstraints(const CompiledEquations& equations, const Model& model, Blocks blocks);

  [[nodiscard]] Index n_unknowns() const override { return to_index(equations_.unknowns.size()); }
  [[nodiscard]] Index n_equations() const override { return to_index(equations_.names.size()); }
  Index residual(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return equations_.jacobian.pattern();
  }
  Index jacobian(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] std::string unknown_name(Index unknown) const override;
  [[nodiscard]] std::string equation_name(Index equation) const override {
    return equations_.names[to_size(equation)];
  }
  [[nodiscard]] std::span<const std::int32_t> unknowns() const { return equations_.unknowns; }
  [[nodiscard]] const Variable& variable(std::int32_t number) const {
    return model_.variables()[to_size(number)];
  }

 private:
  const CompiledEquations& equations_;
  const Model& model_;
  Blocks blocks_;
  Evaluator residual_;
  kernel::JacobianWorkspace workspace_;
};

/// Moves start values of a model onto the equations, by the wishes for their unknowns: `values`.
/// Notices and failures go to `start`; false when there is no solution.
bool meet_start_values(ProgramConstraints& constraints, const StartWishes& wishes,
                       std::span<double> values, const StopSignal& stop, Start& start);
/// The same at an event: what reinit gave is held, failures go to `run`.
Evaluation meet_beside_held(ProgramConstraints& constraints, std::span<double> values,
                            ModelRun& run);

}  // namespace daedal::formulation
