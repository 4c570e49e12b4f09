// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "formulation/array/derivative_array.hpp"
#include "formulation/formulation_support.hpp"
#include "problems/problems.hpp"

namespace daedal::formulation {
namespace {

using ::testing::HasSubstr;

Start start_of(const Model& model, const Overrides& starts = {}) {
  const auto formulation = test::make("derivative-array", model, starts);
  const auto run = formulation.system().make_run();
  return formulation.start(0.0, *run);
}

ModelBuilder pendulum_with_guesses(double x, double y, double u, double v) {
  ModelBuilder b("Pendulum");
  const Expr vx = b.variable("x", {.start = x});
  const Expr vy = b.variable("y", {.start = y});
  const Expr vu = b.variable("u", {.start = u});
  const Expr vv = b.variable("v", {.start = v});
  const Expr lambda = b.variable("lambda");
  b.equation(der(vx) == vu);
  b.equation(der(vy) == vv);
  b.equation(der(vu) == -lambda * vx, "horizontal");
  b.equation(der(vv) == -lambda * vy - 9.81, "vertical");
  b.equation(sqr(vx) + sqr(vy) == 1.0, "rod");
  return b;
}

TEST(ArrayStart, RoughGuessesOfAPendulumMeetTheConstraintsOnAllLevels) {
  const Start start = start_of(pendulum_with_guesses(0.7, -0.9, 0.5, 0.1).build());
  ASSERT_EQ(start.status, Status::success) << start.message;
  const double x = start.x[0], y = start.x[1], u = start.x[2], v = start.x[3];
  EXPECT_NEAR(x * x + y * y, 1.0, 1e-12);
  EXPECT_NEAR(x * u + y * v, 0.0, 1e-12);
  // u² + v² + x u' + y v' = 0 gives λ = u² + v² − 9.81 y.
  EXPECT_NEAR(start.x[4], u * u + v * v - 9.81 * y, 1e-10);
  EXPECT_NEAR(start.xp[2], -start.x[4] * x, 1e-10);
  // d/dt of λ = u² + v² − 9.81 y with u u' + v v' = −9.81 v.
  EXPECT_NEAR(start.xp[4], -3.0 * 9.81 * v, 1e-9);
  ASSERT_FALSE(start.notices.empty());
  EXPECT_THAT(start.notices.back(), HasSubstr("x from 0.7"));
}

TEST(ArrayStart, MoreFixedValuesThanStatesAreFineWhenTheyAgree) {
  const Start start = start_of(test::pendulum(), {{"x", 0.6}, {"y", -0.8}, {"u", 0.8}, {"v", 0.6}});
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_EQ(start.x[0], 0.6);
  EXPECT_EQ(start.x[3], 0.6);
  EXPECT_NEAR(start.x[4], 1.0 + 9.81 * 0.8, 1e-10);
}

TEST(ArrayStart, ImpossibleWishesAreRefusedWithTheirNames) {
  const Start start = start_of(test::pendulum(), {{"x", 0.6}, {"y", -0.8}, {"u", 1.0}, {"v", 0.0}});
  EXPECT_EQ(start.status, Status::inconsistent_start);
  EXPECT_THAT(start.message, HasSubstr("time derivative of 'rod'"));
  EXPECT_THAT(start.message, HasSubstr("u = 1"));
  EXPECT_THAT(start.message, HasSubstr("t = 0"));
}

TEST(ArrayStart, HiddenConstraintsOfTheMixedTorusAreFoundFromGuesses) {
  // Every y_i is below α at x' = 0, so that Φ's roots y_i = 2α (39) lie farther away than y = 0.
  const auto formulation =
      test::make("derivative-array", problems::torus_from_guesses(40.0).model, {{"x3", 0.5}});
  const auto run = formulation.system().make_run();
  const Start start = formulation.start(0.0, *run);
  ASSERT_EQ(start.status, Status::success) << start.message;
  const auto& x = start.x;
  const double d = std::hypot(x[0], x[1]);
  EXPECT_EQ(x[2], 0.5);
  // (36g) and its first derivative by hand.
  EXPECT_NEAR(d * d + x[2] * x[2] - 20.0 * d + 75.0, 0.0, 1e-9);
  EXPECT_NEAR(2.0 * (x[0] * x[3] + x[1] * x[4]) * (1.0 - 10.0 / d) + 2.0 * x[2] * x[5], 0.0, 1e-9);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(start.xp[i], x[i + 3], 1e-9);
  // (36f)
  EXPECT_NEAR(start.xp[5], -x[2] + 2.0 * x[2] * x[6], 1e-9);
}

TEST(ArrayStart, AMissingEquationIsNamed) {
  ModelBuilder b("Twice");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z", {.start = 1.0, .fixed = true});
  b.equation(der(x) + der(y) == 1.0, "rate");
  b.equation(x + y == b.time(), "sum");
  b.equation(der(z) == -z, "decay");
  const Start start = start_of(b.build());
  EXPECT_EQ(start.status, Status::no_unique_solution);
  EXPECT_THAT(start.message, HasSubstr("'rate'"));
  EXPECT_THAT(start.message, HasSubstr("'sum'"));
  EXPECT_THAT(start.message, ::testing::Not(HasSubstr("'decay'")));
  EXPECT_THAT(start.message, HasSubstr("'x' and 'y'"));
  EXPECT_THAT(start.message, HasSubstr("t = 0"));
}

TEST(ArrayStart, AnIndexBeyondTheLimitIsNamed) {
  const Model model = problems::hessenberg_chain(4).model;
  Request request;
  request.model = model;
  request.method = DerivativeArray{.max_index = 3};
  const auto formulation = find_method("derivative-array").make(request);
  const auto run = formulation.system().make_run();
  const Start start = formulation.start(0.0, *run);
  EXPECT_EQ(start.status, Status::index_too_high);
  EXPECT_THAT(start.message, HasSubstr("above 3"));
  EXPECT_THAT(start.message, HasSubstr("t = 0"));
  EXPECT_THAT(start.message, HasSubstr("'x4'"));
}

TEST(ArrayStart, ASingularPointIsARankChange) {
  // t y' + y = 1 with x = t: at t = 0 the factor of y' vanishes, around it does not.
  ModelBuilder b("Singular");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(x * der(y) + y == 1.0, "singular");
  b.equation(x == b.time());
  const Start start = start_of(b.build());
  EXPECT_EQ(start.status, Status::rank_change);
  EXPECT_THAT(start.message, HasSubstr("t = 0"));
}

TEST(ArrayStart, AStiffSpringIsStartedUntilTheArrayLosesAllDigitsAndThenRefused) {
  // A pendulum whose pivot hangs on a spring: x² + (y − s)² = 1. At rest with s = 0 the second
  // derivative of the rod gives λ (1 + y²) = −9.81 y. The array holds k beside 1 in rows and
  // columns that are differentiated twice: from k² about 1/ε on, in double precision, nothing is
  // left of the rest, and that is said.
  for (const double k : {1e2, 1e4, 1e6, 1e8, 1e10, 1e12, 1e14}) {
    ModelBuilder b("StiffSpring");
    const Expr x = b.variable("x", {.start = 0.6});
    const Expr y = b.variable("y", {.start = -0.8, .fixed = true});
    const Expr u = b.variable("u");
    const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
    const Expr s = b.variable("s", {.start = 0.0, .fixed = true});
    const Expr w = b.variable("w", {.start = 0.0, .fixed = true});
    const Expr lambda = b.variable("lambda");
    b.equation(der(x) == u);
    b.equation(der(y) == v);
    b.equation(der(u) == -lambda * x);
    b.equation(der(v) == -lambda * (y - s) - 9.81);
    b.equation(der(s) == w);
    b.equation(der(w) == -k * s - 2.0 * w + lambda * (y - s), "spring");
    b.equation(sqr(x) + sqr(y - s) == 1.0, "rod");
    const Start start = start_of(b.build());
    if (k > 1e9) {
      EXPECT_EQ(start.status, Status::inconsistent_start) << k << ' ' << start.message;
      EXPECT_THAT(start.message, HasSubstr("time scales")) << k;
      continue;
    }
    ASSERT_EQ(start.status, Status::success) << k << ' ' << start.message;
    EXPECT_NEAR(start.x[0], 0.6, 1e-10) << k;
    EXPECT_NEAR(start.x[6], 9.81 * 0.8 / 1.64, 1e-8) << k;
    EXPECT_TRUE(std::none_of(start.notices.begin(), start.notices.end(), [](const auto& notice) {
      return notice.find("counting") != std::string::npos;
    })) << k;
  }
}

TEST(ArrayStart, ASingularPositionIsRefusedByEveryMethod) {
  // The slider crank at (0, π), where two branches cross: G = (sin θ1, sin θ2) vanishes.
  const double pi = std::acos(-1.0);
  for (const char* method :
       {"derivative-array", "derivative-array-implicit", "least-squares-completion"}) {
    const auto formulation = test::make(method, problems::slider_crank().model,
                                        {{"th1", 0.0}, {"th2", pi}, {"w1", 1.0}});
    const auto run = formulation.system().make_run();
    const Start start = formulation.start(0.0, *run);
    EXPECT_EQ(start.status, Status::rank_change) << method << ' ' << start.message;
    EXPECT_THAT(start.message, HasSubstr("t = 0")) << method;
    EXPECT_THAT(start.message, HasSubstr("singular")) << method;
    EXPECT_THAT(start.message, HasSubstr("'lambda'")) << method;
  }
}

TEST(ArrayStart, EveryMethodEndsItsSearchWhenItIsCancelled) {
  const std::atomic<bool> cancel = true;
  for (const char* method :
       {"derivative-array", "derivative-array-implicit", "least-squares-completion", "direct",
        "dummy-derivatives", "index1", "trust-region", "coordinate-partitioning"}) {
    const auto formulation = test::make(method, test::pendulum());
    const auto run = formulation.system().make_run();
    run->stop.cancel = &cancel;
    const Start start = formulation.start(0.0, *run);
    EXPECT_EQ(start.status, Status::cancelled) << method << ' ' << start.message;
    EXPECT_THAT(start.message, HasSubstr("cancelled during")) << method;
  }
}

TEST(ArrayStart, InitialEquationsTakePart) {
  ModelBuilder b("Chain");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) == y);
  b.equation(der(y) == -x + z);
  b.equation(z == 0.1 * x * x);
  b.initial_equation(der(y) == -0.9);
  b.initial_equation(y == 0.25);
  const Start start = start_of(b.build());
  ASSERT_EQ(start.status, Status::success) << start.message;
  // −x + 0.1 x² = −0.9 near 0: x = 1.
  EXPECT_NEAR(start.x[0], 1.0, 1e-10);
  EXPECT_NEAR(start.x[1], 0.25, 1e-12);
}

TEST(ArrayStart, ParametersToBeFoundAreRefused) {
  ModelBuilder b("Parameter");
  const Expr p = b.parameter("p", 1.0, {.fixed = false});
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(der(x) == -p * x);
  b.initial_equation(der(x) == -2.0);
  EXPECT_THROW(start_of(b.build()), ModelError);
}

}  // namespace
}  // namespace daedal::formulation
