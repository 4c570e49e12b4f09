// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Right-hand sides x' = F(t, x) of four mechanisms, x = (q, v), as a person writes them down after
/// eliminating the multipliers: the floor that right-hand sides from a model are compared with.

#include <array>
#include <cmath>
#include <cstddef>

#include "squeezer_by_hand.hpp"

namespace daedal::bench {

/// Mass 1 on a rod of length 1: v_x² + v_y² − g y = λ (x² + y²).
inline void pendulum_by_hand(double, const double* x, double* xp) {
  constexpr double g = 9.81;
  const double lambda = (x[2] * x[2] + x[3] * x[3] - g * x[1]) / (x[0] * x[0] + x[1] * x[1]);
  xp[0] = x[2];
  xp[1] = x[3];
  xp[2] = -lambda * x[0];
  xp[3] = -lambda * x[1] - g;
}

/// k a = f + Gᵀλ, G a + z = 0: two equations for λ.
inline void car_axis_by_hand(double t, const double* x, double* xp) {
  constexpr double l0 = 0.5, r = 0.1, w = 10.0, k = 0.01 * 0.01 * 10.0 / 2;
  const double *q = x, *v = x + 4;
  const double yb = r * std::sin(w * t), yb1 = r * w * std::cos(w * t), yb2 = -w * w * yb;
  const double xb = std::sqrt(1.0 - yb * yb), xb1 = -yb * yb1 / xb;
  const double xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
  const double dxr = q[2] - xb, dyr = q[3] - yb;
  const double left = l0 / std::sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
  const double right = l0 / std::sqrt(dxr * dxr + dyr * dyr) - 1.0;
  const std::array<double, 4> f{left * q[0], left * q[1] - k, right * dxr, right * dyr - k};
  const double dx = q[0] - q[2], dy = q[1] - q[3], dvx = v[0] - v[2], dvy = v[1] - v[3];
  const double b1 =
      xb * f[0] + yb * f[1] + k * (2 * (v[0] * xb1 + v[1] * yb1) + q[0] * xb2 + q[1] * yb2);
  const double b2 = 2 * (dx * (f[0] - f[2]) + dy * (f[1] - f[3]) + k * (dvx * dvx + dvy * dvy));
  const double s11 = xb * xb + yb * yb, s12 = 2 * (xb * dx + yb * dy);
  const double s22 = 8 * (dx * dx + dy * dy);
  const double determinant = s11 * s22 - s12 * s12;
  const double lambda1 = (s12 * b2 - s22 * b1) / determinant;
  const double lambda2 = (s12 * b1 - s11 * b2) / determinant;
  for (int i = 0; i < 4; ++i) xp[i] = v[i];
  xp[4] = (f[0] + lambda1 * xb + 2 * lambda2 * dx) / k;
  xp[5] = (f[1] + lambda1 * yb + 2 * lambda2 * dy) / k;
  xp[6] = (f[2] - 2 * lambda2 * dx) / k;
  xp[7] = (f[3] - 2 * lambda2 * dy) / k;
}

/// A symmetric 2 by 2 matrix and its inverse.
struct Symmetric {
  double a, b, c;
  [[nodiscard]] Symmetric inverse() const {
    const double d = 1.0 / (a * c - b * b);
    return {c * d, -b * d, a * d};
  }
  [[nodiscard]] double form(double x1, double x2, double y1, double y2) const {
    return x1 * (a * y1 + b * y2) + x2 * (b * y1 + c * y2);
  }
};

/// Andrews' squeezer by the Schur complement G M⁻¹ Gᵀ of its masses, which are blocks of two.
inline void squeezer_right_side(double, const double* x, double* xp) {
  using namespace squeezer_data;
  const double *q = x, *v = x + 7;
  constexpr double ee = e - ea, ff = zf - fa;
  const auto [sin_b, cos_b, sin_bt, cos_bt, sin_t, cos_t, sin_g, cos_g, sin_p, cos_p, sin_pd,
              cos_pd, sin_d, cos_d, sin_o, cos_o, sin_oe, cos_oe, sin_e, cos_e] =
      squeezer_angles(q);
  const Symmetric a1 =
      Symmetric{m1 * ra * ra + m2 * (rr * rr + da * da) + i1 + i2 - 2 * m2 * da * rr * cos_t,
                m2 * da * da + i2 - m2 * da * rr * cos_t, m2 * da * da + i2}
          .inverse();
  constexpr double a3 = 1.0 / (m3 * (sa * sa + sb * sb) + i3);
  const Symmetric a4 = Symmetric{m4 * ee * ee + i4, m4 * ee * ee + i4 + m4 * zt * ee * sin_p,
                                 m4 * (zt * zt + ee * ee) + m5 * (ta * ta + tb * tb) + i4 + i5 +
                                     2 * m4 * zt * ee * sin_p}
                           .inverse();
  const Symmetric a6 = Symmetric{m6 * ff * ff + i6, m6 * ff * ff + i6 - m6 * u * ff * sin_o,
                                 m6 * (ff * ff + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7 -
                                     2 * m6 * u * ff * sin_o}
                           .inverse();
  const double xd = sd * cos_g + sc * sin_g + xb - xc, yd = sd * sin_g - sc * cos_g + yb - yc;
  const double pull = c0 * l0 / std::sqrt(xd * xd + yd * yd) - c0;
  const std::array<double, 7> f{
      torque - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin_t,
      m2 * da * rr * v[0] * v[0] * sin_t,
      pull * (xd * (sc * cos_g - sd * sin_g) + yd * (sd * cos_g + sc * sin_g)),
      m4 * zt * ee * v[4] * v[4] * cos_p,
      -m4 * zt * ee * v[3] * (v[3] + 2 * v[4]) * cos_p,
      -m6 * u * ff * v[6] * v[6] * cos_o,
      m6 * u * ff * v[5] * (v[5] + 2 * v[6]) * cos_o};
  const double x_b = -rr * sin_b + d * sin_bt, y_b = rr * cos_b - d * cos_bt;
  const double x_t = d * sin_bt, y_t = -d * cos_bt;
  const double x_g = -ss * cos_g, y_g = -ss * sin_g;
  const double x_p = -e * cos_pd, y_p = -e * sin_pd;
  const double x_d = x_p + zt * sin_d, y_d = y_p - zt * cos_d;
  const double x_o = zf * sin_oe, y_o = -zf * cos_oe;
  const double x_e = x_o - u * cos_e, y_e = y_o - u * sin_e;

  // Accelerations without constraints, and by how much they violate these.
  std::array<double, 7> a{
      a1.a * f[0] + a1.b * f[1], a1.b * f[0] + a1.c * f[1], a3 * f[2],
      a4.a * f[3] + a4.b * f[4], a4.b * f[3] + a4.c * f[4], a6.a * f[5] + a6.b * f[6],
      a6.b * f[5] + a6.c * f[6]};
  const double w_bt = (v[0] + v[1]) * (v[0] + v[1]), w_pd = (v[3] + v[4]) * (v[3] + v[4]);
  const double w_oe = (v[5] + v[6]) * (v[5] + v[6]);
  const double ax = x_b * a[0] + x_t * a[1] - rr * cos_b * v[0] * v[0] + d * cos_bt * w_bt;
  const double ay = y_b * a[0] + y_t * a[1] - rr * sin_b * v[0] * v[0] + d * sin_bt * w_bt;
  std::array<double, 6> l{
      ax + x_g * a[2] + ss * sin_g * v[2] * v[2],
      ay + y_g * a[2] - ss * cos_g * v[2] * v[2],
      ax + x_p * a[3] + x_d * a[4] + e * sin_pd * w_pd + zt * cos_d * v[4] * v[4],
      ay + y_p * a[3] + y_d * a[4] - e * cos_pd * w_pd + zt * sin_d * v[4] * v[4],
      ax + x_o * a[5] + x_e * a[6] + zf * cos_oe * w_oe + u * sin_e * v[6] * v[6],
      ay + y_o * a[5] + y_e * a[6] + zf * sin_oe * w_oe - u * cos_e * v[6] * v[6]};

  // The complement, lower half, and its Cholesky factors L D Lᵀ.
  const double sxx = a1.form(x_b, x_t, x_b, x_t), sxy = a1.form(x_b, x_t, y_b, y_t);
  const double syy = a1.form(y_b, y_t, y_b, y_t);
  double s[6][6];
  for (int i = 0; i < 6; i += 2) {
    for (int j = 0; j <= i; j += 2) {
      s[i][j] = sxx;
      s[i + 1][j] = s[i][j + 1] = sxy;
      s[i + 1][j + 1] = syy;
    }
  }
  s[0][0] += a3 * x_g * x_g;
  s[1][0] += a3 * x_g * y_g;
  s[1][1] += a3 * y_g * y_g;
  s[2][2] += a4.form(x_p, x_d, x_p, x_d);
  s[3][2] += a4.form(x_p, x_d, y_p, y_d);
  s[3][3] += a4.form(y_p, y_d, y_p, y_d);
  s[4][4] += a6.form(x_o, x_e, x_o, x_e);
  s[5][4] += a6.form(x_o, x_e, y_o, y_e);
  s[5][5] += a6.form(y_o, y_e, y_o, y_e);
  double inverse[6];
  for (int k = 0; k < 6; ++k) {
    inverse[k] = 1.0 / s[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const double multiple = s[i][k] * inverse[k];
      for (int j = k + 1; j <= i; ++j) s[i][j] -= multiple * s[j][k];
      l[static_cast<std::size_t>(i)] -= multiple * l[static_cast<std::size_t>(k)];
    }
  }
  for (int k = 6; k-- > 0;) {
    double sum = l[static_cast<std::size_t>(k)];
    for (int i = k + 1; i < 6; ++i) sum -= s[i][k] * l[static_cast<std::size_t>(i)];
    l[static_cast<std::size_t>(k)] = sum * inverse[k];
  }

  const double lx = l[0] + l[2] + l[4], ly = l[1] + l[3] + l[5];
  const double r0 = x_b * lx + y_b * ly, r1 = x_t * lx + y_t * ly;
  const double r3 = x_p * l[2] + y_p * l[3], r4 = x_d * l[2] + y_d * l[3];
  const double r5 = x_o * l[4] + y_o * l[5], r6 = x_e * l[4] + y_e * l[5];
  for (int i = 0; i < 7; ++i) xp[i] = v[i];
  xp[7] = a[0] - a1.a * r0 - a1.b * r1;
  xp[8] = a[1] - a1.b * r0 - a1.c * r1;
  xp[9] = a[2] - a3 * (x_g * l[0] + y_g * l[1]);
  xp[10] = a[3] - a4.a * r3 - a4.b * r4;
  xp[11] = a[4] - a4.b * r3 - a4.c * r4;
  xp[12] = a[5] - a6.a * r5 - a6.b * r6;
  xp[13] = a[6] - a6.b * r5 - a6.c * r6;
}

/// Points on the unit sphere that repel each other by the inverse of their distances, damped by
/// half of their velocities: each has its own multiplier.
template <int points>
void fekete_by_hand(double, const double* x, double* xp) {
  constexpr int n = 3 * points;
  const double *p = x, *v = x + n;
  double* const a = xp + n;
  for (int i = 0; i < n; ++i) a[i] = -0.5 * v[i];
  for (int i = 0; i < n; i += 3) {
    for (int j = 0; j < i; j += 3) {
      const double dx = p[i] - p[j], dy = p[i + 1] - p[j + 1], dz = p[i + 2] - p[j + 2];
      const double inverse = 1.0 / (dx * dx + dy * dy + dz * dz);
      a[i] += dx * inverse;
      a[i + 1] += dy * inverse;
      a[i + 2] += dz * inverse;
      a[j] -= dx * inverse;
      a[j + 1] -= dy * inverse;
      a[j + 2] -= dz * inverse;
    }
  }
  for (int i = 0; i < n; i += 3) {
    double pa = 0.0, vv = 0.0, pp = 0.0;
    for (int k = i; k < i + 3; ++k) {
      xp[k] = v[k];
      pa += p[k] * a[k];
      vv += v[k] * v[k];
      pp += p[k] * p[k];
    }
    const double l = (vv + pa) / pp;
    for (int k = i; k < i + 3; ++k) a[k] -= l * p[k];
  }
}

}  // namespace daedal::bench
