// SPDX-License-Identifier: BSD-3-Clause
/// Small models of the kinds that made models of the Modelica Standard Library fail, by the methods
/// that are chosen for them, against solutions by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;

/// The greatest distance of a column from its exact values.
template <class Exact>
double greatest_error(const Solution& solution, const std::string& name, const Exact& exact) {
  double greatest = 0.0;
  const std::size_t column = solution.column(name);
  for (std::size_t k = 0; k < solution.n_rows(); ++k)
    greatest = std::max(greatest, std::abs(solution.row(k)[column] - exact(solution.times[k])));
  return greatest;
}

// A node without mass between three springs, in an order of equations in which the search for all
// lengths above their bound ends where one of them is 0. The forces balance, whatever the branch.
TEST(LibraryKinds, AMasslessNodeBetweenSpringsIsFoundFromGuessesOfZero) {
  const ExportedModel model{
      "Real ey1; Real r1; Real r3; Real f3; Real q1; Real ey3; Real s2; Real ex1; Real q3; Real "
      "ex2; Real ex3; Real l3; Real y; Real r2; Real f2; Real w(start = 1.0, fixed = true); Real "
      "q2; Real x; Real s1; Real l1; Real f1; Real l2; Real s3; Real ey2;\n"
      "equation\n"
      "l2 = sqrt(r2*r2 + q2*q2); ey1 = q1/s1; r1 = x; der(w) = -w;\n"
      "s3 = if l3 > 1e-10 then l3 else 1e-10; ex2 = r2/s2; q2 = y - 0.6; f2 = 40*(s2 - 0.1);\n"
      "f1*ey1 + f2*ey2 + f3*ey3 + w = 0; f1 = 20*(s1 - 0.1); ey3 = q3/s3;\n"
      "s2 = if l2 > 1e-10 then l2 else 1e-10; q3 = y - 0.3; f3 = 60*(s3 - 0.1); r3 = x + 0.5;\n"
      "f1*ex1 + f2*ex2 + f3*ex3 = 0; ey2 = q2/s2; l1 = sqrt(r1*r1 + q1*q1); ex3 = r3/s3;\n"
      "l3 = sqrt(r3*r3 + q3*q3); ex1 = r1/s1; s1 = if l1 > 1e-10 then l1 else 1e-10; q1 = y;\n"
      "r2 = x - 0.4;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const double x = solution.final_value("x");
  const double y = solution.final_value("y");
  double force_x = 0.0;
  double force_y = std::exp(-2.0);
  const auto pull = [&](double a, double b, double stiffness) {
    const double length = std::hypot(x - a, y - b);
    EXPECT_GT(length, 0.1);
    force_x += stiffness * (length - 0.1) * (x - a) / length;
    force_y += stiffness * (length - 0.1) * (y - b) / length;
  };
  pull(0.0, 0.0, 20.0);
  pull(0.4, 0.6, 40.0);
  pull(-0.5, 0.3, 60.0);
  EXPECT_NEAR(force_x, 0.0, 1e-6);
  EXPECT_NEAR(force_y, 0.0, 1e-6);
}

// Without heat a pump passes on what flows in, and nothing flows at first: the enthalpies behind it
// follow from the direction that 0 counts to.
TEST(LibraryKinds, EnthalpiesAreKnownWhereNothingFlowsThroughAPumpWithoutHeat) {
  const ExportedModel model{
      "parameter Real cp = 4.0; Real ma; Real mb; Real Ha; Real Hb; Real Q; Real ha; Real hb;\n"
      "Real h; Real T; Real m(start = 1.0, fixed = true); Real H(start = 7.0, fixed = true);\n"
      "Real tank; Real Hamb; Real mamb; Real Htank;\n"
      "equation\n ma = if time < 1.0 then 0.0 else 0.5;\n ma + mb = 0.0;\n Ha + Hb + Q = 0.0;\n"
      "Q = 0.0;\n h = cp * T;\n Ha = semiLinear(ma, ha, h);\n Hb = semiLinear(mb, hb, h);\n"
      "ma + mamb = 0.0;\n Ha + Hamb = 0.0;\n Hamb = semiLinear(mamb, ha, 3.0);\n"
      "Hb + Htank = 0.0;\n Htank = semiLinear(-mb, hb, tank);\n H = m * tank;\n"
      "der(m) = -mb;\n der(H) = Htank;"};
  const Solution solution = model.solve({.interval = 0.25});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_LT(greatest_error(solution, "T", [](double) { return 0.75; }), 1e-7);
  EXPECT_LT(greatest_error(solution, "ha", [](double) { return 3.0; }), 1e-7);
  EXPECT_NEAR(solution.final_value("tank"), (7.0 + 0.5 * 3.0) / 1.5, 1e-7);
}

// The position of rest is given, and the stiffness of the spring follows, with what depends on it:
// x'' = 9.81 − (c/2)(x − 0.1) − d x' with c/2 = 9.81/0.4, by every method that such models take.
TEST(LibraryKinds, ParametersMayDependOnOnesThatTheStartDetermines) {
  const ExportedModel model{
      "parameter Real c(fixed = false, start = 1.0); parameter Real stiffness = 0.5 * c;\n"
      "Real x; Real v; Real f;\n"
      "initial equation\n x = 0.5; v = 0.0; der(v) = 0.0;\n"
      "equation\n der(x) = v; der(v) = 9.81 - f; f = stiffness * (x - 0.1) + 0.2 * v;"};
  for (const char* method : {"auto", "direct", "dummy-derivatives", "states-only"}) {
    const Solution solution = model.solve({.method = method});
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("f"), 9.81, 1e-7) << method;
    EXPECT_NEAR(solution.final_value("x"), 0.5, 1e-7) << method;
  }
}

// A transistor that is off, between capacitances of 1e-15 F: with i = 1e-12 (v1 − v2) both relax at
// 2000/s to their mean.
TEST(LibraryKinds, CapacitancesOfATransistorAreNoZeros) {
  const ExportedModel model{
      "Real v1; Real v2; Real ua(start = 5.0, fixed = true); Real ub(start = 1.0, fixed = true);\n"
      "Real ia; Real ib; Real i;\n"
      "equation\n ia = 1e-15 * der(ua); ib = 1e-15 * der(ub); ua = v1; ub = v2;\n"
      "i = 1e-12 * (v1 - v2); ia + i = 0.0; ib - i = 0.0;",
      "", 1e-3};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("v1"), 3.0 + 2.0 * std::exp(-2.0), 1e-6);
  EXPECT_NEAR(solution.final_value("v2"), 3.0 - 2.0 * std::exp(-2.0), 1e-6);
}

// Two ideal diodes in series, whose middle hangs on 1e-5 S while they are off, and a loss that
// jumps without an event: neither is in the error test of the steps.
TEST(LibraryKinds, FloatingNodesAndLossesThatJumpCostNoSteps) {
  const ExportedModel model{
      "Real u; Real s1(start = 0.0); Real s2(start = 0.0); Boolean off1(start = true);\n"
      "Boolean off2(start = true); Real v1; Real v2; Real i; Real loss;\n"
      "Real x(start = 0.0, fixed = true);\n"
      "equation\n u = sin(6.283185307179586 * time);\n off1 = s1 < 0.0; off2 = s2 < 0.0;\n"
      "v1 = s1 * (if off1 then 1.0 else 1e-5); i = s1 * (if off1 then 1e-5 else 1.0);\n"
      "v2 = s2 * (if off2 then 1.0 else 1e-5); i = s2 * (if off2 then 1e-5 else 1.0);\n"
      "u = v1 + v2 + 10.0 * i;\n loss = noEvent(if i > 0.05 then 3.0 else 0.0);\n der(x) = i;"};
  const Solution solution = model.solve({.interval = 0.01});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const auto current = [](double t) {
    const double u = std::sin(2.0 * std::numbers::pi * t);
    return u > 0.0 ? u / (10.0 + 2e-5) : u / (10.0 + 2e5);
  };
  EXPECT_LT(greatest_error(solution, "i", current), 1e-8);
  EXPECT_NEAR(solution.final_value("x"),
              2.0 / std::numbers::pi * (1.0 / (10.0 + 2e-5) - 1.0 / (10.0 + 2e5)), 1e-8);
  EXPECT_LT(solution.statistics.steps, 2000);
}

// Drag and losses of a speed that passes 0, where their local size is 0 as well.
TEST(LibraryKinds, SquaresThatPassZeroAreNoFailedCheck) {
  const ExportedModel model{
      "Real v(start = 1.0, fixed = true); Real y; Real drag; Real x(start = 0.0, fixed = true);\n"
      "equation\n der(v) = -1.0; y = v * v; drag = 0.1 * v * abs(v); der(x) = y;"};
  for (const char* integrator : {"auto", "bdf", "radau"}) {
    const Solution solution = model.solve({.integrator = integrator});
    ASSERT_EQ(solution.status, Status::success) << integrator << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("x"), 2.0 / 3.0, 1e-7) << integrator;
    EXPECT_TRUE(solution.warnings.empty()) << integrator << ": " << solution.warnings.front();
  }
}

// A coil whose switch opens to 1e5 Ω: what is left decays within 1e-8 of the run, below every
// number at its end.
TEST(LibraryKinds, DecaysFarFasterThanTheRunEndTheirWay) {
  const ExportedModel model{
      "Real i(start = 0.0, fixed = true); Real r; Real v;\n"
      "equation\n r = if time < 1.0 then 1.0 else 1e5; v = r * i; 1e-3 * der(i) = 1.0 - v;"};
  const Solution solution = model.solve({.interval = 0.05});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("i"), 1e-5, 1e-10);
  EXPECT_NEAR(solution.at(0.9, "i"), 1.0, 1e-7);
  EXPECT_NEAR(solution.at(1.0001, "i"), 1e-5, 1e-9);
}

// What an event begins may be over before the step that was due: gates of a chain follow a square
// wave one after the other, each at its own rate.
TEST(LibraryKinds, FirstStepsAfterEventsAreAsExactAsOthers) {
  const ExportedModel model{
      "Real u; Real a(start = 0.0, fixed = true); Real b(start = 0.0, fixed = true);\n"
      "equation\n u = if sin(31.41592653589793 * time) > 0.0 then 1.0 else 0.0;\n"
      "der(a) = 900.0 * (u - a); der(b) = 300.0 * (a - b);",
      "", 1.0};
  // Between switchings a = u + A e^(−900 s) and b = u + A/(1 − 3) e^(−900 s) + B e^(−300 s).
  const auto exact = [](double t) {
    double a = 0.0;
    double b = 0.0;
    double at = 0.0;
    for (int k = 0;; ++k) {
      const double next = 0.1 * (k + 1);
      const double s = std::min(t, next) - at;
      const double u = k % 2 == 0 ? 1.0 : 0.0;
      const double fast = a - u;
      const double slow = b - u + 0.5 * fast;
      a = u + fast * std::exp(-900.0 * s);
      b = u - 0.5 * fast * std::exp(-900.0 * s) + slow * std::exp(-300.0 * s);
      if (t <= next) return b;
      at = next;
    }
  };
  for (const char* integrator : {"auto", "dop853", "dopri5", "radau", "bdf"}) {
    const Solution solution = model.solve({.integrator = integrator, .interval = 1.03e-3});
    ASSERT_EQ(solution.status, Status::success) << integrator << ": " << solution.message;
    EXPECT_LT(greatest_error(solution, "b", exact), 1e-7) << integrator;
  }
}

}  // namespace
}  // namespace daedal
