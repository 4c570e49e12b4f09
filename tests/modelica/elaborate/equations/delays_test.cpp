// SPDX-License-Identifier: BSD-3-Clause
/// delay() of values that change at events, and of signals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/problem.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;
using ::testing::HasSubstr;

// 1, then 2 from 0.5 s and 3 from 0.6 s on: a second later the same, whose integral over 2 s is
// 1.5·1 + 0.1·2 + 0.4·3.
TEST(Delays, BringStepsLater) {
  const std::string steps = "Integer 'x'; Real 'y'; Real 's'(start = 0.0, fixed = true); ";
  const std::string equations =
      "'x' = if time > 0.6 then 3 elseif time > 0.5 then 2 else 1; der('s') = 'y'; ";
  check({{{steps + "equation " + equations + "'y' = delay('x', 1.0);"}, {{"y", 3.0}, {"s", 2.9}}},
         {{steps + "Real 'r'; equation " + equations +
           "'r' = 2.0 * 'x'; 'y' = delay('r', 1.0, 1.0);"},
          {{"y", 6.0}, {"s", 5.8}}},
         {{steps + "equation " + equations + "'y' = delay('x', 0.0);"}, {{"s", 0.5 + 0.2 + 4.2}}}});
}

// A value of its own past: it doubles every half second, 0.5, 1.0 and 1.5 s after the start.
TEST(Delays, FeedBack) {
  const ExportedModel model{
      "Real 'y'; Integer 'x'(start = 1, fixed = true); Real 'd'; equation 'y' = 'x'; 'd' = "
      "delay('y', 0.25); when sample(0.5, 0.5) then 'x' = 2 * integer(pre('x')); end when;",
      "", 1.6};
  check({{model, {{"y", 8.0}, {"d", 4.0}}}});
}

TEST(Delays, HoldSoManyChangesAndNoMore) {
  const ExportedModel model{
      "Integer 'x'(start = 0, fixed = true); Real 'y'; equation when sample(0.1, 0.01) then 'x' = "
      "pre('x') + 1; end when; 'y' = delay('x', 1.0);"};
  const Solution solution = model.solve();
  EXPECT_NE(solution.status, Status::success);
  EXPECT_THAT(solution.message, HasSubstr("more than 16 times within its delay"));
}

// x' = -x(t - 1), x = 1 before: by the method of steps x is the sum of (-1)^k (t - k + 1)^k / k!
// over 0 <= k <= t + 1 (Bellman and Cooke, Differential-Difference Equations, 1963).
TEST(Delays, OfStatesFollowTheMethodOfSteps) {
  const std::string body =
      "Real 'x'(start = 1.0, fixed = true); equation der('x') = -delay('x', 1.0);";
  for (const std::string integrator : {"dop853", "radau", "bdf", "taylor"}) {
    for (const double t : {0.5, 2.0, 3.7, 8.0}) {
      double exact = 0.0;
      double factor = 1.0;
      for (int k = 0; k <= static_cast<int>(t) + 1; ++k) {
        exact += factor * std::pow(t - k + 1.0, k);
        factor *= -1.0 / (k + 1.0);
      }
      SolveOptions options;
      options.integrator = integrator;
      const Solution solution = ExportedModel{body, "", t}.solve(options);
      ASSERT_EQ(solution.status, Status::success) << integrator << ": " << solution.message;
      EXPECT_NEAR(solution.final_value("x"), exact, 1e-6) << integrator << " at " << t;
    }
  }
}

TEST(Delays, OfExpressionsAreThoseOfThePast) {
  check({{{"Real 'y'; equation 'y' = delay(sin(3.0 * time), 0.3);"}, {{"y", std::sin(5.1)}}},
         {{"Real 'y'; equation 'y' = delay(cos(time), 2.5);"}, {{"y", 1.0}}},
         {{"Real 'y'; equation 'y' = delay(delay(exp(time), 0.25), 0.5);"},
          {{"y", std::exp(1.25)}}}});
}

// A jump comes out later, and one that comes back again and again, half as high: the sum of a
// geometric series. The integral of the pulse knows where its jumps were.
TEST(Delays, KeepTheJumpsOfWhatTheyDelay) {
  check({{{"Real 'y'; Real 's'(start = 0.0, fixed = true); equation 'y' = delay(if time < 0.5 or "
           "time "
           "> 0.7 then 0.0 else 1.0 + time, 0.8); der('s') = 'y';"},
          {{"s", 0.2 * 1.6}}},
         {{"Real 'u'; Real 'r'; equation 'u' = 'r' - 0.5 * delay('u', 0.25); 'r' = if time < 0.1 "
           "then "
           "0.0 else 1.0;"},
          {{"u", (1.0 - std::pow(-0.5, 8)) / 1.5}}},
         {{"Real 'u'; equation 'u' = (if time < 0.1 then 0.0 else time) - 0.5 * delay('u', 0.75);"},
          {{"u", 2.0 - 0.5 * 1.25 + 0.25 * 0.5}}}});
}

// Of a quantity that is prescribed and differentiated: the speed of a follower.
TEST(Delays, HaveDerivatives) {
  check({{{"Real 'x'; Real 'v'; Real 'a'; equation 'x' = delay(sin(time), 0.5); 'v' = der('x'); "
           "'a' = "
           "der('v');"},
          {{"v", std::cos(1.5)}}}});
}

// The start: u = 3 - delay(u) is 1.5 from the beginning on, because the past is what the start is.
TEST(Delays, BeginWithWhatTheyDelayIsAtTheStart) {
  check({{{"Real 'u'; equation 'u' = 3.0 - delay('u', 0.5);"}, {{"u", 1.5}}}});
}

// x' = x(t - 1): 1 + t in the first second, then 3/2 + ... : x(2) = 1 + 2 + 1/2.
TEST(Delays, AreThereInCppAsWell) {
  ModelBuilder b("Delayed");
  const Expr x = b.variable("x", {.start = Expr(1.0), .fixed = true});
  EXPECT_THROW((void)b.delay(2.0 * x, 1.0), Error);
  b.equation(der(x) == b.delay(x, 1.0));
  const Solution solution = solve(b.build(), {0.0, 2.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("x"), 3.5, 1e-6);
}

// x = 1 - t until what it delays begins to change at t = 0.5. The logarithm has no value there.
TEST(Delays, EndRunsOnceWhereNoMethodGoesOn) {
  const Solution solution =
      ExportedModel{
          "Real 'x'(start = 1.0, fixed = true); Real 'y'(start = 0.0, fixed = true); "
          "equation der('x') = -delay('x', 0.5) ^ 2; der('y') = log('x' - 0.5);",
          "", 3.0}
          .solve();
  EXPECT_EQ(solution.status, Status::non_finite_value) << solution.message;
  EXPECT_EQ(solution.events.size(), 1U);
  EXPECT_NEAR(solution.final_value("x"), 0.5, 1e-6);
  EXPECT_NEAR(solution.final_value("y"), 0.5 * std::log(0.5) - 0.5, 1e-4);
}

TEST(Delays, CannotBeSavedInTheMiddle) {
  const Model model = parse_model(
      "model D\n Real x(start = 1, fixed = true);\nequation\n der(x) = -delay(x, 1);\nend D;\n");
  Simulation run = prepare(model).start({0.0, 4.0});
  run.advance(1.5);
  try {
    (void)run.save();
    FAIL() << "saved";
  } catch (const OptionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("delays"));
  }
}

}  // namespace
}  // namespace daedal
