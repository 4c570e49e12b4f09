// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/row_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "model/usage.hpp"

namespace daedal::solve_detail {

namespace {

/// Consistent values before and after an event differ by so many tolerances at the most.
constexpr double impulse_tolerances = 1e3;
/// Values below this share of the largest variable may be rounding errors of differences of large
/// values.
constexpr double share_of_noise = 1e-12;

/// Events of which the jumps are put into the equations.
constexpr int most_balances = 100;

using Places = std::unordered_map<std::string_view, std::size_t>;

Places places(const std::vector<std::string>& names) {
  Places by_name;
  for (std::size_t j = 0; j < names.size(); ++j) by_name.emplace(names[j], j);
  return by_name;
}

}  // namespace

RowChecks::RowChecks(const Reading& reading, std::span<const double> parameters, double rtol)
    : names_(reading.simplified.recovery.names().begin(),
             reading.simplified.recovery.names().end()),
      rtol_(rtol),
      bounds_(reading.bounds, rtol),
      prepared_(reading.prepared),
      parameters_(parameters) {}

void RowChecks::find_columns() {
  has_columns_ = true;
  const formulation::WrittenEquations& system = *prepared_.written();
  const GeneralView& view = system.view();
  const Places by_name = places(names_);
  const auto add = [&](std::span<const Variable> variables, std::vector<std::size_t>& columns) {
    for (const Variable& variable : variables)
      if (const auto place = by_name.find(variable.name); place != by_name.end())
        columns.push_back(place->second);
    return columns.size() == variables.size();
  };
  if (has_action(prepared_.model(), WhenAction::Kind::reinit)) {
    if (ImpulseBalance::is_possible(system) && add(view.model.variables(), columns_) &&
        add(view.model.discretes(), discrete_columns_))
      balance_.emplace(system, parameters_);
    return;
  }
  for (std::size_t j = 0; j < view.model.variables().size(); ++j) {
    const auto place = by_name.find(view.model.variables()[j].name);
    if (view.is_differential[j] && place != by_name.end()) differentiated_.push_back(place->second);
  }
}

void RowChecks::look(double t, std::span<const double> row) {
  bounds_.look(t, row);
  largest_.resize(row.size(), 0.0);
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!std::isfinite(row[j])) continue;
    largest_[j] = std::max(largest_[j], std::abs(row[j]));
    largest_of_all_ = std::max(largest_of_all_, largest_[j]);
  }
  if (!has_jumped() && !last_.empty() && t == last_t_) look_for_jump(t, row);
  last_t_ = t;
  last_.assign(row.begin(), row.end());
}

void RowChecks::look(const Solution& solution) {
  for (std::size_t i = 0; i < solution.n_rows(); ++i) look(solution.times[i], solution.row(i));
}

bool RowChecks::is_jump(const Jump& jump) const {
  const double noise = share_of_noise * largest_of_all_;
  const double slack = impulse_tolerances * rtol_ * largest_[jump.column];
  return std::abs(jump.size) > std::max(slack, noise);
}

double RowChecks::jump_of(std::size_t column, double after) const {
  const double jump = after - last_[column];
  return is_jump({column, jump, {}}) ? jump : 0.0;
}

/// What leaves 0 is no jump beside the values that it comes to.
bool RowChecks::has_jumped() const {
  return !jump_.text.empty() && is_jump(jump_);
}

void RowChecks::look_for_jump(double t, std::span<const double> row) {
  if (!has_columns_) find_columns();
  if (balance_) look_for_imbalance(t, row);
  for (const std::size_t column : differentiated_) {
    const double jump = jump_of(column, row[column]);
    if (jump == 0.0) continue;
    jump_ = {column, jump,
             fmt::format("At t = {:.9g} '{}', whose derivative the equations contain, jumps from "
                         "{:.6g} to {:.6g}: its derivative is an impulse there, which nothing that "
                         "is computed from it contains.",
                         t, names_[column], last_[column], row[column])};
    return;
  }
}

void RowChecks::look_for_imbalance(double t, std::span<const double> row) {
  const auto& is_differential = prepared_.written()->view().is_differential;
  std::vector<double> values, discretes, jumps, sizes;
  std::size_t jumped = columns_.size();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    values.push_back(row[columns_[j]]);
    sizes.push_back(largest_[columns_[j]]);
    jumps.push_back(is_differential[j] ? jump_of(columns_[j], values.back()) : 0.0);
    if (jumps.back() != 0.0 && !balance_->is_set(j) && jumped == columns_.size()) jumped = j;
  }
  if (jumped == columns_.size() || ++n_balances_ > most_balances) return;
  for (const std::size_t column : discrete_columns_) discretes.push_back(row[column]);
  const auto equation = balance_->broken_equation(
      {.t = t, .values = values, .discretes = discretes, .jumps = jumps, .sizes = sizes});
  if (!equation) return;
  const std::size_t column = columns_[jumped];
  jump_ = {column, jumps[jumped],
           fmt::format("At t = {:.9g} '{}' jumps from {:.6g} to {:.6g} with what reinit sets: its "
                       "derivative is an impulse there, under which {} does not hold unless other "
                       "states jump too. They were held: give them values by reinit.",
                       t, names_[column], last_[column], row[column], *equation)};
}

std::vector<std::string> RowChecks::sentences() const {
  std::vector<std::string> sentences = bounds_.sentences();
  if (has_jumped()) sentences.insert(sentences.begin(), jump_.text);
  return sentences;
}

}  // namespace daedal::solve_detail
