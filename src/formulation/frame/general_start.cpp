// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/index_check.hpp"
#include "formulation/frame/start_notices.hpp"
#include "formulation/frame/start_overrides.hpp"
#include "formulation/general/direct.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

using analysis::Role;

std::vector<std::string> names_of(const DirectSystem& system, std::span<const Index> numbers,
                                  bool rows) {
  std::vector<std::string> names;
  for (const Index i : numbers)
    names.push_back(rows ? system.row_name(i) : "'" + system.unknown_name(i) + "'");
  return names;
}

}  // namespace

GeneralStart::GeneralStart(const DirectSystem& system, const Overrides& starts)
    : system_(system),
      overrides_(find_overrides(system.view().model, starts)),
      initial_(system.view()) {
  const Model& model = system.view().model;
  Pool pool(system.view().pool);
  const auto inputs = model_inputs(model, pool);
  std::vector<NodeId> nodes;
  for (const Variable& variable : model.variables())
    nodes.push_back(variable.start == no_node ? pool.constant(0.0) : variable.start);
  start_values_ = kernel::Program::compile(pool, nodes, inputs);
}

GeneralStart::Wishes GeneralStart::wishes(ModelRun& run,
                                          const SystemConstraints& constraints) const {
  const auto& view = system_.view();
  const auto variables = view.model.variables();
  Evaluator evaluator(start_values_);
  const double t = 0.0;  // start values are expressions of parameters alone
  const auto values = evaluator(run.blocks(t, run.values, run.derivatives));
  Wishes result{std::vector<analysis::InitialUnknown>(to_size(constraints.n_unknowns())),
                std::vector<bool>(variables.size(), false)};
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const Variable& variable = variables[j];
    const bool given = overrides_[j].has_value() || variable.start != no_node;
    result.is_given[j] = given || variable.fixed;
    const bool held = overrides_[j].has_value() || variable.fixed;
    const double value =
        overrides_[j].value_or(given ? values[j] : std::clamp(0.0, variable.min, variable.max));
    result.unknowns[j] = {.value = value,
                          .role = held                      ? Role::held
                                  : view.is_differential[j] ? Role::guess
                                                            : Role::free,
                          .nominal = variable.nominal,
                          .confidence = given ? 1.0 : confidence_of_default};
    if (const Index k = constraints.derivative_column(to_index(j)); k >= 0)
      result.unknowns[to_size(k)] = {.role = Role::free, .nominal = variable.nominal};
  }
  const auto free = initial_.free_parameters();
  for (std::size_t k = 0; k < free.size(); ++k)
    result.unknowns[to_size(constraints.parameter_column(k))] = {.value = run.parameters[free[k]],
                                                                 .role = Role::free};
  return result;
}

Start GeneralStart::find(double t0, ModelRun& run, bool check_index) const {
  Start start;
  const auto n = to_size(system_.size());
  start.x.resize(n);
  start.xp.resize(n, 0.0);
  SystemConstraints constraints(system_.view(), system_, t0, run, &initial_);
  const Wishes wished = wishes(run, constraints);
  for (std::size_t j = 0; j < n; ++j) run.values[j] = start.x[j] = wished.unknowns[j].value;

  analysis::InitialValues found;
  const auto solve = [&]() -> Change {
    found = analysis::find_initial_values(constraints, wished.unknowns, {.stop = run.stop});
    constraints.unpack(found.values, start.x, start.xp);
    if (found.status == Status::success) {
      system_.complete_derivatives(t0, start.x, start.xp, run);
      return {};
    }
    return {Change::Kind::stop, found.status, found.message};
  };
  const Change change = system_.events().initialize(t0, start.x, start.xp, run, system_, solve);
  if (change.kind == Change::Kind::stop) {
    start.status = change.status;
    start.message = change.message;
  }
  if (run.stop.is_raised()) return start;
  // A higher index is the better explanation of a start that cannot be found.
  if (check_index && start.status != Status::non_finite_value) refuse_index(t0, run, start);
  if (start.status == Status::success)
    add_start_notices(found, constraints, wished.is_given, start);
  return start;
}

void GeneralStart::refuse_index(double t0, ModelRun& run, Start& start) const {
  using Outcome = analysis::IndexCheck::Outcome;
  std::vector<double> f_x(to_size(system_.pattern().nonzeros()));
  std::vector<double> f_xp(f_x.size());
  if (system_.jacobian(t0, start.x, start.xp, run, f_x, f_xp) != Evaluation::ok) {
    if (start.status != Status::success) return;
    start.status = Status::non_finite_value;
    start.message = run.failure.detail;
    return;
  }
  const auto check = analysis::check_index({system_.pattern(), f_x, f_xp});
  if (!check.is_clear)
    start.notices.emplace_back(
        "The index of the model is not clear at the start values: some numbers lie around the "
        "tolerance of the rank decision.");
  if (check.outcome == Outcome::at_most_one) return;
  const std::string equations = join_words(names_of(system_, check.equations, true));
  const std::string unknowns = join_words(names_of(system_, check.unknowns, false));
  const bool one = check.equations.size() == 1;
  if (check.outcome == Outcome::higher) {
    start.status = Status::index_too_high;
    start.message = fmt::format(
        "The index of the model is above 1, which the method 'direct' does not take: {} {} "
        "differential variables alone and {} not determine {} without being differentiated. Use "
        "a method for higher index (--method auto), or differentiate {}.",
        equations, one ? "constrains" : "constrain", one ? "does" : "do", unknowns,
        one ? "it" : "them");
    return;
  }
  // Equations that cannot be met at all are not redundant: what the search said stands.
  if (start.status == Status::inconsistent_start) return;
  start.status = Status::no_unique_solution;
  start.message = fmt::format(
      "The equations do not determine the solution: {} {} nothing that the other equations do not "
      "say already, and {} undetermined. Add the missing equation.",
      equations, one ? "says" : "say", unknowns + (check.unknowns.size() == 1 ? " is" : " are"));
}

}  // namespace daedal::formulation
