// SPDX-License-Identifier: BSD-3-Clause
/// delay() of values that change at events, and of signals.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/problem.hpp>
#include <numbers>

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

TEST(Delays, SeeThinPulses) {
  // ∫ exp(−((t − 1/2)/w)²) = w √π
  for (const double width : {1e-3, 1e-4, 1e-6}) {
    const Model model = parse_model(fmt::format(R"(
model M
  Real y(start = 0, fixed = true);
equation
  der(y) = delay(exp(-((time - 0.5)/{})^2), 0.25);
end M;)",
                                                width));
    const double exact = width * std::sqrt(std::numbers::pi);
    EXPECT_NEAR(solve(model, {0.0, 2.0}).final_value("y"), exact, 1e-4 * exact) << width;
  }
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

// x = 1 - t until what it delays begins to change at t = 0.5. The logarithm has no value there, and
// its slope is no fold of a curve that would go further.
TEST(Delays, EndRunsOnceWhereNoMethodGoesOn) {
  const ExportedModel model{
      "Real 'x'(start = 1.0, fixed = true); Real 'y'(start = 0.0, fixed = true); "
      "equation der('x') = -delay('x', 0.5) ^ 2; der('y') = log('x' - 0.5);"};
  for (const double rtol : {1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    SolveOptions options;
    options.rtol = rtol;
    const Solution solution = solve(parse_model(model.text()), {0.0, 3.0}, options);
    EXPECT_EQ(solution.status, Status::non_finite_value) << rtol << ": " << solution.message;
    // The change of what is delayed comes at the last instant: rounding decides whether before it.
    EXPECT_LE(solution.events.size(), 1U);
    EXPECT_NEAR(solution.final_value("x"), 0.5, 1e-6) << rtol;
    EXPECT_NEAR(solution.final_value("y"), 0.5 * std::log(0.5) - 0.5, 1e-3) << rtol;
  }
}

// No step is longer than the delay: two billion of them are refused before the first.
TEST(Delays, ThatTakeTooManyStepsAreRefused) {
  const ExportedModel model{
      "Real 'x'(start = 1.0, fixed = true); equation der('x') = -delay('x', 1e-9);"};
  try {
    (void)model.solve();
    FAIL() << "solved";
  } catch (const OptionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'x' is delayed by 1e-09"));
    EXPECT_THAT(error.what(), HasSubstr("takes 2e+09 steps, where 1000000 are allowed"));
  }
}

// u(t - T(t)) of given u and T: places that go forward at any speed, back, and jump.
TEST(ChangingDelays, ReadThePast) {
  const auto T = [](double t) { return 0.5 + 0.3 * std::sin(3.0 * t); };
  check(
      {{{"Real 'y'; equation 'y' = delay(sin(2.0 * time), 0.5 + 0.3 * sin(3.0 * time), 1.0);"},
        {{"y", std::sin(2.0 * (2.0 - T(2.0)))}}},
       {{"Real 'y'; Real 's'(start = 0.0, fixed = true); equation 'y' = delay(time ^ 2, 0.5 + 0.4 "
         "* sin(8.0 * time), 1.0); der('s') = noEvent(if time > 1.0 then 'y' else 0.0);"},
        {{"y", std::pow(1.5 - 0.4 * std::sin(16.0), 2.0)}}},
       {{"Real 'y'; equation 'y' = delay(exp(time), if time < 1.2 then 0.3 else 0.9, 1.0);"},
        {{"y", std::exp(1.1)}}},
       {{"Real 'y'; equation 'y' = delay(cos(time), 0.5, delayMax = 1.0);"},
        {{"y", std::cos(1.5)}}}});
}

// A pulse of height 1 + t from 0.5 to 0.7 is read at t/2 and leaves twice as long; by a delay that
// jumps from 0.5 to 1 at t = 1.1 its first half comes twice.
TEST(ChangingDelays, KeepTheJumpsOfWhatTheyDelay) {
  const std::string pulse =
      "Real 'y'; Real 's'(start = 0.0, fixed = true); equation der('s') = 'y'; 'y' = delay(if time "
      "< 0.5 or time > 0.7 then 0.0 else 1.0 + time, ";
  check({{{pulse + "0.5 * time, 1.0);"}, {{"s", 2.0 * 0.2 * 1.6}}},
         {{pulse + "if time < 1.1 then 0.5 else 1.0, 1.0);"}, {{"s", 0.1 * 1.55 + 0.2 * 1.6}}}});
}

// The pantograph equation x' = -x(t/2): x = sum of (-1)^k t^k / (k! 2^(k(k-1)/2)) (Fox, Mayers,
// Ockendon and Tayler, J. Inst. Maths Applics 8, 1971). Its delay vanishes at the start.
TEST(ChangingDelays, MayVanish) {
  double exact = 0.0;
  double term = 1.0;
  for (int k = 0; k < 30; ++k) {
    exact += term;
    term *= -6.0 / ((k + 1.0) * std::pow(2.0, k));
  }
  for (const std::string integrator : {"dop853", "radau", "bdf", "taylor"}) {
    SolveOptions options;
    options.integrator = integrator;
    const Solution solution =
        ExportedModel{
            "Real 'x'(start = 1.0, fixed = true); equation der('x') = -delay('x', 0.5 * time, "
            "3.0);",
            "", 6.0}
            .solve(options);
    ASSERT_EQ(solution.status, Status::success) << integrator << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("x"), exact, 1e-5) << integrator;
  }
  // At the end of a delay that shrinks to nothing the present is read.
  check({{{"Real 'x'(start = 1.0, fixed = true); Real 'y'; equation der('x') = -'x'; 'y' = "
           "delay('x', max(0.0, 1.0 - time), 1.0);"},
          {{"y", std::exp(-2.0)}}}});
}

TEST(ChangingDelays, NeedALongestTime) {
  const ExportedModel open{"Real 'y'; equation 'y' = delay(time, 0.5 * time);"};
  try {
    (void)open.solve();
    FAIL() << "solved";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("write the longest that it will be as a third argument"));
  }
  const Solution late =
      ExportedModel{
          "Real 'y'; Real 'x'(start = 0.0, fixed = true); equation 'y' = "
          "delay(sin(time), 'x', 0.5); der('x') = 0.5;"}
          .solve();
  EXPECT_EQ(late.status, Status::assertion_failed);
  EXPECT_THAT(late.message, HasSubstr("must lie between 0 and the longest one, 0.5"));
}

// At constant speed it is a delay of 1/v, after the profile at the start has left: 3 to 5 for a
// second, 2 to 1 for another one, then sin(t - 2).
TEST(Flows, AtConstantSpeedDelay) {
  const ExportedModel model{
      "Real 'x'(start = 0.0, fixed = true); Real 'a'; Real 'b'; Real 's'(start = 0.0, fixed = "
      "true); "
      "equation der('x') = 0.5; ('a', 'b') = spatialDistribution(sin(time), 7.0, 'x', true, {0.0, "
      "0.5, 0.5, 1.0}, {1.0, 2.0, 5.0, 3.0}); der('s') = 'b';",
      "", 5.0};
  check({{model,
          {{"a", std::sin(5.0)}, {"b", std::sin(3.0)}, {"s", 4.0 + 1.5 + 1.0 - std::cos(3.0)}}}});
}

// x = x0 + sin(t) up to π: what has gone in comes back out of the same end in reverse order. The
// signal 1 + t goes in at 0, so what leaves there after π/2 is 1 + (π - t), and the profile
// 4 - 2 sin(t) has left at 1 before; the flow never comes as far as 1.
TEST(Flows, GiveBackWhatTheyTook) {
  const double pi = 3.14159265358979323846;
  const std::string body =
      "Real 'x'(start = 0.3, fixed = true); Real 'v'; Real 'a'; Real 'b'; Real 's'(start = 0.0, "
      "fixed "
      "= true); Real 'r'(start = 0.0, fixed = true); equation 'v' = cos(time); der('x') = 'v'; "
      "('a', "
      "'b') = spatialDistribution(1.0 + time, 10.0 + time, 'x', 'v' >= 0.0, initialPoints = {0.0, "
      "1.0}, initialValues = {2.0, 4.0}); der('s') = 'b'; der('r') = 'a';";
  const double to_end = 3.0;
  const double out = to_end - pi / 2.0;
  for (const std::string integrator : {"dop853", "radau", "bdf"}) {
    SolveOptions options;
    options.integrator = integrator;
    const Solution solution = ExportedModel{body, "", to_end}.solve(options);
    ASSERT_EQ(solution.status, Status::success) << integrator << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("a"), 1.0 + pi - to_end, 2e-4) << integrator;
    EXPECT_NEAR(solution.final_value("b"), 13.0, 1e-5) << integrator;
    EXPECT_NEAR(solution.final_value("s"),
                2.0 * pi - 2.0 + out * (10.0 + 0.5 * (to_end + pi / 2.0)), 2e-4)
        << integrator;
    EXPECT_NEAR(solution.final_value("r"),
                pi / 2.0 + pi * pi / 8.0 + out * (1.0 + pi - 0.5 * (to_end + pi / 2.0)), 2e-4)
        << integrator;
  }
}

TEST(Flows, BeginWithAscendingPoints) {
  const ExportedModel model{
      "Real 'x'(start = 0.0, fixed = true); Real 'a'; Real 'b'; equation der('x') = 1.0; ('a', "
      "'b') = "
      "spatialDistribution(1.0, 2.0, 'x', true, {0.0, 0.5}, {1.0, 2.0});"};
  try {
    (void)model.solve();
    FAIL() << "solved";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("points that ascend from 0 to 1"));
  }
}

// x = e^(-3t) was e^3 times as much a second before, and falls by forty powers of e.
TEST(Delays, OfDecayedStatesKeepTheirDigits) {
  for (const double rtol : {1e-4, 1e-6, 1e-9}) {
    for (const std::string equation :
         {"'q' = delay('x', 1.0) / 'x';", "'q' * 'x' = delay('x', 1.0);"}) {
      const ExportedModel model{
          "Real 'x'(start = 1.0, fixed = true); Real 'q'; equation der('x') = -3.0 * 'x'; " +
              equation,
          "", 13.3};
      SolveOptions options;
      options.rtol = rtol;
      options.interval = 0.7;
      const Solution solution = model.solve(options);
      ASSERT_EQ(solution.status, Status::success) << solution.message;
      const std::size_t q = solution.column("q");
      for (std::size_t i = 0; i < solution.n_rows(); ++i) {
        const double exact = std::exp(3.0 * std::min(solution.times[i], 1.0));
        EXPECT_NEAR(solution.row(i)[q] / exact, 1.0, 1e3 * rtol)
            << rtol << " at " << solution.times[i];
      }
    }
  }
}

}  // namespace
}  // namespace daedal
