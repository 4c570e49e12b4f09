// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/sin_cos.hpp"

#include "kernel/native/sin_cos.hpp"

namespace daedal::kernel {

extern const SinCosOfSeveral sin_cos_4{4, [](double* arguments) {
                                         Angles<4>::sin_cos(arguments, arguments + sin_cos_stride,
                                                            arguments + 2 * sin_cos_stride);
                                       }};

}  // namespace daedal::kernel
