// SPDX-License-Identifier: BSD-3-Clause
/// Events of models from text to time: relations, when-clauses, samplers, discrete equations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>

#include "expr/pool.hpp"
#include "formulation/formulation_support.hpp"

namespace daedal::formulation {
namespace {

using testing::HasSubstr;

SolveOptions tight(const std::string& integrator = "bdf") {
  return {.method = "direct", .integrator = integrator, .rtol = 1e-10, .atol = 1e-12};
}

WhenAction assign(std::int32_t discrete, Expr value, ModelBuilder& b) {
  return {.kind = WhenAction::Kind::assign, .target = discrete, .value = value.in(b.pool())};
}
WhenAction reinit(std::int32_t variable, Expr value, ModelBuilder& b) {
  return {.kind = WhenAction::Kind::reinit, .target = variable, .value = value.in(b.pool())};
}
WhenBranch branch(Expr condition, std::vector<WhenAction> actions, ModelBuilder& b) {
  return {.condition = condition.in(b.pool()), .actions = std::move(actions)};
}

/// A ball of height 1, g = 9.81, that keeps `e` of its speed.
Model bouncing_ball(double e) {
  ModelBuilder b("BouncingBall");
  const Expr h = b.variable("h", {.start = 1.0, .fixed = true});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr n = b.discrete("n", {.start = 0.0, .fixed = true, .type = ValueType::integer});
  b.equation(der(h) == v);
  b.equation(der(v) == -9.81);
  b.when({.branches = {
              branch(h < 0.0, {reinit(1, -e * b.pre(v), b), assign(0, b.pre(n) + 1.0, b)}, b)}});
  return b.build();
}

// The k-th impact is at √(2/g)·(1 + 2e + 2e² + ... + 2e^(k−1)).
TEST(Events, FindTheImpactsOfABouncingBall) {
  const double e = 0.8;
  const Solution s = solve(bouncing_ball(e), {0.0, 3.0}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  double impact = std::sqrt(2.0 / 9.81);
  double flight = 2.0 * impact;
  std::size_t count = 0;
  for (; impact < 3.0; ++count) {
    ASSERT_LT(count, s.events.size());
    EXPECT_NEAR(s.events[count].time, impact, 1e-8) << "impact " << count + 1;
    EXPECT_THAT(s.events[count].what, HasSubstr("h"));
    flight *= e;
    impact += flight;
  }
  // No event beside the impacts: leaving the floor is none.
  EXPECT_EQ(s.events.size(), count);
  EXPECT_EQ(s.final_value("n"), static_cast<double>(count));
}

TEST(Events, KeepABallAboveTheFloorThatLosesNoEnergy) {
  const Solution s = solve(bouncing_ball(1.0), {0.0, 10.0}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double first = std::sqrt(2.0 / 9.81);
  const double impacts = std::floor((10.0 - first) / (2.0 * first)) + 1.0;
  EXPECT_EQ(s.final_value("n"), impacts);
  for (std::size_t i = 0; i < s.n_rows(); ++i)
    EXPECT_GE(s.row(i)[s.column("h")], -1e-9) << "at t = " << s.times[i];
  const double h = s.final_value("h");
  const double v = s.final_value("v");
  EXPECT_NEAR(0.5 * v * v + 9.81 * h, 9.81, 1e-7);
}

// Impacts accumulate at t = √(2/g)(1+e)/(1−e): no step gets past it.
TEST(Events, EndARunOfAccumulatingImpactsAsChattering) {
  for (const double e : {0.3, 0.5, 0.8}) {
    const Solution s = solve(bouncing_ball(e), {0.0, 6.0}, tight());
    const double end = std::sqrt(2.0 / 9.81) * (1.0 + e) / (1.0 - e);
    EXPECT_EQ(s.status, Status::chattering) << s.message;
    EXPECT_NEAR(s.times.back(), end, 1e-8);
  }
}

// Sampled at 0, 0.1, ..., 1.0: eleven times, and a held copy of sin(t).
TEST(Events, SampleAtExactInstants) {
  ModelBuilder b("Sampled");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr n = b.discrete("n", {.start = 0.0, .fixed = true});
  const Expr held = b.discrete("held", {.start = 0.0, .fixed = true});
  b.equation(der(x) == cos(b.time()));
  b.when({.branches = {
              branch(b.sample(0.0, 0.1), {assign(0, b.pre(n) + 1.0, b), assign(1, x, b)}, b)}});
  (void)held;
  const Solution s = solve(b.build(), {0.0, 1.05}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.final_value("n"), 11.0);
  EXPECT_NEAR(s.final_value("held"), std::sin(1.0), 1e-9);
  EXPECT_NEAR(s.at(0.55, "held"), std::sin(0.5), 1e-9);
}

TEST(Events, CountInstantsOfTwoSamplersThatMeet) {
  ModelBuilder b("TwoRates");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr fast = b.discrete("fast", {.start = 0.0, .fixed = true});
  const Expr slow = b.discrete("slow", {.start = 0.0, .fixed = true});
  const Expr both = b.discrete("both", {.start = 0.0, .fixed = true});
  b.equation(der(x) == fast - slow);
  const Expr quick = b.sample(0.1, 0.1);
  const Expr late = b.sample(0.3, 0.3);
  b.when({.branches = {branch(quick, {assign(0, b.pre(fast) + 1.0, b)}, b)}});
  b.when({.branches = {branch(late, {assign(1, b.pre(slow) + 1.0, b)}, b)}});
  b.when({.branches = {branch(quick && late, {assign(2, b.pre(both) + 1.0, b)}, b)}});
  const Solution s = solve(b.build(), {0.0, 1.0}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.final_value("fast"), 10.0);
  EXPECT_EQ(s.final_value("slow"), 3.0);
  EXPECT_EQ(s.final_value("both"), 3.0);
}

// T' = −T + (on ? 4 : 0), on below 1, off above 2, T(0) = 2 and off: T falls to 1 after ln 2, and
// rises to 2 after ln((4−1)/(4−2)) = ln 1.5, again and again.
TEST(Events, SwitchAThermostatWithHysteresisAtExactTimes) {
  ModelBuilder b("Thermostat");
  const Expr t = b.variable("T", {.start = 2.0, .fixed = true});
  const Expr on = b.discrete("on", {.start = 0.0, .fixed = true, .type = ValueType::boolean});
  b.discrete_equation(on, t < 1.0 || (b.pre(on) && t < 2.0));
  b.equation(der(t) == -t + if_else(on, 4.0, 0.0));
  SolveOptions options = tight();
  const Solution s = solve(b.build(), {0.0, 4.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  std::vector<double> switches;
  for (std::size_t i = 1; i < s.n_rows(); ++i)
    if (s.row(i)[s.column("on")] != s.row(i - 1)[s.column("on")]) switches.push_back(s.times[i]);
  double expected = 0.0;
  ASSERT_GE(switches.size(), 6U);
  for (std::size_t k = 0; k < switches.size(); ++k) {
    expected += k % 2 == 0 ? std::log(2.0) : std::log(1.5);
    EXPECT_NEAR(switches[k], expected, 1e-8) << "switch " << k + 1;
  }
  EXPECT_GT(expected + std::log(2.0), 4.0);
}

// The first branch that becomes true wins, though both do at t = 1.
TEST(Events, GiveWhenPriorityOverElsewhen) {
  ModelBuilder b("Priority");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr winner = b.discrete("winner", {.start = 0.0, .fixed = true});
  (void)winner;
  b.equation(der(x) == 1.0);
  b.when({.branches = {branch(x > 1.0, {assign(0, 1.0, b)}, b),
                       branch(2.0 * x > 2.0, {assign(0, 2.0, b)}, b),
                       branch(x > 1.5, {assign(0, 3.0, b)}, b)}});
  const Model model = b.build();
  EXPECT_EQ(solve(model, {0.0, 1.25}, tight()).final_value("winner"), 1.0);
  EXPECT_EQ(solve(model, {0.0, 2.0}, tight()).final_value("winner"), 3.0);
}

// Boolean equations in the wrong order, a counter behind them, and an equality of integers.
TEST(Events, SolveDiscreteEquationsInAnyOrder) {
  ModelBuilder b("Logic");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr all = b.discrete("all", {.type = ValueType::boolean});
  const Expr high = b.discrete("high", {.type = ValueType::boolean});
  const Expr late = b.discrete("late", {.type = ValueType::boolean});
  b.equation(der(x) == if_else(all, -1.0, 1.0));
  b.discrete_equation(all, high && late);
  b.discrete_equation(high, x > 0.5);
  b.discrete_equation(late, b.time() >= 1.0);
  const Solution s = solve(b.build(), {0.0, 1.25}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  // Up to x(1) = 1, then down.
  EXPECT_NEAR(s.final_value("x"), 0.75, 1e-9);
  EXPECT_EQ(s.final_value("all"), 1.0);
}

TEST(Events, HitTimesOfTimeRelationsExactly) {
  ModelBuilder b("Pulse");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr t = b.time();
  b.equation(der(x) == if_else(t >= 0.3 && t < 0.7, 1.0, 0.0));
  const Solution s = solve(b.build(), {0.0, 1.0}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 0.4, 1e-12);
  ASSERT_EQ(s.events.size(), 2U);
  EXPECT_EQ(s.events[0].time, 0.3);
  EXPECT_EQ(s.events[1].time, 0.7);
}

TEST(Events, FollowTimeRelationsWhoseThresholdChanges) {
  ModelBuilder b("Timer");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr next = b.discrete("next", {.start = 0.25, .fixed = true});
  const Expr n = b.discrete("n", {.start = 0.0, .fixed = true});
  b.equation(der(x) == n);
  b.when(
      {.branches = {branch(b.time() >= b.pre(next),
                           {assign(0, b.pre(next) + 0.25, b), assign(1, b.pre(n) + 1.0, b)}, b)}});
  const Solution s = solve(b.build(), {0.0, 1.1}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.final_value("n"), 4.0);
  EXPECT_NEAR(s.final_value("x"), 0.25 * (1 + 2 + 3) + 0.1 * 4, 1e-9);
}

TEST(Events, EndTheRunByTerminate) {
  ModelBuilder b("Ends");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  b.equation(der(x) == 1.0);
  b.when({.branches = {
              branch(x > 0.75, {{.kind = WhenAction::Kind::terminate, .message = "Full."}}, b)}});
  const Solution s = solve(b.build(), {0.0, 2.0}, tight());
  EXPECT_EQ(s.status, Status::event_stop);
  EXPECT_EQ(s.message, "Full.");
  EXPECT_NEAR(s.times.back(), 0.75, 1e-9);
}

TEST(Events, EndTheRunByAnAssertionOfTheEquations) {
  ModelBuilder b("Asserts");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  b.equation(der(x) == 1.0);
  b.assertion({.condition = no_event(x < 0.5).in(b.pool()), .message = "Too far."});
  const Solution s = solve(b.build(), {0.0, 2.0}, tight());
  EXPECT_EQ(s.status, Status::assertion_failed);
  EXPECT_THAT(s.message, HasSubstr("Too far."));
}

// x' = −sign(x): each side drives into the other.
TEST(Events, NameTheRelationThatChatters) {
  ModelBuilder b("Sliding");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(der(x) == if_else(x > 0.0, -1.0, 1.0));
  const Solution s = solve(b.build(), {0.0, 2.0}, tight());
  EXPECT_EQ(s.status, Status::chattering);
  EXPECT_THAT(s.message, HasSubstr("x > 0"));
  EXPECT_NEAR(s.times.back(), 1.0, 1e-9);
}

// A condition that holds at the start becomes true only after it was false: the counter sees the
// one crossing of sin(t) at 2π, and initial() acts at the start alone.
TEST(Events, TakeAConditionThatHoldsAtTheStartAsNoEvent) {
  ModelBuilder b("AtStart");
  const Expr x = b.variable("x", {.start = 0.5, .fixed = true});
  const Expr n = b.discrete("n", {.start = 0.0, .fixed = true});
  const Expr first = b.discrete("first", {.start = 0.0, .fixed = true});
  (void)first;
  b.equation(der(x) == cos(b.time()));
  b.when({.branches = {branch(x > 0.5 - 1e-3, {assign(0, b.pre(n) + 1.0, b)}, b)}});
  b.when({.branches = {branch(Expr(b.pool(), b.pool().initial()), {assign(1, 7.0, b)}, b)}});
  const Solution s = solve(b.build(), {0.0, 7.0}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.final_value("n"), 1.0);
  EXPECT_EQ(s.final_value("first"), 7.0);
  EXPECT_EQ(s.row(0)[s.column("first")], 7.0);
}

// x = 0 at the start and rising: x > 0 becomes true at once.
TEST(Events, FireWhenAConditionBecomesTrueRightAfterTheStart) {
  ModelBuilder b("FromZero");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr n = b.discrete("n", {.start = 0.0, .fixed = true});
  b.equation(der(x) == 1.0);
  b.when({.branches = {branch(x > 0.0, {assign(0, b.pre(n) + 1.0, b)}, b)}});
  const Solution s = solve(b.build(), {0.0, 1.0}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.final_value("n"), 1.0);
}

// An ideal switch in an algebraic equation: y = x or 2x; x' = y. Between 0 and ln 2 x grows as
// exp(t) to 2, then twice as fast.
TEST(Events, SolveAlgebraicVariablesAnewAtASwitch) {
  ModelBuilder b("Switch");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) == y);
  b.equation(y + z == if_else(x > 2.0, 3.0 * x, 2.0 * x));
  b.equation(y - z == if_else(x > 2.0, x, 0.0));
  const Solution s = solve(b.build(), {0.0, 1.0}, tight());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 2.0 * std::exp(2.0 * (1.0 - std::log(2.0))), 1e-7);
  EXPECT_NEAR(s.final_value("y"), 2.0 * s.final_value("x"), 1e-7);
}

}  // namespace
}  // namespace daedal::formulation
