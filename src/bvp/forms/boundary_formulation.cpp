// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forms/boundary_formulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/dense/lu.hpp"
#include "linalg/scaling.hpp"
#include "model/views/general_view.hpp"

namespace daedal::solve_detail {

namespace {

/// The outputs of a form whose unknowns are not the model's variables.
auto compiled_outputs(const BoundaryForm& form, std::size_t n_outputs) {
  Pool pool(form.pool);
  auto program = kernel::Program::compile(pool, std::span(form.outputs).first(n_outputs),
                                          formulation::model_inputs(form.model, pool));
  return [program = std::move(program)](double t, std::span<const double> x,
                                        std::span<const double> xp, Run& run,
                                        std::span<double> values, std::span<double> derivatives) {
    auto workspace = program.make_workspace();
    program.evaluate(formulation::run_of<formulation::ModelRun>(run).blocks(t, x, xp), values,
                     workspace);
    std::ranges::fill(derivatives, std::numeric_limits<double>::quiet_NaN());
  };
}

void copy_outputs(double, std::span<const double> x, std::span<const double> xp, Run&,
                  std::span<double> values, std::span<double> derivatives) {
  std::copy_n(x.begin(), values.size(), values.begin());
  if (!derivatives.empty()) std::copy_n(xp.begin(), values.size(), derivatives.begin());
}

double level_residual(const formulation::WrittenEquations& equations,
                      const std::vector<int>& levels, int level, double t,
                      std::span<const double> x, std::span<const double> xp, Run& run) {
  std::vector<double> values(levels.size());
  equations.residual(t, x, xp, run, values);
  double greatest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (levels[i] == level && !(std::abs(values[i]) <= greatest)) greatest = std::abs(values[i]);
  }
  return greatest;
}

}  // namespace

BoundarySystem::BoundarySystem(BoundaryForm form, std::vector<double> parameters)
    : form_(std::move(form)),
      equations_(std::make_shared<const formulation::WrittenEquations>(general_view(form_.model),
                                                                       std::move(parameters))) {
  for (const int level : form_.levels) n_levels_ = std::max(n_levels_, level + 1);
}

formulation::Formulation BoundarySystem::make_formulation(std::vector<std::string> names) const {
  formulation::Formulation result;
  result.implicit_system = equations_;
  if (form_.outputs.empty()) {
    result.outputs.to_model = copy_outputs;
  } else {
    result.outputs.to_model = compiled_outputs(form_, names.size());
  }
  result.outputs.names = std::move(names);
  result.levels.n = n_levels_;
  result.levels.residual = [equations = equations_, levels = form_.levels](
                               double t, std::span<const double> x, std::span<const double> xp,
                               int level, Run& run) {
    return level_residual(*equations, levels, level, t, x, xp, run);
  };
  return result;
}

bool BoundarySystem::is_regular(double t, std::span<const double> x, std::span<const double> xp,
                                Run& run) const {
  const SparsityPattern& pattern = equations_->pattern();
  std::vector<double> f_x(to_size(pattern.nonzeros()));
  std::vector<double> f_xp(f_x.size());
  if (equations_->jacobian(t, x, xp, run, f_x, f_xp) != Evaluation::ok) return true;
  const Index n = equations_->size();
  Matrix matrix = Matrix::Zero(n, n);
  for (Index column = 0; column < n; ++column) {
    const bool is_differential = equations_->kinds()[to_size(column)].differential;
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      const Index row = pattern.row[to_size(p)];
      const bool by_x = !is_differential || form_.levels[to_size(row)] >= 0;
      matrix(row, column) = by_x ? f_x[to_size(p)] : f_xp[to_size(p)];
    }
  }
  linalg::apply(linalg::balance(matrix), matrix);
  linalg::DenseLu<double> lu(n);
  std::copy_n(matrix.data(), n * n, lu.matrix().begin());
  return lu.factor().ok && lu.reciprocal_condition() > 1e-14;
}

}  // namespace daedal::solve_detail
