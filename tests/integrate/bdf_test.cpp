// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/registry.hpp"
#include "support/function_systems.hpp"

namespace daedal::integrate {
namespace {

using test::FunctionDae;
using test::In;
using test::Out;

struct Problem {
  std::vector<double> x;
  std::vector<double> xp;
  double t0 = 0.0;
  double t1 = 1.0;
};

std::unique_ptr<Stepper> make_bdf(const ImplicitSystem& system, double tolerance) {
  return find_integrator("bdf").make_implicit(system, {.rtol = tolerance, .atol = tolerance}, {});
}

/// Steps to the end and returns the last report.
StepReport run_to_end(Stepper& stepper, Run& run, const Problem& problem) {
  stepper.start(problem.t0, problem.x, problem.xp, run, problem.t1);
  StepReport report;
  while (stepper.time() != problem.t1 && report.status == Status::success) {
    report = stepper.advance(problem.t1);
  }
  return report;
}

FunctionDae decay() {
  return {1, [](double, In x, In xp, Out f) { f[0] = xp[0] + x[0]; }};
}

TEST(Bdf, FollowsAnExponential) {
  const FunctionDae system = decay();
  const auto run = system.make_run();
  const auto stepper = make_bdf(system, 1e-9);
  ASSERT_EQ(run_to_end(*stepper, *run, {{1.0}, {-1.0}, 0.0, 2.0}).status, Status::success);
  EXPECT_EQ(stepper->time(), 2.0);
  EXPECT_NEAR(stepper->x()[0], std::exp(-2.0), 1e-7);
}

TEST(Bdf, RunsBackwardInTime) {
  const FunctionDae system = decay();
  const auto run = system.make_run();
  const auto stepper = make_bdf(system, 1e-9);
  ASSERT_EQ(run_to_end(*stepper, *run, {{1.0}, {-1.0}, 0.0, -1.0}).status, Status::success);
  EXPECT_NEAR(stepper->x()[0], std::exp(1.0), 1e-6);
}

}  // namespace
}  // namespace daedal::integrate
