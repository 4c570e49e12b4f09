// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "integrate/driver/event_roots.hpp"
#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using std::numbers::pi;
using test::Driven;
using test::FunctionOde;
using test::In;
using test::oscillator;  // from (0, 1) it is (sin t, cos t): the phase is the clock
using test::Out;
using test::run_driver;
using testing::HasSubstr;

/// Global errors stay within 100 times this tolerance, so event times are compared to 1e-10.
test::Drive precise(double t1) {
  return {.integrator = "adams", .tolerance = 1e-12, .x0 = {0.0, 1.0}, .options = {.t1 = t1}};
}

TEST(RootBracket, EndsBeyondTheRootWithinTheTolerance) {
  int n_evaluations = 0;
  const auto function = [&](double t) {
    ++n_evaluations;
    return std::cos(t) - t;
  };
  const RootBracket found = shrink_bracket({0.0, 1.0, 1.0, std::cos(1.0) - 1.0}, 1e-14, function);
  constexpr double root = 0.73908513321516064;  // Dottie's number
  EXPECT_NEAR(found.b, root, 2e-14);
  EXPECT_LE(found.value_b, 0.0);
  EXPECT_GE(found.value_a, 0.0);
  EXPECT_LE(n_evaluations, 15);
}

TEST(RootBracket, IsNeverMuchSlowerThanBisection) {
  int n_evaluations = 0;
  const auto flat = [&](double t) {
    ++n_evaluations;
    return std::pow(t - 0.3, 15);
  };
  const RootBracket found = shrink_bracket({-1.0, flat(-1.0), 1.0, flat(1.0)}, 1e-12, flat);
  EXPECT_NEAR(found.b, 0.3, 2e-12);
  EXPECT_LE(n_evaluations, 3 * 45);
}

TEST(Events, AreFoundWhereTheSignChanges) {
  FunctionOde system = oscillator();
  system.events = {.n = 1, .values = [](double, In x, In, Out g) { g[0] = x[0]; }};
  const Driven driven = run_driver(system, precise(10.0));
  ASSERT_EQ(driven.outcome.status, Status::success);
  // sin starts at exactly 0: the start is no event.
  ASSERT_EQ(driven.seen.events.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(driven.seen.events[k].t, static_cast<double>(k + 1) * pi, 1e-10);
    EXPECT_THAT(driven.seen.events[k].fired, testing::ElementsAre(0));
  }
  EXPECT_EQ(driven.outcome.statistics.events, 3);
  EXPECT_EQ(driven.outcome.statistics.restarts, 0);
}

TEST(Events, AreRootsOfTheInterpolantToRoundOff) {
  FunctionOde system = oscillator();
  double at_event = 1.0;
  double before_event = 0.0;
  system.events = {.n = 1,
                   .values = [](double, In x, In, Out g) { g[0] = x[0] - 0.5; },
                   .on_event =
                       [&](double, std::span<const std::int64_t>, Out x, Out, daedal::Run&) {
                         at_event = std::abs(x[0] - 0.5);
                         before_event += 1.0;
                         return Change{};
                       }};
  test::Drive loose = precise(1.0);
  loose.tolerance = 1e-4;
  run_driver(system, loose);
  EXPECT_EQ(before_event, 1.0);
  EXPECT_LE(at_event, 1e-12);
}

TEST(Events, AreFoundWhereAStepSpansManyPeriods) {
  // x = t is exact in steps of any length; the condition has a period of its own.
  for (const double frequency : {50.0, 123.4, 500.0}) {
    FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
    system.events = {
        .n = 1, .values = [&](double t, In, In, Out g) { g[0] = std::sin(frequency * t) - 0.99; }};
    for (const double end : {9.3, 10.0, 13.0}) {
      const Driven driven = run_driver(
          system, {.integrator = "dop853", .tolerance = 1e-6, .x0 = {0.0}, .options = {.t1 = end}});
      ASSERT_EQ(driven.outcome.status, Status::success);
      // Up at asin 0.99 and down at pi - asin 0.99 in every period.
      const auto n_crossings = [&](double phase) {
        return std::floor((frequency * end - phase) / (2.0 * pi)) + 1.0;
      };
      const double up = std::asin(0.99);
      EXPECT_EQ(static_cast<double>(driven.seen.events.size()),
                n_crossings(up) + n_crossings(pi - up))
          << frequency << " until " << end;
    }
  }
}

// Unknowns that are solved for again differ by rounding errors: the instant at which a crossing was
// seen may not show it when it is looked at a second time.
TEST(Events, AreNotLostWhereRoundingErrorsHideTheCrossing) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  double last_crossed = 0.0;
  int n_hidden = 0;
  system.events = {.n = 1, .values = [&](double t, In x, In, Out g) {
                     g[0] = x[0] - 0.7;
                     if (g[0] > 0.0 && t == last_crossed && n_hidden == 0) {
                       g[0] = -1e-15;
                       ++n_hidden;
                     }
                     if (g[0] > 0.0) last_crossed = t;
                   }};
  const Driven driven = run_driver(
      system, {.integrator = "dop853", .tolerance = 1e-6, .x0 = {0.0}, .options = {.t1 = 2.0}});
  ASSERT_EQ(driven.outcome.status, Status::success);
  EXPECT_EQ(n_hidden, 1);
  ASSERT_EQ(driven.seen.events.size(), 1U);
  EXPECT_NEAR(driven.seen.events[0].t, 0.7, 1e-14);
  EXPECT_THAT(driven.seen.events[0].fired, testing::ElementsAre(0));
}

TEST(Events, OfAFunctionAtRoundOffAreNotSoughtForLong) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  int n_evaluations = 0;
  system.events = {.n = 1, .values = [&](double t, In, In, Out g) {
                     ++n_evaluations;
                     g[0] = 1e-16 * (2.0 + std::sin(1e9 * t));
                   }};
  const Driven driven = run_driver(
      system, {.integrator = "dop853", .tolerance = 1e-6, .x0 = {0.0}, .options = {.t1 = 10.0}});
  ASSERT_EQ(driven.outcome.status, Status::success);
  EXPECT_LT(n_evaluations, 20 * driven.outcome.statistics.steps);
}

TEST(Events, ObeyTheirDirection) {
  FunctionOde system = oscillator();
  system.events = {.n = 3,
                   .values = [](double, In x, In, Out g) { g[0] = g[1] = g[2] = x[1]; },
                   .crossings = {Crossing::both, Crossing::rising, Crossing::falling}};
  const Driven driven = run_driver(system, precise(2.0 * pi));
  ASSERT_EQ(driven.seen.events.size(), 2U);  // cos falls at π/2 and rises at 3π/2
  EXPECT_THAT(driven.seen.events[0].fired, testing::ElementsAre(0, 2));
  EXPECT_THAT(driven.seen.events[1].fired, testing::ElementsAre(0, 1));
  EXPECT_NEAR(driven.seen.events[0].t, 0.5 * pi, 1e-10);
  EXPECT_NEAR(driven.seen.events[1].t, 1.5 * pi, 1e-10);
}

TEST(Events, ComeEarliestFirstWithinOneStep) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  // x = t is exact for every scheme: one long step holds all four roots.
  system.events = {.n = 4, .values = [](double, In x, In, Out g) {
                     g[0] = x[0] - 0.52;
                     g[1] = 0.51 - x[0];
                     g[2] = x[0] - 0.75;
                     g[3] = x[0] - 0.51;
                   }};
  const Driven driven =
      run_driver(system, {.integrator = "adams", .x0 = {0.0}, .options = {.t0 = 0.0, .t1 = 1.0}});
  ASSERT_EQ(driven.seen.events.size(), 3U);
  EXPECT_NEAR(driven.seen.events[0].t, 0.51, 1e-14);
  EXPECT_THAT(driven.seen.events[0].fired, testing::ElementsAre(1, 3));
  EXPECT_NEAR(driven.seen.events[1].t, 0.52, 1e-14);
  EXPECT_NEAR(driven.seen.events[2].t, 0.75, 1e-14);
}

TEST(Events, TwoRootsWithinOneStepAreNotMissed) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  // A dip below 0 of width 0.02, in steps that grow to much more.
  system.events = {.n = 1,
                   .values = [](double, In x, In, Out g) { g[0] = (x[0] - 0.77) * (x[0] - 0.79); }};
  const Driven driven = run_driver(system, {.integrator = "adams", .x0 = {0.0}});
  ASSERT_EQ(driven.seen.events.size(), 2U);
  EXPECT_NEAR(driven.seen.events[0].t, 0.77, 1e-13);
  EXPECT_NEAR(driven.seen.events[1].t, 0.79, 1e-13);
}

TEST(Events, AFunctionThatOnlyTouchesZeroDoesNotFire) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  system.events = {.n = 1, .values = [](double t, In, In, Out g) { g[0] = (t - 0.5) * (t - 0.5); }};
  const Driven driven =
      run_driver(system, {.integrator = "adams", .x0 = {0.0}, .options = {.stop_times = {0.5}}});
  EXPECT_TRUE(driven.seen.events.empty());
}

TEST(Events, OnAStepEndAndAnOutputPointFireOnce) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  system.events = {.n = 1, .values = [](double t, In, In, Out g) { g[0] = t - 0.5; }};
  const Driven driven = run_driver(
      system,
      {.integrator = "adams", .x0 = {0.0}, .options = {.interval = 0.25, .stop_times = {0.5}}});
  ASSERT_EQ(driven.seen.events.size(), 1U);
  EXPECT_NEAR(driven.seen.events[0].t, 0.5, 1e-15);
  EXPECT_EQ(std::count(driven.seen.times.begin(), driven.seen.times.end(), 0.5), 1);
}

TEST(Events, AreOutputBeforeAndAfter) {
  FunctionOde system = oscillator();
  system.events = {.n = 1,
                   .values = [](double, In x, In, Out g) { g[0] = x[1]; },
                   .crossings = {Crossing::falling},
                   .on_event =
                       [](double, std::span<const std::int64_t>, Out x, Out xp, daedal::Run&) {
                         x[0] = 0.25;
                         xp[1] = -0.25;
                         return Change{Change::Kind::unknowns, Status::success, ""};
                       }};
  const Driven driven = run_driver(system, precise(2.0));
  ASSERT_EQ(driven.seen.events.size(), 1U);
  const auto& times = driven.seen.times;
  const auto first = std::find(times.begin(), times.end(), driven.seen.events[0].t);
  ASSERT_NE(first, times.end());
  const auto i = static_cast<std::size_t>(first - times.begin());
  ASSERT_EQ(times[i], times[i + 1]);
  EXPECT_NEAR(driven.seen.states[i][0], 1.0, 1e-10);
  EXPECT_EQ(driven.seen.states[i + 1][0], 0.25);
  EXPECT_EQ(driven.outcome.statistics.restarts, 1);
  // Afterwards x = 0.25·cos(t − π/2).
  EXPECT_NEAR(driven.last()[0], 0.25 * std::cos(2.0 - 0.5 * pi), 1e-10);
}

TEST(Events, ATerminalEventEndsTheRun) {
  FunctionOde system = oscillator();
  system.events = {.n = 1,
                   .values = [](double, In x, In, Out g) { g[0] = x[0] - 0.5; },
                   .on_event =
                       [](double, std::span<const std::int64_t>, Out, Out, daedal::Run&) {
                         return Change{Change::Kind::stop, Status::event_stop, "Half way."};
                       }};
  const Driven driven = run_driver(system, precise(10.0));
  EXPECT_EQ(driven.outcome.status, Status::event_stop);
  EXPECT_EQ(driven.outcome.message, "Half way.");
  EXPECT_NEAR(driven.outcome.t, pi / 6.0, 1e-10);
}

TEST(Events, TimeEventsAreHitExactlyAndTheLastOneAtTheEndCounts) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  system.events = {.n = 0,
                   .on_event =
                       [](double, std::span<const std::int64_t>, Out x, Out, daedal::Run&) {
                         x[0] = 0.0;
                         return Change{Change::Kind::unknowns, Status::success, ""};
                       },
                   .next_time_event = [](double t) { return std::floor(4.0 * t + 1.0) / 4.0; }};
  const Driven driven = run_driver(system, {.integrator = "adams", .x0 = {0.0}});
  ASSERT_EQ(driven.seen.events.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(driven.seen.events[k].t, 0.25 * static_cast<double>(k + 1));
    EXPECT_TRUE(driven.seen.events[k].fired.empty());
  }
  EXPECT_EQ(driven.last()[0], 0.0);
}

TEST(Events, ATimeEventIsNotLostToAStateEventAtTheSameInstant) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  system.events = {
      .n = 1,
      .values = [](double t, In, In, Out g) { g[0] = t - std::nextafter(0.5, 0.0); },
      .on_event = [](double, std::span<const std::int64_t>, Out, Out,
                     daedal::Run&) { return Change{Change::Kind::equations, Status::success, ""}; },
      .next_time_event = [](double t) { return t < 0.5 ? 0.5 : HUGE_VAL; }};
  const Driven driven = run_driver(system, {.integrator = "adams", .x0 = {0.0}});
  ASSERT_EQ(driven.seen.events.size(), 2U);
  EXPECT_THAT(driven.seen.events[0].fired, testing::ElementsAre(0));
  EXPECT_THAT(driven.seen.events[1].fired, testing::ElementsAre());
  EXPECT_EQ(driven.seen.events[1].t, 0.5);
}

/// h'' = −g with v → −e·v at the floor.
class Ball {
 public:
  Ball(double restitution, Crossing crossing)
      : system{2, [](double, In x, Out xp) {
                 xp[0] = x[1];
                 xp[1] = -9.81;
               }} {
    system.events = {.n = 1,
                     .values = [](double, In x, In, Out g) { g[0] = x[0]; },
                     .crossings = {crossing},
                     .on_event =
                         [restitution](double, std::span<const std::int64_t>, Out x, Out xp, Run&) {
                           if (x[1] < 0.0) x[1] *= -restitution;
                           xp[0] = x[1];
                           return Change{Change::Kind::unknowns, Status::success, ""};
                         }};
  }
  FunctionOde system;
};

TEST(Events, ABouncingBallHitsTheFloorAtTheExactTimes) {
  const Ball ball(0.8, Crossing::falling);
  const Driven driven = run_driver(
      ball.system,
      {.integrator = "adams", .tolerance = 1e-12, .x0 = {1.0, 0.0}, .options = {.t1 = 3.5}});
  ASSERT_EQ(driven.outcome.status, Status::success);
  // Falls from 1 m; then each flight lasts 2·v/g.
  double t = std::sqrt(2.0 / 9.81);
  double v = 9.81 * t;
  std::size_t k = 0;
  for (; t < 3.5; ++k) {
    ASSERT_LT(k, driven.seen.events.size());
    EXPECT_NEAR(driven.seen.events[k].t, t, 1e-10);
    v *= 0.8;
    t += 2.0 * v / 9.81;
  }
  EXPECT_EQ(driven.seen.events.size(), k);
}

TEST(Events, AnAccumulationOfBouncesIsReportedAndTheBallNeverFallsThrough) {
  for (const Crossing crossing : {Crossing::falling, Crossing::both}) {
    const Ball ball(0.5, crossing);
    const Driven driven = run_driver(
        ball.system,
        {.integrator = "adams", .tolerance = 1e-9, .x0 = {1.0, 0.0}, .options = {.t1 = 3.0}});
    EXPECT_EQ(driven.outcome.status, Status::chattering);
    EXPECT_THAT(driven.outcome.message, HasSubstr("event function 1"));
    // Σ of the flights: t = sqrt(2/g)·(1 + 2·Σ e^k) with Σ e^k = 1. Flights no higher than the
    // tolerance are not resolved: together they last 2·sqrt(8·1e-9/g) = 5.7e-5.
    EXPECT_NEAR(driven.outcome.t, 3.0 * std::sqrt(2.0 / 9.81), 5.7e-5);
    for (const auto& state : driven.seen.states) EXPECT_GE(state[0], -1e-9);
  }
}

TEST(Events, ARelayThatSlidesIsReportedAsChattering) {
  double direction = -1.0;
  FunctionOde system{1, [&](double, In, Out xp) { xp[0] = direction; }};
  system.events = {.n = 1,
                   .values = [](double, In x, In, Out g) { g[0] = x[0]; },
                   .on_event =
                       [&](double, std::span<const std::int64_t>, Out, Out xp, daedal::Run&) {
                         direction = -direction;
                         xp[0] = direction;
                         return Change{Change::Kind::equations, Status::success, ""};
                       }};
  const Driven driven =
      run_driver(system, {.integrator = "adams", .x0 = {0.5}, .options = {.t1 = 2.0}});
  EXPECT_EQ(driven.outcome.status, Status::chattering);
  EXPECT_NEAR(driven.outcome.t, 0.5, 1e-9);
  EXPECT_THAT(driven.outcome.message, HasSubstr("t = 0.5"));
}

TEST(Events, AFunctionWithoutAValueEndsTheRunByName) {
  FunctionOde system{1, [](double, In, Out xp) { xp[0] = 1.0; }};
  system.events = {.n = 2, .values = [](double t, In, In, Out g) {
                     g[0] = 1.0;
                     g[1] = std::sqrt(0.5 - t) + 1.0;
                   }};
  const Driven driven = run_driver(system, {.integrator = "adams", .x0 = {0.0}});
  EXPECT_EQ(driven.outcome.status, Status::non_finite_value);
  EXPECT_THAT(driven.outcome.message, HasSubstr("Event function 2"));
}

TEST(Events, AreFoundBackwardInTime) {
  FunctionOde system = oscillator();
  system.events = {.n = 1, .values = [](double, In x, In, Out g) { g[0] = x[0] + 0.5; }};
  const Driven driven = run_driver(system, precise(-1.0));
  ASSERT_EQ(driven.seen.events.size(), 1U);
  EXPECT_NEAR(driven.seen.events[0].t, -pi / 6.0, 1e-10);
}

}  // namespace
}  // namespace daedal::integration
