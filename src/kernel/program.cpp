// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/program.hpp"

#include <algorithm>
#include <daedal/error.hpp>

#include "kernel/allocate.hpp"
#include "kernel/backends.hpp"
#include "kernel/code.hpp"
#include "kernel/lower.hpp"

namespace daedal::kernel {

Program::Program() : code_(std::make_shared<const Code>(allocate_registers({}))) {}

Program Program::compile(const Pool& pool, std::span<const NodeId> outputs,
                         std::span<const Input> inputs) {
  Program program;
  program.code_ = std::make_shared<const Code>(allocate_registers(lower(pool, outputs, inputs)));
  return program;
}

Index Program::n_outputs() const {
  return code_->n_outputs;
}

Index Program::n_operations() const {
  return code_->n_operations;
}

Index Program::n_instructions() const {
  return to_index(code_->instructions.size()) - 1;
}

Index Program::n_registers() const {
  return code_->n_registers;
}

Workspace Program::make_workspace() const {
  Workspace workspace;
  workspace.code_ = code_;
  workspace.registers_.assign(to_size(code_->n_registers), 0.0);
  std::copy(code_->constants.begin(), code_->constants.end(), workspace.registers_.begin());
  return workspace;
}

void Program::evaluate(std::span<const double* const> blocks, std::span<double> out,
                       Workspace& workspace) const {
  const Code& code = *code_;
  if (workspace.code_ != code_ || to_index(out.size()) != code.n_outputs ||
      std::ssize(blocks) < code.n_blocks) {
    throw Error(ErrorCode::internal,
                "A program is evaluated with blocks, outputs or a workspace that are not its own.");
  }
  double* const registers = workspace.registers_.data();
  double* to = registers + code.constants.size();
  for (const InputRun& run : code.inputs) {
    const double* from = blocks[static_cast<std::size_t>(run.block)] + run.offset;
    to = std::copy(from, from + run.count, to);
  }
  interpret_scalar(code.instructions.data(), registers);
  for (const OutputCopy& copy : code.copies) registers[copy.to] = registers[copy.from];
  std::copy_n(registers + code.first_output, code.n_outputs, out.begin());
}

}  // namespace daedal::kernel
