// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernel/compiler/encoding.hpp"

namespace daedal::kernel {

/// Instructions for an interpreter: narrow where the offsets allow it, else wide.
struct EncodedCode {
  std::vector<NarrowInstruction> narrow;
  std::vector<WideInstruction> wide;
};

/// Pairs neighbouring instructions and packs them, for registers of `n_lanes` doubles.
EncodedCode encode(std::span<const Instruction> instructions, Index n_registers, Index n_lanes);

}  // namespace daedal::kernel
