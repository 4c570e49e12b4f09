// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/compiler/encode.hpp"

#include <algorithm>
#include <array>

namespace daedal::kernel {

namespace {

constexpr std::array paired{
#define DAEDAL_NAME(name) Operation::name,
    DAEDAL_KERNEL_PAIRED(DAEDAL_NAME)
#undef DAEDAL_NAME
};

/// Opcodes behind those of single operations (see encoding.hpp).
constexpr std::size_t first_pair = static_cast<std::size_t>(Operation::stop) + 1;
constexpr std::size_t two_sin_cos = first_pair + paired.size() * paired.size();

/// Its number among the paired operations, or their count.
std::size_t place_in_pair(Operation operation) {
  return static_cast<std::size_t>(std::find(paired.begin(), paired.end(), operation) -
                                  paired.begin());
}

Instruction scaled(Instruction instruction, std::uint32_t factor) {
  instruction.r *= factor;
  instruction.a *= factor;
  instruction.b *= factor;
  instruction.c *= factor;
  instruction.d *= factor;
  return instruction;
}

/// Their sines and cosines can be taken at once.
bool are_two_sin_cos(const Instruction& first, const Instruction& second) {
  return first.operation == Operation::sin_cos && second.operation == Operation::sin_cos &&
         second.a != first.r && second.a != first.d;
}

/// The opcode of instruction i: of a pair, if it and the next one make one.
std::uint32_t opcode_at(std::span<const Instruction> instructions, std::size_t i) {
  const Operation operation = instructions[i].operation;
  if (i + 1 < instructions.size() && are_two_sin_cos(instructions[i], instructions[i + 1])) {
    return static_cast<std::uint32_t>(two_sin_cos);
  }
  const std::size_t first = place_in_pair(operation);
  if (first < paired.size() && i + 1 < instructions.size()) {
    const std::size_t second = place_in_pair(instructions[i + 1].operation);
    if (second < paired.size()) {
      return static_cast<std::uint32_t>(first_pair + paired.size() * first + second);
    }
  }
  return static_cast<std::uint32_t>(operation);
}

template <class I>
std::vector<I> pack(std::span<const Instruction> instructions, std::uint32_t n_lanes) {
  std::vector<I> result;
  result.reserve(instructions.size());
  bool in_pair = false;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto own = static_cast<std::uint32_t>(instructions[i].operation);
    const std::uint32_t opcode = in_pair ? own : opcode_at(instructions, i);
    in_pair = opcode != own;
    result.push_back(I::encode(opcode, scaled(instructions[i], n_lanes)));
  }
  return result;
}

}  // namespace

EncodedCode encode(std::span<const Instruction> instructions, Index n_registers, Index n_lanes) {
  // What the 16 bits of a narrow field hold.
  constexpr Index narrow_offsets = Index{1} << 16;
  const auto factor = static_cast<std::uint32_t>(n_lanes);
  if (n_registers * n_lanes <= narrow_offsets) {
    return {.narrow = pack<NarrowInstruction>(instructions, factor), .wide = {}};
  }
  return {.narrow = {}, .wide = pack<WideInstruction>(instructions, factor)};
}

}  // namespace daedal::kernel
