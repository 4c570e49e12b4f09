// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/lanes/backends.hpp"

#include <cmath>

#include "expr/external.hpp"
#include "kernel/sin_cos.hpp"

namespace daedal::kernel {
namespace {

using V = double;
constexpr std::size_t chunks = 1;  ///< a register is one number

namespace libm = functions_of_numbers;

inline void two_sin_cos(const double* a, double* sine, double* cosine) {
  Angles<2>::sin_cos(a, sine, cosine);
}

inline void sin_cos(double a, double& sine, double& cosine) {
  const double arguments[2] = {a, a};
  double sines[2];
  double cosines[2];
  two_sin_cos(arguments, sines, cosines);
  sine = sines[0];
  cosine = cosines[0];
}

}  // namespace
}  // namespace daedal::kernel

#include "kernel/interpreter.hpp"

namespace daedal::kernel {

extern const Backend scalar{"scalar", interpret<NarrowInstruction>, interpret<WideInstruction>};

extern const SinCosOfSeveral sin_cos_2{2, Angles<2>::of_several};

}  // namespace daedal::kernel
