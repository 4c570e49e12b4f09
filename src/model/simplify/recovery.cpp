// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/recovery.hpp"

#include <utility>

#include "expr/calculus.hpp"

namespace daedal {

namespace {

enum Block : int { time_block, values_block, derivatives_block, discretes_block, parameters_block };

kernel::Input input_of(const Pool& pool, NodeId leaf) {
  const Node& node = pool[leaf];
  switch (node.op) {
    case Op::variable:
      return {leaf, node.order == 0 ? values_block : derivatives_block, node.symbol};
    case Op::discrete:
      return {leaf, discretes_block, node.symbol};
    case Op::parameter:
      return {leaf, parameters_block, node.symbol};
    default:
      return {leaf, time_block, 0};
  }
}

}  // namespace

Recovery::Recovery(std::vector<std::string> names, const Pool& pool,
                   std::span<const NodeId> expressions)
    : names_(std::move(names)), expressions_(expressions.begin(), expressions.end()) {
  std::vector<kernel::Input> inputs;
  for (const NodeId leaf : dependencies(pool, expressions)) {
    if (pool[leaf].op != Op::constant) inputs.push_back(input_of(pool, leaf));
  }
  program_ = kernel::Program::compile(pool, expressions, inputs);
}

void Recovery::evaluate(const RecoveryInput& input, std::span<double> out,
                        kernel::Workspace& workspace) const {
  const double* const blocks[] = {&input.time, input.values.data(), input.derivatives.data(),
                                  input.discretes.data(), input.parameters.data()};
  program_.evaluate(blocks, out, workspace);
}

}  // namespace daedal
