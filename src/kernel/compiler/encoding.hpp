// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Instructions as the interpreters read them. What limits an interpreter is the number of loads,
/// so operands are packed into 64-bit words; and jumps, so frequent operations also come in pairs:
/// two neighbouring instructions behind one opcode.
///
/// Fields are offsets in doubles: register numbers times the doubles per register.
///
/// An opcode is an Operation, or Operation::stop + 1 + 8·i + j for the paired operations i and j,
/// the second instruction following the first as usual; the opcode after the last pair is
/// Operation::sin_cos twice.

#include <cstdint>

#include "kernel/operations.hpp"

/// The operations that come in pairs. Preprocessor macros do not nest in themselves, so the list
/// for the second of a pair has a name of its own.
#define DAEDAL_KERNEL_PAIRED(X) \
  X(neg) X(add) X(sub) X(mul) X(mul_mul) X(mul_add) X(mul_sub) X(neg_mul_add)
#define DAEDAL_KERNEL_PAIRED_AFTER(X, first) \
  X(first, neg)                              \
  X(first, add)                              \
  X(first, sub)                              \
  X(first, mul) X(first, mul_mul) X(first, mul_add) X(first, mul_sub) X(first, neg_mul_add)

namespace daedal::kernel {

// The accessors are always inlined: see interpreter.hpp for why no inline function may be shared.

/// Offsets below 2^16.
struct NarrowInstruction {
  std::uint16_t opcode;
  std::uint16_t field_d;
  std::uint64_t fields;

  static constexpr NarrowInstruction encode(std::uint32_t opcode, const Instruction& i) {
    const std::uint64_t fields =
        static_cast<std::uint64_t>(i.a) | (static_cast<std::uint64_t>(i.b) << 16) |
        (static_cast<std::uint64_t>(i.c) << 32) | (static_cast<std::uint64_t>(i.r) << 48);
    return {static_cast<std::uint16_t>(opcode), static_cast<std::uint16_t>(i.d), fields};
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t a() const {
    return static_cast<std::uint16_t>(fields);
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t b() const {
    return static_cast<std::uint16_t>(fields >> 16);
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t c() const {
    return static_cast<std::uint16_t>(fields >> 32);
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t d() const { return field_d; }
  [[nodiscard, gnu::always_inline]] std::uint64_t r() const { return fields >> 48; }
};

/// Any offset.
struct WideInstruction {
  std::uint32_t opcode;
  std::uint32_t field_r;
  std::uint64_t fields_ab;
  std::uint64_t fields_cd;

  static constexpr WideInstruction encode(std::uint32_t opcode, const Instruction& i) {
    return {opcode, i.r, i.a | (static_cast<std::uint64_t>(i.b) << 32),
            i.c | (static_cast<std::uint64_t>(i.d) << 32)};
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t a() const {
    return static_cast<std::uint32_t>(fields_ab);
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t b() const { return fields_ab >> 32; }
  [[nodiscard, gnu::always_inline]] std::uint64_t c() const {
    return static_cast<std::uint32_t>(fields_cd);
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t d() const { return fields_cd >> 32; }
  [[nodiscard, gnu::always_inline]] std::uint64_t r() const { return field_r; }
};

}  // namespace daedal::kernel
