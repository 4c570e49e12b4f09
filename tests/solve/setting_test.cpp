// SPDX-License-Identifier: BSD-3-Clause
/// Inputs and parameters that are set in the middle of a run. What must come out is known in closed
/// form, or is that of a model whose text has the same change at the same time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/inputs.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <thread>

namespace daedal {
namespace {

using testing::HasSubstr;

const Model plant = parse_model(R"(
model Plant
  parameter Real k = 1;
  parameter Real twice = 2*k;
  parameter Real x0 = 0;
  input Real u = 1;
  input Boolean on = true;
  Real x(start = x0, fixed = true), y, z;
  discrete Integer n(start = 0, fixed = true);
equation
  der(x) = u;
  y = twice*u + x;
  z^3 = if u > 2 then 8 else 1 + (if on then 0 else 26);
  when u > 2 then
    n = pre(n) + 1;
  end when;
end Plant;
)");

/// Of u over the rows, between which it is constant: x of the plant.
double integral_of_u(const Solution& s) {
  double sum = 0.0;
  for (std::size_t i = 1; i < s.n_rows(); ++i) {
    sum += s.row(i - 1)[s.column("u")] * (s.times[i] - s.times[i - 1]);
  }
  return sum;
}

template <class Set>
std::string refusal(const Set& set) {
  try {
    set();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Setting, AnInputChangesFromThereOn) {
  Simulation s = prepare(plant).start({0.0, 3.0});
  ASSERT_TRUE(s.advance(1.0));
  EXPECT_EQ(s.time(), 1.0);  // exactly, for co-simulation
  EXPECT_NEAR(s.value("x"), 1.0, 1e-9);
  s.set_input("u", 3.0);
  EXPECT_NEAR(s.value("x"), 1.0, 1e-9);  // held
  EXPECT_NEAR(s.value("y"), 2.0 * 3.0 + 1.0, 1e-9);
  EXPECT_NEAR(s.value("z"), 2.0, 1e-9);
  EXPECT_EQ(s.value("n"), 1.0);
  ASSERT_TRUE(s.advance(2.0));
  EXPECT_NEAR(s.value("x"), 4.0, 1e-9);
  s.set_input("u", -1.0);
  s.set_input("on", 0.0);
  ASSERT_TRUE(s.advance(3.0));
  EXPECT_NEAR(s.value("x"), 3.0, 1e-9);
  EXPECT_NEAR(s.value("z"), 3.0, 1e-9);
  const Solution& done = s.solution();
  EXPECT_EQ(done.status, Status::success) << done.message;
  // What is set at one time is one event, which says what it was.
  ASSERT_EQ(done.events.size(), 2U);
  EXPECT_EQ(done.events[0].what, "u = 3");
  EXPECT_EQ(done.events[1].what, "u = -1, on = 0");
  EXPECT_NEAR(done.at(1.0, "y"), 3.0, 1e-9);  // before the event
  EXPECT_NEAR(done.after(1.0, "y"), 7.0, 1e-9);
  EXPECT_NEAR(done.at(1.5, "y"), 6.0 + 2.5, 1e-9);
}

TEST(Setting, AParameterTakesThoseAlongThatDependOnIt) {
  Simulation s = prepare(plant).start({0.0, 2.0});
  s.advance(0.5);
  s.set_parameter("k", 5.0);
  EXPECT_NEAR(s.value("y"), 10.0 + 0.5, 1e-9);
}

/// Hanging at rest no acceleration tells of the change: 0 = λ − g.
TEST(Setting, AMultiplierFollowsAParameterThatMovesNothing) {
  const Model pendulum = parse_model(R"(
model Pendulum
  parameter Real g = 9.81;
  Real x(start = 0, fixed = true), y(start = -1), vx(start = 0, fixed = true), vy, lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = 1;
end Pendulum;
)");
  Simulation s = prepare(pendulum).start({0.0, 2.0});
  s.advance(1.0);
  EXPECT_NEAR(s.value("lambda"), 9.81, 1e-9);
  s.set_parameter("g", 4.0);
  EXPECT_NEAR(s.value("lambda"), 4.0, 1e-9);
  s.advance(2.0);
  EXPECT_NEAR(s.value("lambda"), 4.0, 1e-9);
}

TEST(Setting, TheSameValueIsNoEvent) {
  Simulation s = prepare(plant).start({0.0, 2.0});
  for (int i = 1; i < 20; ++i) {
    s.advance(0.1 * i);
    s.set_input("u", 1.0);
  }
  s.advance(2.0);
  EXPECT_TRUE(s.solution().events.empty());
  EXPECT_EQ(s.solution().statistics.restarts, 0);
}

TEST(Setting, AnInputThatIsZeroAtFirstMayBecomeAnything) {
  const Model model = parse_model(R"(
    model Gain
      input Real u = 0;
      Real x(start = 1, fixed = true), f;
    equation
      der(x) = -u*x;
      f*(1 + u) = x;
    end Gain;)");
  Simulation s = prepare(model, {.rtol = 1e-9}).start({0.0, 2.0});
  s.advance(1.0);
  EXPECT_NEAR(s.value("x"), 1.0, 1e-8);
  s.set_input("u", 2.0);
  s.advance(2.0);
  EXPECT_NEAR(s.value("x"), std::exp(-2.0), 1e-7);
  EXPECT_NEAR(s.value("f"), std::exp(-2.0) / 3.0, 1e-7);
}

TEST(Setting, WhatCannotBeSetIsRefusedWithTheReason) {
  const Model mass = parse_model(R"(
    model Mass
      input Real u = 0;
      Real x, v, F;
    equation
      x = u;
      der(x) = v;
      der(v) = F;
    end Mass;)");
  Simulation moved = prepare(mass).start({0.0, 1.0});
  EXPECT_THAT(refusal([&] { moved.set_input("u", 1.0); }), HasSubstr("derivative 2 of the input"));

  Simulation s = prepare(plant).start({0.0, 1.0});
  s.advance(0.5);
  EXPECT_THAT(refusal([&] { s.set_input("v", 1.0); }), HasSubstr("no input 'v'"));
  EXPECT_THAT(refusal([&] { s.set_input("x", 1.0); }), HasSubstr("not an input of model"));
  EXPECT_THAT(refusal([&] { s.set_input("u", NAN); }), HasSubstr("finite"));
  EXPECT_THAT(refusal([&] { s.set_input("on", 0.5); }), HasSubstr("a Boolean"));
  EXPECT_THAT(refusal([&] { s.set_parameter("kk", 1.0); }), HasSubstr("kk"));
  EXPECT_THAT(refusal([&] { s.set_parameter("x0", 1.0); }), HasSubstr("after the start"));
  EXPECT_THAT(refusal([&] { s.set_parameter("k", 0.0); }), HasSubstr("structure"));
  EXPECT_THAT(refusal([&] { s.set_parameter("k", INFINITY); }), HasSubstr("finite"));
  s.advance(1.0);
  while (s.step()) {
  }
  EXPECT_THAT(refusal([&] { s.set_input("u", 1.0); }), HasSubstr("over"));
  EXPECT_TRUE(s.solution().events.empty());

  const Model driven = with_inputs(plant, {{"u", "sin(time)"}});
  Simulation t = prepare(driven).start({0.0, 1.0});
  EXPECT_THAT(refusal([&] { t.set_input("u", 1.0); }), HasSubstr("follows an expression"));
}

TEST(Setting, AnotherThreadMaySetAndAskWhileARunAdvances) {
  Simulation s = prepare(plant).start({0.0, 1000.0}, {}, {.max_step = 0.1});
  std::atomic<bool> is_done = false;
  std::thread stepping([&] {
    EXPECT_TRUE(s.advance(1000.0));
    is_done = true;
  });
  int n_set = 0;
  double before = 0.0;
  while (n_set < 200 && !is_done) {
    try {
      s.set_input("u", n_set % 5);
      s.set_parameter("k", 1.0 + n_set % 3);
      ++n_set;
    } catch (const OptionError& error) {
      EXPECT_THAT(error.what(), HasSubstr("The run is over"));
    }
    EXPECT_GE(s.time(), before);
    before = s.time();
    EXPECT_TRUE(std::isfinite(s.value("y")));
    EXPECT_LE(s.copy_solution().times.back(), 1000.0);
  }
  stepping.join();
  EXPECT_GT(n_set, 0);
  const Solution& done = s.solution();
  EXPECT_EQ(done.status, Status::success) << done.message;
  EXPECT_GT(done.events.size(), 0U);
  EXPECT_NEAR(done.final_value("x"), integral_of_u(done), 1e-6 * done.final_value("x"));
}

TEST(Setting, TwoThreadsDoNotAdvanceOneRun) {
  SolveOptions options;
  Simulation* run = nullptr;
  std::string said;
  options.observer.on_output = [&](double, std::span<const double>) {
    if (run == nullptr || !said.empty()) return Flow::go_on;
    std::thread other([&] { said = refusal([&] { run->advance(3.0); }); });
    other.join();
    return Flow::go_on;
  };
  Simulation s = prepare(plant).start({0.0, 3.0}, {}, options);
  run = &s;
  EXPECT_TRUE(s.advance(2.0));
  EXPECT_EQ(s.time(), 2.0);
  EXPECT_THAT(said, HasSubstr("by two threads at once"));
}

TEST(Setting, IsRefusedInACallbackOfTheRunItself) {
  SolveOptions options;
  Simulation* run = nullptr;
  std::vector<std::string> said;
  options.observer.on_output = [&](double, std::span<const double>) {
    if (run == nullptr || !said.empty()) return Flow::go_on;
    said.push_back(refusal([&] { run->set_input("u", 2.0); }));
    said.push_back(refusal([&] { run->set_parameter("k", 2.0); }));
    EXPECT_TRUE(std::isfinite(run->value("y")));  // but it may ask
    return Flow::go_on;
  };
  Simulation s = prepare(plant).start({0.0, 3.0}, {}, options);
  run = &s;
  EXPECT_TRUE(s.advance(3.0));
  EXPECT_THAT(said, testing::Each(HasSubstr("between two steps")));
  EXPECT_NEAR(s.value("x"), 3.0, 1e-9);
}

TEST(Setting, ACheckpointKnowsIt) {
  const Problem problem = prepare(plant);
  Simulation s = problem.start({0.0, 3.0});
  s.advance(1.0);
  s.set_input("u", 3.0);
  s.advance(1.5);
  s.set_parameter("k", 2.0);
  const std::string bytes = s.save();
  ASSERT_FALSE(bytes.empty());
  s.advance(3.0);
  Simulation again = prepare(plant).restore(bytes);
  again.advance(3.0);
  EXPECT_EQ(again.solution().times, s.solution().times);
  EXPECT_EQ(again.solution().values, s.solution().values);
  EXPECT_NEAR(again.value("y"), 4.0 * 3.0 + 7.0, 1e-9);
}

class EveryMethod : public testing::TestWithParam<std::string> {};

// The same pendulum with the change in its text.
TEST_P(EveryMethod, TakesANewParameterAsTheTextWouldGiveIt) {
  const std::string rest = R"(
      Real x(start = 0.8, fixed = true), y(start = -0.6);
      Real vx(start = 0, fixed = true), vy, lambda;
    equation
      der(x) = vx;
      der(y) = vy;
      der(vx) = -lambda*x;
      der(vy) = -lambda*y - g;
      x^2 + y^2 = 1;
    end P;)";
  const Model constant = parse_model("model P parameter Real g = 9.81; " + rest);
  const Model switched = parse_model("model P Real g = if time < 0.7 then 9.81 else 3; " + rest);
  const SolveOptions options{.method = Method(GetParam()), .rtol = 1e-8, .atol = 1e-10};
  const Solution expected = solve(switched, {0.0, 2.0}, {.rtol = 1e-10, .atol = 1e-12});
  ASSERT_TRUE(is_success(expected.status)) << expected.message;
  Simulation s = prepare(constant, options).start({0.0, 2.0});
  ASSERT_TRUE(s.advance(0.7)) << s.solution().message;
  s.set_parameter("g", 3.0);
  ASSERT_TRUE(s.advance(2.0)) << s.solution().message;
  for (const char* name : {"x", "y", "vx", "vy", "lambda"}) {
    // Global errors at a local tolerance of 1e-8.
    EXPECT_NEAR(s.value(name), expected.final_value(name), 2e-5) << name;
    EXPECT_NEAR(s.solution().after(0.7, name), expected.after(0.7, name), 2e-5) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         testing::Values("auto", "index1", "ggl", "stabilized-index1",
                                         "orthogonal-projection", "coordinate-partitioning",
                                         "tangent-space", "dummy-derivatives", "states-only",
                                         "derivative-array", "taylor", "trust-region"));

}  // namespace
}  // namespace daedal
