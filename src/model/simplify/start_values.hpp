// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Start values of variables that turn out to be one: fixed values win over guesses, and must agree
/// with each other.

#include <span>
#include <string>
#include <vector>

#include "expr/pool.hpp"
#include "model/model_data.hpp"

namespace daedal {

/// The declaration of one member of an alias class, in the pool of the simplified model.
struct AliasDeclaration {
  const Variable* variable = nullptr;
  NodeId start = no_node;  ///< of the member itself
  int sign = 1;            ///< member = sign · representative
};

/// What the members say about the representative: start, fixed, nominal, bounds. `members` holds
/// the representative first. Fixed starts that differ by an expression of parameters, which only a
/// run can compare, go to `initial_equations`.
Variable merge_declarations(Pool& pool, std::span<const AliasDeclaration> members,
                            NodeId representative, std::vector<Equation>& initial_equations);

/// A class that an equation makes constant: a fixed start must agree with the constant.
void check_constant_start(Pool& pool, const AliasDeclaration& member, NodeId constant,
                          std::vector<Equation>& initial_equations);

}  // namespace daedal
