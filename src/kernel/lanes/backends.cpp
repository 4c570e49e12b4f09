// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/lanes/backends.hpp"

#include <array>

namespace daedal::kernel {

namespace {

struct Available {
  std::array<const Backend*, 3> backends{};
  std::array<Convolution, 3> convolutions{};
  std::size_t count = 0;
  void add(const Backend& backend, Convolution convolution) {
    backends[count] = &backend;
    convolutions[count++] = convolution;
  }
};

const Available& available() {
  static const Available all = [] {
    Available found;
    found.add(lanes_baseline, convolution_2);
#if defined(DAEDAL_KERNEL_X86_LANES)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found.add(lanes_avx2, convolution_4);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      found.add(lanes_avx512, convolution_8);
#endif
    return found;
  }();
  return all;
}

}  // namespace

std::span<const Backend* const> available_lane_backends() {
  return std::span(available().backends).first(available().count);
}

std::span<const Convolution> available_convolutions() {
  return std::span(available().convolutions).first(available().count);
}

}  // namespace daedal::kernel
