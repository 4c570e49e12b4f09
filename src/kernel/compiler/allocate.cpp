// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/compiler/passes.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "kernel/compiler/node_operations.hpp"

namespace daedal::kernel {

namespace {

// Marks of values without a register and of values whose last use is past: no number reaches them.
constexpr std::uint32_t no_register = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t released = std::numeric_limits<std::size_t>::max();

class LinearScan {
 public:
  explicit LinearScan(StaticCode ssa)
      : ssa_(std::move(ssa)),
        register_(ssa_.n_computed, no_register),
        last_use_(ssa_.n_computed, 0) {}

  Program::Code run() {
    place_fixed();
    find_last_uses();
    code_.instructions.reserve(ssa_.instructions.size() + 1);
    for (std::size_t i = 0; i < ssa_.instructions.size(); ++i) assign(i);
    code_.instructions.push_back({});
    // Register 0 is what unused operands point to: it must exist.
    code_.n_registers = std::max<Index>(next_register_, 1);
    code_.n_operations = ssa_.n_operations;
    code_.constants = std::move(ssa_.constants);
    return std::move(code_);
  }

 private:
  [[nodiscard]] std::uint32_t locate(std::uint32_t v) const {
    switch (value::kind(v)) {
      case value::Kind::constant:
        return value::number(v);
      case value::Kind::input:
        return static_cast<std::uint32_t>(ssa_.constants.size()) + value::number(v);
      case value::Kind::computed:
        break;
    }
    return register_[value::number(v)];
  }

  void place_fixed() {
    code_.n_outputs = to_index(ssa_.outputs.size());
    code_.first_output = to_index(ssa_.constants.size() + ssa_.inputs.size());
    for (std::size_t i = 0; i < ssa_.outputs.size(); ++i) {
      const std::uint32_t v = ssa_.outputs[i];
      const auto own =
          static_cast<std::uint32_t>(code_.first_output) + static_cast<std::uint32_t>(i);
      if (value::kind(v) == value::Kind::computed && register_[value::number(v)] == no_register) {
        register_[value::number(v)] = own;
      } else {
        code_.copies.push_back({.from = locate(v), .to = own});
      }
    }
    next_register_ = static_cast<std::uint32_t>(code_.first_output + code_.n_outputs);
    for (const Input& input : ssa_.inputs) {
      auto& runs = code_.inputs;
      if (!runs.empty() && runs.back().block == input.block &&
          runs.back().offset + runs.back().count == input.offset) {
        ++runs.back().count;
      } else {
        runs.push_back({input.block, input.offset, 1});
      }
      code_.n_blocks = std::max(code_.n_blocks, input.block + 1);
    }
  }

  static std::span<const std::uint32_t> operands(const Instruction& instruction,
                                                 std::array<std::uint32_t, 4>& storage) {
    storage = {instruction.a, instruction.b, instruction.c, instruction.d};
    return std::span(storage).first(static_cast<std::size_t>(arity(instruction.operation)));
  }

  void find_last_uses() {
    std::array<std::uint32_t, 4> storage;
    for (std::size_t i = 0; i < ssa_.instructions.size(); ++i) {
      for (const std::uint32_t v : operands(ssa_.instructions[i], storage)) {
        if (value::kind(v) == value::Kind::computed) last_use_[value::number(v)] = i;
      }
    }
  }

  std::uint32_t define(std::uint32_t v) {
    std::uint32_t& own = register_[value::number(v)];
    if (own != no_register) return own;  // an output
    if (free_.empty()) {
      own = next_register_++;
    } else {
      own = free_.back();
      free_.pop_back();
    }
    return own;
  }

  /// An operand may be named twice by one instruction: it is released once.
  void release(std::uint32_t v, std::size_t i) {
    if (value::kind(v) != value::Kind::computed || last_use_[value::number(v)] != i) return;
    last_use_[value::number(v)] = released;
    const std::uint32_t own = register_[value::number(v)];
    if (own >= code_.first_output + code_.n_outputs) free_.push_back(own);
  }

  void assign(std::size_t i) {
    Instruction instruction = ssa_.instructions[i];
    std::array<std::uint32_t, 4> storage;
    const auto used = operands(ssa_.instructions[i], storage);
    const std::array fields{&instruction.a, &instruction.b, &instruction.c, &instruction.d};
    for (std::size_t k = 0; k < used.size(); ++k) *fields[k] = locate(used[k]);
    instruction.r = define(instruction.r);
    if (instruction.operation == Operation::sin_cos) instruction.d = define(instruction.d);
    for (const std::uint32_t v : used) release(v, i);
    code_.instructions.push_back(instruction);
  }

  StaticCode ssa_;
  std::vector<std::uint32_t> register_;
  std::vector<std::size_t> last_use_;
  std::vector<std::uint32_t> free_;
  std::uint32_t next_register_ = 0;
  Program::Code code_;
};

}  // namespace

Program::Code allocate_registers(StaticCode ssa) {
  return LinearScan(std::move(ssa)).run();
}

}  // namespace daedal::kernel
