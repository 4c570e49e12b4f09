// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/lanes/backends.hpp"

#include <array>

namespace daedal::kernel {

namespace {

struct Available {
  std::array<const Backend*, 3> backends{};
  std::size_t count = 0;
};

Available find_available() {
  Available found;
  found.backends[found.count++] = &lanes_baseline;
#if defined(DAEDAL_KERNEL_X86_LANES)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) found.backends[found.count++] = &lanes_avx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    found.backends[found.count++] = &lanes_avx512;
  }
#endif
  return found;
}

}  // namespace

std::span<const Backend* const> available_lane_backends() {
  static const Available available = find_available();
  return std::span(available.backends).first(available.count);
}

}  // namespace daedal::kernel
