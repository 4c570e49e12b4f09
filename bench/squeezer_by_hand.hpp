// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Andrews' squeezing mechanism as a person writes it for IDA: the residual of the index-1 form
///
///     q' = v,   M v' = f − Gᵀλ,   G v' + z = 0,     u = (q, v, λ),
///
/// in plain C++, dense Jacobian by IDA's own differences. What the solvers of the library are
/// compared with.

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <array>
#include <cmath>
#include <span>

namespace daedal::bench {

namespace squeezer_data {

constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                 m7 = .05498;
constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                 i6 = 5.667e-7, i7 = 1.912e-5;
constexpr double xb = -.03635, yb = .03273, xc = .014, yc = .072;
constexpr double c0 = 4530, l0 = .07785, torque = .033;
constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                 sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04,
                 ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;

}  // namespace squeezer_data

/// Sines and cosines of the angles q and of the sums that occur in the equations.
struct SqueezerAngles {
  double sin_b, cos_b, sin_bt, cos_bt, sin_t, cos_t, sin_g, cos_g, sin_p, cos_p, sin_pd, cos_pd,
      sin_d, cos_d, sin_o, cos_o, sin_oe, cos_oe, sin_e, cos_e;
};

inline SqueezerAngles squeezer_angles(const double* q) {
  return {
      std::sin(q[0]),        std::cos(q[0]),        std::sin(q[0] + q[1]), std::cos(q[0] + q[1]),
      std::sin(q[1]),        std::cos(q[1]),        std::sin(q[2]),        std::cos(q[2]),
      std::sin(q[3]),        std::cos(q[3]),        std::sin(q[3] + q[4]), std::cos(q[3] + q[4]),
      std::sin(q[4]),        std::cos(q[4]),        std::sin(q[5]),        std::cos(q[5]),
      std::sin(q[5] + q[6]), std::cos(q[5] + q[6]), std::sin(q[6]),        std::cos(q[6])};
}

inline int squeezer_residual(double, N_Vector y, N_Vector yp, N_Vector residual, void*) {
  using namespace squeezer_data;
  const double* q = N_VGetArrayPointer(y);
  const double *v = q + 7, *l = q + 14;
  const double *qp = N_VGetArrayPointer(yp), *a = qp + 7;
  double* r = N_VGetArrayPointer(residual);
  constexpr double ee = e - ea, ff = zf - fa;
  const auto [sin_b, cos_b, sin_bt, cos_bt, sin_t, cos_t, sin_g, cos_g, sin_p, cos_p, sin_pd,
              cos_pd, sin_d, cos_d, sin_o, cos_o, sin_oe, cos_oe, sin_e, cos_e] =
      squeezer_angles(q);

  const double m12 = m2 * (da * da - da * rr * cos_t) + i2;
  const double m11 = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos_t + da * da) + i1 + i2;
  const double m45 = m4 * (ee * ee + zt * ee * sin_p) + i4;
  const double m55 =
      m4 * (zt * zt + 2 * zt * ee * sin_p + ee * ee) + m5 * (ta * ta + tb * tb) + i4 + i5;
  const double m67 = m6 * (ff * ff - u * ff * sin_o) + i6;
  const double m77 =
      m6 * (ff * ff - 2 * u * ff * sin_o + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;

  const double xd = sd * cos_g + sc * sin_g + xb, yd = sd * sin_g - sc * cos_g + yb;
  const double length = std::sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc));
  const double force = -c0 * (length - l0) / length;
  const double fx = force * (xd - xc), fy = force * (yd - yc);

  const double x_b = -rr * sin_b + d * sin_bt, y_b = rr * cos_b - d * cos_bt;
  const double x_t = d * sin_bt, y_t = -d * cos_bt;
  const double x_p = -e * cos_pd, y_p = -e * sin_pd;
  const double x_o = zf * sin_oe, y_o = -zf * cos_oe;
  const double sum_x = l[0] + l[2] + l[4], sum_y = l[1] + l[3] + l[5];

  for (int i = 0; i < 7; ++i) r[i] = qp[i] - v[i];
  r[7] = m11 * a[0] + m12 * a[1] - torque + m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin_t +
         x_b * sum_x + y_b * sum_y;
  r[8] = m12 * a[0] + (m2 * da * da + i2) * a[1] - m2 * da * rr * v[0] * v[0] * sin_t +
         x_t * sum_x + y_t * sum_y;
  r[9] = (m3 * (sa * sa + sb * sb) + i3) * a[2] - fx * (sc * cos_g - sd * sin_g) -
         fy * (sd * cos_g + sc * sin_g) - ss * cos_g * l[0] - ss * sin_g * l[1];
  r[10] = (m4 * ee * ee + i4) * a[3] + m45 * a[4] - m4 * zt * ee * v[4] * v[4] * cos_p +
          x_p * l[2] + y_p * l[3];
  r[11] = m45 * a[3] + m55 * a[4] + m4 * zt * ee * v[3] * (v[3] + 2 * v[4]) * cos_p +
          (x_p + zt * sin_d) * l[2] + (y_p - zt * cos_d) * l[3];
  r[12] = (m6 * ff * ff + i6) * a[5] + m67 * a[6] + m6 * u * ff * v[6] * v[6] * cos_o + x_o * l[4] +
          y_o * l[5];
  r[13] = m67 * a[5] + m77 * a[6] - m6 * u * ff * v[5] * (v[5] + 2 * v[6]) * cos_o +
          (x_o - u * cos_e) * l[4] + (y_o - u * sin_e) * l[5];

  const double w_bt = (v[0] + v[1]) * (v[0] + v[1]), w_pd = (v[3] + v[4]) * (v[3] + v[4]);
  const double w_oe = (v[5] + v[6]) * (v[5] + v[6]);
  const double ax = x_b * a[0] + x_t * a[1] - rr * cos_b * v[0] * v[0] + d * cos_bt * w_bt;
  const double ay = y_b * a[0] + y_t * a[1] - rr * sin_b * v[0] * v[0] + d * sin_bt * w_bt;
  r[14] = ax - ss * cos_g * a[2] + ss * sin_g * v[2] * v[2];
  r[15] = ay - ss * sin_g * a[2] - ss * cos_g * v[2] * v[2];
  r[16] =
      ax + x_p * a[3] + (x_p + zt * sin_d) * a[4] + e * sin_pd * w_pd + zt * cos_d * v[4] * v[4];
  r[17] =
      ay + y_p * a[3] + (y_p - zt * cos_d) * a[4] - e * cos_pd * w_pd + zt * sin_d * v[4] * v[4];
  r[18] = ax + x_o * a[5] + (x_o - u * cos_e) * a[6] + zf * cos_oe * w_oe + u * sin_e * v[6] * v[6];
  r[19] = ay + y_o * a[5] + (y_o - u * sin_e) * a[6] + zf * sin_oe * w_oe - u * cos_e * v[6] * v[6];
  return 0;
}

/// One run of IDA from consistent (q, v, λ) and (q', v', 0); the state at the end, or nothing when
/// IDA gives up.
inline bool run_ida_by_hand(std::span<const double> x, std::span<const double> xp, double stop,
                            double tolerance, std::span<double> end) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(20, context), yp = N_VClone(y), id = N_VClone(y), atol = N_VClone(y);
  for (int i = 0; i < 20; ++i) {
    N_VGetArrayPointer(y)[i] = x[static_cast<std::size_t>(i)];
    N_VGetArrayPointer(yp)[i] = xp[static_cast<std::size_t>(i)];
    N_VGetArrayPointer(id)[i] = i < 14 ? 1.0 : 0.0;
    N_VGetArrayPointer(atol)[i] = i < 14 ? tolerance : 1.0;
  }
  SUNMatrix matrix = SUNDenseMatrix(20, 20, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void* ida = IDACreate(context);
  IDAInit(ida, squeezer_residual, 0.0, y, yp);
  IDASVtolerances(ida, tolerance, atol);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, 1);
  IDASetMaxNumSteps(ida, 1000000);
  IDASetLinearSolver(ida, solver, matrix);
  IDASetErrFile(ida, nullptr);
  IDASetStopTime(ida, stop);
  double reached = 0.0;
  const bool ok = IDASolve(ida, stop, &reached, y, yp, IDA_NORMAL) >= 0;
  for (std::size_t i = 0; i < end.size(); ++i) end[i] = N_VGetArrayPointer(y)[i];
  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  for (N_Vector vector : {y, yp, id, atol}) N_VDestroy(vector);
  SUNContext_Free(&context);
  return ok;
}

}  // namespace daedal::bench
