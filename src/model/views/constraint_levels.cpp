// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/constraint_levels.hpp"

#include "model/views/held_substitution.hpp"

namespace daedal {

ConstraintLevels constraint_levels(Pool& pool, const std::vector<NodeId>& constraints,
                                   const std::vector<std::vector<std::int32_t>>& states) {
  // d/dt makes der(x) of every state x: the next member of the chain, or zero for the last, whose
  // derivative enters g⁽ᵐ⁾ through G x⁽ᵐ⁾ alone.
  std::vector<NodeId> from, to;
  for (std::size_t k = 0; k < states.size(); ++k) {
    for (std::size_t i = 0; i < states[k].size(); ++i) {
      from.push_back(pool.variable(states[k][i], 1));
      to.push_back(k + 1 < states.size() ? pool.variable(states[k + 1][i]) : pool.constant(0.0));
    }
  }
  ConstraintLevels result;
  result.levels.push_back(constraints);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto derivative = total_time_derivative(pool, result.levels.back());
    auto level = substitute_held(pool, derivative, from, to);
    if (k + 1 < states.size()) {
      result.levels.push_back(std::move(level));
    } else {
      result.remainder = std::move(level);
    }
  }
  std::vector<NodeId> x;
  for (const std::int32_t variable : states.front()) x.push_back(pool.variable(variable));
  result.jacobian = jacobian(pool, constraints, x);
  return result;
}

}  // namespace daedal
