// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/backends.hpp"

#include <cmath>

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

inline void sin_cos(double a, double& sine, double& cosine) {
  sine = std::sin(a);
  cosine = std::cos(a);
}

}  // namespace
}  // namespace daedal::kernel

#include "kernel/interpreter.hpp"

namespace daedal::kernel {

extern const Backend scalar{"scalar", interpret<NarrowInstruction>, interpret<WideInstruction>};

}  // namespace daedal::kernel
