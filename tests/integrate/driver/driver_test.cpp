// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/driver/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <daedal/error.hpp>
#include <numbers>

#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using test::Driven;
using test::FunctionOde;
using test::In;
using test::oscillator;
using test::Out;
using test::run_driver;
using testing::HasSubstr;

TEST(Driver, OutputGridHasNoDriftAndIncludesTheEnd) {
  const FunctionOde system = oscillator();
  const Driven driven = run_driver(
      system, {.tolerance = 1e-9, .x0 = {1.0, 0.0}, .options = {.t1 = 1.05, .interval = 0.1}});
  ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  ASSERT_EQ(driven.seen.times.size(), 12U);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(driven.seen.times[i], static_cast<double>(i) * 0.1);
    EXPECT_NEAR(driven.seen.states[i][0], std::cos(driven.seen.times[i]), 1e-7);
  }
  EXPECT_EQ(driven.seen.times.back(), 1.05);
}

TEST(Driver, GridPointThatRoundOffKeepsFromTheEndIsTheEnd) {
  const FunctionOde system = oscillator();
  // 3·0.1 = 0.30000000000000004 lies beyond 0.3.
  const Driven driven =
      run_driver(system, {.x0 = {1.0, 0.0}, .options = {.t1 = 0.3, .interval = 0.1}});
  EXPECT_THAT(driven.seen.times, testing::ElementsAre(0.0, 0.1, 0.2, 0.3));
}

TEST(Driver, ARunThatContinuesAnotherKeepsItsGrid) {
  const FunctionOde system = oscillator();
  const Driven driven = run_driver(
      system,
      {.x0 = {1.0, 0.0}, .options = {.t0 = 0.25, .t1 = 0.5, .interval = 0.1, .origin = 0.0}});
  EXPECT_THAT(driven.seen.times,
              testing::ElementsAre(0.25, testing::DoubleEq(0.3), testing::DoubleEq(0.4), 0.5));
  EXPECT_EQ(driven.outcome.x, driven.seen.states.back());
}

TEST(Driver, WithoutAnIntervalEveryAcceptedStepIsOutput) {
  const FunctionOde system = oscillator();
  const Driven driven = run_driver(system, {.x0 = {1.0, 0.0}});
  ASSERT_EQ(driven.seen.times.size(), driven.seen.steps.size() + 1);
  for (std::size_t i = 0; i < driven.seen.steps.size(); ++i) {
    EXPECT_EQ(driven.seen.times[i], driven.seen.steps[i].t0);
    EXPECT_EQ(driven.seen.times[i + 1], driven.seen.steps[i].t1);
  }
  EXPECT_EQ(driven.outcome.statistics.steps, static_cast<std::int64_t>(driven.seen.steps.size()));
}

TEST(Driver, EndsWhereTooManyStepsAreLeftAtThePaceOfLate) {
  // Waves of length 2π/1000 up to t = 10, of length 2π beyond: slow at first, not for ever.
  const FunctionOde system(1, [](double t, In, Out xp) { xp[0] = cos(t < 10.0 ? 1e3 * t : t); });
  const Driven whole = run_driver(system, {.x0 = {0.0}, .options = {.t1 = 1e3}});
  ASSERT_EQ(whole.outcome.status, Status::success) << whole.outcome.message;
  EXPECT_FALSE(whole.outcome.is_too_slow);
  ASSERT_GT(whole.outcome.statistics.steps, 4000);
  const Driven driven =
      run_driver(system, {.x0 = {0.0}, .options = {.t1 = 1e3, .max_steps_left = 1e5}});
  EXPECT_EQ(driven.outcome.status, Status::success);
  EXPECT_TRUE(driven.outcome.is_too_slow);
  EXPECT_EQ(driven.outcome.statistics.steps, 4000);
  EXPECT_LT(driven.outcome.t, 10.0);
  EXPECT_GT(driven.outcome.projected_steps, 1e5);
}

TEST(Driver, EndsEarlierWhereThePaceIsHopeless) {
  // Waves of length 2π/1e7: at least 1e9 steps up to t = 1e3, a thousand times too many.
  const FunctionOde system(1, [](double t, In, Out xp) { xp[0] = 1e7 * cos(1e7 * t); });
  const Driven driven =
      run_driver(system, {.x0 = {0.0}, .options = {.t1 = 1e3, .max_steps_left = 1e5}});
  EXPECT_TRUE(driven.outcome.is_too_slow);
  EXPECT_EQ(driven.outcome.statistics.steps, 1000);
}

TEST(Driver, HitsStopTimesExactlyInEitherDirection) {
  const FunctionOde system = oscillator();
  for (const double direction : {1.0, -1.0}) {
    const Driven driven =
        run_driver(system, {.x0 = {1.0, 0.0},
                            .options = {.t1 = 3.0 * direction,
                                        .stop_times = {2.5 * direction, direction / 3.0, 7.0}}});
    ASSERT_EQ(driven.outcome.status, Status::success);
    EXPECT_THAT(driven.seen.times, testing::Contains(direction / 3.0));
    EXPECT_THAT(driven.seen.times, testing::Contains(2.5 * direction));
    EXPECT_EQ(driven.seen.times.back(), 3.0 * direction);
  }
}

TEST(Driver, TwoRunsGiveTheSameBits) {
  const FunctionOde system = oscillator();
  const test::Drive drive{.tolerance = 1e-8, .x0 = {1.0, 0.0}, .options = {.t1 = 20.0}};
  const Driven first = run_driver(system, drive);
  const Driven second = run_driver(system, drive);
  ASSERT_EQ(first.seen.times.size(), second.seen.times.size());
  EXPECT_EQ(std::memcmp(first.seen.times.data(), second.seen.times.data(),
                        first.seen.times.size() * sizeof(double)),
            0);
  for (std::size_t i = 0; i < first.seen.states.size(); ++i) {
    EXPECT_EQ(
        std::memcmp(first.seen.states[i].data(), second.seen.states[i].data(), 2 * sizeof(double)),
        0);
  }
}

TEST(Driver, AnEmptySpanReportsItsOnePoint) {
  const FunctionOde system = oscillator();
  const Driven driven = run_driver(system, {.x0 = {1.0, 0.0}, .options = {.t1 = 0.0}});
  EXPECT_EQ(driven.outcome.status, Status::success);
  EXPECT_THAT(driven.seen.times, testing::ElementsAre(0.0));
}

TEST(Driver, StopsAtTheLimitsAndKeepsWhatItHas) {
  const FunctionOde system = oscillator();
  const Driven steps =
      run_driver(system, {.x0 = {1.0, 0.0}, .options = {.t1 = 100.0, .max_steps = 7}});
  EXPECT_EQ(steps.outcome.status, Status::max_steps_reached);
  EXPECT_EQ(steps.seen.steps.size(), 7U);
  EXPECT_EQ(steps.outcome.t, steps.seen.times.back());
  EXPECT_THAT(steps.outcome.message, HasSubstr("7 steps"));

  const Driven seconds =
      run_driver(system, {.x0 = {1.0, 0.0}, .options = {.t1 = 100.0, .time_limit = 0.0}});
  EXPECT_EQ(seconds.outcome.status, Status::time_limit_reached);

  const std::atomic<bool> cancel = true;
  const Driven cancelled =
      run_driver(system, {.x0 = {1.0, 0.0}, .options = {.t1 = 100.0, .cancel = &cancel}});
  EXPECT_EQ(cancelled.outcome.status, Status::cancelled);
  EXPECT_EQ(cancelled.seen.times.size(), 1U);
}

TEST(Driver, ReportsTheFinalProgress) {
  const FunctionOde system = oscillator();
  Progress last;
  run_driver(system, {.x0 = {1.0, 0.0},
                      .options = {.t1 = 2.0, .on_progress = [&](const Progress& p) { last = p; }}});
  EXPECT_EQ(last.fraction, 1.0);
  EXPECT_EQ(last.time, 2.0);
  EXPECT_GT(last.steps, 0);
}

TEST(Driver, ObeysEveryChangeAfterAStep) {
  FunctionOde system = oscillator();
  // At t = 1 the unknowns become (x, v) → (x + 1, v): a restart must follow from there.
  bool has_changed = false;
  system.on_step = [&](double t, Out x, Out xp, const History&, daedal::Run&) -> Change {
    if (t >= 2.0) return {Change::Kind::stop, Status::rank_change, "Stopped by the system."};
    if (t != 1.0 || has_changed) return {Change::Kind::equations, Status::success, ""};
    has_changed = true;
    x[0] = 0.0;
    x[1] = 5.0;
    xp[0] = 5.0;
    xp[1] = 0.0;
    return {Change::Kind::unknowns, Status::success, ""};
  };
  const Driven driven = run_driver(
      system,
      {.tolerance = 1e-9, .x0 = {1.0, 0.0}, .options = {.t1 = 3.0, .stop_times = {1.0, 2.0}}});
  EXPECT_EQ(driven.outcome.status, Status::rank_change);
  EXPECT_EQ(driven.outcome.message, "Stopped by the system.");
  EXPECT_EQ(driven.outcome.t, 2.0);
  EXPECT_EQ(driven.outcome.statistics.restarts, 1);
  EXPECT_NEAR(driven.last()[0], 5.0 * std::sin(1.0), 1e-6);
}

TEST(Driver, AdvancesByStepsAndEvents) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  // Events at t = 0.25 and 0.75, the second of which sets x back; both lie in the first step.
  system.events = {.n = 2,
                   .values =
                       [](double t, In, In, Out g) {
                         g[0] = t - 0.25;
                         g[1] = t - 0.75;
                       },
                   .on_event = [](double, std::span<const std::int64_t> fired, Out x, Out,
                                  daedal::Run&) -> Change {
                     if (fired.front() == 0) return {};
                     x[0] = 0.0;
                     return {Change::Kind::unknowns, Status::success, ""};
                   }};
  const auto stepper = find_integrator("rk4").make_explicit(system, {.fixed_step = 1.0}, {});
  const auto run = system.make_run();
  test::CollectingObserver seen;
  Drive drive(system, *stepper, *run, std::vector{0.0}, std::vector{1.0}, {.t1 = 3.0}, seen);
  EXPECT_EQ(seen.times.size(), 1U) << "the start is the first output";
  struct Stand {
    double t, x;
    bool is_over;
  };
  for (const Stand expected :
       {Stand{0.25, 0.25, false}, Stand{0.75, 0.0, false}, Stand{1.75, 1.0, false},
        Stand{2.75, 2.0, false}, Stand{3.0, 2.25, true}}) {
    ASSERT_TRUE(drive.advance());
    EXPECT_NEAR(drive.time(), expected.t, 1e-12);
    EXPECT_NEAR(drive.x()[0], expected.x, 1e-12);
    EXPECT_EQ(drive.is_over(), expected.is_over);
    EXPECT_EQ(drive.outcome().status, Status::success);
    EXPECT_EQ(drive.outcome().message.empty(), !expected.is_over);
  }
  EXPECT_FALSE(drive.advance());
  EXPECT_EQ(drive.outcome().statistics.events, 2);
  EXPECT_EQ(drive.outcome().x, seen.states.back());
}

TEST(Driver, AStepThatFailsIsNoAdvance) {
  const FunctionOde system{1, [](double t, In, Out xp) { xp[0] = t < 1.5 ? 1.0 : NAN; }};
  const auto stepper = find_integrator("rk4").make_explicit(system, {.fixed_step = 1.0}, {});
  const auto run = system.make_run();
  test::CollectingObserver seen;
  Drive drive(system, *stepper, *run, std::vector{0.0}, std::vector{1.0}, {.t1 = 3.0}, seen);
  EXPECT_TRUE(drive.advance());
  EXPECT_FALSE(drive.is_over());
  EXPECT_FALSE(drive.advance());
  EXPECT_TRUE(drive.is_over());
  EXPECT_EQ(drive.time(), 1.0);
  EXPECT_EQ(drive.outcome().status, Status::non_finite_value);
}

TEST(Driver, ARunOfNoLengthIsOverAtItsStart) {
  const FunctionOde system = oscillator();
  const auto stepper = find_integrator("rk4").make_explicit(system, {.fixed_step = 1.0}, {});
  const auto run = system.make_run();
  test::CollectingObserver seen;
  Drive drive(system, *stepper, *run, std::vector{1.0, 0.0}, std::vector{0.0, -1.0},
              {.t0 = 2.0, .t1 = 2.0}, seen);
  EXPECT_TRUE(drive.is_over());
  EXPECT_FALSE(drive.advance());
  EXPECT_EQ(drive.outcome().status, Status::success);
  EXPECT_EQ(drive.outcome().t, 2.0);
}

TEST(Driver, RefusesNonsense) {
  const FunctionOde system = oscillator();
  EXPECT_THROW(run_driver(system, {.x0 = {1.0, 0.0}, .options = {.t1 = NAN}}), OptionError);
  EXPECT_THROW(run_driver(system, {.x0 = {1.0, 0.0}, .options = {.interval = -1.0}}), OptionError);
  EXPECT_THROW(run_driver(system, {.x0 = {1.0, 0.0}, .options = {.max_steps = 0}}), OptionError);
}

/// x² + v² = 1, projected radially.
class UnitCircle final : public Manifold {
 public:
  [[nodiscard]] int n_levels() const override { return 1; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return 1; }
  Evaluation residual(double, In x, int, Run&, Out values) const override {
    values[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
    return Evaluation::ok;
  }
  Evaluation project(double, Out x, In, Run&) const override {
    const double radius = std::hypot(x[0], x[1]);
    x[0] /= radius;
    x[1] /= radius;
    return Evaluation::ok;
  }
};

TEST(Driver, ProjectsAcceptedStepsAndInterpolatedOutput) {
  FunctionOde system = oscillator();
  const UnitCircle circle;
  system.invariants = &circle;
  for (const double interval : {0.0, 0.07}) {
    const test::Drive drive{
        .tolerance = 1e-5, .x0 = {1.0, 0.0}, .options = {.t1 = 20.0, .interval = interval}};
    const Driven driven = run_driver(system, drive);
    ASSERT_EQ(driven.outcome.status, Status::success);
    EXPECT_GE(driven.outcome.statistics.projections, driven.outcome.statistics.steps);
    for (const auto& state : driven.seen.states) {
      EXPECT_NEAR(std::hypot(state[0], state[1]), 1.0, 1e-15);
    }
    // The history is kept: not more steps than a few percent above the run without projection.
    test::Drive unprojected = drive;
    unprojected.options.project = false;
    EXPECT_LT(driven.outcome.statistics.steps,
              run_driver(system, unprojected).outcome.statistics.steps * 11 / 10);
  }
}

}  // namespace
}  // namespace daedal::integration
