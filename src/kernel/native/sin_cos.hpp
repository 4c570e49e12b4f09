// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sines and cosines of several numbers at once, for native code.

#include <cstddef>

namespace daedal::kernel {

/// Room for 8 arguments, their sines, and their cosines.
constexpr std::size_t sin_cos_stride = 8;

struct SinCosOfSeveral {
  std::size_t width;
  /// arguments[i] to sines arguments[8 + i] and cosines arguments[16 + i].
  void (*function)(double* arguments);
};

extern const SinCosOfSeveral sin_cos_2;
// Compiled for AVX2 and AVX-512: call them only where these are present.
extern const SinCosOfSeveral sin_cos_4;
extern const SinCosOfSeveral sin_cos_8;

}  // namespace daedal::kernel
