// SPDX-License-Identifier: BSD-3-Clause
#define DAEDAL_VECTOR_WIDTH 2
#include "kernel/lanes/backends.hpp"
#include "kernel/lanes/lane_backend.hpp"
// The interpreter is made from the definitions above it.
#include "kernel/interpreter.hpp"
#include "kernel/lanes/convolution.hpp"

namespace daedal::kernel {

extern const Backend lanes_baseline{"baseline", interpret<NarrowInstruction>,
                                    interpret<WideInstruction>, sum_lanes};

extern const Convolution convolution_2{convolve};

}  // namespace daedal::kernel
