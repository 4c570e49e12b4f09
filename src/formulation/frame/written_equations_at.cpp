// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/written_equations_at.hpp"

#include <algorithm>
#include <cmath>

#include "model/labels.hpp"
#include "model/leaves.hpp"

namespace daedal::formulation {

namespace {

Index first_bad_row(std::span<const double> values) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  return bad == values.end() ? -1 : bad - values.begin();
}

}  // namespace

InitialPart::InitialPart(const GeneralView& view) {
  const auto parameters = view.model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].fixed) free_.push_back(i);
  if (view.model.initial_equations().empty() && free_.empty()) return;

  Pool pool(view.pool);
  const auto inputs = model_inputs(view.model, pool);
  std::vector<NodeId> roots;
  for (const Equation& equation : view.model.initial_equations())
    roots.push_back(pool.sub(equation.lhs, equation.rhs));
  std::vector<NodeId> free_leaves;
  for (const std::size_t i : free_) free_leaves.push_back(pool.parameter(static_cast<SymbolId>(i)));
  std::vector<NodeId> columns = view.x;
  columns.insert(columns.end(), view.xp.begin(), view.xp.end());
  columns.insert(columns.end(), free_leaves.begin(), free_leaves.end());
  residuals_ = kernel::Program::compile(pool, roots, inputs);
  jacobian_ = kernel::JacobianProgram::compile(
      pool, {.roots = roots, .groups = {columns}, .inputs = inputs});
  by_parameters_ = kernel::JacobianProgram::compile(
      pool, {.roots = view.residuals, .groups = {free_leaves}, .inputs = inputs});
}

SystemConstraints::SystemConstraints(const GeneralView& view, const ImplicitSystem& system,
                                     double t, ModelRun& run, const InitialPart* initial)
    : view_(view),
      system_(system),
      t_(t),
      run_(run),
      initial_(initial != nullptr && !initial->is_empty() ? initial : nullptr),
      n_(system.size()),
      derivative_(to_size(n_), -1),
      x_(to_size(n_)),
      xp_(to_size(n_)),
      f_x_(to_size(system.pattern().nonzeros())),
      f_xp_(f_x_.size()) {
  for (Index j = 0; j < n_; ++j) {
    if (!view.is_differential[to_size(j)]) continue;
    derivative_[to_size(j)] = n_ + n_derivatives_++;
    differential_.push_back(j);
  }
  if (initial_ != nullptr) {
    initial_residuals_.emplace(initial_->residuals());
    initial_workspace_ = initial_->jacobian().make_workspace();
    parameter_workspace_ = initial_->by_parameters().make_workspace();
    initial_values_.resize(to_size(initial_->jacobian().pattern().nonzeros()));
    parameter_values_.resize(to_size(initial_->by_parameters().pattern().nonzeros()));
  }
  build_pattern();
}

void SystemConstraints::build_pattern() {
  using From = Source::From;
  const auto& system = system_.pattern();
  pattern_.rows = n_ + (initial_ != nullptr ? initial_->n_equations() : 0);
  pattern_.column_start.push_back(0);
  const auto append = [&](const SparsityPattern& from, Index column, Index first_row, From what) {
    for (Index p = from.column_start[to_size(column)]; p < from.column_start[to_size(column) + 1];
         ++p) {
      pattern_.row.push_back(first_row + from.row[to_size(p)]);
      sources_.push_back({what, p});
    }
  };
  const auto close = [&] { pattern_.column_start.push_back(pattern_.nonzeros()); };
  const auto append_initial = [&](Index column) {
    if (initial_ != nullptr) append(initial_->jacobian().pattern(), column, n_, From::initial);
  };
  for (Index j = 0; j < n_; ++j) {
    append(system, j, 0, From::f_x);
    append_initial(j);
    close();
  }
  for (const Index j : differential_) {
    append(system, j, 0, From::f_xp);
    append_initial(n_ + j);
    close();
  }
  const std::size_t n_parameters = initial_ != nullptr ? initial_->free_parameters().size() : 0;
  for (Index k = 0; k < to_index(n_parameters); ++k) {
    append(initial_->by_parameters().pattern(), k, 0, From::parameters);
    append_initial(2 * n_ + k);
    close();
  }
  pattern_.columns = to_index(pattern_.column_start.size()) - 1;
}

void SystemConstraints::unpack(std::span<const double> u, std::span<double> x,
                               std::span<double> xp) {
  std::copy_n(u.begin(), n_, x.begin());
  for (Index k = 0; k < n_derivatives_; ++k)
    xp[to_size(differential_[to_size(k)])] = u[to_size(n_ + k)];
  if (initial_ == nullptr) return;
  const auto free = initial_->free_parameters();
  for (std::size_t k = 0; k < free.size(); ++k)
    run_.parameters[free[k]] = u[to_size(parameter_column(k))];
}

Index SystemConstraints::residual(std::span<const double> u, std::span<double> values) {
  unpack(u, x_, xp_);
  const bool is_finite =
      system_.residual(t_, x_, xp_, run_, values.first(to_size(n_))) == Evaluation::ok;
  const Index bad_in_system = is_finite ? -1 : std::max<Index>(run_.failure.row, 0);
  if (initial_ == nullptr) return bad_in_system;
  const auto initial = (*initial_residuals_)(run_.blocks(t_, x_, xp_));
  std::copy(initial.begin(), initial.end(), values.begin() + n_);
  const Index bad = first_bad_row(initial);
  return bad_in_system >= 0 || bad < 0 ? bad_in_system : n_ + bad;
}

Index SystemConstraints::jacobian(std::span<const double> u, std::span<double> values) {
  unpack(u, x_, xp_);
  const bool is_finite = system_.jacobian(t_, x_, xp_, run_, f_x_, f_xp_) == Evaluation::ok;
  Index bad = is_finite ? -1 : std::max<Index>(run_.failure.row, 0);
  if (initial_ != nullptr) {
    const auto blocks = run_.blocks(t_, x_, xp_);
    const std::array<std::span<double>, 1> initial{initial_values_};
    const std::array<std::span<double>, 1> parameters{parameter_values_};
    initial_->jacobian().evaluate(blocks, initial, initial_workspace_);
    initial_->by_parameters().evaluate(blocks, parameters, parameter_workspace_);
  }
  const std::array arrays{&f_x_, &f_xp_, &initial_values_, &parameter_values_};
  for (std::size_t p = 0; p < sources_.size(); ++p) {
    const auto& array = *arrays[static_cast<std::size_t>(sources_[p].from)];
    values[p] = array[to_size(sources_[p].position)];
    if (bad < 0 && !std::isfinite(values[p])) bad = pattern_.row[p];
  }
  return bad;
}

std::string SystemConstraints::unknown_name(Index unknown) const {
  if (unknown < n_) return view_.model.variables()[to_size(unknown)].name;
  if (unknown < n_ + n_derivatives_) {
    const Index j = differential_[to_size(unknown - n_)];
    return "der(" + view_.model.variables()[to_size(j)].name + ")";
  }
  const auto k = to_size(unknown - n_ - n_derivatives_);
  return view_.model.parameters()[initial_->free_parameters()[k]].name;
}

std::string SystemConstraints::equation_name(Index equation) const {
  if (equation < n_) return equation_label(view_.model, equation);
  const Index k = equation - n_;
  const auto& initial = view_.model.initial_equations()[to_size(k)];
  if (!initial.name.empty()) return equation_label(initial, k);
  return "initial " + equation_label(initial, k);
}

}  // namespace daedal::formulation
