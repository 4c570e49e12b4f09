// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The back ends: each runs instructions up to `stop` on registers, which are one double each
/// (scalar) or eight (lanes).

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/lane_sum.hpp"
#include "kernel/compiler/encoding.hpp"

namespace daedal::kernel {

struct Backend {
  const char* name;
  void (*run_narrow)(const NarrowInstruction* instructions, double* registers);
  void (*run_wide)(const WideInstruction* instructions, double* registers);
  void (*sum)(const LaneSum& sum) = nullptr;  ///< of lanes alone
};

extern const Backend scalar;

// Compiled for the instruction set in their name: run them only where it is present.
extern const Backend lanes_baseline;
extern const Backend lanes_avx2;
extern const Backend lanes_avx512;

/// Sines and cosines of several numbers at once, for machine code.
struct SinCosOfSeveral {
  static constexpr std::size_t stride = 8;  ///< room for so many
  std::size_t width;
  /// arguments[i] to sines arguments[8 + i] and cosines arguments[16 + i].
  void (*function)(double* arguments);
};
extern const SinCosOfSeveral sin_cos_2;
extern const SinCosOfSeveral sin_cos_4;  ///< of AVX2
extern const SinCosOfSeveral sin_cos_8;  ///< of AVX-512

/// Eight convolutions side by side: sums[i] = Σ_{0≤k<n} u[8k + i]·w[−8k + i], with the same bits on
/// every instruction set.
using Convolution = void (*)(const double* u, const double* w, int n, double* sums);
extern const Convolution convolution_2;
extern const Convolution convolution_4;  ///< of AVX2
extern const Convolution convolution_8;  ///< of AVX-512
/// The convolutions that this machine can run, the fastest last.
std::span<const Convolution> available_convolutions();

/// The lane back ends that this machine can run, the fastest last.
std::span<const Backend* const> available_lane_backends();

}  // namespace daedal::kernel
