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

using Places = std::unordered_map<std::string_view, std::size_t>;

Places places(const std::vector<std::string>& names) {
  Places by_name;
  for (std::size_t j = 0; j < names.size(); ++j) by_name.emplace(names[j], j);
  return by_name;
}

}  // namespace

RowChecks::RowChecks(const Model& model, const PreparedModel& prepared,
                     std::span<const std::string> names, double rtol)
    : names_(names.begin(), names.end()), rtol_(rtol), prepared_(prepared) {
  const Places columns = places(names_);
  for (const auto& variables : {model.variables(), model.discretes()}) {
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

std::vector<std::size_t> RowChecks::differentiated_columns() const {
  std::vector<std::size_t> columns;
  if (has_action(prepared_.model(), WhenAction::Kind::reinit)) return columns;
  const GeneralView& view = prepared_.written()->view();
  const Places by_name = places(names_);
  for (std::size_t j = 0; j < view.model.variables().size(); ++j) {
    const auto place = by_name.find(view.model.variables()[j].name);
    if (view.is_differential[j] && place != by_name.end()) columns.push_back(place->second);
  }
  return columns;
}

void RowChecks::look(double t, std::span<const double> row) {
  for (Bound& bound : bounds_) look_at(bound, t, row[bound.column]);
  largest_.resize(row.size(), 0.0);
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (std::isfinite(row[j])) largest_[j] = std::max(largest_[j], std::abs(row[j]));
  }
  if (jump_.empty() && !last_.empty() && t == last_t_) look_for_jump(t, row);
  last_t_ = t;
  last_.assign(row.begin(), row.end());
}

void RowChecks::look_at(Bound& bound, double t, double value) const {
  if (std::isfinite(value)) bound.size = std::max(bound.size, std::abs(value));
  const double slack = tolerances_beyond * rtol_ * bound.size;
  auto& crossings = bound.crossings;
  std::erase_if(crossings, [&](const auto& one) { return !(bound.excess(one.value) > slack); });
  const double known = crossings.empty() ? slack : 2.0 * bound.excess(crossings.back().value);
  if (!(bound.excess(value) > known)) return;
  double crossed_at = t;
  if (!last_.empty()) {
    // Where the line between the two rows meets the bound; the row before is at most at it.
    const double before = last_[bound.column];
    const double share = std::clamp((bound.value - before) / (value - before), 0.0, 1.0);
    crossed_at = last_t_ + share * (t - last_t_);
  }
  crossings.push_back({.t = crossed_at, .seen_at = t, .value = value});
}

void RowChecks::look_for_jump(double t, std::span<const double> row) {
  if (!differentiated_) differentiated_ = differentiated_columns();
  const double noise = share_of_noise * std::ranges::max(largest_);
  for (const std::size_t column : *differentiated_) {
    const double before = last_[column];
    const double after = row[column];
    const double slack = impulse_tolerances * rtol_ * largest_[column];
    if (!(std::abs(after - before) > std::max(slack, noise))) continue;
    jump_ = fmt::format(
        "At t = {:.9g} '{}', whose derivative the equations contain, jumps from {:.6g} to {:.6g}: "
        "its derivative is an impulse there, which nothing that is computed from it contains.",
        t, names_[column], before, after);
    return;
  }
}

std::vector<std::string> RowChecks::sentences() const {
  std::vector<std::string> sentences;
  for (const Bound& bound : bounds_) {
    if (bound.crossings.empty() || sentences.size() == most_sentences) continue;
    const auto& first = bound.crossings.front();
    sentences.push_back(fmt::format(
        "From t = {:.4g} on '{}' is {} its {} = {:g}: it comes to {:.6g} at t = {:.6g}.", first.t,
        names_[bound.column], bound.sign > 0.0 ? "above" : "below", bound.name, bound.value,
        first.value, first.seen_at));
  }
  if (!jump_.empty()) sentences.insert(sentences.begin(), jump_);
  return sentences;
}

std::vector<std::string> look_at_rows(const Model& model, const PreparedModel& prepared,
                                      const Solution& solution) {
  RowChecks checks(model, prepared, solution.names, solution.rtol);
  for (std::size_t i = 0; i < solution.n_rows(); ++i)
    checks.look(solution.times[i], solution.row(i));
  return checks.sentences();
}

}  // namespace daedal::solve_detail
