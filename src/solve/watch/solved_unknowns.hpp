// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Unknowns of a model as expressions of its states and of time, as far as its equations can be
/// solved for them symbolically: block by block of the block triangular form.

#include <daedal/model.hpp>
#include <span>
#include <vector>

#include "expr/pool.hpp"

namespace daedal::solve_detail {

struct SolvedUnknown {
  NodeId leaf;  ///< an algebraic variable or a derivative
  /// An expression of other leaves, earlier unknowns of the list among them. Where the equations
  /// may not determine the unknown, the leaf itself is its value then.
  NodeId value;
};

/// The unknowns that the expressions `roots` depend on, directly or through others. How an equation
/// is written makes no difference: v + w = u gives v and w as well as w = u − v does. Of a
/// nonlinear block some unknowns stay leaves. `pool` is a child of the model's, in which the values
/// are made; `is_differential` tells by variable whether its derivative occurs in an equation, and
/// `is_hidden` of leaves whether they make an equation useless.
[[nodiscard]] std::vector<SolvedUnknown> solve_unknowns(const Model& model, Pool& pool,
                                                        std::span<const NodeId> roots,
                                                        const std::vector<bool>& is_differential,
                                                        bool (*is_hidden)(const Node&));

}  // namespace daedal::solve_detail
