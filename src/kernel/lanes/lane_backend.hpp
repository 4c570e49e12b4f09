// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Vectors of DAEDAL_VECTOR_WIDTH doubles (2, 4 or 8: what the instruction set of the including
/// source file holds) with the functions that interpreter.hpp calls. Eight lanes are
/// 8/DAEDAL_VECTOR_WIDTH such vectors.
///
/// Every lane has the bits of the scalar interpreter: sine and cosine are those of sin_cos.hpp, the
/// other elementary functions libm's, lane by lane. glibc's vector functions would be faster, but a
/// member of an ensemble must not depend on the engine that solves it.
///
/// As in interpreter.hpp, everything has internal linkage.

#include <cstddef>
#include <cstdint>
#include <daedal/elementary.hpp>

#include "kernel/lanes/backends.hpp"
#include "kernel/sin_cos.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace daedal {
double call_external(double x, double number);  // expr/external.hpp, which needs the library
}

namespace daedal::kernel {
namespace {

typedef double V __attribute__((vector_size(DAEDAL_VECTOR_WIDTH * sizeof(double))));
typedef std::int64_t Mask __attribute__((vector_size(DAEDAL_VECTOR_WIDTH * sizeof(double))));
constexpr std::size_t width = DAEDAL_VECTOR_WIDTH;
constexpr std::size_t chunks = 8 / width;

}  // namespace
}  // namespace daedal::kernel

#define DAEDAL_LANE_BINARY(function)                                                 \
  namespace daedal::kernel {                                                         \
  namespace {                                                                        \
  namespace libm {                                                                   \
  inline V function(V a, V b) {                                                      \
    for (std::size_t i = 0; i < width; ++i) a[i] = __builtin_##function(a[i], b[i]); \
    return a;                                                                        \
  }                                                                                  \
  }                                                                                  \
  }                                                                                  \
  }
#define DAEDAL_LANE_each_lane(function)                                        \
  namespace daedal::kernel {                                                   \
  namespace {                                                                  \
  namespace libm {                                                             \
  inline V function(V a) {                                                     \
    for (std::size_t i = 0; i < width; ++i) a[i] = __builtin_##function(a[i]); \
    return a;                                                                  \
  }                                                                            \
  }                                                                            \
  }                                                                            \
  }
#define DAEDAL_LANE_libmvec(function) DAEDAL_LANE_each_lane(function)
#define DAEDAL_LANE_given(function)

#define DAEDAL_LANE(name, arity, value, taylor, slope, lanes, ...) DAEDAL_LANE_##lanes(name)
DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_LANE)
DAEDAL_LANE_BINARY(atan2)
DAEDAL_LANE_BINARY(pow)
#undef DAEDAL_LANE
#undef DAEDAL_LANE_given
#undef DAEDAL_LANE_each_lane
#undef DAEDAL_LANE_libmvec
#undef DAEDAL_LANE_BINARY

namespace daedal::kernel {
namespace {

inline void sin_cos(V a, V& sine, V& cosine) {
  double arguments[width];
  double sines[width];
  double cosines[width];
  __builtin_memcpy(arguments, &a, sizeof a);
  Angles<width>::sin_cos(arguments, sines, cosines);
  __builtin_memcpy(&sine, sines, sizeof sine);
  __builtin_memcpy(&cosine, cosines, sizeof cosine);
}

inline void two_sin_cos(const V* a, V* sine, V* cosine) {
  for (int i = 0; i < 2; ++i) sin_cos(a[i], sine[i], cosine[i]);
}

namespace libm {

inline V external(V a, V b) {
  for (std::size_t i = 0; i < width; ++i) a[i] = call_external(a[i], b[i]);
  return a;
}

inline V abs(V a) {
  constexpr std::int64_t all_but_sign = 0x7fff'ffff'ffff'ffff;
  return reinterpret_cast<V>(reinterpret_cast<Mask>(a) & all_but_sign);
}

inline V sqrt(V a) {
#if defined(__x86_64__) && DAEDAL_VECTOR_WIDTH == 2
  return _mm_sqrt_pd(a);
#elif defined(__x86_64__) && DAEDAL_VECTOR_WIDTH == 4
  return _mm256_sqrt_pd(a);
#elif defined(__x86_64__) && DAEDAL_VECTOR_WIDTH == 8
  return _mm512_sqrt_pd(a);
#else
  for (std::size_t i = 0; i < width; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
#endif
}

}  // namespace libm

inline V lanes_at(const double* from, std::size_t at) {
  V v;
  __builtin_memcpy(&v, from + at, sizeof v);
  return v;
}

/// See LaneSum.
void sum_lanes(const LaneSum& sum) {
  for (std::size_t at = 0; at < 8 * sum.n; at += width) {
    V total{};
    if (sum.start != nullptr) total = lanes_at(sum.start, at);
    const V h = sum.h != nullptr ? lanes_at(sum.h, at % 8) : V{} + 1.0;
    const LaneTerm* term = sum.terms;
    const LaneTerm* const end = term + sum.n_terms;
    for (; sum.in_pairs && end - term >= 2; term += 2) {
      total += (h * term[0].weight) * lanes_at(term[0].values, at) +
               (h * term[1].weight) * lanes_at(term[1].values, at);
    }
    for (; term != end; ++term) total += (h * term->weight) * lanes_at(term->values, at);
    __builtin_memcpy(sum.out + at, &total, sizeof total);
  }
}

}  // namespace
}  // namespace daedal::kernel
