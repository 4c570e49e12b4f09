// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/implicit.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "places.hpp"
#include "problems/problems.hpp"

namespace daedal::formulation {
namespace {

SolveOptions options_of(const char* method, const char* integrator, double tolerance) {
  SolveOptions options;
  options.method = method;
  options.integrator = integrator;
  options.rtol = options.atol = tolerance;
  return options;
}

TEST(DerivativeArrayImplicit, SolvesProblemsOfIndexThreeToSix) {
  for (const auto& problem : {problems::pendulum(), problems::flexible_arm(4),
                              problems::flexible_arm(6), problems::torus()}) {
    const double stop = std::min(problem.stop_time, 10.0);
    for (const char* integrator : {"bdf", "radau"}) {
      const Solution s = solve(problem.model, {0.0, stop},
                               options_of("derivative-array-implicit", integrator, 1e-8));
      ASSERT_EQ(s.status, Status::success) << problem.model.name() << ' ' << s.message;
      const Solution reference =
          solve(problem.model, {0.0, stop}, options_of("derivative-array", "dop853", 1e-10));
      for (const std::string& name : s.names) {
        EXPECT_NEAR(s.final_value(name), reference.final_value(name),
                    2e-4 * (1.0 + std::abs(reference.final_value(name))))
            << problem.model.name() << ' ' << name << ' ' << integrator;
      }
      ASSERT_FALSE(s.constraints.empty());
      EXPECT_LE(s.constraints.front().max_residual, 1e-6) << problem.model.name();
    }
  }
}

TEST(DerivativeArrayImplicit, AStiffActuatorCostsAHundredthOfTheExplicitSteps) {
  // The actuator has the time constant 1e-3 s. The explicit form stays at the limit of its
  // stability when everything has come to rest.
  const Model model = load_model(DAEDAL_SOURCE_DIR "/problems/stiff_actuator.mo");
  const Solution implicit =
      solve(model, {0.0, 60.0}, options_of("derivative-array-implicit", "bdf", 1e-4));
  ASSERT_EQ(implicit.status, Status::success) << implicit.message;
  const Solution explicit_form =
      solve(model, {0.0, 60.0}, options_of("derivative-array", "dop853", 1e-4));
  ASSERT_EQ(explicit_form.status, Status::success) << explicit_form.message;
  // At the limit of stability the explicit form interpolates `a` to two digits only: another way
  // through the same equations says what is right.
  const Solution exact = solve(model, {0.0, 60.0}, options_of("dummy-derivatives", "radau", 1e-8));
  ASSERT_EQ(exact.status, Status::success) << exact.message;
  for (const char* name : {"x", "y", "u", "v", "a"}) {
    for (const double t : {0.3, 1.0, 2.0, 60.0}) {
      EXPECT_NEAR(implicit.at(t, name), exact.at(t, name), 5e-3) << name << ' ' << t;
    }
  }
  EXPECT_GE(explicit_form.statistics.steps, 100 * implicit.statistics.steps)
      << implicit.statistics.steps;
}

/// A crank of length r that turns from the angle c0 at the rate w0, a rod of length l whose centre
/// of mass moves in the plane, and a slider, under gravity.
std::string slider_crank(double r, double l, double c0, double w0) {
  const double f0 = std::asin(r * std::sin(c0) / l);
  const double n0 = r * std::cos(c0) * w0 / (l * std::cos(f0));
  return fmt::format(
      R"(model SliderCrank
  constant Real r = {0};
  constant Real l = {1};
  Real c(start = {2}); Real x(start = {4}); Real y(start = {5}); Real f(start = {6});
  Real s(start = {7});
  Real w(start = {3}); Real u(start = {8}); Real v(start = {9}); Real n(start = {10});
  Real p(start = {11});
  Real a, b, d, e, energy;
equation
  der(c) = w; der(x) = u; der(y) = v; der(f) = n; der(s) = p;
  0.2*der(w) = -r*sin(c)*a + r*cos(c)*b - r*cos(c)*d - r*sin(c)*e;
  0.5*der(u) = -a;
  0.5*der(v) = -b - 4.905;
  0.1*der(n) = -l/2*sin(f)*a - l/2*cos(f)*b + l*cos(f)*d - l*sin(f)*e;
  0.6*der(p) = -e;
  x - r*cos(c) - l/2*cos(f) = 0;
  y - r*sin(c) + l/2*sin(f) = 0;
  r*sin(c) - l*sin(f) = 0;
  s - r*cos(c) - l*cos(f) = 0;
  energy = (0.2*w^2 + 0.5*(u^2 + v^2) + 0.1*n^2 + 0.6*p^2)/2 + 4.905*y;
end SliderCrank;
)",
      r, l, c0, w0, r * std::cos(c0) + l / 2.0 * std::cos(f0), l / 2.0 * std::sin(f0), f0,
      r * std::cos(c0) + l * std::cos(f0), -r * std::sin(c0) * w0 - l / 2.0 * std::sin(f0) * n0,
      r * std::cos(c0) * w0 - l / 2.0 * std::cos(f0) * n0, n0,
      -r * std::sin(c0) * w0 - l * std::sin(f0) * n0);
}

TEST(DerivativeArray, RejectsStepsAfterWhichIntegratedAndDependentCoordinatesDiffer) {
  // One step that its estimate let pass was off by 45 and by 72 tolerances.
  for (const auto& [r, l, c0, w0] :
       {std::array{0.61, 1.29, 0.31, 1.76}, std::array{0.74, 1.33, 0.42, 0.83}}) {
    const Solution s = solve(parse_model(slider_crank(r, l, c0, w0)), {0.0, 2.0},
                             {.method = Method("derivative-array"), .rtol = 1e-4});
    ASSERT_EQ(s.status, Status::success) << s.message;
    const std::size_t energy = s.column("energy");
    const double before = s.row(0)[energy];
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      ASSERT_NEAR(s.row(i)[energy], before, 5e-4 * before) << s.times[i];
    }
  }
}

/// Index 5: s_i' = s_(i+1) + 0.2 sin s_i and 0 = s_1, each with the forcing that makes
/// s_i = 1.5 sin(w_i t + p_i) + 0.3 the solution.
TEST(DerivativeArrayImplicit, FactorsTheArrayAtASolutionOfItsEquations) {
  // The factors belonged to higher derivatives that were none of the solution: the Jacobians of the
  // constraints were wrong, Newton's method converged in short steps of order 1 only, and the
  // first of these runs needed more than 100,000 of them.
  for (const double first : {2.0, 3.0}) {
    const auto frequency = [&](int k) { return first + 0.5 * k; };
    const auto phase = [&](int k) { return first - 2.0 + 0.7 * k; };
    ModelBuilder b("Chain");
    const auto exact = [&](int k) { return 1.5 * sin(frequency(k) * b.time() + phase(k)) + 0.3; };
    std::vector<Expr> s;
    for (int k = 0; k < 5; ++k) {
      s.push_back(
          b.variable("s" + std::to_string(k + 1), {.start = 1.5 * std::sin(phase(k)) + 0.3}));
    }
    for (int k = 0; k < 4; ++k) {
      const Expr rate = 1.5 * frequency(k) * cos(frequency(k) * b.time() + phase(k));
      b.equation(der(s[to_size(k)]) == s[to_size(k + 1)] + 0.2 * sin(s[to_size(k)]) +
                                           (rate - exact(k + 1) - 0.2 * sin(exact(k))));
    }
    b.equation(s[0] == exact(0));
    const Solution solution =
        solve(b.build(), {0.0, 2.0}, {.method = Method("derivative-array-implicit"), .rtol = 1e-9});
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_LT(solution.statistics.steps, 1000);
    for (int k = 0; k < 5; ++k) {
      const double value = 1.5 * std::sin(2.0 * frequency(k) + phase(k)) + 0.3;
      EXPECT_NEAR(solution.final_value("s" + std::to_string(k + 1)), value, 3e-8) << k;
    }
  }
}

/// A pendulum pushed by an actuator of the time constant 1/k that follows it: index 3.
Model actuated(double k) {
  ModelBuilder b("StiffActuator");
  const Expr x = b.variable("x", {.start = 0.6});
  const Expr y = b.variable("y", {.start = -0.8, .fixed = true});
  const Expr u = b.variable("u");
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr a = b.variable("a", {.start = 0.6});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x + a);
  b.equation(der(v) == -lambda * y - 9.81);
  b.equation(der(a) == -k * (a - x), "actuator");
  b.equation(sqr(x) + sqr(y) == 1.0, "rod");
  return b.build();
}

TEST(DerivativeArrayImplicit, ManyDecadesBetweenTimeScalesLeaveTheIndexAsItIs) {
  // With a = x the force has the potential −x²/2; a lags behind by u/k, which dissipates no more
  // than u²/k a second, |u| < 2.
  for (const double k : {1e2, 1e4, 1e5, 1e6, 1e7}) {
    for (const char* integrator : {"bdf", "radau"}) {
      const Solution s =
          solve(actuated(k), {0.0, 1.0}, options_of("derivative-array-implicit", integrator, 1e-8));
      ASSERT_EQ(s.status, Status::success) << k << ' ' << integrator << ' ' << s.message;
      const double x = s.final_value("x"), u = s.final_value("u"), v = s.final_value("v");
      const double energy = 0.5 * (u * u + v * v) + 9.81 * s.final_value("y") - 0.5 * x * x;
      EXPECT_NEAR(energy, -9.81 * 0.8 - 0.18, 4.0 / k + 1e-6) << k << ' ' << integrator;
      EXPECT_NEAR(s.final_value("a"), x - u / k, 1e-7 + 20.0 / (k * k)) << k << ' ' << integrator;
      ASSERT_EQ(s.constraints.size(), 3U) << k;
      for (const ConstraintLevel& level : s.constraints) {
        EXPECT_LE(level.max_residual, 1e-6) << k << ' ' << integrator << ' ' << level.level;
      }
    }
  }
}

TEST(DerivativeArrayImplicit, TimeScalesTooFarApartAreRefusedByName) {
  for (const char* method : {"derivative-array", "derivative-array-implicit"}) {
    for (const double k : {1e12, 1e14, 1e16}) {
      const Solution s = solve(actuated(k), {0.0, 0.1}, options_of(method, "auto", 1e-5));
      EXPECT_EQ(s.status, Status::rank_change) << k << ' ' << s.message;
      EXPECT_THAT(s.message, ::testing::HasSubstr("time")) << k;
    }
  }
}

}  // namespace
}  // namespace daedal::formulation
