// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/bounds_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace daedal::solve_detail {

namespace {

/// More sentences than this say nothing more.
constexpr std::size_t most_sentences = 10;
/// A value beyond its bound by so many tolerances is beyond it.
constexpr double tolerances_beyond = 10.0;

struct Bound {
  std::string_view name;  ///< min or max
  double value = 0.0;
  double sign = 1.0;  ///< of values beyond it
};

/// The sentence, or an empty text.
std::string violation(const Solution& solution, std::size_t column, const Bound& bound) {
  if (!std::isfinite(bound.value)) return {};
  double size = std::abs(bound.value);
  for (std::size_t i = 0; i < solution.n_rows(); ++i) {
    const double value = solution.row(i)[column];
    if (std::isfinite(value)) size = std::max(size, std::abs(value));
  }
  const double slack = tolerances_beyond * solution.rtol * size;
  for (std::size_t i = 0; i < solution.n_rows(); ++i) {
    const double value = solution.row(i)[column];
    if (!(bound.sign * (value - bound.value) > slack)) continue;
    double t = solution.times[i];
    if (i > 0) {
      // Where the line between the two rows meets the bound; the row before is at most at it.
      const double before = solution.row(i - 1)[column];
      const double share = std::clamp((bound.value - before) / (value - before), 0.0, 1.0);
      t = solution.times[i - 1] + share * (t - solution.times[i - 1]);
    }
    return fmt::format(
        "From t = {:.4g} on '{}' is {} its {} = {:g}: it comes to {:.6g} at t = {:.6g}.", t,
        solution.names[column], bound.sign > 0.0 ? "above" : "below", bound.name, bound.value,
        value, solution.times[i]);
  }
  return {};
}

}  // namespace

std::vector<std::string> bounds_left(const Model& model, const Solution& solution) {
  std::vector<std::string> sentences;
  std::unordered_map<std::string_view, std::size_t> columns;
  for (std::size_t j = 0; j < solution.names.size(); ++j) columns.emplace(solution.names[j], j);
  for (const auto& variables : {model.variables(), model.discretes()}) {
    for (const Variable& variable : variables) {
      const auto column = columns.find(variable.name);
      if (column == columns.end()) continue;
      for (const Bound& bound :
           {Bound{"min", variable.min, -1.0}, Bound{"max", variable.max, 1.0}}) {
        std::string sentence = violation(solution, column->second, bound);
        if (!sentence.empty()) sentences.push_back(std::move(sentence));
        if (sentences.size() == most_sentences) return sentences;
      }
    }
  }
  return sentences;
}

}  // namespace daedal::solve_detail
