// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Vectors of DAEDAL_VECTOR_WIDTH doubles (2, 4 or 8: what the instruction set of the including
/// source file holds) with the functions that interpreter.hpp wants. Eight lanes are
/// 8/DAEDAL_VECTOR_WIDTH such vectors.
///
/// The elementary functions are glibc's vector functions (libmvec, within 4 units in the last
/// place); without them, libm lane by lane. + - * / sqrt and comparisons round as the scalar
/// interpreter does.
///
/// As in interpreter.hpp, everything has internal linkage.

#include <cstddef>
#include <cstdint>
#include <daedal/elementary.hpp>

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

#if defined(DAEDAL_HAVE_LIBMVEC)

// The names follow the vector function ABI of x86-64: b, d, e are SSE, AVX2 and AVX-512.
#if DAEDAL_VECTOR_WIDTH == 2
#define DAEDAL_VECTOR_NAME(arguments, function) _ZGVbN2##arguments##_##function
#elif DAEDAL_VECTOR_WIDTH == 4
#define DAEDAL_VECTOR_NAME(arguments, function) _ZGVdN4##arguments##_##function
#else
#define DAEDAL_VECTOR_NAME(arguments, function) _ZGVeN8##arguments##_##function
#endif
#define DAEDAL_LANE_libmvec(function)                                              \
  extern "C" daedal::kernel::V DAEDAL_VECTOR_NAME(v, function)(daedal::kernel::V); \
  namespace daedal::kernel {                                                       \
  namespace {                                                                      \
  namespace libm {                                                                 \
  inline V function(V a) {                                                         \
    return DAEDAL_VECTOR_NAME(v, function)(a);                                     \
  }                                                                                \
  }                                                                                \
  }                                                                                \
  }
#define DAEDAL_LANE_BINARY(function)                                                \
  extern "C" daedal::kernel::V DAEDAL_VECTOR_NAME(vv, function)(daedal::kernel::V,  \
                                                                daedal::kernel::V); \
  namespace daedal::kernel {                                                        \
  namespace {                                                                       \
  namespace libm {                                                                  \
  inline V function(V a, V b) {                                                     \
    return DAEDAL_VECTOR_NAME(vv, function)(a, b);                                  \
  }                                                                                 \
  }                                                                                 \
  }                                                                                 \
  }

#else

#define DAEDAL_LANE_libmvec(function) DAEDAL_LANE_each_lane(function)
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

#endif

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
  sine = libm::sin(a);
  cosine = libm::cos(a);
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
}  // namespace
}  // namespace daedal::kernel
