// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>

#include "core/short_copy.hpp"
#include "kernel/compiler/code.hpp"
#include "kernel/compiler/encode.hpp"
#include "kernel/compiler/passes.hpp"
#include "kernel/lanes/backends.hpp"
#include "kernel/native/native_code.hpp"

namespace daedal::kernel {

namespace {

Program::Code finish(StaticCode ssa) {
  schedule(ssa);
  Program::Code code = allocate_registers(std::move(ssa));
  code.scalar = encode(code.instructions, code.n_registers, 1);
  code.tier = std::make_unique<Tier>(code.n_operations);
  return code;
}

}  // namespace

Program::Program() {
  // Many models have no events, inputs or outputs: programs without values share their code.
  static const auto nothing = std::make_shared<const Code>(finish({}));
  code_ = nothing;
}

Program Program::compile(const Pool& pool, std::span<const NodeId> outputs,
                         std::span<const Input> inputs) {
  Program program;
  ++n_compilations();
  if (outputs.empty()) return program;
  program.code_ = std::make_shared<const Code>(finish(lower(pool, outputs, inputs)));
  return program;
}

std::int64_t& Program::n_compilations() {
  thread_local std::int64_t count = 0;
  return count;
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

namespace {

struct Interpreter {
  const Backend& backend;
  const EncodedCode& encoded;

  void operator()(double* registers) const {
    if (encoded.wide.empty()) {
      backend.run_narrow(encoded.narrow.data(), registers);
    } else {
      backend.run_wide(encoded.wide.data(), registers);
    }
  }
};

/// Copies the inputs in and runs; `n_lanes` doubles per register.
template <std::size_t n_lanes>
void run(const Program::Code& code, const Interpreter& interpret, double* registers,
         std::span<const double* const> blocks) {
  double* to = registers + n_lanes * code.constants.size();
  for (const InputRun& input : code.inputs) {
    const double* from = blocks[input.block] + n_lanes * to_size(input.offset);
    to = copy_short(from, n_lanes * to_size(input.count), to);
  }
  interpret(registers);
  for (const OutputCopy& copy : code.copies) {
    copy_short(registers + n_lanes * copy.from, n_lanes, registers + n_lanes * copy.to);
  }
}

}  // namespace

void Program::evaluate(std::span<const double* const> blocks, std::span<double> out,
                       Workspace& workspace) const {
  code_->check({.workspace = workspace.code_.get(),
                .n_blocks = blocks.size(),
                .n_out = out.size(),
                .values_per_output = 1});
  double* const registers = workspace.registers_.data();
  if (const NativeCode* const native = code_->tier->native()) {
    native->run(blocks.data(), out.data(), registers);
    return;
  }
  run<1>(*code_, {scalar, code_->scalar}, registers, blocks);
  copy_short(registers + code_->first_output, out.size(), out.data());
  code_->tier->count(*code_);
}

std::span<double> Program::evaluate(std::span<const double* const> blocks,
                                    Workspace& workspace) const {
  const Code& code = *code_;
  code.check({.workspace = workspace.code_.get(),
              .n_blocks = blocks.size(),
              .n_out = to_size(code.n_outputs),
              .values_per_output = 1});
  double* const registers = workspace.registers_.data();
  if (const NativeCode* const native = code.tier->native()) {
    native->run(blocks.data(), registers);
  } else {
    run<1>(code, {scalar, code.scalar}, registers, blocks);
    code.tier->count(code);
  }
  return {registers + code.first_output, to_size(code.n_outputs)};
}

std::span<double> Program::outputs(Workspace& workspace) const {
  return std::span(workspace.registers_)
      .subspan(to_size(code_->first_output), to_size(code_->n_outputs));
}

LaneWorkspace Program::make_lane_workspace(std::string_view instruction_set) const {
  const auto available = available_lane_backends();
  auto chosen = available.end() - 1;
  if (!instruction_set.empty()) {
    chosen = std::find_if(available.begin(), available.end(),
                          [&](const Backend* backend) { return backend->name == instruction_set; });
    if (chosen == available.end()) {
      throw Error(ErrorCode::internal,
                  fmt::format("This machine has no lanes for \"{}\".", instruction_set));
    }
  }
  LaneWorkspace workspace;
  workspace.code_ = code_;
  workspace.backend_ = *chosen;
  workspace.encoded_ =
      std::make_shared<const EncodedCode>(encode(code_->instructions, code_->n_registers, n_lanes));
  workspace.registers_.assign(to_size(n_lanes * code_->n_registers), 0.0);
  auto to = workspace.registers_.begin();
  for (const double constant : code_->constants) to = std::fill_n(to, n_lanes, constant);
  return workspace;
}

void Program::evaluate_lanes(std::span<const double* const> blocks, std::span<double> out,
                             LaneWorkspace& workspace) const {
  code_->check({.workspace = workspace.code_.get(),
                .n_blocks = blocks.size(),
                .n_out = out.size(),
                .values_per_output = n_lanes});
  double* const registers = workspace.registers_.data();
  run<n_lanes>(*code_, {*workspace.backend_, *workspace.encoded_}, registers, blocks);
  std::copy_n(registers + n_lanes * code_->first_output, out.size(), out.begin());
}

void Program::Code::refuse() {
  throw Error(ErrorCode::internal,
              "A program is evaluated with blocks, outputs or a workspace that are not its own.");
}

}  // namespace daedal::kernel
