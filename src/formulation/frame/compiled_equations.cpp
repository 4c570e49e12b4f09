// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/compiled_equations.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

namespace {

Index first_non_finite(std::span<const double> values) {
  const auto bad = std::find_if(values.begin(), values.end(),
                                [](double value) { return !std::isfinite(value); });
  return bad == values.end() ? -1 : bad - values.begin();
}

}  // namespace

CompiledEquations CompiledEquations::compile(Pool& pool, std::span<const NodeId> equations,
                                             std::vector<std::int32_t> unknowns,
                                             std::span<const kernel::Input> inputs,
                                             std::span<const JacobianEntry> derivatives) {
  CompiledEquations result;
  std::vector<NodeId> leaves;
  for (const std::int32_t variable : unknowns) leaves.push_back(pool.variable(variable));
  result.residual = kernel::Program::compile(pool, equations, inputs);
  result.jacobian = kernel::JacobianProgram::compile(
      pool, {.roots = equations, .groups = {leaves}, .inputs = inputs, .known = derivatives});
  result.unknowns = std::move(unknowns);
  return result;
}

ProgramConstraints::ProgramConstraints(const CompiledEquations& equations, const Model& model,
                                       Blocks blocks)
    : equations_(equations),
      model_(model),
      blocks_(std::move(blocks)),
      residual_(equations.residual),
      workspace_(equations.jacobian.make_workspace()) {}

Index ProgramConstraints::residual(std::span<const double> u, std::span<double> values) {
  const auto out = residual_(blocks_(u));
  std::copy(out.begin(), out.end(), values.begin());
  return first_non_finite(values);
}

Index ProgramConstraints::jacobian(std::span<const double> u, std::span<double> values) {
  const std::span<double> groups[] = {values};
  equations_.jacobian.evaluate(blocks_(u), groups, workspace_);
  return first_non_finite(values) < 0 ? -1 : 0;
}

std::string ProgramConstraints::unknown_name(Index unknown) const {
  return model_.variables()[to_size(equations_.unknowns[to_size(unknown)])].name;
}

bool meet_start_values(ProgramConstraints& constraints, const StartWishes& wishes,
                       std::span<double> values, const StopSignal& stop, Start& start) {
  const StartProblem problem{constraints, wishes.of(constraints.unknowns())};
  const analysis::InitialValues found = problem.solve(stop, start);
  std::copy(found.values.begin(), found.values.end(), values.begin());
  if (found.status != Status::success) return false;
  problem.add_notices(found, start);
  return true;
}

Evaluation meet_beside_held(ProgramConstraints& constraints, std::span<double> values,
                            ModelRun& run) {
  std::vector<analysis::InitialUnknown> wishes;
  for (const std::int32_t number : constraints.unknowns()) {
    const bool is_held = std::find(run.reinitialized.begin(), run.reinitialized.end(), number) !=
                         run.reinitialized.end();
    wishes.push_back({.value = values[wishes.size()],
                      .role = is_held ? analysis::Role::held : analysis::Role::guess,
                      .nominal = constraints.variable(number).nominal});
  }
  const analysis::InitialValues found =
      analysis::find_initial_values(constraints, wishes, {.stop = run.stop});
  if (found.status != Status::success) {
    run.failure = {found.status, -1, found.message};
    return Evaluation::fatal;
  }
  std::copy(found.values.begin(), found.values.end(), values.begin());
  return Evaluation::ok;
}

}  // namespace daedal::formulation
