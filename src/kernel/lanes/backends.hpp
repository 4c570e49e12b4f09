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

/// An operation of staged series; r, a, b and g are the places of their coefficients 0.
struct SeriesStep {
  enum class Rule : std::uint8_t {
    linear,     ///< factor_a·a + factor_b·b
    scaled,     ///< a times the held b
    product,    ///< a·b
    square,     ///< a²
    quotient,   ///< a/b
    root,       ///< √a
    power,      ///< a^b with b held
    primitive,  ///< r' = factor_a·g·a'
    other,      ///< not done by a sweep
  };
  static constexpr int padding = 8;  ///< zeros before every series
  Rule rule = Rule::other;
  std::int32_t lead = 0;
  std::int32_t r = 0, a = 0, b = 0, g = 0;
  double factor_a = 1.0, factor_b = 0.0;
};
/// The coefficients s + lead of steps, s ≥ 1; returns the first step that it leaves to others.
using SeriesSweep = const SeriesStep* (*)(const SeriesStep* first, const SeriesStep* end,
                                          double* data, int s);
extern const SeriesSweep series_sweep_2;
extern const SeriesSweep series_sweep_4;  ///< of AVX2
extern const SeriesSweep series_sweep_8;  ///< of AVX-512
/// Those that this machine can run, the fastest last.
std::span<const SeriesSweep> available_series_sweeps();

/// The lane back ends that this machine can run, the fastest last.
std::span<const Backend* const> available_lane_backends();

}  // namespace daedal::kernel
