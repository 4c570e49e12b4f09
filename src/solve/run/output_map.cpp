// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/output_map.hpp"

#include <daedal/nearest_name.hpp>
#include <utility>

#include "formulation/frame/model_run.hpp"

namespace daedal::solve_detail {

std::vector<double>& parameters_of(Run& run) {
  return static_cast<formulation::ModelRun&>(run).parameters;
}

std::vector<double>& memory_of(Run& run) {
  return static_cast<formulation::ModelRun&>(run).memory;
}

OutputMap::OutputMap(std::shared_ptr<const formulation::Formulation> formulation, Recovery recovery,
                     std::size_t n_continuous, std::span<const std::string> columns)
    : formulation_(std::move(formulation)),
      recovery_(std::move(recovery)),
      names_(recovery_.names().begin(), recovery_.names().end()),
      n_continuous_(n_continuous) {
  const auto extra = formulation_->outputs.extra_names;
  names_.insert(names_.end(), extra.begin(), extra.end());
  columns_ = select_columns(names_, columns);
}

std::vector<std::string> OutputMap::column_names() const {
  std::vector<std::string> chosen;
  for (const std::size_t column : columns_) chosen.push_back(names_[column]);
  return chosen;
}

void OutputMap::pick(std::span<const double> all, std::span<double> row) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) row[i] = all[columns_[i]];
}

OutputMap::Workspace OutputMap::make_workspace() const {
  return {std::vector<double>(formulation_->outputs.names.size()),
          std::vector<double>(n_continuous_), recovery_.make_workspace()};
}

void OutputMap::evaluate(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                         std::span<double> out, Workspace& workspace) const {
  formulation_->outputs.to_model(t, x, xp, run, workspace.values, workspace.derivatives);
  const std::span<const double> values(workspace.values);
  recovery_.evaluate({.time = t,
                      .values = values.first(n_continuous_),
                      .derivatives = workspace.derivatives,
                      .discretes = values.subspan(n_continuous_),
                      .parameters = parameters_of(run)},
                     out.first(recovery_.names().size()), workspace.recovery);
  if (out.size() > recovery_.names().size()) {
    formulation_->outputs.extra_values(t, x, xp, run, out.subspan(recovery_.names().size()));
  }
}

}  // namespace daedal::solve_detail
