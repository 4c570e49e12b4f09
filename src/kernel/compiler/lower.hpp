// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From expression graph to instructions in static single assignment form: every value has one
/// instruction that makes it. Registers are allocated afterwards (see allocate.hpp).

#include <cstdint>
#include <span>
#include <vector>

#include "expr/pool.hpp"
#include "kernel/operations.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

/// A value before it has a register: its kind in the two top bits, its number below.
namespace value {
enum class Kind : std::uint32_t { computed, constant, input };
inline constexpr int shift = 30;
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

}  // namespace daedal::kernel
