// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

namespace daedal {

/// What memcpy does, without a call for so few numbers that it would cost more than the copy.
/// Returns the end of what was written.
inline double* copy_short(const double* from, std::size_t n, double* to) {
  typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
  constexpr std::size_t few = 8;
  if (n > few) return std::copy_n(from, n, to);
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const Pair pair = *reinterpret_cast<const Pair*>(from + i);
    *reinterpret_cast<Pair*>(to + i) = pair;
  }
  if (i < n) to[i] = from[i];
  return to + n;
}

}  // namespace daedal
