// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/row_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace daedal::formulation {

void SystemRows::add_unknown(std::string name, const UnknownKind& kind, double nominal) {
  names.push_back(std::move(name));
  kinds.push_back(kind);
  nominals.push_back(nominal);
}

CompiledRows::CompiledRows(SystemRows rows, Pool& pool, const Model& model)
    : rows_(std::move(rows)) {
  // The leaves of the unknowns may be symbols beyond the model's variables: only what the model
  // binds besides them is taken from it.
  std::vector<kernel::Input> inputs;
  for (const kernel::Input& input : model_inputs(model, pool)) {
    if (input.block != block_values && input.block != block_derivatives) inputs.push_back(input);
  }
  for (std::size_t i = 0; i < rows_.x.size(); ++i) {
    inputs.push_back({rows_.x[i], block_values, to_index(i)});
    if (rows_.xp[i] != no_node) inputs.push_back({rows_.xp[i], block_derivatives, to_index(i)});
  }
  residual_ = kernel::Program::compile(pool, rows_.rows, inputs);
  jacobian_ = kernel::JacobianProgram::compile(
      pool, {.roots = rows_.rows, .groups = {rows_.x, rows_.xp}, .inputs = inputs});
}

void CompiledRows::prepare(ModelRun& run) const {
  run.equations.residual = residual_.make_workspace();
  run.equations.jacobian = jacobian_.make_workspace();
}

Evaluation CompiledRows::residual(double t, std::span<const double> x, std::span<const double> xp,
                                  ModelRun& run, std::span<double> values) const {
  residual_.evaluate(run.blocks(t, x, xp), values, run.equations.residual);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    run.failure = {Status::non_finite_value, to_index(i),
                   fmt::format("{} is not finite at t = {:.12g}.", rows_.row_names[i], t)};
    return Evaluation::recoverable;
  }
  return Evaluation::ok;
}

Evaluation CompiledRows::jacobian(double t, std::span<const double> x, std::span<const double> xp,
                                  ModelRun& run, std::span<double> f_x,
                                  std::span<double> f_xp) const {
  const std::array<std::span<double>, 2> groups{f_x, f_xp};
  jacobian_.evaluate(run.blocks(t, x, xp), groups, run.equations.jacobian);
  for (const double value : f_x) {
    if (std::isfinite(value)) continue;
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A derivative of the equations is not finite at t = {:.12g}.", t)};
    return Evaluation::recoverable;
  }
  return Evaluation::ok;
}

}  // namespace daedal::formulation
