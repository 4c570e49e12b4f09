// SPDX-License-Identifier: BSD-3-Clause
#define DAEDAL_VECTOR_WIDTH 4
#include "kernel/lanes/backends.hpp"
#include "kernel/lanes/lane_backend.hpp"
// The interpreter is made from the definitions above it.
#include "kernel/interpreter.hpp"
#include "kernel/lanes/convolution.hpp"
#include "kernel/sin_cos.hpp"

namespace daedal::kernel {

extern const Backend lanes_avx2{"avx2", interpret<NarrowInstruction>, interpret<WideInstruction>,
                                sum_lanes};

extern const SinCosOfSeveral sin_cos_4{4, Angles<4>::of_several};

extern const Convolution convolution_4{convolve};

}  // namespace daedal::kernel
