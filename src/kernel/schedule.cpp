// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/schedule.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernel/node_operations.hpp"

namespace daedal::kernel {

namespace {

// tuned: bench/kernel_bench
constexpr std::size_t window = 16;      ///< instructions looked ahead
constexpr std::ptrdiff_t distance = 4;  ///< wished between making a value and using it

constexpr std::ptrdiff_t not_yet = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::ptrdiff_t long_ago = std::numeric_limits<std::ptrdiff_t>::min();

/// When the newest operand was made: its place in the new order.
std::ptrdiff_t newest_operand(const Instruction& instruction,
                              const std::vector<std::ptrdiff_t>& made_at) {
  const std::array fields{instruction.a, instruction.b, instruction.c, instruction.d};
  std::ptrdiff_t newest = long_ago;
  for (int k = 0; k < arity(instruction.operation); ++k) {
    const std::uint32_t v = fields[static_cast<std::size_t>(k)];
    if (value::kind(v) == value::Kind::computed) {
      newest = std::max(newest, made_at[value::number(v)]);
    }
  }
  return newest;
}

}  // namespace

void schedule(StaticCode& code) {
  std::vector<std::ptrdiff_t> made_at(code.n_computed, not_yet);
  std::vector<Instruction> result;
  result.reserve(code.instructions.size());
  std::vector<Instruction> waiting;
  std::size_t next = 0;
  while (result.size() < code.instructions.size()) {
    while (waiting.size() < window && next < code.instructions.size()) {
      waiting.push_back(code.instructions[next++]);
    }
    const std::ptrdiff_t now = std::ssize(result);
    std::size_t chosen = 0;
    std::ptrdiff_t oldest = not_yet;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const std::ptrdiff_t newest = newest_operand(waiting[i], made_at);
      if (newest < oldest) {
        oldest = newest;
        chosen = i;
      }
      if (newest != not_yet && newest <= now - distance) break;
    }
    const Instruction instruction = waiting[chosen];
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
    made_at[value::number(instruction.r)] = now;
    if (instruction.operation == Operation::sin_cos) made_at[value::number(instruction.d)] = now;
    result.push_back(instruction);
  }
  code.instructions = std::move(result);
}

}  // namespace daedal::kernel
