// SPDX-License-Identifier: BSD-3-Clause
/// A run that goes on from a checkpoint has the bits of the one that was saved there, by every
/// method, with events and with what they remember.

#include <daedal/problem.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/inputs.hpp>
#include <daedal/modelica.hpp>

namespace daedal {
namespace {

using testing::HasSubstr;

constexpr const char* pendulum = R"(
model Pendulum
  parameter Real g = 9.81;
  Real x(start = 0.8, fixed = true), y(start = -0.6);
  Real vx(start = 0, fixed = true), vy, lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = 1;
end Pendulum;
)";

constexpr const char* ball = R"(
model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  discrete Integer n(start = 0, fixed = true);
  discrete Real top(start = 1, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.9*pre(v));
    n = pre(n) + 1;
    top = 0.81*pre(top);
  end when;
end Ball;
)";

constexpr const char* controlled = R"(
model Controlled
  Real x(start = 1, fixed = true);
  discrete Real u(start = 0, fixed = true);
equation
  der(x) = x + u;
  when sample(0, 0.1) then
    u = -3*x + 0.2*pre(u);
  end when;
end Controlled;
)";

constexpr const char* stiff = R"(
model Robertson
  Real a(start = 1, fixed = true), b(start = 0, fixed = true), c;
equation
  der(a) = -0.04*a + 1e4*b*c;
  der(b) = 0.04*a - 1e4*b*c - 3e7*b^2;
  a + b + c = 1;
end Robertson;
)";

// x' = -x(t - 1), whose past has the kinks of the start, and y that jumps.
constexpr const char* delayed = R"(
model Delayed
  Real x(start = 1, fixed = true), y, z(start = 0, fixed = true);
equation
  der(x) = -delay(x, 1);
  y = if time > 1.7 then 1 + x else x;
  der(z) = delay(y, 0.4);
end Delayed;
)";

constexpr const char* delayed_variably = R"(
model DelayedVariably
  Real x(start = 1, fixed = true), z(start = 0, fixed = true);
equation
  der(x) = cos(3*time);
  der(z) = delay(x, 0.5 + 0.4*sin(2*time), 1);
end DelayedVariably;
)";

// A pipe that is filled in one direction and then in the other.
constexpr const char* pipe = R"(
model Pipe
  Real p(start = 0, fixed = true), left, right, s(start = 0, fixed = true);
equation
  der(p) = cos(time);
  (left, right) = spatialDistribution(1 + time, 10 + time, p, cos(time) >= 0, {0, 1}, {2, 4});
  der(s) = left + right;
end Pipe;
)";

struct Case {
  const char* name;
  const char* text;
  const char* method;
  const char* integrator;
  double stop;
  /// Ends of the stretches that a moving delay is read from, which follow the steps, are events.
  bool has_moving_delay = false;
};

const Case cases[] = {
    {"PendulumAuto", pendulum, "auto", "auto", 3.0},
    {"PendulumDummy", pendulum, "dummy-derivatives", "auto", 3.0},
    {"PendulumGgl", pendulum, "ggl", "auto", 3.0},
    {"PendulumProjection", pendulum, "orthogonal-projection", "auto", 3.0},
    {"PendulumTangent", pendulum, "tangent-space", "auto", 3.0},
    {"PendulumPartitioning", pendulum, "coordinate-partitioning", "auto", 3.0},
    {"PendulumArray", pendulum, "derivative-array", "auto", 3.0},
    {"PendulumTaylor", pendulum, "taylor", "auto", 3.0},
    {"PendulumIndex1Radau", pendulum, "index1", "radau", 3.0},
    {"BallAuto", ball, "auto", "auto", 3.0},
    {"BallDirect", ball, "direct", "bdf", 3.0},
    {"ControlledAuto", controlled, "auto", "auto", 2.0},
    {"ControlledDirect", controlled, "direct", "bdf", 2.0},
    {"RobertsonAuto", stiff, "auto", "auto", 1e4},
    {"RobertsonRadau", stiff, "direct", "radau", 1e4},
    {"DelayedAuto", delayed, "auto", "auto", 4.0},
    {"DelayedDirect", delayed, "direct", "bdf", 4.0},
    {"DelayedRadau", delayed, "direct", "radau", 4.0},
    {"DelayedVariably", delayed_variably, "auto", "auto", 4.0, true},
    {"Pipe", pipe, "auto", "auto", 4.0, true},
};

class Checkpoints : public ::testing::TestWithParam<Case> {};

void expect_same_bits(const Solution& a, const Solution& b) {
  EXPECT_EQ(a.status, b.status) << a.message << " / " << b.message;
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.events.size(), b.events.size());
  EXPECT_EQ(a.statistics.steps, b.statistics.steps);
  EXPECT_EQ(a.notices, b.notices);
}

Solution rest_of(Simulation& simulation) {
  while (simulation.step()) {
  }
  return simulation.take_solution();
}

TEST_P(Checkpoints, GoOnWithTheSameBits) {
  const Case& one = GetParam();
  const Model model = parse_model(one.text);
  const SolveOptions options{.method = Method(one.method),
                             .integrator = Integrator(one.integrator),
                             .rtol = 1e-7,
                             .atol = 1e-9,
                             .dense_output = false};
  const TimeSpan span{0.0, one.stop};
  const Problem problem = prepare(model, options);
  const Solution plain = problem.solve(span);
  ASSERT_EQ(plain.status, Status::success) << plain.message;

  // Three checkpoints on the way, at places that have nothing to do with the model.
  Simulation saved = problem.start(span);
  std::vector<std::string> checkpoints;
  for (const double share : {0.13, 0.5, 0.77}) {
    saved.advance(share * one.stop);
    checkpoints.push_back(saved.save());
    ASSERT_FALSE(checkpoints.back().empty());
  }
  const Solution whole = rest_of(saved);
  ASSERT_EQ(whole.status, Status::success) << whole.message;
  for (std::size_t i = 0; i < plain.names.size(); ++i) {
    EXPECT_NEAR(whole.final_value(plain.names[i]), plain.final_value(plain.names[i]),
                2e-5 * std::max(1.0, std::abs(plain.final_value(plain.names[i]))))
        << plain.names[i];
  }
  if (!one.has_moving_delay) {
    EXPECT_EQ(whole.events.size(), plain.events.size());
  }

  // From the last one the same bits, in a process that never saw the beginning. From an earlier
  // one too, where the later ones are made again.
  const Problem other = prepare(parse_model(one.text), options);
  Simulation last = other.restore(checkpoints[2]);
  expect_same_bits(rest_of(last), whole);
  Simulation first = other.restore(checkpoints[0]);
  for (const double share : {0.5, 0.77}) {
    first.advance(share * one.stop);
    EXPECT_EQ(first.save().size(), checkpoints[share == 0.5 ? 1 : 2].size());
  }
  expect_same_bits(rest_of(first), whole);
}

INSTANTIATE_TEST_SUITE_P(Methods, Checkpoints, ::testing::ValuesIn(cases),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST(Checkpoint, KeepsValuesAndInputsOfTheRun) {
  const Model model = parse_model(
      "model M\n parameter Real k = 1;\n input Real u;\n Real x(start = 1, fixed = true);\n"
      "equation\n der(x) = u - k*x;\nend M;\n");
  const InputTable table{.times = {0.0, 1.0, 2.0, 3.0},
                         .values = {1.0, -1.0, 2.0, 0.0},
                         .interpolation = Interpolation::hold};
  const Problem problem = prepare(with_inputs(model, {{"u", table}}));
  Simulation saved =
      problem.start({0.0, 3.0}, {.parameters = {{"k", 2.0}}, .start_values = {{"x", 5.0}}});
  saved.advance(1.3);
  const std::string bytes = saved.save();
  const Solution whole = rest_of(saved);
  Simulation again = problem.restore(bytes);
  EXPECT_EQ(again.span().stop, 3.0);
  expect_same_bits(rest_of(again), whole);
  // x' = u − 2x, piece by piece.
  double x = 5.0;
  for (const double u : {1.0, -1.0, 2.0}) x = u / 2.0 + (x - u / 2.0) * std::exp(-2.0);
  EXPECT_NEAR(whole.final_value("x"), x, 1e-5);
}

std::string refusal_of_saving(Simulation& simulation) {
  try {
    (void)simulation.save();
  } catch (const OptionError& error) {
    return error.what();
  }
  return "saved";
}

TEST(Checkpoint, OfARunThatIsOverIsRefused) {
  const Problem problem = prepare(parse_model(pendulum));
  Simulation simulation = problem.start({0.0, 0.1});
  simulation.advance(0.1);
  EXPECT_THAT(refusal_of_saving(simulation), HasSubstr("it is over"));
  EXPECT_EQ(rest_of(simulation).status, Status::success);

  Simulation ended = prepare(parse_model("model E Real x(start = 0, fixed = true); equation\n"
                                         "der(x) = 1; when x > 0.5 then terminate(\"enough\");\n"
                                         "end when; end E;"))
                         .start({0.0, 1.0});
  ended.advance(1.0);
  EXPECT_THAT(refusal_of_saving(ended), HasSubstr("it is over"));
}

TEST(Checkpoint, OfARunFromItsOwnCallbackIsRefused) {
  SolveOptions options;
  Simulation* own = nullptr;
  std::string said;
  options.observer.on_output = [&](double, std::span<const double>) {
    if (own != nullptr && said.empty()) said = refusal_of_saving(*own);
    return Flow::go_on;
  };
  Simulation run = prepare(parse_model(ball)).start({0.0, 1.0}, {}, options);
  own = &run;
  EXPECT_TRUE(run.advance(1.0));
  EXPECT_THAT(said, HasSubstr("in the middle of a step"));
}

/// Stops a run in three ways after half of its span; what was saved there goes on to the end.
TEST_P(Checkpoints, OfARunThatWasStoppedGoOn) {
  const Case& one = GetParam();
  const Problem problem = prepare(parse_model(one.text), {.method = Method(one.method),
                                                          .integrator = Integrator(one.integrator),
                                                          .rtol = 1e-7,
                                                          .atol = 1e-9,
                                                          .dense_output = false});
  const TimeSpan span{0.0, one.stop};
  const Solution plain = problem.solve(span);
  std::atomic<bool> cancel = false;
  SolveOptions cancelled = problem.options();
  cancelled.cancel = &cancel;
  cancelled.observer.on_output = [&](double t, std::span<const double>) {
    cancel = t > 0.5 * one.stop;
    return Flow::go_on;
  };
  SolveOptions few_steps = problem.options();
  few_steps.max_steps = 10;
  struct Stopped {
    const SolveOptions& options;
    Status status;
  };
  for (const Stopped& stopped :
       {Stopped{cancelled, Status::cancelled}, Stopped{few_steps, Status::max_steps_reached}}) {
    Simulation simulation = problem.start(span, {}, stopped.options);
    while (simulation.step()) {
    }
    ASSERT_EQ(simulation.solution().status, stopped.status);
    const double there = simulation.time();
    const std::string bytes = simulation.save();
    Simulation again = problem.restore(bytes);
    EXPECT_EQ(again.time(), there);
    const Solution whole = rest_of(again);
    EXPECT_EQ(whole.status, Status::success) << whole.message;
    EXPECT_THAT(whole.warnings, testing::IsEmpty());
    EXPECT_TRUE(std::ranges::is_sorted(whole.times));
    EXPECT_EQ(whole.times.front(), 0.0);
    if (!one.has_moving_delay) {
      EXPECT_EQ(whole.events.size(), plain.events.size());
    }
    for (const std::string& name : plain.names) {
      EXPECT_NEAR(whole.final_value(name), plain.final_value(name),
                  2e-5 * std::max(1.0, std::abs(plain.final_value(name))))
          << name;
    }
    Simulation once_more = problem.restore(bytes);
    expect_same_bits(rest_of(once_more), whole);
  }
}

TEST(Checkpoint, WhatIsNoneIsRefused) {
  const Problem problem = prepare(parse_model(controlled));
  Simulation simulation = problem.start({0.0, 1.0});
  simulation.advance(0.35);
  const std::string bytes = simulation.save();
  const auto refusal = [](const Problem& by, const std::string& text) -> std::string {
    try {
      (void)by.restore(text);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(problem, bytes), "accepted");
  EXPECT_THAT(refusal(problem, ""), HasSubstr("not a checkpoint"));
  EXPECT_THAT(refusal(problem, "daedal checkpoint 9\n"), HasSubstr("not a checkpoint"));
  for (std::size_t n = 20; n < bytes.size(); n += 97) {
    EXPECT_THAT(refusal(problem, bytes.substr(0, n)), HasSubstr("damaged"));
    std::string changed = bytes;
    changed[n] = static_cast<char>(changed[n] ^ 0x10);
    EXPECT_THAT(refusal(problem, changed), HasSubstr("damaged"));
  }
  EXPECT_THAT(refusal(prepare(parse_model(ball)), bytes), HasSubstr("not one of this run"));
  EXPECT_THAT(refusal(prepare(parse_model(controlled), {.rtol = 1e-3}), bytes),
              HasSubstr("not one of this run"));
}

}  // namespace
}  // namespace daedal
