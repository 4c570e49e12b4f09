// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From expression graph to code, in three passes. In between, instructions are in static single
/// assignment form: every value has one instruction that makes it.

#include <cstdint>
#include <span>
#include <vector>

#include "expr/pool.hpp"
#include "kernel/compiler/code.hpp"
#include "kernel/operations.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

/// A value before it has a register: its kind in the two top bits, its number below.
namespace value {
enum class Kind : std::uint32_t { computed, constant, input };
inline constexpr int shift = 30;  ///< two bits for three kinds
inline constexpr std::uint32_t encode(Kind kind, std::size_t number) {
  return (static_cast<std::uint32_t>(kind) << shift) | static_cast<std::uint32_t>(number);
}
inline constexpr Kind kind(std::uint32_t v) {
  return static_cast<Kind>(v >> shift);
}
inline constexpr std::uint32_t number(std::uint32_t v) {
  return v & ((1U << shift) - 1U);
}
}  // namespace value

/// Instructions whose fields are values, not registers.
struct StaticCode {
  std::vector<Instruction> instructions;
  std::vector<double> constants;
  std::vector<Input> inputs;  ///< those used, by block and offset, each place once
  std::vector<std::uint32_t> outputs;
  std::uint32_t n_computed = 0;
  Index n_operations = 0;
};

StaticCode lower(const Pool& pool, std::span<const NodeId> outputs, std::span<const Input> inputs);

/// Reorders instructions so that a value is made some instructions before it is used.
///
/// The processor works on about twenty instructions of ours at a time, and passes a value from one
/// to the next through memory; a long chain of dependent instructions in a row leaves it idle.
/// Looks ahead over a small window only, which keeps values short-lived and the cost linear.
void schedule(StaticCode& code);

/// Gives every value a register by one linear scan: outputs have registers of their own,
/// temporaries share theirs as soon as the last use is past. A result never takes a register of
/// its own operands, since lanes and Taylor series write results piece by piece.
Program::Code allocate_registers(StaticCode ssa);

}  // namespace daedal::kernel
