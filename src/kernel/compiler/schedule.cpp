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
constexpr std::size_t partner_window = 64;  ///< instructions looked ahead for a second sin_cos

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

/// Moves every second sin_cos up to the one before it, where its argument is there already: the
/// interpreter takes two at once.
void pair_sin_cos(StaticCode& code) {
  std::vector<bool> is_made(code.n_computed, false);
  std::vector<bool> is_moved(code.instructions.size(), false);
  std::vector<Instruction> result;
  result.reserve(code.instructions.size());
  const auto append = [&](const Instruction& instruction) {
    is_made[value::number(instruction.r)] = true;
    if (is_sin_cos(instruction)) is_made[value::number(instruction.d)] = true;
    result.push_back(instruction);
  };
  const auto is_ready = [&](std::uint32_t v) {
    return value::kind(v) != value::Kind::computed || is_made[value::number(v)];
  };
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    if (is_moved[i]) continue;
    const std::size_t end = std::min(code.instructions.size(), i + 1 + partner_window);
    std::size_t partner = end;
    if (is_sin_cos(code.instructions[i])) {
      partner = i + 1;
      while (partner < end && (is_moved[partner] || !is_sin_cos(code.instructions[partner]) ||
                               !is_ready(code.instructions[partner].a))) {
        ++partner;
      }
    }
    append(code.instructions[i]);
    if (partner == end) continue;
    append(code.instructions[partner]);
    is_moved[partner] = true;
  }
  code.instructions = std::move(result);
}

/// Among `waiting`, the one that makes two of the last sin_cos; or their number.
std::size_t find_partner(const std::vector<Instruction>& waiting, const Instruction& last,
                         const std::vector<std::ptrdiff_t>& made_at) {
  const auto is_partner = [&](const Instruction& instruction) {
    return is_sin_cos(instruction) && instruction.a != last.r && instruction.a != last.d &&
           newest_operand(instruction, made_at) != not_yet;
  };
  return static_cast<std::size_t>(std::ranges::find_if(waiting, is_partner) - waiting.begin());
}

}  // namespace

void schedule(StaticCode& code) {
  pair_sin_cos(code);
  std::vector<std::ptrdiff_t> made_at(code.n_computed, not_yet);
  std::vector<Instruction> result;
  result.reserve(code.instructions.size());
  std::vector<Instruction> waiting;
  std::size_t next = 0;
  bool wants_partner = false;  ///< the last instruction is a sin_cos that is not yet one of two
  while (result.size() < code.instructions.size()) {
    while (waiting.size() < window && next < code.instructions.size()) {
      waiting.push_back(code.instructions[next++]);
    }
    const std::ptrdiff_t now = std::ssize(result);
    std::size_t chosen = 0;
    std::ptrdiff_t oldest = not_yet;
    const std::size_t partner =
        wants_partner ? find_partner(waiting, result.back(), made_at) : waiting.size();
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const std::ptrdiff_t newest = newest_operand(waiting[i], made_at);
      if (newest < oldest) {
        oldest = newest;
        chosen = i;
      }
      if (newest != not_yet && newest <= now - distance) break;
    }
    if (partner < waiting.size()) chosen = partner;
    const Instruction instruction = waiting[chosen];
    wants_partner = is_sin_cos(instruction) && !wants_partner;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
    made_at[value::number(instruction.r)] = now;
    if (instruction.operation == Operation::sin_cos) made_at[value::number(instruction.d)] = now;
    result.push_back(instruction);
  }
  code.instructions = std::move(result);
}

}  // namespace daedal::kernel
