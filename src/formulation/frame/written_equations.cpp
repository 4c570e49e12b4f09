// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/written_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "analysis/initial/initializer.hpp"
#include "core/expected.hpp"
#include "expr/calculus.hpp"
#include "formulation/frame/start_problem.hpp"
#include "formulation/frame/written_equations_at.hpp"
#include "linalg/linear_solver.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

WrittenEquations::WrittenEquations(GeneralView view, std::vector<double> parameters,
                                   const Overrides& starts,
                                   std::shared_ptr<const ModelEvents> events)
    : ModelContext(view, std::move(parameters), starts, std::move(events)), view_(std::move(view)) {
  for (std::size_t i = 0; i < view_.x.size(); ++i) {
    kinds_.push_back({.differential = view_.is_differential[i]});
    nominals_.push_back(view_.model.variables()[i].nominal);
  }
  Pool pool(view_.pool);
  residual_ = kernel::Program::compile(pool, view_.residuals, model_inputs(view_.model, pool));
  std::vector<NodeId> rates;
  for (std::size_t i = 0; i < view_.xp.size(); ++i)
    if (view_.is_differential[i]) rates.push_back(view_.xp[i]);
  is_algebraic_row_ = depend_on(*view_.pool, view_.residuals, rates);
  is_algebraic_row_.flip();
}

bool WrittenEquations::gives_rates_by_each() const {
  std::vector<NodeId> given;
  for (std::size_t i = 0; i < view_.x.size(); ++i)
    given.push_back(view_.is_differential[i] ? view_.xp[i] : view_.x[i]);
  return std::ranges::all_of(depend_on(*view_.pool, view_.residuals, given), std::identity{});
}

const kernel::JacobianProgram& WrittenEquations::derivatives() const {
  return derivatives_.get([this] {
    Pool pool(view_.pool);
    std::vector<NodeId> rates = view_.xp;
    for (std::size_t i = 0; i < rates.size(); ++i)
      if (!view_.is_differential[i]) rates[i] = no_node;
    return kernel::JacobianProgram::compile(pool, {.roots = view_.residuals,
                                                   .groups = {view_.x, rates},
                                                   .inputs = model_inputs(view_.model, pool)});
  });
}

const WrittenEquations::ByTime& WrittenEquations::by_time() const {
  return by_time_.get([this] {
    Pool pool(view_.pool);
    const NodeId time = pool.time();
    ByTime result;
    std::vector<NodeId> values;
    for (const auto& entry : daedal::jacobian(pool, view_.residuals, std::span(&time, 1))) {
      result.rows.push_back(entry.row);
      values.push_back(entry.value);
    }
    result.program = kernel::Program::compile(pool, values, model_inputs(view_.model, pool));
    return result;
  });
}

void WrittenEquations::prepare(ModelRun& run) const {
  run.equations = {};
  run.equations.residual = residual_.make_workspace();
}

Evaluation WrittenEquations::residual(double t, std::span<const double> x,
                                      std::span<const double> xp, Run& run,
                                      std::span<double> values) const {
  auto& model_run = own(run);
  residual_.evaluate(model_run.blocks(t, x, xp), values, model_run.equations.residual);
  const Index row = first_not_finite(values);
  if (row < 0) return Evaluation::ok;
  run.failure = {Status::non_finite_value, row,
                 fmt::format("{} is not finite at t = {:.12g}.", row_name(row), t)};
  return Evaluation::recoverable;
}

Evaluation WrittenEquations::jacobian(double t, std::span<const double> x,
                                      std::span<const double> xp, Run& run, std::span<double> f_x,
                                      std::span<double> f_xp) const {
  auto& model_run = own(run);
  const std::array<std::span<double>, 2> arrays{f_x, f_xp};
  kernel::JacobianWorkspace& workspace = model_run.equations.jacobian;
  if (workspace.outputs.empty()) workspace = derivatives().make_workspace();
  derivatives().evaluate(model_run.blocks(t, x, xp), arrays, workspace);
  for (const auto array : arrays) {
    const Index bad = first_not_finite(array);
    if (bad < 0) continue;
    const Index row = pattern().row[to_size(bad)];
    run.failure = {
        Status::non_finite_value, row,
        fmt::format("The derivative of {} is not finite at t = {:.12g}.", row_name(row), t)};
    return Evaluation::recoverable;
  }
  return Evaluation::ok;
}

std::string WrittenEquations::row_name(std::int64_t row) const {
  return equation_label(view_.model, row);
}

std::string WrittenEquations::unknown_name(std::int64_t column) const {
  return view_.model.variables()[to_size(column)].name;
}

void WrittenEquations::read(double, std::span<const double> x, std::span<const double> xp,
                            ModelRun&, std::span<double> values,
                            std::span<double> derivatives) const {
  std::copy(x.begin(), x.end(), values.begin());
  std::copy(xp.begin(), xp.end(), derivatives.begin());
}

bool WrittenEquations::assign(std::int32_t variable, double value, std::span<double> x) const {
  const auto i = static_cast<std::size_t>(variable);
  x[i] = value;
  return view_.is_differential[i];
}

Evaluation WrittenEquations::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                             ModelRun& run) const {
  using analysis::Role;
  SystemConstraints constraints(view_, *this, t, run, nullptr);
  std::vector<analysis::InitialUnknown> unknowns(to_size(constraints.n_unknowns()));
  for (std::size_t j = 0; j < x.size(); ++j) {
    unknowns[j] = {.value = x[j],
                   .role = view_.is_differential[j] ? Role::held : Role::free,
                   .nominal = nominals_[j]};
    if (const Index k = constraints.derivative_column(to_index(j)); k >= 0)
      unknowns[to_size(k)] = {.value = xp[j], .role = Role::free, .nominal = nominals_[j]};
  }
  const auto found = find_after_event(constraints, std::move(unknowns), run, [&](std::size_t j) {
    return j < x.size() && view_.is_differential[j] &&
           std::ranges::find(run.reinitialized, static_cast<std::int32_t>(j)) ==
               run.reinitialized.end();
  });
  if (found.status != Status::success) {
    run.failure = {found.status, -1,
                   fmt::format("After the event at t = {:.12g}: {}", t, found.message)};
    return Evaluation::fatal;
  }
  constraints.unpack(found.values, x, xp);
  complete_derivatives(t, x, xp, run);
  return Evaluation::ok;
}

void WrittenEquations::complete_derivatives(double t, std::span<const double> x,
                                            std::span<double> xp, ModelRun& run) const {
  if (std::ranges::none_of(is_algebraic_row_, std::identity{})) return;  // E x' = E x'
  const auto nonzeros = to_size(pattern().nonzeros());
  std::vector<double> f_x(nonzeros);
  std::vector<double> f_xp(nonzeros);
  if (jacobian(t, x, xp, run, f_x, f_xp) != Evaluation::ok) return;
  std::vector<double> right(x.size(), 0.0);
  // A function of time that the user gave may have no derivative.
  const auto known = Expected<const ByTime*>::from([this] { return &by_time(); });
  if (!known) return;
  const ByTime& by_time = **known;
  Evaluator evaluator(by_time.program);
  const auto f_t = evaluator(run.blocks(t, x, xp));
  for (std::size_t k = 0; k < by_time.rows.size(); ++k) {
    const auto row = to_size(by_time.rows[k]);
    if (is_algebraic_row_[row]) right[row] = -f_t[k];
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (Index p = pattern().column_start[j]; p < pattern().column_start[j + 1]; ++p) {
      const auto row = to_size(pattern().row[to_size(p)]);
      if (is_algebraic_row_[row]) {
        f_xp[to_size(p)] = f_x[to_size(p)];
      } else {
        right[row] += f_xp[to_size(p)] * xp[j];
      }
    }
  }
  auto& solver = run.equations.rates;
  if (!solver) solver = linalg::make_real_solver(pattern());
  if (!solver->factor(f_xp).ok) return;
  solver->solve(right);
  // F need not be linear in x': keep only what still satisfies it.
  std::vector<double> before(x.size());
  std::vector<double> after(x.size());
  if (first_not_finite(right) >= 0 || residual(t, x, xp, run, before) != Evaluation::ok ||
      residual(t, x, right, run, after) != Evaluation::ok)
    return;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::abs(after[i]) > 1e-9 * (1.0 + std::abs(before[i]))) return;
  std::copy(right.begin(), right.end(), xp.begin());
}

}  // namespace daedal::formulation
