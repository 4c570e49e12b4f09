// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/sin_cos.hpp"

#include "kernel/native/sin_cos.hpp"

namespace daedal::kernel {

extern const SinCosOfSeveral sin_cos_8{8, [](double* arguments) {
                                         Angles<8>::sin_cos(arguments, arguments + sin_cos_stride,
                                                            arguments + 2 * sin_cos_stride);
                                       }};

}  // namespace daedal::kernel
