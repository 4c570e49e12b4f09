// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/lanes/backends.hpp"

#include <array>

namespace daedal::kernel {

namespace {

struct Available {
  std::array<const Backend*, 3> backends{};
  std::array<SeriesSweep, 3> sweeps{};
  std::size_t count = 0;
  void add(const Backend& backend, SeriesSweep sweep) {
    backends[count] = &backend;
    sweeps[count++] = sweep;
  }
};

const Available& available() {
  static const Available all = [] {
    Available found;
    found.add(lanes_baseline, series_sweep_2);
#if defined(DAEDAL_KERNEL_X86_LANES)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found.add(lanes_avx2, series_sweep_4);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      found.add(lanes_avx512, series_sweep_8);
#endif
    return found;
  }();
  return all;
}

}  // namespace

std::span<const Backend* const> available_lane_backends() {
  return std::span(available().backends).first(available().count);
}

std::span<const SeriesSweep> available_series_sweeps() {
  return std::span(available().sweeps).first(available().count);
}

}  // namespace daedal::kernel
