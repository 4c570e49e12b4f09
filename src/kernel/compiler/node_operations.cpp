// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/compiler/node_operations.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>

namespace daedal::kernel {

Operation plain_operation(Op op) {
  switch (op) {
#define DAEDAL_SAME(name, ...) \
  case Op::name:               \
    return Operation::name;
    DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_SAME)
    DAEDAL_SAME(neg)
    DAEDAL_SAME(add)
    DAEDAL_SAME(sub)
    DAEDAL_SAME(mul)
    DAEDAL_SAME(div)
    DAEDAL_SAME(pow)
    DAEDAL_SAME(atan2)
    DAEDAL_SAME(external)
    DAEDAL_SAME(min)
    DAEDAL_SAME(max)
    DAEDAL_SAME(less)
    DAEDAL_SAME(less_equal)
    DAEDAL_SAME(greater)
    DAEDAL_SAME(greater_equal)
    DAEDAL_SAME(equal)
    DAEDAL_SAME(not_equal)
    DAEDAL_SAME(logical_and)
    DAEDAL_SAME(logical_or)
    DAEDAL_SAME(logical_not)
    DAEDAL_SAME(if_else)
#undef DAEDAL_SAME
    default:
      throw Error(ErrorCode::internal, "A leaf reached the kernel as an operation.");
  }
}

std::string describe_leaf(const Node& node) {
  switch (node.op) {
    case Op::time:
      return "time";
    case Op::parameter:
      return fmt::format("parameter {}", node.symbol);
    case Op::variable:
      return fmt::format("variable {} (derivative of order {})", node.symbol, node.order);
    case Op::discrete:
      return fmt::format("discrete variable {}", node.symbol);
    case Op::pre:
      return fmt::format("pre of discrete variable {}", node.symbol);
    case Op::pre_variable:
      return fmt::format("pre of variable {}", node.symbol);
    case Op::final_variable:
      return fmt::format("variable {} at the end of the interval", node.symbol);
    case Op::sample:
      return fmt::format("sampler {}", node.symbol);
    case Op::initial:
      return "initial()";
    case Op::terminal:
      return "terminal()";
    default:
      return "an operation";
  }
}

int arity(Operation operation) {
  switch (operation) {
#define DAEDAL_ARITY(name, n, ...) \
  case Operation::name:            \
    return n;
    DAEDAL_KERNEL_OPERATIONS(DAEDAL_ARITY)
#undef DAEDAL_ARITY
    case Operation::sin_cos:
      return 1;
    case Operation::stop:
      return 0;
  }
  return 0;
}

}  // namespace daedal::kernel
