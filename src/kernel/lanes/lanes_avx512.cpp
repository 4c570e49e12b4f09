// SPDX-License-Identifier: BSD-3-Clause
#define DAEDAL_VECTOR_WIDTH 8
#include "kernel/lanes/backends.hpp"
#include "kernel/lanes/lane_backend.hpp"
// The interpreter is made from the definitions above it.
#include "kernel/interpreter.hpp"
#include "kernel/lanes/convolution.hpp"
#include "kernel/sin_cos.hpp"

namespace daedal::kernel {

extern const Backend lanes_avx512{"avx512", interpret<NarrowInstruction>,
                                  interpret<WideInstruction>, sum_lanes};

extern const SinCosOfSeveral sin_cos_8{8, Angles<8>::of_several};

extern const Convolution convolution_8{convolve};

}  // namespace daedal::kernel
