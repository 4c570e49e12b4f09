// SPDX-License-Identifier: BSD-3-Clause
/// Events that are stated in C++, beside the same in model text and beside closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <stdexcept>

namespace daedal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double g = 9.81, e = 0.5;
/// From the height 1: when the ball touches the ground, and between the bounces after that.
const double fall = std::sqrt(2.0 / g);

struct Ball {
  ModelBuilder b{"Ball"};
  Expr h = b.variable("h", {.start = 1.0, .fixed = true});
  Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  Expr n = b.discrete("n", {.start = 0.0, .fixed = true, .type = ValueType::integer});

  Ball() {
    b.equation(der(h) == v);
    b.equation(der(v) == -g);
  }
};

TEST(CppEvents, ReadAsTheyDoInText) {
  Ball ball;
  ball.b.when(ball.h < 0, {reinit(ball.v, -e * pre(ball.v)), assign(ball.n, pre(ball.n) + 1)});
  ball.b.when(ball.n >= 3, {terminate("three bounces")});
  const Solution s = solve(ball.b.build(), {0.0, 10.0});
  EXPECT_EQ(s.status, Status::event_stop);
  EXPECT_EQ(s.message, "three bounces");
  // Flights of 2 v/g: the fall, then 2 e fall, then 2 e² fall.
  EXPECT_NEAR(s.times.back(), fall * (1.0 + 2.0 * e + 2.0 * e * e), 1e-7);
  EXPECT_NEAR(s.final_value("v"), e * e * e * g * fall, 1e-5);

  const Solution text = solve(parse_model(R"(
    model Ball
      Real h(start = 1, fixed = true), v(start = 0, fixed = true);
      discrete Integer n(start = 0, fixed = true);
    equation
      der(h) = v;
      der(v) = -9.81;
      when h < 0 then
        reinit(v, -0.5*pre(v));
        n = pre(n) + 1;
      end when;
      when n >= 3 then
        terminate("three bounces");
      end when;
    end Ball;)"),
                              {0.0, 10.0});
  EXPECT_EQ(s.times, text.times);
  EXPECT_EQ(s.values, text.values);
}

TEST(CppEvents, TheFirstTrueConditionOfAClauseActs) {
  Ball ball;
  ball.b.when(ball.h < 0.5, {assign(ball.n, 1)});
  ball.b.else_when(ball.h < 0.7, {assign(ball.n, 2)});
  Simulation run = prepare(ball.b.build()).start({0.0, 0.4});
  run.advance(std::sqrt(2.0 * 0.4 / g));  // h = 0.6
  EXPECT_EQ(run.value("n"), 2.0);
  run.advance(0.4);
  EXPECT_EQ(run.value("n"), 1.0);
}

TEST(CppEvents, CallCodeOfTheUser) {
  std::vector<double> times, speeds, counts;
  Ball ball;
  ball.b.when(ball.h < 0, {call(
                               [&](double t, std::span<const double> arguments) {
                                 times.push_back(t);
                                 speeds.push_back(arguments[0]);
                                 counts.push_back(arguments[1]);
                               },
                               {-pre(ball.v), pre(ball.n)}),
                           reinit(ball.v, -e * pre(ball.v)), assign(ball.n, pre(ball.n) + 1)});
  const Solution s = solve(ball.b.build(), {0.0, 1.0});
  ASSERT_TRUE(is_success(s.status)) << s.message;
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[0], fall, 1e-9);
  EXPECT_NEAR(times[1], 2.0 * fall, 1e-7);
  EXPECT_NEAR(speeds[0], g * fall, 1e-7);
  EXPECT_NEAR(speeds[1], e * g * fall, 1e-5);
  EXPECT_THAT(counts, ElementsAre(0.0, 1.0));
}

TEST(CppEvents, WhatACallThrowsPassesThrough) {
  Ball ball;
  ball.b.when(
      ball.h < 0.5,
      {call([](double, std::span<const double>) { throw std::runtime_error("half way"); })});
  Simulation run = prepare(ball.b.build()).start({0.0, 1.0});
  EXPECT_THROW(while (run.step()){}, std::runtime_error);
  EXPECT_EQ(run.solution().status, Status::cancelled);
  EXPECT_NEAR(run.solution().times.back(), std::sqrt(1.0 / g), 1e-6);
}

TEST(CppEvents, ConditionsThatAreNumbersAreRefused) {
  Ball ball;
  const std::vector<EventAction> action{terminate()};
  for (const Expr& condition : {Expr(0.5), ball.h, ball.h - 0.5, Expr(ball.n), abs(ball.h)}) {
    EXPECT_THROW(ball.b.when(condition, action), ModelError);
  }
  const Expr on = ball.b.discrete("on", {.start = 0.0, .fixed = true, .type = ValueType::boolean});
  EXPECT_NO_THROW(ball.b.when(on, action));
  EXPECT_NO_THROW(ball.b.when(!pre(on) && ball.h < 0, action));
  EXPECT_NO_THROW(ball.b.when(ball.b.sample(0.0, 1.0), action));
}

TEST(CppEvents, WrongTargetsAreRefused) {
  Ball ball;
  EXPECT_THROW(ball.b.when(ball.h < 0, {reinit(ball.n, 1)}), ModelError);
  EXPECT_THROW(ball.b.when(ball.h < 0, {assign(ball.h, 1)}), ModelError);
  EXPECT_THROW(ball.b.when(ball.h < 0, {call(nullptr)}), ModelError);
  EXPECT_THROW((void)pre(ball.h + 1), ModelError);
  ModelBuilder empty("Empty");
  EXPECT_THROW(empty.else_when(empty.time() > 1, {terminate()}), ModelError);
}

}  // namespace
}  // namespace daedal
