// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <vector>

namespace daedal::bvp {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

struct Dependent {
  std::vector<std::string> names;  ///< of the conditions that take part in a dependence
  bool is_contradictory = false;
};

/// Combinations whose coefficients are below this share of the greatest one are rounding.
constexpr double visible_share = 1e-6;

Dependent find_dependent(Discretization& equations) {
  const auto dependence = equations.dependent_conditions();
  const Matrix& y = dependence.combinations;
  Dependent result;
  for (Index row = 0; row < y.rows(); ++row) {
    for (Index c = 0; c < y.cols(); ++c) {
      const double greatest = y.col(c).cwiseAbs().maxCoeff();
      if (greatest == 0.0 || std::abs(y(row, c)) < visible_share * greatest) continue;
      result.names.push_back(equations.condition_name(row));
      break;
    }
  }
  for (Index c = 0; c < y.cols(); ++c) {
    const double greatest = y.col(c).cwiseAbs().maxCoeff();
    if (std::abs(dependence.right_side[c]) > visible_share * greatest) {
      result.is_contradictory = true;
    }
  }
  return result;
}

}  // namespace

void check_number_of_conditions(const Problem& problem, Discretization& equations,
                                const Trajectory& u) {
  const Layout& layout = equations.layout();
  const Index n_needed = layout.n_d() - layout.n_g();
  const Index n_given = problem.conditions.size();
  if (n_given == n_needed) return;
  std::vector<std::string> names;
  for (Index row = 0; row < n_given; ++row) names.push_back(problem.conditions.name(row));
  std::string text = fmt::format(
      "The problem needs {} boundary condition{} ({} differential variable{}{}), but {} given{}.",
      n_needed, n_needed == 1 ? "" : "s", layout.n_d(), layout.n_d() == 1 ? "" : "s",
      layout.n_g() == 0 ? ""
                        : fmt::format(" less {} constraint{} on them", layout.n_g(),
                                      layout.n_g() == 1 ? "" : "s"),
      n_given == 0   ? "none is"
      : n_given == 1 ? "one is"
                     : fmt::format("{} are", n_given),
      n_given == 0 ? "" : ": " + joined(names));
  if (n_given < n_needed) {
    std::vector<std::string> variables;
    for (const Index i : layout.differential) variables.push_back(problem.system.unknown_name(i));
    text += fmt::format(" Add {} condition{} on {} at either end.", n_needed - n_given,
                        n_needed - n_given == 1 ? "" : "s", joined(variables));
  } else if (equations.evaluate(u.values, true).is_ok) {
    const Dependent dependent = find_dependent(equations);
    if (!dependent.names.empty()) {
      text += fmt::format(" Given the equations, {} depend on each other: leave {} of them out.",
                          joined(dependent.names), n_given - n_needed);
    }
  }
  ModelError error(ErrorCode::unbalanced, text);
  error.with_equations(names);
  throw error;
}

std::string describe_dependence(Discretization& equations) {
  const Dependent dependent = find_dependent(equations);
  if (dependent.names.empty()) {
    return "The boundary conditions do not determine the solution: the linearised problem has "
           "solutions that no condition sees.";
  }
  const std::string names = joined(dependent.names);
  if (dependent.names.size() == 1) {
    return dependent.is_contradictory
               ? fmt::format("The boundary condition {} contradicts the equations.", names)
               : fmt::format(
                     "The boundary condition {} follows from the equations: another one is "
                     "missing.",
                     names);
  }
  return dependent.is_contradictory
             ? fmt::format("Given the equations, the boundary conditions {} contradict each other.",
                           names)
             : fmt::format(
                   "Given the equations, the boundary conditions {} depend on each other: "
                   "one of them says nothing new, and another one is missing.",
                   names);
}

}  // namespace daedal::bvp
