// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/impulse_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace daedal::solve_detail {

namespace {

/// Consistent values before and after an event differ by so many tolerances at the most.
constexpr double impulse_tolerances = 1e3;

bool has_reinit(const Model& model) {
  for (const WhenClause& clause : model.when_clauses()) {
    for (const WhenBranch& branch : clause.branches) {
      for (const WhenAction& action : branch.actions) {
        if (action.kind == WhenAction::Kind::reinit) return true;
      }
    }
  }
  return false;
}

/// The columns of variables whose derivatives stand in the equations.
std::vector<std::size_t> differentiated(const GeneralView& view, const Solution& solution) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < view.model.variables().size(); ++j) {
    if (!view.is_differential[j]) continue;
    const auto name = std::ranges::find(solution.names, view.model.variables()[j].name);
    if (name != solution.names.end()) {
      columns.push_back(static_cast<std::size_t>(name - solution.names.begin()));
    }
  }
  return columns;
}

}  // namespace

std::string unexplained_jump(const PreparedModel& model, const Solution& solution) {
  if (solution.events.empty() || has_reinit(model.model())) return {};
  const std::vector<std::size_t> columns = differentiated(model.written()->view(), solution);
  for (std::size_t i = 1; i < solution.n_rows(); ++i) {
    if (solution.times[i] != solution.times[i - 1]) continue;
    for (const std::size_t column : columns) {
      const double before = solution.row(i - 1)[column];
      const double after = solution.row(i)[column];
      const double size = std::max({std::abs(before), std::abs(after), 1e-2});
      if (std::abs(after - before) <= impulse_tolerances * solution.rtol * size) continue;
      return fmt::format(
          "At t = {:.9g} '{}', whose derivative the equations contain, jumps from {:.6g} to "
          "{:.6g}: "
          "its derivative is an impulse there, which nothing that is computed from it contains.",
          solution.times[i], solution.names[column], before, after);
    }
  }
  return {};
}

}  // namespace daedal::solve_detail
