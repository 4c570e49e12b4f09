// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// An equation read as a sum: lhs − rhs = Σ coefficient·node, as far as additions, changes of sign
/// and numeric factors reach. What is not a sum stays one term.

#include <vector>

#include "expr/pool.hpp"

namespace daedal {

struct LinearTerm {
  NodeId node = no_node;
  double coefficient = 0.0;
};

/// The terms of lhs − rhs, each node once, ascending; terms that cancel are left out.
std::vector<LinearTerm> linear_terms(const Pool& pool, NodeId lhs, NodeId rhs);

/// Σ coefficient·node as an expression.
NodeId sum_of_terms(Pool& pool, const std::vector<LinearTerm>& terms);

}  // namespace daedal
