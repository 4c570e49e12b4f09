// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sine and cosine of several arguments at once. Mechanisms are full of them, and libm takes one
/// at a time: a pair in the baseline instruction set takes a quarter of its instructions.
///
/// x is reduced to y + tail in [−π/4, π/4] by π/2 in three parts (W. J. Cody, W. Waite, Software
/// Manual for the Elementary Functions, 1980), of which two have 33 bits, so that their products
/// with the quadrant are exact. The polynomials are those of fdlibm (Sun Microsystems, 1993:
/// k_sin.c, k_cos.c). The error is below one unit in the last place. Beyond |x| = 2¹⁹ π/2, and for
/// what is not finite, libm is asked.
///
/// The same formulas for any number of arguments: in what company an angle is changes no bit.
///
/// As in interpreter.hpp, everything has internal linkage and nothing of a library is inline.

#include <cstdint>

#include "kernel/lanes/backends.hpp"

namespace daedal::kernel {
namespace {

template <int width>
struct Angles {
  typedef double Numbers __attribute__((vector_size(width * sizeof(double))));
  typedef std::int64_t Bits __attribute__((vector_size(width * sizeof(double))));

  /// The sine and the cosine of y + tail, |y| ≤ π/4.
  [[gnu::always_inline]] static inline void reduced(const Numbers& y, const Numbers& tail,
                                                    Numbers& sine, Numbers& cosine) {
    const Numbers z = y * y;
    const Numbers cube = z * y;
    const Numbers s = 8.33333333332248946124e-03 +
                      z * (-1.98412698298579493134e-04 +
                           z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 +
                                                                  z * 1.58969099521155010221e-10)));
    sine = y - ((z * (0.5 * tail - cube * s) - tail) - cube * -1.66666666666666324348e-01);
    const Numbers c =
        z * (4.16666666666666019037e-02 +
             z * (-1.38888888888741095749e-03 +
                  z * (2.48015872894767294178e-05 +
                       z * (-2.75573143513906633035e-07 +
                            z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const Numbers half = 0.5 * z;
    const Numbers whole = 1.0 - half;
    cosine = whole + (((1.0 - whole) - half) + (z * c - y * tail));
  }

  [[gnu::always_inline]] static inline void sin_cos(const double* from, double* sines,
                                                    double* cosines) {
    Numbers x;
    __builtin_memcpy(&x, from, sizeof x);
    // Adding 1.5·2⁵² rounds to an integer and leaves it in the low bits.
    constexpr double shift = 0x1.8p52;
    const Numbers shifted = x * 6.36619772367581382433e-01 + shift;
    const Numbers quadrant = shifted - shift;
    const Bits n = reinterpret_cast<Bits>(shifted);
    const Numbers first = x - quadrant * 1.57079632673412561417e+00;
    const Numbers second = quadrant * 6.07710050630396597660e-11;
    const Numbers rest = first - second;
    const Numbers third = quadrant * 2.02226624879595063154e-21 - ((first - rest) - second);
    const Numbers y = rest - third;
    Numbers s;
    Numbers c;
    reduced(y, (rest - y) - third, s, c);
    const Bits swaps = -(n & 1);
    const Bits s_bits = reinterpret_cast<Bits>(s);
    const Bits c_bits = reinterpret_cast<Bits>(c);
    const Bits difference = (s_bits ^ c_bits) & swaps;
    const Bits sine = (s_bits ^ difference) ^ ((n & 2) << 62);
    const Bits cosine = (c_bits ^ difference) ^ (((n + 1) & 2) << 62);
    __builtin_memcpy(sines, &sine, sizeof sine);
    __builtin_memcpy(cosines, &cosine, sizeof cosine);
    ask_libm_beyond(from, sines, cosines);
  }

  /// As SinCosOfSeveral has it.
  static void of_several(double* arguments) {
    sin_cos(arguments, arguments + SinCosOfSeveral::stride,
            arguments + 2 * SinCosOfSeveral::stride);
  }

 private:
  [[gnu::always_inline]] static inline void ask_libm_beyond(const double* x, double* sines,
                                                            double* cosines) {
    // Quadrants below 2¹⁹ times parts of 33 bits are exact in 53 bits.
    constexpr double largest = 0x1p19 * 1.5707963267948966;
    bool is_inside = true;
    for (int i = 0; i < width; ++i) is_inside &= __builtin_fabs(x[i]) <= largest;
    if (is_inside) [[likely]] {
      return;
    }
    for (int i = 0; i < width; ++i) {
      if (__builtin_fabs(x[i]) <= largest) continue;
      sines[i] = __builtin_sin(x[i]);
      cosines[i] = __builtin_cos(x[i]);
    }
  }
};

}  // namespace
}  // namespace daedal::kernel
