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
constexpr std::size_t window = 16;           ///< instructions looked ahead
constexpr std::ptrdiff_t distance = 4;       ///< wished between making a value and using it
constexpr std::size_t partner_window = 256;  ///< instructions looked ahead for another sin_cos
constexpr std::ptrdiff_t most_sin_cos = 8;   ///< as many are taken at once

/// Places of values that wait for an operand, and of inputs and constants.
constexpr std::ptrdiff_t not_yet = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::ptrdiff_t long_ago = std::numeric_limits<std::ptrdiff_t>::min();

/// An instruction that is not placed yet.
struct Waiting {
  const Instruction* instruction;
  std::ptrdiff_t newest = not_yet;  ///< the place of its newest operand in the new order
  std::uint32_t missing = 0;        ///< an operand that may not have been made

  std::ptrdiff_t look(const std::vector<std::ptrdiff_t>& made_at) {
    if (newest != not_yet || made_at[missing] == not_yet) return newest;
    const std::array fields{instruction->a, instruction->b, instruction->c, instruction->d};
    std::ptrdiff_t found = long_ago;
    for (int k = 0; k < arity(instruction->operation); ++k) {
      const std::uint32_t v = fields[k];
      if (value::kind(v) != value::Kind::computed) continue;
      missing = value::number(v);
      if (made_at[missing] == not_yet) return newest;
      found = std::max(found, made_at[missing]);
    }
    return newest = found;
  }
};

bool is_sin_cos(const Instruction& instruction) {
  return instruction.operation == Operation::sin_cos;
}

/// Moves each sin_cos up to the one before it, where its argument is there already or takes one
/// instruction that can move too: several are taken at once, two by the interpreter.
class SinCosGatherer {
 public:
  explicit SinCosGatherer(StaticCode& code)
      : code_(code),
        maker_(code.n_computed),
        is_made_(code.n_computed, false),
        is_moved_(code.instructions.size(), false) {
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
      maker_[value::number(code.instructions[i].r)] = i;
      if (!is_sin_cos(code.instructions[i])) continue;
      maker_[value::number(code.instructions[i].d)] = i;
      waves_.push_back(i);
    }
    result_.reserve(code.instructions.size());
  }

  void run() {
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      if (is_moved_[i]) continue;
      group_.clear();
      if (is_sin_cos(code_.instructions[i])) gather(i);
      append(i);
      for (const std::size_t k : group_) append(k);
    }
    code_.instructions = std::move(result_);
  }

 private:
  void gather(std::size_t first) {
    for (auto wave = std::ranges::upper_bound(waves_, first); wave != waves_.end(); ++wave) {
      if (*wave > first + partner_window || std::ssize(group_) + 1 == most_sin_cos) return;
      if (!is_moved_[*wave] && bring(code_.instructions[*wave].a)) group_.push_back(*wave);
    }
  }

  [[nodiscard]] bool is_ready(std::uint32_t v) const {
    return value::kind(v) != value::Kind::computed || is_made_[value::number(v)];
  }

  void append(std::size_t i) {
    const Instruction& instruction = code_.instructions[i];
    is_moved_[i] = true;
    is_made_[value::number(instruction.r)] = true;
    if (is_sin_cos(instruction)) is_made_[value::number(instruction.d)] = true;
    result_.push_back(instruction);
  }

  /// Makes a value by one instruction, if that is enough.
  bool bring(std::uint32_t v) {
    if (is_ready(v)) return true;
    const std::size_t maker = maker_[value::number(v)];
    const Instruction& instruction = code_.instructions[maker];
    const std::array fields{instruction.a, instruction.b, instruction.c, instruction.d};
    const auto used =
        std::span(fields).first(static_cast<std::size_t>(arity(instruction.operation)));
    if (is_sin_cos(instruction) ||
        !std::ranges::all_of(used, [&](std::uint32_t u) { return is_ready(u); })) {
      return false;
    }
    append(maker);
    return true;
  }

  StaticCode& code_;
  std::vector<std::size_t> maker_;  ///< the instruction of each value
  std::vector<bool> is_made_;
  std::vector<bool> is_moved_;
  std::vector<std::size_t> waves_;  ///< the instructions that are sin_cos
  std::vector<std::size_t> group_;  ///< that join one
  std::vector<Instruction> result_;
};

}  // namespace

void schedule(StaticCode& code) {
  if (std::ranges::any_of(code.instructions, is_sin_cos)) SinCosGatherer(code).run();
  // Behind the others a value that is always there.
  std::vector<std::ptrdiff_t> made_at(code.n_computed + 1, not_yet);
  made_at.back() = long_ago;
  std::vector<Instruction> result;
  result.reserve(code.instructions.size());
  std::vector<Waiting> waiting;
  waiting.reserve(window);
  std::size_t next = 0;
  std::ptrdiff_t n_gathered = 0;  ///< the last instructions are so many sin_cos
  while (result.size() < code.instructions.size()) {
    while (waiting.size() < window && next < code.instructions.size()) {
      waiting.push_back({&code.instructions[next++], not_yet, code.n_computed});
    }
    const std::ptrdiff_t now = std::ssize(result);
    const auto can_join = [&](Waiting& one) {
      return is_sin_cos(*one.instruction) && one.look(made_at) < now - n_gathered;
    };
    auto chosen =
        n_gathered % most_sin_cos > 0 ? std::ranges::find_if(waiting, can_join) : waiting.end();
    if (chosen == waiting.end()) {
      std::ptrdiff_t oldest = not_yet;
      for (auto it = waiting.begin(); it != waiting.end(); ++it) {
        const std::ptrdiff_t newest = it->look(made_at);
        if (newest < oldest) {
          oldest = newest;
          chosen = it;
        }
        if (newest != not_yet && newest <= now - distance) break;
      }
    }
    const Instruction& instruction = *chosen->instruction;
    n_gathered = is_sin_cos(instruction) ? n_gathered % most_sin_cos + 1 : 0;
    waiting.erase(chosen);
    made_at[value::number(instruction.r)] = now;
    if (is_sin_cos(instruction)) made_at[value::number(instruction.d)] = now;
    result.push_back(instruction);
  }
  code.instructions = std::move(result);
}

}  // namespace daedal::kernel
