// SPDX-License-Identifier: BSD-3-Clause
// Every way in which a multistep run can fail, provoked once: status, time and name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using test::Driven;
using test::FunctionDae;
using test::FunctionOde;
using test::In;
using test::Out;
using test::run_driver;
using testing::HasSubstr;

TEST(BdfFailure, AResidualWithoutAValueNamesTheEquation) {
  // y = 1 − sqrt(1 − t) ends at t = 1.
  const FunctionDae system{2, [](double t, In x, In xp, Out f) {
                             f[0] = xp[0] + x[0];
                             f[1] = x[1] - 1.0 + std::sqrt(1.0 - t);
                           }};
  const Driven driven =
      run_driver(system, {.x0 = {1.0, 0.0}, .xp0 = {-1.0, 0.5}, .options = {.t1 = 2.0}});
  EXPECT_EQ(driven.outcome.status, Status::non_finite_value);
  EXPECT_THAT(driven.outcome.message, HasSubstr("equation 2"));
  EXPECT_THAT(driven.outcome.message, HasSubstr("t = 1"));
  EXPECT_NEAR(driven.outcome.t, 1.0, 1e-2);
  EXPECT_GT(driven.seen.times.size(), 5U) << "what was computed is kept";
}

TEST(BdfFailure, ASingularMatrixNamesTheUnknown) {
  FunctionDae system{2, [](double t, In x, In xp, Out f) {
                       f[0] = xp[0] + x[0];
                       f[1] = x[0] - std::exp(-t);
                     }};
  system.names = {"x", "spring.force"};
  const Driven driven = run_driver(system, {.x0 = {1.0, 0.0}, .xp0 = {-1.0, 0.0}});
  EXPECT_EQ(driven.outcome.status, Status::singular_iteration_matrix);
  EXPECT_THAT(driven.outcome.message, HasSubstr("spring.force"));
  EXPECT_THAT(driven.outcome.message, HasSubstr("t = "));
}

TEST(BdfFailure, AnEquationWithoutARootIsANewtonFailure) {
  const FunctionDae system{2, [](double, In x, In xp, Out f) {
                             f[0] = xp[0] + x[0];
                             f[1] = x[1] * x[1] + 1.0;
                           }};
  const Driven driven = run_driver(system, {.x0 = {1.0, 0.7}, .xp0 = {-1.0, 0.0}});
  EXPECT_EQ(driven.outcome.status, Status::newton_failure);
  EXPECT_THAT(driven.outcome.message, HasSubstr("did not converge"));
}

TEST(BdfFailure, ABlowUpIsAStepSizeUnderflow) {
  FunctionDae system{1, [](double, In x, In xp, Out f) { f[0] = xp[0] - x[0] * x[0]; }};
  system.names = {"population"};
  const Driven driven =
      run_driver(system, {.x0 = {1.0}, .xp0 = {1.0}, .options = {.t1 = 2.0}});  // x = 1/(1 − t)
  EXPECT_EQ(driven.outcome.status, Status::step_size_underflow) << driven.outcome.message;
  EXPECT_NEAR(driven.outcome.t, 1.0, 1e-4);
}

TEST(BdfFailure, AToleranceBelowRoundOffIsSaid) {
  const FunctionDae system{1, [](double, In x, In xp, Out f) { f[0] = xp[0] + x[0]; }};
  const Driven driven = run_driver(system, {.tolerance = 1e-18, .x0 = {1.0}, .xp0 = {-1.0}});
  EXPECT_EQ(driven.outcome.status, Status::step_size_underflow);
  EXPECT_THAT(driven.outcome.message, HasSubstr("below what double precision"));
}

class BlowUpAtZero : public testing::TestWithParam<const char*> {};

TEST_P(BlowUpAtZero, EndsWhereStepsAreLostInTheTimesOfTheRun) {
  // x = -1/t: the times near 0 have digits without end, but a step below a few units of round-off
  // of the greatest time passed, 1, means nothing.
  const FunctionOde system{1, [](double, In x, Out xp) { xp[0] = x[0] * x[0]; }};
  const Driven driven = run_driver(
      system, {.integrator = GetParam(), .x0 = {1.0}, .options = {.t0 = -1.0, .t1 = 1.0}});
  EXPECT_EQ(driven.outcome.status, Status::step_size_underflow) << driven.outcome.message;
  EXPECT_LT(driven.outcome.t, 1e-4);
  EXPECT_LT(driven.outcome.statistics.steps, 1000);
}

INSTANTIATE_TEST_SUITE_P(Driver, BlowUpAtZero,
                         testing::Values("dop853", "dopri5", "radau", "adams", "cvode-bdf"));

class FatalAfterHalf final : public ImplicitSystem {
 public:
  [[nodiscard]] std::int64_t size() const override { return 1; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation residual(double t, In x, In xp, Run& run, Out f) const override {
    f[0] = xp[0] + x[0];
    if (t < 0.5) return Evaluation::ok;
    run.failure = {Status::lock_up, 0, "The crank is at its end."};
    return Evaluation::fatal;
  }
  Evaluation jacobian(double, In, In, Run&, Out f_x, Out f_xp) const override {
    f_x[0] = f_xp[0] = 1.0;
    return Evaluation::ok;
  }

 private:
  SparsityPattern pattern_ = test::full_pattern(1, 1);
};

TEST(BdfFailure, AFatalEvaluationKeepsItsOwnStatus) {
  const FatalAfterHalf system;
  const Driven driven = run_driver(system, {.x0 = {1.0}, .xp0 = {-1.0}});
  EXPECT_EQ(driven.outcome.status, Status::lock_up);
  EXPECT_THAT(driven.outcome.message, HasSubstr("The crank is at its end."));
}

TEST(BdfFailure, AnExceptionOfTheSystemArrivesUnchanged) {
  const FunctionDae system{1, [](double t, In x, In xp, Out f) {
                             if (t > 0.5) throw std::domain_error("table");
                             f[0] = xp[0] + x[0];
                           }};
  EXPECT_THROW(run_driver(system, {.x0 = {1.0}, .xp0 = {-1.0}}), std::domain_error);
}

TEST(BdfFailure, MessagesOfTheCodeGoToTheLog) {
  const FunctionDae system{1, [](double, In x, In, Out f) { f[0] = x[0] * x[0] + 1.0; }};
  int n_messages = 0;
  StepOptions options;
  options.log = [&](LogLevel, std::string_view) { ++n_messages; };
  const auto stepper = find_integrator("bdf").make_implicit(system, options, {});
  const auto run = system.make_run();
  stepper->start(0.0, std::vector{0.7}, std::vector{0.0}, *run, 2.0);
  EXPECT_EQ(stepper->advance(2.0).status, Status::newton_failure);
  EXPECT_GT(n_messages, 0);
}

class CvodeFailure : public testing::TestWithParam<const char*> {};

TEST_P(CvodeFailure, ARightHandSideWithoutAValueNamesTheEquation) {
  const FunctionOde system{2, [](double t, In x, Out xp) {
                             xp[0] = -x[0];
                             xp[1] = std::sqrt(1.0 - t);
                           }};
  const Driven driven =
      run_driver(system, {.integrator = GetParam(), .x0 = {1.0, 0.0}, .options = {.t1 = 2.0}});
  EXPECT_EQ(driven.outcome.status, Status::non_finite_value) << driven.outcome.message;
  EXPECT_THAT(driven.outcome.message, HasSubstr("equation 2"));
  EXPECT_NEAR(driven.outcome.t, 1.0, 1e-2);
}

TEST_P(CvodeFailure, ABlowUpIsAStepSizeUnderflow) {
  const FunctionOde system{1, [](double, In x, Out xp) { xp[0] = x[0] * x[0]; }};
  const Driven driven =
      run_driver(system, {.integrator = GetParam(), .x0 = {1.0}, .options = {.t1 = 2.0}});
  EXPECT_EQ(driven.outcome.status, Status::step_size_underflow) << driven.outcome.message;
  EXPECT_NEAR(driven.outcome.t, 1.0, 1e-4);
}

TEST_P(CvodeFailure, AnExceptionOfTheSystemArrivesUnchanged) {
  const FunctionOde system{1, [](double t, In x, Out xp) {
                             if (t > 0.5) throw std::domain_error("table");
                             xp[0] = -x[0];
                           }};
  EXPECT_THROW(run_driver(system, {.integrator = GetParam(), .x0 = {1.0}}), std::domain_error);
}

INSTANTIATE_TEST_SUITE_P(Both, CvodeFailure, testing::Values("adams", "cvode-bdf"),
                         [](const auto& row) {
                           return std::string(row.param) == "adams" ? "Adams" : "Bdf";
                         });

}  // namespace
}  // namespace daedal::integration
