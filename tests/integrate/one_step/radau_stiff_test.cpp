// SPDX-License-Identifier: BSD-3-Clause

/// Stiff problems against reference values that were computed independently: Gragg's extrapolation
/// of order 16 in quadruple precision with two step sizes each, on explicit forms of the problems.
/// They agree with those of the Test Set for IVP Solvers where it has the same problem. The value
/// of Robertson's problem at 1e11, out of reach for explicit methods, is the Test Set's.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <vector>

#include "integrate/registry.hpp"
#include "integrate/stepping.hpp"

namespace daedal::integration {
namespace {

using test::FunctionDae;
using test::FunctionOde;
using test::In;
using test::Out;

/// The greatest error relative to each component of the reference.
double relative_error(In x, const std::vector<double>& reference) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    greatest = std::max(greatest, std::abs(x[i] / reference[i] - 1.0));
  }
  return greatest;
}

/// With RADAU's transformed tolerance the error of three stages goes with tolerance^(5/6).
double expected_error(double tolerance) {
  return std::pow(tolerance, 5.0 / 6.0);
}

struct VanDerPol {
  double mu = 1e3;
  std::vector<double> end;  ///< at t = 2 from (2, 0)
};

void PrintTo(const VanDerPol& problem, std::ostream* out) {
  *out << "mu " << problem.mu;
}

class StiffVanDerPol : public ::testing::TestWithParam<VanDerPol> {};

TEST_P(StiffVanDerPol, RadauFollowsTheLimitCycle) {
  const double mu = GetParam().mu;
  const FunctionOde system(2, [mu](double, In x, Out xp) {
    xp[0] = x[1];
    xp[1] = mu * ((1.0 - x[0] * x[0]) * x[1] - x[0]);
  });
  for (const double stages : {0.0, 3.0, 5.0}) {
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      SCOPED_TRACE(::testing::Message() << "stages " << stages << " tolerance " << tolerance);
      const auto stepper = find_integrator("radau").make_explicit(
          system, {.rtol = tolerance, .atol = tolerance, .log = {}},
          Integrator("radau", {{"stages", stages}}));
      daedal::Run run;
      stepper->start(0.0, std::vector{2.0, 0.0}, {}, run, 2.0);
      const auto report = test::run_to(*stepper, 2.0);
      ASSERT_EQ(report.status, Status::success) << report.message;
      EXPECT_LT(relative_error(stepper->x(), GetParam().end), expected_error(tolerance));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mu, StiffVanDerPol,
                         ::testing::Values(VanDerPol{1e3,
                                                     {1.76323454020344570, -0.835688681677677391}},
                                           VanDerPol{1e6, {1.70616773217046, -0.89280970102481}}),
                         [](const auto& tested) { return tested.param.mu < 1e4 ? "1e3" : "1e6"; });

/// Two amplifiers in a row with a bias: a = 3 + 10^-3 sin t, b = 5 + g 10^-3 sin t, and so c. They
/// turn the rounding of a into g^2 times as much in c, a tenth of the tolerance here: Newton's
/// iteration ends there, and that says nothing against the step.
TEST(RadauAtRoundOff, TakesNoShorterStepsForRoundingErrorsThatAreAmplified) {
  constexpr double g = 100.0;
  const FunctionDae system(3, [](double t, In x, In xp, Out r) {
    const double signal = 1e-3 * std::sin(t);
    const double rate = 1e-3 * std::cos(t);
    r[0] = 1e-3 * (xp[0] - rate) + x[0] - 3.0 - signal;
    r[1] = 1e-6 * (xp[1] - g * rate) + x[1] - 5.0 - g * (x[0] - 3.0);
    r[2] = 1e-6 * (xp[2] - g * rate) + x[2] - 5.0 - g * (x[1] - 5.0 - (g - 1.0) * signal);
  });
  std::vector<int> steps;
  std::vector<std::size_t> warnings;
  for (const double tolerance : {1e-9, 1e-11, 1e-13}) {
    const auto stepper = find_integrator("radau").make_implicit(
        system, {.rtol = tolerance, .atol = tolerance, .log = {}}, Integrator("radau"));
    daedal::Run run;
    stepper->start(0.0, std::vector{3.0, 5.0, 5.0}, std::vector{1e-3, 0.1, 0.1}, run, 10.0);
    steps.push_back(0);
    const auto report = test::run_to(*stepper, 10.0, [&](const auto&) { ++steps.back(); });
    ASSERT_EQ(report.status, Status::success) << report.message;
    EXPECT_NEAR(stepper->x()[2], 5.0 + 0.1 * std::sin(10.0), 10.0 * tolerance + 1e-11);
    warnings.push_back(run.warnings.size());
  }
  // Three stages, the lowest order that is used, need 100^(1/4) times as many.
  EXPECT_LT(steps[1], 4 * steps[0]);
  // Rounding errors of ten tolerances and more end no run, but they are told.
  EXPECT_LT(steps[2], 4 * steps[1]);
  EXPECT_EQ(warnings, (std::vector<std::size_t>{0, 0, 1}));
}

void robertson(double, In x, Out xp) {
  const double fast = 3e7 * x[1] * x[1];
  const double exchange = 0.04 * x[0] - 1e4 * x[1] * x[2];
  xp[0] = -exchange;
  xp[1] = exchange - fast;
  xp[2] = fast;
}

TEST(StiffRobertson, RadauReachesTheReferenceAt40) {
  const FunctionOde system(3, robertson);
  const std::vector reference{0.715827068719405090, 9.18553476455776390e-6, 0.284163745745830352};
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const auto stepper = find_integrator("radau").make_explicit(
        system, {.rtol = tolerance, .atol = 1e-6 * tolerance, .log = {}}, {});
    daedal::Run run;
    stepper->start(0.0, std::vector{1.0, 0.0, 0.0}, {}, run, 40.0);
    ASSERT_EQ(test::run_to(*stepper, 40.0).status, Status::success);
    EXPECT_LT(relative_error(stepper->x(), reference), expected_error(tolerance));
  }
}

TEST(StiffRobertson, RadauReachesTheReferenceAt1e11InFewSteps) {
  const FunctionOde system(3, robertson);
  const std::vector reference{0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
  const auto stepper =
      find_integrator("radau").make_explicit(system, {.rtol = 1e-8, .atol = 1e-14, .log = {}}, {});
  daedal::Run run;
  stepper->start(0.0, std::vector{1.0, 0.0, 0.0}, {}, run, 1e11);
  ASSERT_EQ(test::run_to(*stepper, 1e11).status, Status::success);
  // The small components are 1e-8 and 1e-13: they are good to the absolute tolerance.
  EXPECT_LT(relative_error(stepper->x(), reference), 1e-5);
  Statistics statistics;
  stepper->count(statistics);
  EXPECT_LT(statistics.steps, 600);
}

/// The chemical process of Akzo Nobel: five concentrations, and a sixth by chemical equilibrium.
void akzo(double, In y, In yp, Out f) {
  const double root = std::sqrt(y[1]);
  const double r1 = 18.7 * std::pow(y[0], 4) * root;
  const double r2 = 0.58 * y[2] * y[3];
  const double r3 = 0.58 / 34.4 * y[0] * y[4];
  const double r4 = 0.09 * y[0] * y[3] * y[3];
  const double r5 = 0.42 * y[5] * y[5] * root;
  const double inflow = 3.3 * (0.9 / 737.0 - y[1]);
  f[0] = yp[0] - (-2.0 * r1 + r2 - r3 - r4);
  f[1] = yp[1] - (-0.5 * r1 - r4 - 0.5 * r5 + inflow);
  f[2] = yp[2] - (r1 - r2 + r3);
  f[3] = yp[3] - (-r2 + r3 - 2.0 * r4);
  f[4] = yp[4] - (r2 - r3 + r5);
  f[5] = 115.83 * y[0] * y[3] - y[5];
}

TEST(Index1Chemistry, RadauReachesTheReferenceOfAkzoNobel) {
  FunctionDae system(6, akzo);
  system.unknown_kinds.resize(6);
  system.unknown_kinds[5].differential = false;
  const double equilibrium = 115.83 * 0.115079492066170219 * 0.000365615642124928302;
  const std::vector reference{0.115079492066170219,    0.00120383147156771509, 0.161156288740797421,
                              0.000365615642124928302, 0.0170801088526440407,  equilibrium};
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const auto stepper = find_integrator("radau").make_implicit(
        system, {.rtol = tolerance, .atol = 1e-3 * tolerance, .log = {}}, {});
    daedal::Run run;
    const std::vector start{0.444, 0.00123, 0.0, 0.007, 0.0, 115.83 * 0.444 * 0.007};
    std::vector<double> slopes(6);
    akzo(0.0, start, std::vector<double>(6, 0.0), slopes);
    for (double& slope : slopes) slope = -slope;
    slopes[5] = 115.83 * (slopes[0] * start[3] + start[0] * slopes[3]);
    stepper->start(0.0, start, slopes, run, 180.0);
    const auto report = test::run_to(*stepper, 180.0);
    ASSERT_EQ(report.status, Status::success) << report.message;
    EXPECT_LT(relative_error(stepper->x(), reference), expected_error(tolerance));
  }
}

}  // namespace
}  // namespace daedal::integration
