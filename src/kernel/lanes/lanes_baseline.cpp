// SPDX-License-Identifier: BSD-3-Clause
#define DAEDAL_VECTOR_WIDTH 2
#include "kernel/lanes/backends.hpp"
#include "kernel/lanes/lane_backend.hpp"
// The interpreter is made from the definitions above it.
#include "kernel/interpreter.hpp"
#include "kernel/lanes/series_sweep.hpp"

namespace daedal::kernel {

extern const Backend lanes_baseline{"baseline", interpret<NarrowInstruction>,
                                    interpret<WideInstruction>, sum_lanes};

extern const SeriesSweep series_sweep_2{sweep};

}  // namespace daedal::kernel
