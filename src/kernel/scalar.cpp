// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/lanes/backends.hpp"

#include <cmath>
#include <cstdint>

namespace daedal::kernel {
namespace {

using V = double;
constexpr std::size_t chunks = 1;  ///< a register is one number

namespace libm = std;

// Sine and cosine of two arguments at once in the baseline instruction set. Mechanisms are full of
// them, and libm takes one at a time: this takes a quarter of its instructions.
//
// x is reduced to y + tail in [−π/4, π/4] by π/2 in three parts (W. J. Cody, W. Waite, Software
// Manual for the Elementary Functions, 1980), of which two have 33 bits, so that their products
// with the quadrant are exact. The polynomials are those of fdlibm (Sun Microsystems, 1993:
// k_sin.c, k_cos.c). The error is below one unit in the last place. Beyond |x| = 2¹⁹ π/2, and for
// what is not finite, libm is asked.

typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
typedef std::int64_t PairBits __attribute__((vector_size(2 * sizeof(double))));

/// The sine and the cosine of y + tail, |y| ≤ π/4.
[[gnu::always_inline]] inline void sin_cos_reduced(Pair y, Pair tail, Pair& sine, Pair& cosine) {
  const Pair z = y * y;
  const Pair cube = z * y;
  const Pair s = 8.33333333332248946124e-03 +
                 z * (-1.98412698298579493134e-04 +
                      z * (2.75573137070700676789e-06 +
                           z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  sine = y - ((z * (0.5 * tail - cube * s) - tail) - cube * -1.66666666666666324348e-01);
  const Pair c =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const Pair half = 0.5 * z;
  const Pair whole = 1.0 - half;
  cosine = whole + (((1.0 - whole) - half) + (z * c - y * tail));
}

[[gnu::always_inline]] inline void sin_cos_pair(Pair x, Pair& sine, Pair& cosine) {
  // Quadrants below 2¹⁹ times parts of 33 bits are exact in 53 bits.
  constexpr double largest = 0x1p19 * 1.5707963267948966;
  if (!(std::abs(x[0]) <= largest && std::abs(x[1]) <= largest)) [[unlikely]] {
    for (int i = 0; i < 2; ++i) {
      sine[i] = std::sin(x[i]);
      cosine[i] = std::cos(x[i]);
    }
    return;
  }
  // Adding 1.5·2⁵² rounds to an integer and leaves it in the low bits.
  constexpr double shift = 0x1.8p52;
  const Pair shifted = x * 6.36619772367581382433e-01 + shift;
  const Pair quadrant = shifted - shift;
  const PairBits n = reinterpret_cast<PairBits>(shifted);
  const Pair first = x - quadrant * 1.57079632673412561417e+00;
  const Pair second = quadrant * 6.07710050630396597660e-11;
  const Pair rest = first - second;
  const Pair third = quadrant * 2.02226624879595063154e-21 - ((first - rest) - second);
  const Pair y = rest - third;
  Pair s;
  Pair c;
  sin_cos_reduced(y, (rest - y) - third, s, c);
  const PairBits swaps = -(n & 1);
  const PairBits s_bits = reinterpret_cast<PairBits>(s);
  const PairBits c_bits = reinterpret_cast<PairBits>(c);
  const PairBits difference = (s_bits ^ c_bits) & swaps;
  sine = reinterpret_cast<Pair>((s_bits ^ difference) ^ ((n & 2) << 62));
  cosine = reinterpret_cast<Pair>((c_bits ^ difference) ^ (((n + 1) & 2) << 62));
}

// Both by the same formulas: what an angle is paired with changes no bit.
inline void sin_cos(double a, double& sine, double& cosine) {
  Pair s;
  Pair c;
  sin_cos_pair(Pair{a, a}, s, c);
  sine = s[0];
  cosine = c[0];
}

inline void two_sin_cos(const double* a, double* sine, double* cosine) {
  Pair s;
  Pair c;
  sin_cos_pair(Pair{a[0], a[1]}, s, c);
  for (int i = 0; i < 2; ++i) {
    sine[i] = s[i];
    cosine[i] = c[i];
  }
}

}  // namespace
}  // namespace daedal::kernel

#include "kernel/interpreter.hpp"

namespace daedal::kernel {

extern const Backend scalar{"scalar", interpret<NarrowInstruction>, interpret<WideInstruction>};

}  // namespace daedal::kernel
