// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/output_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <utility>

#include "expr/calculus.hpp"
#include "formulation/frame/model_run.hpp"

namespace daedal::solve_detail {

namespace {

/// Columns that are no variables: parameters, and derivatives of what follows from
/// variables whose derivatives the equations contain.
class FurtherColumns {
 public:
  /// `globs`: those that match no variable.
  FurtherColumns(const Simplified& simplified, std::vector<std::string> globs)
      : globs_(std::move(globs)), pool_(simplified.model.pool()) {
    if (globs_.empty()) return;
    std::vector<NodeId> sides;
    for (const Equation& equation : simplified.model.equations()) {
      sides.push_back(equation.lhs);
      sides.push_back(equation.rhs);
    }
    known_ = dependencies(pool_, sides);
    const Recovery& recovery = simplified.recovery;
    const std::size_t n = recovery.names().size() - simplified.model.discretes().size();
    for (std::size_t i = 0; i < n; ++i) {
      add_derivative(recovery.names()[i], recovery.expressions()[i]);
    }
    for (const Parameter& parameter : simplified.model.parameters()) {
      const auto number = static_cast<SymbolId>(&parameter - simplified.model.parameters().data());
      if (is_asked(parameter.name)) add(parameter.name, pool_.parameter(number));
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] Recovery recovery() const { return {names_, pool_, expressions_}; }

 private:
  [[nodiscard]] bool is_asked(const std::string& name) const {
    return std::ranges::any_of(globs_, [&](const auto& glob) { return matches_glob(name, glob); });
  }
  void add(std::string name, NodeId expression) {
    names_.push_back(std::move(name));
    expressions_.push_back(expression);
  }
  void add_derivative(const std::string& variable, NodeId expression) {
    std::string name = fmt::format("der({})", variable);
    if (!is_asked(name)) return;
    const auto rate = total_time_derivative(pool_, std::span(&expression, 1));
    const bool is_known = std::ranges::all_of(dependencies(pool_, rate), [&](NodeId leaf) {
      const bool is_rate = pool_[leaf].op == Op::variable && pool_[leaf].order > 0;
      return !is_rate || std::ranges::binary_search(known_, leaf);
    });
    if (is_known) return add(std::move(name), rate[0]);
    if (std::ranges::find(globs_, name) == globs_.end()) return;  // a pattern takes what there is
    throw OptionError(
        ErrorCode::unknown_name,
        fmt::format("'{}' cannot be a column: no equation of the model contains it, and '{}' does "
                    "not follow from variables whose derivatives are in the equations. To have it, "
                    "add a variable with the equation 'rate = {}'.",
                    name, variable, name));
  }

  std::vector<std::string> globs_;
  Pool pool_;
  std::vector<NodeId> known_;  ///< leaves of the equations, ascending
  std::vector<std::string> names_;
  std::vector<NodeId> expressions_;
};

}  // namespace

std::vector<double>& parameters_of(Run& run) {
  return static_cast<formulation::ModelRun&>(run).parameters;
}

std::vector<double>& memory_of(Run& run) {
  return static_cast<formulation::ModelRun&>(run).memory;
}

OutputMap::OutputMap(std::shared_ptr<const formulation::Formulation> formulation, Recovery recovery,
                     std::size_t n_continuous)
    : formulation_(std::move(formulation)),
      recovery_(std::move(recovery)),
      names_(recovery_.names().begin(), recovery_.names().end()),
      n_continuous_(n_continuous) {
  const auto& extra = formulation_->outputs.extra_names;
  names_.insert(names_.end(), extra.begin(), extra.end());
  columns_ = select_columns(names_, {});
}

OutputMap::OutputMap(std::shared_ptr<const formulation::Formulation> formulation,
                     const Simplified& simplified, std::span<const std::string> columns)
    : OutputMap(std::move(formulation), simplified.recovery, simplified.model.variables().size()) {
  std::vector<std::string> open;
  for (const std::string& glob : columns) {
    const auto matches = [&](const std::string& name) { return matches_glob(name, glob); };
    if (std::ranges::none_of(names_, matches)) open.push_back(glob);
  }
  const FurtherColumns further(simplified, std::move(open));
  columns_ = select_columns(names_, columns, further.names());
  if (!further.names().empty()) further_ = further.recovery();
}

std::vector<std::string> OutputMap::column_names() const {
  std::vector<std::string> chosen;
  for (const std::size_t column : columns_) {
    chosen.push_back(column < names_.size() ? names_[column]
                                            : further_.names()[column - names_.size()]);
  }
  return chosen;
}

OutputMap::Workspace OutputMap::make_workspace() const {
  return {.values = std::vector<double>(formulation_->outputs.names.size()),
          .derivatives = std::vector<double>(n_continuous_),
          .further = std::vector<double>(further_.names().size()),
          .recovery = recovery_.make_workspace(),
          .further_recovery = further_.make_workspace()};
}

RecoveryInput OutputMap::point(double t, Run& run, const Workspace& workspace) const {
  const std::span<const double> values(workspace.values);
  return {.time = t,
          .values = values.first(n_continuous_),
          .derivatives = workspace.derivatives,
          .discretes = values.subspan(n_continuous_),
          .parameters = parameters_of(run)};
}

void OutputMap::evaluate(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                         std::span<double> all, Workspace& workspace) const {
  formulation_->outputs.to_model(t, x, xp, run, workspace.values, workspace.derivatives);
  recovery_.evaluate(point(t, run, workspace), all.first(recovery_.names().size()),
                     workspace.recovery);
  if (all.size() > recovery_.names().size()) {
    formulation_->outputs.extra_values(t, x, xp, run, all.subspan(recovery_.names().size()));
  }
}

void OutputMap::evaluate(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                         std::span<double> all, std::span<double> row, Workspace& workspace) const {
  evaluate(t, x, xp, run, all, workspace);
  if (!workspace.further.empty()) {
    further_.evaluate(point(t, run, workspace), workspace.further, workspace.further_recovery);
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t column = columns_[i];
    row[i] = column < names_.size() ? all[column] : workspace.further[column - names_.size()];
  }
}

}  // namespace daedal::solve_detail
