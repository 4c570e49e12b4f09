// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/one_step_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <vector>

#include "integrate/one_step/explicit_rk.hpp"
#include "integrate/stepping.hpp"

namespace daedal::integration {
namespace {

using test::FunctionOde;
using test::In;
using test::Out;

const FunctionOde& decay() {
  static const FunctionOde system(1, [](double, In x, Out xp) { xp[0] = -x[0]; });
  return system;
}

OneStepStepper make(const ExplicitSystem& system, StepOptions options = {},
                    const Tableau& tableau = dormand_prince5()) {
  return {system, std::make_unique<ExplicitRungeKutta>(system, tableau), options};
}

TEST(OneStepStepper, LandsExactlyOnEveryLimit) {
  daedal::Run run;
  auto stepper = make(decay());
  stepper.start(0.0, std::vector{1.0}, {}, run, 10.0);
  for (const double limit : {0.1, 0.7, 0.7000001, 10.0}) {
    ASSERT_EQ(test::run_to(stepper, limit).status, Status::success);
    EXPECT_EQ(stepper.time(), limit);
    EXPECT_NEAR(stepper.x()[0], std::exp(-limit), 1e-5);
  }
}

TEST(OneStepStepper, AShortLandingStepDoesNotShrinkTheNextOne) {
  daedal::Run run;
  auto stepper = make(decay(), {.rtol = 1e-4, .log = {}});
  stepper.start(0.0, std::vector{1.0}, {}, run, 10.0);
  ASSERT_EQ(test::run_to(stepper, 2.0).status, Status::success);
  ASSERT_EQ(stepper.advance(2.0 + 1e-9).status, Status::success);
  const auto report = stepper.advance(10.0);
  EXPECT_GT(report.t1 - report.t0, 0.1);
}

TEST(OneStepStepper, KeepsAFixedStepAndShortensOnlyTheLast) {
  daedal::Run run;
  auto stepper = make(decay(), {.fixed_step = 0.1, .log = {}}, classical_rk4());
  stepper.start(0.0, std::vector{1.0}, {}, run, 0.95);
  std::vector<double> lengths;
  test::run_to(stepper, 0.95, [&](const StepReport& r) { lengths.push_back(r.t1 - r.t0); });
  ASSERT_EQ(lengths.size(), 10U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(lengths[i], 0.1, 1e-15);
  EXPECT_NEAR(lengths[9], 0.05, 1e-14);
}

TEST(OneStepStepper, TakesAThousandFixedStepsForAThousandthEach) {
  daedal::Run run;
  auto stepper = make(decay(), {.fixed_step = 1e-3, .log = {}}, classical_rk4());
  stepper.start(0.0, std::vector{1.0}, {}, run, 1.0);
  int steps = 0;
  test::run_to(stepper, 1.0, [&](const StepReport&) { ++steps; });
  EXPECT_EQ(steps, 1000);
}

TEST(OneStepStepper, RespectsTheGreatestStep) {
  daedal::Run run;
  auto stepper = make(decay(), {.max_step = 0.05, .log = {}});
  stepper.start(0.0, std::vector{1.0}, {}, run, 3.0);
  test::run_to(stepper, 3.0, [&](const StepReport& r) { EXPECT_LE(r.t1 - r.t0, 0.051); });
}

TEST(OneStepStepper, IntegratesBackwardInTime) {
  daedal::Run run;
  auto stepper = make(decay(), {.rtol = 1e-9, .atol = 1e-12, .log = {}});
  stepper.start(1.0, std::vector{std::exp(-1.0)}, {}, run, 0.0);
  ASSERT_EQ(test::run_to(stepper, 0.0).status, Status::success);
  EXPECT_NEAR(stepper.x()[0], 1.0, 1e-8);
}

TEST(OneStepStepper, StartsFarFromTimeZero) {
  // x' = 1 from x = 0: the absolute tolerance asks for a first step of 1e-12, a hundredth of the
  // distance between neighbouring numbers at 1e6.
  static const FunctionOde slope(1, [](double, In, Out xp) { xp[0] = 1.0; });
  for (const double t : {1e6, -1e6}) {
    daedal::Run run;
    auto stepper = make(slope, {.rtol = 1e-8, .atol = 1e-10, .log = {}});
    stepper.start(t, std::vector{0.0}, {}, run, t + 10.0);
    ASSERT_EQ(test::run_to(stepper, t + 10.0).status, Status::success);
    EXPECT_NEAR(stepper.x()[0], 10.0, 1e-7);
  }
}

TEST(OneStepStepper, ReportsStepSizeUnderflowAtABlowUp) {
  const FunctionOde system(1, [](double, In x, Out xp) { xp[0] = x[0] * x[0]; });
  daedal::Run run;
  auto stepper = make(system);
  stepper.start(0.0, std::vector{1.0}, {}, run, 2.0);
  const auto report = test::run_to(stepper, 2.0);
  EXPECT_EQ(report.status, Status::step_size_underflow);
  EXPECT_NEAR(stepper.time(), 1.0, 1e-3);  // x = 1/(1 - t)
  EXPECT_NE(report.message.find("step size fell"), std::string::npos) << report.message;
}

TEST(OneStepStepper, ShrinksTheStepBeforeItReportsAValueThatIsNotFinite) {
  // x = 1/3 + 2/3 (1 - t)^(3/2) ends at t = 1.
  const FunctionOde system(1, [](double t, In, Out xp) { xp[0] = -std::sqrt(1.0 - t); });
  daedal::Run run;
  auto stepper = make(system);
  stepper.start(0.0, std::vector{1.0}, {}, run, 2.0);
  const auto report = test::run_to(stepper, 2.0);
  EXPECT_EQ(report.status, Status::non_finite_value);
  EXPECT_NEAR(stepper.time(), 1.0, 1e-9);
  EXPECT_NEAR(stepper.x()[0], 1.0 - 2.0 / 3.0, 1e-5);
  EXPECT_EQ(report.message.back(), '.');
}

TEST(OneStepStepper, EndsAFixedStepRunAtTheFirstFailure) {
  const FunctionOde system(1, [](double t, In, Out xp) { xp[0] = -std::sqrt(1.0 - t); });
  daedal::Run run;
  auto stepper = make(system, {.fixed_step = 0.3, .log = {}}, classical_rk4());
  stepper.start(0.0, std::vector{1.0}, {}, run, 2.0);
  EXPECT_EQ(test::run_to(stepper, 2.0).status, Status::non_finite_value);
  EXPECT_NEAR(stepper.time(), 0.9, 1e-12);
}

class Fatal final : public ExplicitSystem {
 public:
  [[nodiscard]] std::int64_t size() const override { return 1; }
  Evaluation rhs(double t, In, Run& run, Out xp) const override {
    xp[0] = 1.0;
    if (t < 0.5) return Evaluation::ok;
    run.failure = {Status::lock_up, 0, "The crank cannot pass its dead centre."};
    return Evaluation::fatal;
  }
};

TEST(OneStepStepper, PassesOnWhatAFatalEvaluationSays) {
  const Fatal system;
  daedal::Run run;
  auto stepper = make(system);
  stepper.start(0.0, std::vector{0.0}, {}, run, 1.0);
  const auto report = test::run_to(stepper, 1.0);
  EXPECT_EQ(report.status, Status::lock_up);
  EXPECT_NE(report.message.find("The crank cannot pass its dead centre."), std::string::npos)
      << report.message;
}

TEST(OneStepStepper, BoundsTheAttemptsWithinOneAdvance) {
  const FunctionOde system(1, [](double t, In, Out xp) { xp[0] = t < 0.5 ? 1.0 : NAN; });
  daedal::Run run;
  auto stepper = make(system, {.max_steps = 3, .log = {}});
  stepper.start(0.0, std::vector{1.0}, {}, run, 1.0);
  StepReport report;
  while (report.status == Status::success) report = stepper.advance(1.0);
  EXPECT_EQ(report.status, Status::max_steps_reached);
}

TEST(OneStepStepper, KeepsTheDenseOutputContinuousWhenTheStateIsReplaced) {
  daedal::Run run;
  auto stepper = make(decay());
  stepper.start(0.0, std::vector{1.0}, {}, run, 1.0);
  const auto report = stepper.advance(1.0);
  const std::vector moved{stepper.x()[0] + 1e-7};
  stepper.replace_state(moved, {});
  std::vector<double> x(1);
  stepper.interpolate(report.t1, x, {});
  EXPECT_NEAR(x[0], moved[0], 1e-15);
  stepper.interpolate(report.t0, x, {});
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_EQ(stepper.x()[0], moved[0]);
}

TEST(OneStepStepper, EvaluatesTheFirstStageAnewWhenTheEquationsChanged) {
  double sign = -1.0;
  const FunctionOde system(1, [&](double, In, Out xp) { xp[0] = sign; });
  daedal::Run run;
  auto stepper = make(system, {.fixed_step = 0.25, .log = {}}, forward_euler());
  stepper.start(0.0, std::vector{1.0}, {}, run, 1.0);
  stepper.advance(1.0);
  sign = 1.0;
  stepper.equations_changed();
  stepper.advance(1.0);
  EXPECT_DOUBLE_EQ(stepper.x()[0], 1.0);
}

TEST(OneStepStepper, KeepsItsStepWhenItIsRestartedWithinTheLastStep) {
  daedal::Run run;
  auto stepper = make(decay(), {.rtol = 1e-4, .log = {}});
  stepper.start(0.0, std::vector{1.0}, {}, run, 10.0);
  StepReport report;
  for (int k = 0; k < 5; ++k) report = stepper.advance(10.0);
  const double t = report.t0 + 0.6 * (report.t1 - report.t0);
  stepper.start(t, std::vector{std::exp(-t)}, {}, run, 10.0);
  const auto next = stepper.advance(10.0);
  EXPECT_EQ(next.t0, t);
  EXPECT_GT(next.t1 - next.t0, 0.5 * (report.t1 - report.t0));
}

TEST(OneStepStepper, GivesTheSameBitsTwice) {
  const auto end = [] {
    const FunctionOde system(2, [](double t, In x, Out xp) {
      xp[0] = x[1];
      xp[1] = -std::sin(x[0]) + 0.1 * std::cos(t);
    });
    daedal::Run run;
    auto stepper = make(system);
    stepper.start(0.0, std::vector{1.0, 0.0}, {}, run, 20.0);
    test::run_to(stepper, 20.0);
    return std::vector(stepper.x().begin(), stepper.x().end());
  };
  EXPECT_EQ(end(), end());
}

TEST(OneStepStepper, RefusesOptionsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(make(decay(), {.rtol = 0.0, .log = {}}), OptionError);
  EXPECT_THROW(make(decay(), {.rtol = nan, .log = {}}), OptionError);
  EXPECT_THROW(make(decay(), {.atol = -1.0, .log = {}}), OptionError);
  EXPECT_THROW(make(decay(), {.fixed_step = -0.1, .log = {}}), OptionError);
  EXPECT_THROW(make(decay(), {.initial_step = nan, .log = {}}), OptionError);
  EXPECT_THROW(make(decay(), {.max_step = 0.0, .log = {}}), OptionError);
}

TEST(OneStepStepper, RefusesErrorControlForASchemeWithoutAnEstimate) {
  EXPECT_THROW(make(decay(), {}, classical_rk4()), OptionError);
}

TEST(OneStepStepper, CountsStepsRejectionsAndEvaluations) {
  daedal::Run run;
  auto stepper = make(decay(), {.fixed_step = 0.1, .log = {}}, classical_rk4());
  stepper.start(0.0, std::vector{1.0}, {}, run, 1.0);
  test::run_to(stepper, 1.0);
  Statistics statistics;
  stepper.count(statistics);
  EXPECT_EQ(statistics.steps, 10);
  EXPECT_EQ(statistics.rejected, 0);
  // Four stages a step, the first shared with the step before.
  EXPECT_EQ(statistics.residual_evaluations, 41);
}

}  // namespace
}  // namespace daedal::integration
