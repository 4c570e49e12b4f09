// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Right-hand sides written once for numbers and for expressions: what the compiler makes of them
/// is the measure for the kernels.

#include <array>
#include <cmath>
#include <cstddef>
#include <daedal/expr.hpp>

namespace daedal::bench {

/// A chain of masses and springs, each spring with a linear, a quadratic and a cubic term and
/// constants of its own: sums and products only.
struct Springs {
  static constexpr std::size_t n_inputs = 97;
  static constexpr std::size_t n_outputs = 96;

  template <class T>
  static void evaluate(const std::array<T, n_inputs>& x, std::array<T, n_outputs>& out) {
    T left = 0.0;
    for (std::size_t i = 0; i < n_outputs; ++i) {
      const double stiffness = 1.0 + 0.01 * static_cast<double>(i);
      const T stretch = x[i + 1] - x[i];
      const T force = stretch * (stiffness + stretch * (0.25 + 0.3 * stiffness * stretch));
      out[i] = force - left - 0.1 * x[i] * x[i + 1];
      left = force;
    }
  }
};

/// Andrews' squeezing mechanism (Hairer & Wanner, Solving ODE II, VII.7) as a residual
/// M(q)·a - f(q, v) + Gᵀ(q)·λ, g(q): seven angles, so sines and cosines take most of the time.
struct Squeezer {
  static constexpr std::size_t n_inputs = 27;  ///< q, v, a: 7 each; λ: 6
  static constexpr std::size_t n_outputs = 13;

  template <class T>
  static void evaluate(const std::array<T, n_inputs>& x, std::array<T, n_outputs>& out) {
    using std::cos, std::sin, std::sqrt;
    constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                     m6 = 0.00706, m7 = 0.05498, i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6,
                     i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
    constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                     yc = 0.072, d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, zf = 0.02,
                     fa = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043,
                     sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                     ub = 0.00449, zt = 0.04, c0 = 4530.0, l0 = 0.07785, mom = 0.033;
    const T *q = x.data(), *v = q + 7, *a = v + 7, *l = a + 7;
    const T sbe = sin(q[0]), cbe = cos(q[0]), sth = sin(q[1]), cth = cos(q[1]), sga = sin(q[2]),
            cga = cos(q[2]), sph = sin(q[3]), cph = cos(q[3]), sde = sin(q[4]), cde = cos(q[4]),
            som = sin(q[5]), com = cos(q[5]), sep = sin(q[6]), cep = cos(q[6]);
    const T sbt = sin(q[0] + q[1]), cbt = cos(q[0] + q[1]), spd = sin(q[3] + q[4]),
            cpd = cos(q[3] + q[4]), soe = sin(q[5] + q[6]), coe = cos(q[5] + q[6]);

    const T m11 = m1 * ra * ra + m2 * (rr * rr - 2.0 * da * rr * cth + da * da) + i1 + i2;
    const T m21 = m2 * (da * da - da * rr * cth) + i2;
    const T m22 = m2 * da * da + i2;
    const T m33 = m3 * (sa * sa + sb * sb) + i3;
    const T m44 = m4 * (e - ea) * (e - ea) + i4;
    const T m54 = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * sph) + i4;
    const T m55 = m4 * (zt * zt + 2.0 * zt * (e - ea) * sph + (e - ea) * (e - ea)) +
                  m5 * (ta * ta + tb * tb) + i4 + i5;
    const T m66 = m6 * (zf - fa) * (zf - fa) + i6;
    const T m76 = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * som) + i6;
    const T m77 = m6 * ((zf - fa) * (zf - fa) - 2.0 * u * (zf - fa) * som + u * u) +
                  m7 * (ua * ua + ub * ub) + i6 + i7;

    const T xd = sd * cga + sc * sga + xb, yd = sd * sga - sc * cga + yb;
    const T length = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc));
    const T force = -c0 * (length - l0) / length;
    const T fx = force * (xd - xc), fy = force * (yd - yc);
    const T f1 = mom - m2 * da * rr * v[1] * (v[1] + 2.0 * v[0]) * sth;
    const T f2 = m2 * da * rr * v[0] * v[0] * sth;
    const T f3 = fx * (sc * cga - sd * sga) + fy * (sd * cga + sc * sga);
    const T f4 = m4 * zt * (e - ea) * v[4] * v[4] * cph;
    const T f5 = -m4 * zt * (e - ea) * v[3] * (v[3] + 2.0 * v[4]) * cph;
    const T f6 = -m6 * u * (zf - fa) * v[6] * v[6] * com;
    const T f7 = m6 * u * (zf - fa) * v[5] * (v[5] + 2.0 * v[6]) * com;

    const T lx = l[0] + l[2] + l[4], ly = l[1] + l[3] + l[5];
    const T g1x = -rr * sbe + d * sbt, g1y = rr * cbe - d * cbt;
    out[0] = m11 * a[0] + m21 * a[1] - f1 + g1x * lx + g1y * ly;
    out[1] = m21 * a[0] + m22 * a[1] - f2 + d * sbt * lx - d * cbt * ly;
    out[2] = m33 * a[2] - f3 - ss * cga * l[0] - ss * sga * l[1];
    out[3] = m44 * a[3] + m54 * a[4] - f4 - e * cpd * l[2] - e * spd * l[3];
    out[4] =
        m54 * a[3] + m55 * a[4] - f5 + (zt * sde - e * cpd) * l[2] - (zt * cde + e * spd) * l[3];
    out[5] = m66 * a[5] + m76 * a[6] - f6 + zf * soe * l[4] - zf * coe * l[5];
    out[6] =
        m76 * a[5] + m77 * a[6] - f7 + (zf * soe - u * cep) * l[4] - (zf * coe + u * sep) * l[5];
    const T crank_x = rr * cbe - d * cbt, crank_y = rr * sbe - d * sbt;
    out[7] = crank_x - ss * sga - xb;
    out[8] = crank_y + ss * cga - yb;
    out[9] = crank_x - e * spd - zt * cde - xa;
    out[10] = crank_y + e * cpd - zt * sde - ya;
    out[11] = crank_x - zf * coe - u * sep - xa;
    out[12] = crank_y - zf * soe + u * cep - ya;
  }
};

}  // namespace daedal::bench
