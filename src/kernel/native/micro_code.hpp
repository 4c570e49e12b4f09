// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The instructions of a program taken apart into what a processor does in one instruction, in
/// static single assignment form: the formulas of operations.hpp run on symbols and note each step.
///
/// Values are numbered
///
///     constants of the program | inputs | 0 and 1 | computed

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/compiler/code.hpp"

namespace daedal::kernel {

/// In place of a value, a register or an operation.
inline constexpr std::uint32_t no_micro = ~0U;

// clang-format off
enum class Micro : std::uint8_t {
  // Operations on two operands; comparisons and their combinations are masks of all bits or none.
  add, sub, mul, div, both, either, less, less_equal, greater, greater_equal, equal, not_equal,
  // Operations on one operand.
  negate, absolute, square_root, round_down,
  select,   ///< operand 0 is the mask
  call,     ///< a function of one or two numbers
  sin_cos,  ///< `cosine` is its second result
};
// clang-format on

struct MicroOperation {
  Micro kind = Micro::add;
  std::uint32_t result = no_micro;  ///< no_micro if it is not used
  std::uint32_t cosine = no_micro;
  std::array<std::uint32_t, 3> operands{no_micro, no_micro, no_micro};
  /// Per operand, the next operation that uses the same value; none after the last.
  std::array<std::uint32_t, 3> next_use{no_micro, no_micro, no_micro};
  const void* function = nullptr;  ///< of a call
};

struct MicroCode {
  std::vector<MicroOperation> operations;
  std::uint32_t first_input = 0;
  std::uint32_t zero = 0;  ///< one is the next value, the first computed one the next but one
  /// The program's register of each computed value; none for values within one instruction.
  std::vector<std::uint32_t> register_of;
  std::vector<std::uint32_t> first_use;  ///< of computed values; no_micro of outputs without one

  [[nodiscard]] std::uint32_t first_computed() const { return zero + 2; }
  [[nodiscard]] std::uint32_t n_values() const {
    return first_computed() + static_cast<std::uint32_t>(register_of.size());
  }
};

MicroCode take_apart(const Program::Code& code);

}  // namespace daedal::kernel
