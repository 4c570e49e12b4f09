// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/derivative_array.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace daedal::analysis {

namespace {

enum Block : int {
  time_block,
  x_block,
  xp_block,
  parameter_block,
  mode_block,
  discrete_block,
  pre_block,
  pre_value_block,
  sample_block,
  phase_block,
  n_blocks,
};

std::vector<kernel::Input> bind_inputs(const GeneralView& view, Pool& pool) {
  std::vector<kernel::Input> inputs{{pool.time(), time_block, 0}};
  for (std::size_t i = 0; i < view.x.size(); ++i) {
    inputs.push_back({view.x[i], x_block, to_index(i)});
    inputs.push_back({view.xp[i], xp_block, to_index(i)});
  }
  for (std::size_t i = 0; i < view.model.parameters().size(); ++i) {
    inputs.push_back({pool.parameter(static_cast<SymbolId>(i)), parameter_block, to_index(i)});
  }
  for (std::int32_t id = 0; id < pool.n_relations(); ++id) {
    inputs.push_back({pool.relation_node(id), mode_block, id});
  }
  for (std::size_t i = 0; i < view.model.discretes().size(); ++i) {
    const auto id = static_cast<SymbolId>(i);
    inputs.push_back({pool.discrete(id), discrete_block, to_index(i)});
    inputs.push_back({pool.pre(id), pre_block, to_index(i)});
  }
  for (std::size_t i = 0; i < view.model.variables().size(); ++i) {
    inputs.push_back({pool.pre_variable(static_cast<SymbolId>(i)), pre_value_block, to_index(i)});
  }
  for (std::size_t i = 0; i < view.model.samplers().size(); ++i) {
    inputs.push_back({pool.sample(static_cast<SymbolId>(i)), sample_block, to_index(i)});
  }
  inputs.push_back({pool.initial(), phase_block, 0});
  inputs.push_back({pool.terminal(), phase_block, 1});
  return inputs;
}

/// Scaling makes the greatest entry of a column 1: a scale beyond 1/(45 roundings) would do that to
/// a column of rounding errors.
void keep_round_off_small(linalg::Equilibration& scales) {
  constexpr double greatest = 1e14;
  for (double& scale : scales.column) {
    if (scale > greatest) scale = 1.0;
  }
}

}  // namespace

DerivativeArray::DerivativeArray(const GeneralView& view, int max_level)
    : n_(to_index(view.x.size())),
      n_equations_(to_index(view.residuals.size())),
      max_level_(max_level) {
  for (const Variable& variable : view.model.variables()) nominals_.push_back(variable.nominal);
  Pool pool(view.pool);
  const std::vector<kernel::Input> inputs = bind_inputs(view, pool);
  residual_ = kernel::Program::compile(pool, view.residuals, inputs);
  joint_ = kernel::JacobianProgram::compile(pool, {.roots = view.residuals,
                                                   .groups = {view.x, view.xp},
                                                   .inputs = inputs,
                                                   .with_values = true});
  const SparsityPattern& pattern = joint_.pattern();
  for (Index column = 0; column < n_; ++column) {
    for (Index p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
      entries_.push_back({.row = pattern.row[p], .column = column});
    }
  }
  // Group 0 is F_x (A), group 1 is F_x' (E).
  for (std::size_t group = 0; group < 2; ++group) {
    const auto positions = joint_.positions(group);
    for (std::size_t k = 0; k < positions.size(); ++k) {
      Entry& entry = entries_[positions[k]];
      (group == 0 ? entry.a : entry.e) = joint_.first_output(group) + to_index(k);
    }
  }
}

DerivativeArray::Workspace DerivativeArray::make_workspace() const {
  Workspace workspace;
  workspace.residual = kernel::TaylorEvaluator(residual_, max_level_);
  workspace.jacobian = kernel::TaylorEvaluator(joint_.program(), max_level_);
  workspace.derivative_series.resize(to_size(n_ * (max_level_ + 1)));
  workspace.outputs.resize(to_size(n_outputs() * (max_level_ + 1) + 1), 0.0);
  return workspace;
}

bool DerivativeArray::sweep(kernel::TaylorEvaluator& evaluator, const ArrayPoint& point, int level,
                            std::span<double> out, Workspace& workspace) const {
  const auto n_coefficients = to_size(level + 1);
  kernel::fill_derivative_series(
      {.x = point.series.first(to_size(n_) * (n_coefficients + 1)),
       .n = n_,
       .derivative = 1,
       .scale = point.scale,
       .out = std::span(workspace.derivative_series).first(to_size(n_) * n_coefficients)});
  const std::array<double, 2> time{point.t, point.scale};
  const auto constant = [](std::span<const double> values) {
    return kernel::SeriesBlock{values.data(), to_index(values.size()), 1};
  };
  const std::array<kernel::SeriesBlock, n_blocks> blocks{{
      {time.data(), 1, 2},
      {point.series.data(), n_, level + 1},
      {workspace.derivative_series.data(), n_, level + 1},
      constant(point.parameters),
      constant(point.modes),
      constant(point.discretes),
      constant(point.pre),
      constant(point.pre_values),
      constant(point.samples),
      constant(point.phase),
  }};
  evaluator.evaluate(level, blocks, out);
  return is_finite(out);
}

bool DerivativeArray::residual(const ArrayPoint& point, int level, std::span<double> r,
                               Workspace& workspace) const {
  return sweep(workspace.residual, point, level, r.first(to_size(n_equations_ * (level + 1))),
               workspace);
}

bool DerivativeArray::linearize(const ArrayPoint& point, int level, std::span<double> r,
                                Workspace& workspace) const {
  workspace.scale = point.scale;
  const bool finite =
      sweep(workspace.jacobian, point, level,
            std::span(workspace.outputs).first(to_size(n_outputs() * (level + 1))), workspace);
  for (Index i = 0; i <= level; ++i) {
    std::copy_n(workspace.outputs.begin() + i * n_outputs(), n_equations_,
                r.begin() + i * n_equations_);
  }
  return finite;
}

void DerivativeArray::assemble(int level, const Workspace& workspace,
                               Eigen::Ref<Matrix> jacobian) const {
  jacobian.setZero();
  // Coefficient d goes to a whole diagonal of blocks: A_d to X_j of R_(j+d), E_d to X_j of
  // R_(j+d−1) with the factor j/h.
  const double* const outputs = workspace.outputs.data();
  for (const Entry& entry : entries_) {
    const double unit = nominals_[to_size(entry.column)];
    for (Index d = 0; d <= level; ++d) {
      const double a = entry.a < 0 ? 0.0 : unit * outputs[d * n_outputs() + entry.a];
      const double e = entry.e < 0 ? 0.0 : unit * outputs[d * n_outputs() + entry.e];
      for (Index j = 0; j + d <= level; ++j) {
        jacobian((j + d) * n_equations_ + entry.row, j * n_ + entry.column) += a;
      }
      for (Index j = 1; j + d - 1 <= level; ++j) {
        jacobian((j + d - 1) * n_equations_ + entry.row, j * n_ + entry.column) +=
            static_cast<double>(j) / workspace.scale * e;
      }
    }
  }
}

linalg::Equilibration array_scales(const Matrix& jacobian) {
  linalg::Equilibration scales = linalg::equilibrate(jacobian);
  keep_round_off_small(scales);
  return scales;
}

void array_scales(const SparsityPattern& pattern, std::span<const double> values,
                  linalg::Equilibration& scales) {
  linalg::equilibrate(pattern, values, scales);
  keep_round_off_small(scales);
}

}  // namespace daedal::analysis
