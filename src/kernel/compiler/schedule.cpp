// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/compiler/passes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernel/compiler/node_operations.hpp"

namespace daedal::kernel {

namespace {

// tuned: bench/kernel_bench
constexpr std::size_t window = 16;          ///< instructions looked ahead
constexpr std::ptrdiff_t distance = 4;      ///< wished between making a value and using it
constexpr std::size_t partner_window = 64;  ///< instructions looked ahead for another sin_cos
constexpr std::ptrdiff_t most_sin_cos = 8;  ///< as many are taken at once

/// Places of values that wait for an operand, and of inputs and constants.
constexpr std::ptrdiff_t not_yet = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::ptrdiff_t long_ago = std::numeric_limits<std::ptrdiff_t>::min();

/// When the newest operand was made: its place in the new order.
std::ptrdiff_t newest_operand(const Instruction& instruction,
                              const std::vector<std::ptrdiff_t>& made_at) {
  const std::array fields{instruction.a, instruction.b, instruction.c, instruction.d};
  std::ptrdiff_t newest = long_ago;
  for (int k = 0; k < arity(instruction.operation); ++k) {
    const std::uint32_t v = fields[k];
    if (value::kind(v) == value::Kind::computed) {
      newest = std::max(newest, made_at[value::number(v)]);
    }
  }
  return newest;
}

bool is_sin_cos(const Instruction& instruction) {
  return instruction.operation == Operation::sin_cos;
}

/// Moves each sin_cos up to the one before it, where its argument is there already: several are
/// taken at once, two by the interpreter.
void gather_sin_cos(StaticCode& code) {
  std::vector<bool> is_made(code.n_computed, false);
  std::vector<bool> is_moved(code.instructions.size(), false);
  std::vector<Instruction> result;
  result.reserve(code.instructions.size());
  const auto append = [&](std::size_t i) {
    result.push_back(code.instructions[i]);
    is_moved[i] = true;
  };
  const auto can_join = [&](std::size_t i) {
    const Instruction& instruction = code.instructions[i];
    return !is_moved[i] && is_sin_cos(instruction) &&
           (value::kind(instruction.a) != value::Kind::computed ||
            is_made[value::number(instruction.a)]);
  };
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    if (is_moved[i]) continue;
    const std::ptrdiff_t first = std::ssize(result);
    append(i);
    if (is_sin_cos(code.instructions[i])) {
      const std::size_t end = std::min(code.instructions.size(), i + 1 + partner_window);
      for (std::size_t k = i + 1; k < end && std::ssize(result) - first < most_sin_cos; ++k) {
        if (can_join(k)) append(k);
      }
    }
    for (std::size_t k = to_size(first); k < result.size(); ++k) {
      is_made[value::number(result[k].r)] = true;
      if (is_sin_cos(result[k])) is_made[value::number(result[k].d)] = true;
    }
  }
  code.instructions = std::move(result);
}

}  // namespace

void schedule(StaticCode& code) {
  gather_sin_cos(code);
  std::vector<std::ptrdiff_t> made_at(code.n_computed, not_yet);
  std::vector<Instruction> result;
  result.reserve(code.instructions.size());
  std::vector<Instruction> waiting;
  std::size_t next = 0;
  std::ptrdiff_t n_gathered = 0;  ///< the last instructions are so many sin_cos
  while (result.size() < code.instructions.size()) {
    while (waiting.size() < window && next < code.instructions.size()) {
      waiting.push_back(code.instructions[next++]);
    }
    const std::ptrdiff_t now = std::ssize(result);
    const auto can_join = [&](const Instruction& instruction) {
      return is_sin_cos(instruction) && newest_operand(instruction, made_at) < now - n_gathered;
    };
    auto chosen =
        n_gathered % most_sin_cos > 0 ? std::ranges::find_if(waiting, can_join) : waiting.end();
    if (chosen == waiting.end()) {
      std::ptrdiff_t oldest = not_yet;
      for (auto it = waiting.begin(); it != waiting.end(); ++it) {
        const std::ptrdiff_t newest = newest_operand(*it, made_at);
        if (newest < oldest) {
          oldest = newest;
          chosen = it;
        }
        if (newest != not_yet && newest <= now - distance) break;
      }
    }
    const Instruction instruction = *chosen;
    n_gathered = is_sin_cos(instruction) ? n_gathered % most_sin_cos + 1 : 0;
    waiting.erase(chosen);
    made_at[value::number(instruction.r)] = now;
    if (is_sin_cos(instruction)) made_at[value::number(instruction.d)] = now;
    result.push_back(instruction);
  }
  code.instructions = std::move(result);
}

}  // namespace daedal::kernel
