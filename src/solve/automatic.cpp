// SPDX-License-Identifier: BSD-3-Clause
#include "solve/automatic.hpp"

#include <algorithm>
#include <array>
#include <daedal/error.hpp>

#include "analysis/structural_model.hpp"

namespace daedal::solve_detail {

namespace {

struct Rule {
  std::string_view method;
  std::string_view reason;
  std::size_t max_unknowns = std::numeric_limits<std::size_t>::max();
  bool is_for_singular = false;
};

/// Derivative arrays are dense: at index 3 and this size one decomposition takes about a second.
constexpr std::size_t largest_array = 150;

constexpr std::array rules{
    Rule{"direct", "The index of the model is at most 1: its equations are solved as written."},
    // Cheapest of the methods that stay on the constraints, and no slower than the one that drifts:
    // projection costs about a tenth of an explicit run (see docs/performance.md).
    Rule{"orthogonal-projection",
         "The model is a constrained mechanical system of index 3: accelerations are solved for, "
         "and every step is projected on the constraints."},
    Rule{"trust-region",
         "The constraints of the mechanical system are redundant or singular at the start: "
         "multipliers are found by least squares.",
         std::numeric_limits<std::size_t>::max(), true},
    Rule{"dummy-derivatives",
         "The index of the model is above 1, and its structure shows which equations to "
         "differentiate: all constraints are kept, and states are selected on the way."},
    // Needs no structure, only numbers; dense, so the last resort.
    Rule{"derivative-array",
         "The index of the model is above 1 and its structure does not show why: its hidden "
         "constraints are found from the derivatives of the equations.",
         largest_array},
};

/// The structure is asked before a start is searched: where it shows constraints between
/// differential variables, the equations as written have none worth searching for.
bool is_of_higher_index(const Model& model) {
  try {
    return analysis::structural_report(model).index > 1;
  } catch (const ModelError&) {
    return false;  // structurally singular: the start says it with more words
  }
}

}  // namespace

std::vector<Candidate> candidates(const Options& options, const Model& model) {
  if (options.method != "auto") return {{&formulation::find_method(options.method), {}}};
  std::vector<Candidate> result;
  for (const Rule& rule : rules) {
    for (const formulation::MethodInfo& method : formulation::methods()) {
      if (method.name == rule.method) {
        result.push_back({&method, rule.reason, rule.max_unknowns, rule.is_for_singular});
      }
    }
  }
  if (is_of_higher_index(model)) std::rotate(result.begin(), result.begin() + 1, result.end());
  return result;
}

}  // namespace daedal::solve_detail
