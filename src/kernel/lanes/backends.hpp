// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The back ends: each runs instructions up to `stop` on registers, which are one double each
/// (scalar) or eight (lanes).

#include <span>

#include "kernel/compiler/encoding.hpp"

namespace daedal::kernel {

struct Backend {
  const char* name;
  void (*run_narrow)(const NarrowInstruction* instructions, double* registers);
  void (*run_wide)(const WideInstruction* instructions, double* registers);
};

extern const Backend scalar;

// Compiled for the instruction set in their name: run them only where it is present.
extern const Backend lanes_baseline;
extern const Backend lanes_avx2;
extern const Backend lanes_avx512;

/// The lane back ends that this machine can run, the fastest last.
std::span<const Backend* const> available_lane_backends();

}  // namespace daedal::kernel
