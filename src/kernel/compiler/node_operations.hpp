// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the nodes of expressions are to the kernel.

#include <string>

#include "expr/pool.hpp"
#include "kernel/operations.hpp"

namespace daedal::kernel {

/// The operation of a node that has one of its own name; throws Error{internal} for others.
Operation plain_operation(Op op);

/// The number of operands; sin_cos, whose field `d` is a result, has one.
int arity(Operation operation);

/// The description of a leaf in messages.
std::string describe_leaf(const Node& node);

}  // namespace daedal::kernel
