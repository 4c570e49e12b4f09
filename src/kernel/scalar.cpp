// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/lanes/backends.hpp"

#include <cmath>

#include "kernel/sin_cos_pair.hpp"

namespace daedal::kernel {
namespace {

using V = double;
constexpr std::size_t chunks = 1;

// Names for the formulas of operations.hpp; elsewhere in the project they mean expressions.
using std::abs;
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cos;
using std::cosh;
using std::exp;
using std::floor;
using std::log;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

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
