// SPDX-License-Identifier: BSD-3-Clause
/// What an inspector of steps asks of the driver, and the measure of what it may ask for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "integrate/driver/defect.hpp"
#include "integrate/driver/driver.hpp"
#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using test::Driven;
using test::FunctionOde;
using test::In;
using test::Out;
using test::run_driver;
using testing::Contains;
using testing::HasSubstr;

/// Looks at steps as a function does.
class Inspector final : public StepInspector {
 public:
  explicit Inspector(std::function<Inspection(const Part&)> look) : look_(std::move(look)) {}
  const Inspection* inspect(const Ray& from, const Ray& to, const Stepper&, Run&) override {
    found_ = look_({from.t, to.t});
    return &found_;
  }

 private:
  std::function<Inspection(const Part&)> look_;
  Inspection found_;
};

bool holds(const Part& step, double t) {
  return step.begin < t && t < step.end;
}

class Inspected : public testing::TestWithParam<const char*> {};

TEST_P(Inspected, StepsEndWhereTheInspectorStopsThem) {
  const FunctionOde system = test::oscillator();
  for (const bool is_break : {false, true}) {
    Inspector inspector([&](const Part& step) {
      Inspection found;
      for (const double t : {1.25, 3.5}) {
        if (holds(step, t)) found.stops.push_back({t, is_break});
      }
      return found;
    });
    const Driven driven = run_driver(system, {.integrator = GetParam(),
                                              .tolerance = 1e-8,
                                              .x0 = {1.0, 0.0},
                                              .options = {.t1 = 5.0, .inspector = &inspector}});
    ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
    EXPECT_THAT(driven.seen.times, Contains(1.25));
    EXPECT_THAT(driven.seen.times, Contains(3.5));
    for (std::size_t i = 1; i < driven.seen.steps.size(); ++i) {
      EXPECT_EQ(driven.seen.steps[i].t0, driven.seen.steps[i - 1].t1);
    }
    EXPECT_NEAR(driven.last()[0], std::cos(5.0), 1e-5);
  }
}

TEST_P(Inspected, ARunEndsWhereTheInspectorEndsIt) {
  const FunctionOde system = test::oscillator();
  Inspector inspector([](const Part& step) {
    Inspection found;
    if (!holds(step, 2.5)) return found;
    found.end = 2.5;
    found.status = Status::non_finite_value;
    found.message = "There is nothing beyond.";
    return found;
  });
  const Driven driven =
      run_driver(system, {.integrator = GetParam(),
                          .tolerance = 1e-8,
                          .x0 = {1.0, 0.0},
                          .options = {.t1 = 5.0, .interval = 1.0, .inspector = &inspector}});
  EXPECT_EQ(driven.outcome.status, Status::non_finite_value);
  EXPECT_THAT(driven.outcome.message, HasSubstr("nothing beyond"));
  EXPECT_THAT(driven.seen.times, testing::ElementsAre(0.0, 1.0, 2.0, 2.5));
  EXPECT_NEAR(driven.last()[0], std::cos(2.5), 1e-6);
}

/// cos t is 0 at π/2 and 3π/2.
test::EventFunctions switches() {
  return {.n = 1,
          .values = [](double, In x, In, Out values) { values[0] = x[0]; },
          .on_event =
              [](double, std::span<const std::int64_t>, Out, Out, Run&) {
                Change change;
                change.kind = Change::Kind::unknowns;
                return change;
              }};
}

TEST_P(Inspected, WhatAnEventCutsOffIsNotLookedAt) {
  FunctionOde system = test::oscillator();
  system.events = switches();
  std::vector<Part> parts;
  Inspector inspector([&](const Part& part) {
    parts.push_back(part);
    return Inspection{};
  });
  const Driven driven = run_driver(system, {.integrator = GetParam(),
                                            .tolerance = 1e-8,
                                            .x0 = {1.0, 0.0},
                                            .options = {.t1 = 5.0, .inspector = &inspector}});
  ASSERT_EQ(driven.seen.events.size(), 2U);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts.front().begin, 0.0);
  EXPECT_EQ(parts.back().end, 5.0);
  for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_EQ(parts[i].begin, parts[i - 1].end);
  for (const auto& event : driven.seen.events) {
    EXPECT_THAT(parts, Contains(testing::Field(&Part::end, event.t)));
  }
}

TEST_P(Inspected, AnEventOfAStepThatIsTakenAgainComesOnce) {
  FunctionOde system = test::oscillator();
  system.events = switches();
  constexpr double half_pi = 0.5 * std::numbers::pi;
  Inspector inspector([&](const Part& part) {
    Inspection found;
    for (const double t : {1.5, 4.7}) {
      if (holds(part, t)) found.stops.push_back({t});
    }
    return found;
  });
  const Driven driven = run_driver(system, {.integrator = GetParam(),
                                            .tolerance = 1e-8,
                                            .x0 = {1.0, 0.0},
                                            .options = {.t1 = 5.0, .inspector = &inspector}});
  EXPECT_THAT(driven.seen.times, Contains(1.5));
  EXPECT_THAT(driven.seen.times, Contains(4.7));
  ASSERT_EQ(driven.seen.events.size(), 2U);
  EXPECT_NEAR(driven.seen.events[0].t, half_pi, 1e-5);
  EXPECT_NEAR(driven.seen.events[1].t, 3.0 * half_pi, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Inspected, testing::Values("dop853", "radau", "bdf", "adams"),
                         [](const auto& test) { return std::string(test.param); });

/// x' = 0 was integrated, but for a moment x' = 3: the defect is what that moment moves x by.
TEST(Defect, IsWhatTheInterpolantHasMissed) {
  const double begin = 2.0;
  const double end = 2.5;
  bool is_hidden = true;
  FunctionOde system(
      1, [&](double t, In, Out xp) { xp[0] = !is_hidden && t > begin && t < end ? 3.0 : 0.0; });
  const auto run = system.make_run();
  const auto stepper = find_integrator("dop853").make_explicit(
      system, {.rtol = 1e-3, .atol = 1e-3, .initial_step = 10.0}, Integrator("dop853"));
  const std::vector<double> x0{1.0};
  const std::vector<double> xp0{0.0};
  stepper->start(0.0, x0, xp0, *run, 10.0);
  ASSERT_EQ(stepper->advance(10.0).t1, 10.0);
  is_hidden = false;
  Defect defect(system, {.rtol = 1e-3, .atol = 1e-3});
  const std::vector<Part> parts{{begin, end}};
  EXPECT_NEAR(defect.measure(parts, *stepper, *run), 3.0 * (end - begin) / (1e-3 * 1.0 + 1e-3),
              1e-6);
}

}  // namespace
}  // namespace daedal::integration
