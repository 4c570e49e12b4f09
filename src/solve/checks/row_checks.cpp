// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/row_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "model/usage.hpp"

namespace daedal::solve_detail {

namespace {

/// More sentences than this say nothing more.
constexpr std::size_t most_sentences = 10;
/// A value beyond its bound by so many tolerances is beyond it.
constexpr double tolerances_beyond = 10.0;
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

RowChecks::RowChecks(const Origin& origin, std::span<const std::string> names, double rtol)
    : names_(names.begin(), names.end()),
      rtol_(rtol),
      prepared_(origin.prepared),
      parameters_(origin.parameters) {
  const Places columns = places(names_);
  for (const auto& variables : {origin.model.variables(), origin.model.discretes()}) {
    for (const Variable& variable : variables) {
      const auto column = columns.find(variable.name);
      if (column == columns.end()) continue;
      for (Bound bound : {Bound{.name = "min", .value = variable.min, .sign = -1.0},
                          Bound{.name = "max", .value = variable.max}}) {
        if (!std::isfinite(bound.value)) continue;
        bound.column = column->second;
        bound.size = std::abs(bound.value);
        bounds_.push_back(bound);
      }
    }
  }
}

bool RowChecks::has_bounds(const Model& model) {
  const auto is_bounded = [](const Variable& variable) {
    return std::isfinite(variable.min) || std::isfinite(variable.max);
  };
  return std::ranges::any_of(model.variables(), is_bounded) ||
         std::ranges::any_of(model.discretes(), is_bounded);
}

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
  for (Bound& bound : bounds_) look_at(bound, t, row[bound.column]);
  largest_.resize(row.size(), 0.0);
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!std::isfinite(row[j])) continue;
    largest_[j] = std::max(largest_[j], std::abs(row[j]));
    largest_of_all_ = std::max(largest_of_all_, largest_[j]);
  }
  if (jump_.empty() && !last_.empty() && t == last_t_) look_for_jump(t, row);
  last_t_ = t;
  last_.assign(row.begin(), row.end());
}

void RowChecks::look(const Solution& solution) {
  for (std::size_t i = 0; i < solution.n_rows(); ++i) look(solution.times[i], solution.row(i));
}

void RowChecks::look_inside(double t, std::span<const double> values) {
  for (Bound& bound : bounds_) {
    const double value = values[bound.column];
    if (is_farther_beyond(bound, bound.peaks, value)) bound.peaks.push_back({t, t, value});
  }
}

bool RowChecks::is_farther_beyond(Bound& bound, std::vector<Bound::Crossing>& known,
                                  double value) const {
  if (std::isfinite(value)) bound.size = std::max(bound.size, std::abs(value));
  const double slack = tolerances_beyond * rtol_ * bound.size;
  std::erase_if(known, [&](const auto& one) { return !(bound.excess(one.value) > slack); });
  return bound.excess(value) > (known.empty() ? slack : 2.0 * bound.excess(known.back().value));
}

void RowChecks::look_at(Bound& bound, double t, double value) const {
  if (!is_farther_beyond(bound, bound.crossings, value)) return;
  double crossed_at = t;
  if (!last_.empty()) {
    // Where the line between the two rows meets the bound; the row before is at most at it.
    const double before = last_[bound.column];
    const double share = std::clamp((bound.value - before) / (value - before), 0.0, 1.0);
    crossed_at = last_t_ + share * (t - last_t_);
  }
  bound.crossings.push_back({.t = crossed_at, .seen_at = t, .value = value});
}

double RowChecks::jump_of(std::size_t column, double after) const {
  const double noise = share_of_noise * largest_of_all_;
  const double slack = impulse_tolerances * rtol_ * largest_[column];
  const double jump = after - last_[column];
  return std::abs(jump) > std::max(slack, noise) ? jump : 0.0;
}

void RowChecks::look_for_jump(double t, std::span<const double> row) {
  if (!has_columns_) find_columns();
  if (balance_) look_for_imbalance(t, row);
  for (const std::size_t column : differentiated_) {
    if (jump_of(column, row[column]) == 0.0) continue;
    jump_ = fmt::format(
        "At t = {:.9g} '{}', whose derivative the equations contain, jumps from {:.6g} to {:.6g}: "
        "its derivative is an impulse there, which nothing that is computed from it contains.",
        t, names_[column], last_[column], row[column]);
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
  jump_ = fmt::format(
      "At t = {:.9g} '{}' jumps from {:.6g} to {:.6g} with what reinit sets: its derivative is an "
      "impulse there, under which {} does not hold unless other states jump too. They were held: "
      "give them values by reinit.",
      t, names_[columns_[jumped]], last_[columns_[jumped]], row[columns_[jumped]], *equation);
}

std::vector<std::string> RowChecks::sentences() const {
  std::vector<std::string> sentences;
  for (const Bound& bound : bounds_) {
    const auto& found = bound.crossings.empty() ? bound.peaks : bound.crossings;
    if (found.empty() || sentences.size() == most_sentences) continue;
    const auto& first = found.front();
    sentences.push_back(fmt::format(
        "From t = {:.4g} on '{}' is {} its {} = {:g}: it comes to {:.6g} at t = {:.6g}.", first.t,
        names_[bound.column], bound.sign > 0.0 ? "above" : "below", bound.name, bound.value,
        first.value, first.seen_at));
  }
  if (!jump_.empty()) sentences.insert(sentences.begin(), jump_);
  return sentences;
}

}  // namespace daedal::solve_detail
