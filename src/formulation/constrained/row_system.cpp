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

void RowSystem::compile(SystemRows rows, Pool& pool, const Model& model) {
  // The leaves of the unknowns may be symbols beyond the model's variables: only what the model
  // binds besides them is taken from it.
  std::vector<kernel::Input> inputs;
  for (const kernel::Input& input : model_inputs(model, pool)) {
    if (input.block != block_values && input.block != block_derivatives) inputs.push_back(input);
  }
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    inputs.push_back({rows.x[i], block_values, to_index(i)});
    if (rows.xp[i] != no_node) inputs.push_back({rows.xp[i], block_derivatives, to_index(i)});
  }
  residual_ = kernel::Program::compile(pool, rows.rows, inputs);
  jacobian_ = kernel::JacobianProgram::compile(
      pool, {.roots = rows.rows, .groups = {rows.x, rows.xp}, .inputs = inputs});
  names_ = std::move(rows.names);
  row_names_ = std::move(rows.row_names);
  kinds_ = std::move(rows.kinds);
  nominals_ = std::move(rows.nominals);
}

RowWork RowSystem::make_work() const {
  return {.residual = Evaluator(residual_), .jacobian = jacobian_.make_workspace()};
}

Evaluation RowSystem::residual(double t, std::span<const double> x, std::span<const double> xp,
                               Run& base, std::span<double> values) const {
  auto& run = static_cast<ModelRun&>(base);
  const auto out = work(base).residual(run.blocks(t, x, xp));
  std::copy(out.begin(), out.end(), values.begin());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    run.failure = {Status::non_finite_value, to_index(i),
                   fmt::format("{} is not finite at t = {:.12g}.", row_names_[i], t)};
    return Evaluation::recoverable;
  }
  return Evaluation::ok;
}

Evaluation RowSystem::jacobian(double t, std::span<const double> x, std::span<const double> xp,
                               Run& base, std::span<double> f_x, std::span<double> f_xp) const {
  auto& run = static_cast<ModelRun&>(base);
  const std::array<std::span<double>, 2> groups{f_x, f_xp};
  jacobian_.evaluate(run.blocks(t, x, xp), groups, work(base).jacobian);
  for (const double value : f_x) {
    if (std::isfinite(value)) continue;
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A derivative of the equations is not finite at t = {:.12g}.", t)};
    return Evaluation::recoverable;
  }
  return Evaluation::ok;
}

}  // namespace daedal::formulation
