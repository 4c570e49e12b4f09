// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <vector>

#include "problems/problems.hpp"

namespace daedal::problems {

namespace {

constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                 m7 = .05498;
constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                 I6 = 5.667e-7, I7 = 1.912e-5;
constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
constexpr double c0 = 4530, l0 = .07785;
constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                 sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04,
                 ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;

struct Angle {
  const char* name;
  double start;
};
constexpr std::array<Angle, 7> angles{{{"beta", -0.0617138900142764496},
                                       {"Theta", 0.0},
                                       {"gamma", 0.455279819163070380},
                                       {"Phi", 0.222668390165885885},
                                       {"delta", 0.487364979543842550},
                                       {"Omega", -0.222668390165885885},
                                       {"epsilon", 1.23054744454982119}}};

using Vec = std::vector<Expr>;

/// M a: q = (β, Θ, γ, Φ, δ, Ω, ε).
Vec inertia(const Vec& q, const Vec& a) {
  const double ee = e - ea, ff = zf - fa;
  const Expr m12 = m2 * (da * da - da * rr * cos(q[1])) + I2;
  const Expr m11 = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(q[1]) + da * da) + I1 + I2;
  const Expr m45 = m4 * (ee * ee + zt * ee * sin(q[3])) + I4;
  const Expr m55 =
      m4 * (zt * zt + 2 * zt * ee * sin(q[3]) + ee * ee) + m5 * (ta * ta + tb * tb) + I4 + I5;
  const Expr m67 = m6 * (ff * ff - u * ff * sin(q[5])) + I6;
  const Expr m77 =
      m6 * (ff * ff - 2 * u * ff * sin(q[5]) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
  return {m11 * a[0] + m12 * a[1],
          m12 * a[0] + (m2 * da * da + I2) * a[1],
          (m3 * (sa * sa + sb * sb) + I3) * a[2],
          (m4 * ee * ee + I4) * a[3] + m45 * a[4],
          m45 * a[3] + m55 * a[4],
          (m6 * ff * ff + I6) * a[5] + m67 * a[6],
          m67 * a[5] + m77 * a[6]};
}

Vec forces(const Vec& q, const Vec& v, Expr mom) {
  const double ee = e - ea, ff = zf - fa;
  const Expr sg = sin(q[2]), cg = cos(q[2]);
  const Expr xd = sd * cg + sc * sg + xb, yd = sd * sg - sc * cg + yb;
  const Expr L = sqrt(sqr(xd - xc) + sqr(yd - yc));
  const Expr F = -c0 * (L - l0) / L;
  const Expr Fx = F * (xd - xc), Fy = F * (yd - yc);
  return {mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin(q[1]),
          m2 * da * rr * v[0] * v[0] * sin(q[1]),
          Fx * (sc * cg - sd * sg) + Fy * (sd * cg + sc * sg),
          m4 * zt * ee * v[4] * v[4] * cos(q[3]),
          -m4 * zt * ee * v[3] * (v[3] + 2 * v[4]) * cos(q[3]),
          -m6 * u * ff * v[6] * v[6] * cos(q[5]),
          m6 * u * ff * v[5] * (v[5] + 2 * v[6]) * cos(q[5])};
}

Vec constraints(const Vec& q) {
  const Expr x = rr * cos(q[0]) - d * cos(q[0] + q[1]);
  const Expr y = rr * sin(q[0]) - d * sin(q[0] + q[1]);
  return {x - ss * sin(q[2]) - xb,
          y + ss * cos(q[2]) - yb,
          x - e * sin(q[3] + q[4]) - zt * cos(q[4]) - xa,
          y + e * cos(q[3] + q[4]) - zt * sin(q[4]) - ya,
          x - zf * cos(q[5] + q[6]) - u * sin(q[6]) - xa,
          y - zf * sin(q[5] + q[6]) + u * cos(q[6]) - ya};
}

/// Gᵀλ, row by row.
Vec constraint_forces(const Vec& q, const Vec& l) {
  const Expr sum_x = l[0] + l[2] + l[4], sum_y = l[1] + l[3] + l[5];
  const Expr x_theta = d * sin(q[0] + q[1]), y_theta = -d * cos(q[0] + q[1]);
  const Expr x_phi = -e * cos(q[3] + q[4]), y_phi = -e * sin(q[3] + q[4]);
  const Expr x_omega = zf * sin(q[5] + q[6]), y_omega = -zf * cos(q[5] + q[6]);
  return {(-rr * sin(q[0]) + x_theta) * sum_x + (rr * cos(q[0]) + y_theta) * sum_y,
          x_theta * sum_x + y_theta * sum_y,
          -ss * cos(q[2]) * l[0] - ss * sin(q[2]) * l[1],
          x_phi * l[2] + y_phi * l[3],
          (x_phi + zt * sin(q[4])) * l[2] + (y_phi - zt * cos(q[4])) * l[3],
          x_omega * l[4] + y_omega * l[5],
          (x_omega - u * cos(q[6])) * l[4] + (y_omega - u * sin(q[6])) * l[5]};
}

}  // namespace

Problem squeezer() {
  ModelBuilder b("Squeezer", "Andrews' squeezing mechanism");
  const Expr mom = b.parameter("mom", .033, {.unit = "N.m", .description = "driving torque"});
  Vec q, v, lambda, acceleration;
  for (const Angle& angle : angles) {
    // One degree of freedom: the driven angle is fixed, the others follow from the constraints.
    q.push_back(b.variable(angle.name, {.start = angle.start, .fixed = q.empty()}));
  }
  for (const Angle& angle : angles) {
    v.push_back(b.variable(std::string("v_") + angle.name, {.start = 0.0, .fixed = v.empty()}));
    acceleration.push_back(der(v.back()));
  }
  for (int i = 1; i <= 6; ++i) lambda.push_back(b.variable("lambda" + std::to_string(i)));
  b.declare(lambda[0], {.start = 98.5668703962410896});
  b.declare(lambda[1], {.start = -6.12268834425566266});
  const Vec left = inertia(q, acceleration), f = forces(q, v, mom);
  const Vec reaction = constraint_forces(q, lambda), g = constraints(q);
  for (std::size_t i = 0; i < 7; ++i) b.equation(der(q[i]) == v[i]);
  for (std::size_t i = 0; i < 7; ++i) b.equation(left[i] == f[i] - reaction[i]);
  for (std::size_t i = 0; i < 6; ++i) b.equation(g[i] == 0, "loop " + std::to_string(i + 1));
  b.experiment({.start_time = 0.0, .stop_time = 0.03});
  return {.model = b.build(),
          .stop_time = 0.03,
          .end_values = {{"beta", 15.8107711951537070971},    {"Theta", -15.7563710584118394697},
                         {"gamma", 0.0408222401196458049},    {"Phi", -0.534730116342079593770},
                         {"delta", 0.524409965879954069371},  {"Omega", 0.534730116342079593770},
                         {"epsilon", 1.04808074104193787307}, {"v_beta", 1139.92030225910606},
                         {"v_Theta", -1424.37929517754007},   {"v_gamma", 11.0329119106185937},
                         {"v_Phi", 19.2933741050320408},      {"v_delta", 0.573569914829502454},
                         {"v_Omega", -19.2933741050320408},   {"v_epsilon", 0.323179149249130875},
                         {"lambda1", 199.175348104538628},    {"lambda2", -29.7553099749717633},
                         {"lambda3", 23.0665436116221511},    {"lambda4", 31.4527252757711371},
                         {"lambda5", 22.6424947863943786},    {"lambda6", 11.6173923526112559}},
          .trusted = 1e-15};
}

}  // namespace daedal::problems
