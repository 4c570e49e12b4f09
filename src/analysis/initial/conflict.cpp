// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/conflict.hpp"

#include <algorithm>
#include <cmath>

#include "core/number_text.hpp"
#include "model/labels.hpp"

namespace daedal::analysis {

namespace {

/// Parts of a null vector below this fraction of its greatest one do not count as its support.
constexpr double support_fraction = 1e-3;

}  // namespace

Conflict find_conflict(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns,
                       const ConflictPoint& point) {
  const std::size_t m = point.residual.size();
  std::vector<double> scaled(m);
  double greatest = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    scaled[i] = point.residual[i] * point.scales.row[i];
    greatest = std::max(greatest, std::abs(scaled[i]));
  }
  Conflict conflict;
  for (std::size_t i = 0; i < m; ++i) {
    if (std::abs(scaled[i]) > support_fraction * greatest)
      conflict.equations.push_back(to_index(i));
    else
      scaled[i] = 0.0;
  }
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    if (unknowns[j].role != Role::held) continue;
    double part = 0.0;
    double magnitude = 0.0;
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const auto row = to_size(pattern.row[to_size(p)]);
      const double term = scaled[row] * point.jacobian[to_size(p)] * point.scales.row[row];
      part += term;
      magnitude += std::abs(term);
    }
    // Entries that cancel mean that the value takes no part in the contradiction.
    if (magnitude > 0.0 && std::abs(part) > support_fraction * magnitude)
      conflict.held.push_back(to_index(j));
  }
  return conflict;
}

void describe_conflict(const Conflict& conflict, const ConstraintSet& constraints,
                       std::span<const InitialUnknown> unknowns, InitialValues& result) {
  result.status = Status::inconsistent_start;
  for (const Index i : conflict.equations) result.equations.push_back(constraints.equation_name(i));
  std::vector<std::string> values;
  for (const Index j : conflict.held) {
    result.variables.push_back(constraints.unknown_name(j));
    values.push_back(result.variables.back() + " = " + number_text(unknowns[to_size(j)].value));
  }
  const bool one = result.equations.size() == 1;
  const std::string which =
      std::string(one ? "the equation " : "the equations ") + join_words(result.equations);
  if (values.empty()) {
    result.message = "No initial values were found for which " + which +
                     (one ? " holds" : " hold together") +
                     "; no fixed value takes part in it. Correct the equations, or give start "
                     "values nearer to a solution.";
    return;
  }
  result.message = "No initial values were found for which " + which +
                   (one ? " holds" : " hold together") + " with the fixed " +
                   (values.size() == 1 ? "value " : "values ") + join_words(values) + ". Free " +
                   (values.size() == 1 ? "it" : "one of them") +
                   " (fixed = false), correct it, or give better start values to the others.";
}

}  // namespace daedal::analysis
