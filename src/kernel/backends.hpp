// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The entry points of the back ends: each runs `instructions` up to `stop` on `registers`, which
/// are one double each (scalar) or eight (lanes).

#include <span>

#include "kernel/operations.hpp"

namespace daedal::kernel {

using Interpreter = void (*)(const Instruction* instructions, double* registers);

void interpret_scalar(const Instruction* instructions, double* registers);

// Compiled for the instruction set in their name: run them only where it is present.
void interpret_lanes_baseline(const Instruction* instructions, double* registers);
void interpret_lanes_avx2(const Instruction* instructions, double* registers);
void interpret_lanes_avx512(const Instruction* instructions, double* registers);

struct LaneBackend {
  const char* name;
  Interpreter interpret;
};

/// The lane back ends that this machine can run, the fastest last.
std::span<const LaneBackend> available_lane_backends();

}  // namespace daedal::kernel
