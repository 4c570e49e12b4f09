// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one table of elementary functions r = f(a). Declarations, simplification, derivatives,
/// printing, model text and every evaluation (numbers, lanes, Taylor series) are generated from
/// it: a new function is a new row.
///
///     X(name, arity, value, taylor, slope, lanes, traits, result)
///
/// - `value` is f(a). It is compiled for doubles and for vectors of doubles: `libm` is
///   the library of functions of the back end, comparisons yield masks, `mask ? x : y` selects,
///   `one` and `zero` are broadcast constants.
/// - `taylor` names the rule for power series in src/kernel/taylor_rules.hpp.
/// - `slope` is w·f'(a) as an expression of the weight w, the argument a and the value r; 0.0 of
///   functions that are constant between their jumps.
/// - `lanes`: each_lane to call libm for each lane, libmvec the same where glibc has a vector one,
///   given where the value needs no libm or src/kernel/lanes/lane_backend.hpp defines it.
/// - `traits`: none, or a union of odd, even, nonnegative, flat (constant between jumps).
/// - `result` is its type in model text: real, same as the argument, integer; or held, where model
///   text has a function of this name that keeps its value between events.

// clang-format off
#define DAEDAL_ELEMENTARY_FUNCTIONS(X)                                                                                                       \
  X(sqrt,  1, libm::sqrt(a),                          sqrt,               0.5 * (w / r),             given,     nonnegative,        real)    \
  X(exp,   1, libm::exp(a),                           exp,                w * r,                     libmvec,   nonnegative,        real)    \
  X(log,   1, libm::log(a),                           log,                w / a,                     libmvec,   none,               real)    \
  X(sin,   1, libm::sin(a),                           sin,                w * cos(a),                libmvec,   odd,                real)    \
  X(cos,   1, libm::cos(a),                           cos,                -(w * sin(a)),             libmvec,   even,               real)    \
  X(tan,   1, libm::tan(a),                           riccati<1>,         w * (1.0 + sqr(r)),        libmvec,   odd,                real)    \
  X(asin,  1, libm::asin(a),                          inverse_sine<1>,    w / sqrt(1.0 - sqr(a)),    libmvec,   odd,                real)    \
  X(acos,  1, libm::acos(a),                          inverse_sine<-1>,   -(w / sqrt(1.0 - sqr(a))), libmvec,   none,               real)    \
  X(atan,  1, libm::atan(a),                          inverse_tangent<1>, w / (1.0 + sqr(a)),        libmvec,   odd,                real)    \
  X(sinh,  1, libm::sinh(a),                          sinh,               w * cosh(a),               libmvec,   odd,                real)    \
  X(cosh,  1, libm::cosh(a),                          cosh,               w * sinh(a),               libmvec,   even | nonnegative, real)    \
  X(tanh,  1, libm::tanh(a),                          riccati<-1>,        w * (1.0 - sqr(r)),        libmvec,   odd,                real)    \
  X(abs,   1, libm::abs(a),                           abs,                w * sign(a),               given,     even | nonnegative, same)    \
  X(sign,  1, a > zero ? one : (a < zero ? -one : a), locally_constant,   0.0,                       given,     odd | flat,         integer) \
  X(floor, 1, libm::floor(a),                         locally_constant,   0.0,                       each_lane, flat,               held)
// clang-format on
