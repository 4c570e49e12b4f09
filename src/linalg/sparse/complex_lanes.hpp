// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Several complex numbers at once, in vectors of the compiler's: matrices that differ by a factor
/// alone, as those of the modes of a collocation rule, are factored and solved in one go.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "linalg/dense/inverse_norm.hpp"
#include "linalg/scaling.hpp"

// Vectors wider than the machine's are passed between functions that are all inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace daedal::linalg {

template <int width>
struct ComplexLanes {
  static constexpr int n_lanes = width;
  // The alignment that memory has in any case: code for AVX must not expect more.
  typedef double Numbers __attribute__((vector_size(width * sizeof(double)), aligned(16)));
  typedef std::int64_t Bits __attribute__((vector_size(width * sizeof(double)), aligned(16)));
  Numbers re = {}, im = {};

  [[gnu::always_inline]] void operator-=(const ComplexLanes& other) {
    re -= other.re;
    im -= other.im;
  }
  [[gnu::always_inline]] friend ComplexLanes operator*(const ComplexLanes& x, double factor) {
    return {x.re * factor, x.im * factor};
  }
  [[gnu::always_inline]] friend ComplexLanes product(const ComplexLanes& x, const ComplexLanes& y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  [[gnu::always_inline]] friend Numbers size_of(const ComplexLanes& x) {
    constexpr std::int64_t all_but_sign = 0x7fff'ffff'ffff'ffff;
    return (Numbers)((Bits)x.re & all_but_sign) + (Numbers)((Bits)x.im & all_but_sign);
  }
  /// By powers of two near 1/|x|, so that no square leaves the range of numbers.
  [[gnu::always_inline]] friend ComplexLanes reciprocal(const ComplexLanes& x) {
    // The exponent of 1/s has the bits 2046 − e, kept among those of normal numbers.
    constexpr std::int64_t exponent_bits = 0x7ff0'0000'0000'0000;
    constexpr std::int64_t sum = 2046LL << 52;
    const Bits exponent = (Bits)size_of(x) & exponent_bits;
    const Numbers scale = (Numbers)((sum - exponent) & exponent_bits);
    const Numbers re = scale * x.re;
    const Numbers im = scale * x.im;
    const Numbers inverse = scale / (re * re + im * im);
    return {re * inverse, -im * inverse};
  }
};

/// The sizes of several numbers.
template <class Sizes>
concept SeveralSizes = !std::is_class_v<Sizes> && requires(Sizes x) { x[0]; };

template <SeveralSizes Sizes>
[[gnu::always_inline]] inline Sizes larger(const Sizes& x, const Sizes& y) {
  return x > y ? x : y;
}
template <SeveralSizes Sizes>
double least(const Sizes& x) {
  const auto* const numbers = reinterpret_cast<const double*>(&x);
  return *std::min_element(numbers, numbers + sizeof(x) / sizeof(double));
}
template <SeveralSizes Sizes>
double greatest(const Sizes& x) {
  const auto* const numbers = reinterpret_cast<const double*>(&x);
  return *std::max_element(numbers, numbers + sizeof(x) / sizeof(double));
}
template <SeveralSizes Bits>
bool any(const Bits& x) {
  bool result = false;
  for (std::size_t i = 0; i < sizeof(x) / sizeof(x[0]); ++i) result = result || x[i] != 0;
  return result;
}

}  // namespace daedal::linalg
