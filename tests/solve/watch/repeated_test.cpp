// SPDX-License-Identifier: BSD-3-Clause
/// Several bumps and changes of a condition within one step, and long runs full of them: what is
/// seen of the first must be seen of the last.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>

namespace daedal {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double tolerance = 1e-4;  // a hundred times the relative one

Solution run(const std::string& declarations, const std::string& equations, double stop) {
  const Model model =
      parse_model("model M\n" + declarations + "\nequation\n" + equations + "\nend M;");
  return solve(model, {0.0, stop}, {});
}

void expect_end(const std::string& declarations, const std::string& equations, double stop,
                const char* name, double exact) {
  const Solution solution = run(declarations, equations, stop);
  ASSERT_EQ(solution.status, Status::success) << equations << ": " << solution.message;
  EXPECT_NEAR(solution.final_value(name), exact, tolerance * std::abs(exact)) << equations;
  EXPECT_TRUE(solution.warnings.empty()) << solution.warnings.front();
}

const std::string states = "Real p(start = 0, fixed = true), y(start = 0, fixed = true); ";
const std::string counter = "discrete Real n(start = 0, fixed = true);";

/// The product is negative before a and between b and c: y counts the rest of the time.
TEST(ChangesOfACondition, AreAllFoundWhenTheStepEndsOnTheOtherSide) {
  for (const std::string s : {"p", "time"}) {
    for (const double a : {7.3, 11.62}) {
      const std::string at = std::to_string(a);
      expect_end(states,
                 "der(p) = 1; der(y) = if (" + s + " - " + at + ")*(" + s + " - " + at +
                     " - 1e-3)*(" + s + " - 15) < 0 then 0 else 1;",
                 20.0, "y", 5.0 + 1e-3);
    }
  }
}

/// Windows around the zeros of sin(s + 1): each opens once, and floor((T + 1)/π) of them.
TEST(ChangesOfACondition, AreAllCounted) {
  for (const std::string condition :
       {"exp(-2000*sin(time + 1)^2) > 0.5", "exp(-1e5*sin(p + 1)^2) > 0.5",
        "1/(1 + 2000*sin(p + 1)^2) > 0.5", "abs(sin(p + 1)) < 0.01", "500*sin(p + 1)^2 < 1"}) {
    for (const double stop : {30.0, 100.0, 1000.0}) {
      expect_end(states + counter,
                 "der(p) = 1; der(y) = 1; when " + condition + " then n = pre(n) + 1; end when;",
                 stop, "n", std::floor((stop + 1.0) / pi));
    }
  }
}

/// A window that moves on by 3.7 each time that it is met, within one step of the integrator.
TEST(ChangesOfACondition, AreFoundWhereEventsMoveTheThreshold) {
  expect_end("Real p(start = 0, fixed = true); discrete Real c(start = 5, fixed = true);",
             "der(p) = 1; when abs(p - pre(c)) < 1e-3 then c = pre(c) + 3.7; end when;", 100.0, "c",
             5.0 + 26 * 3.7);
}

/// ∫ dt/(1 + K sin²) = π/√(1 + K) over each period.
TEST(TrainOfBumps, IsSeenToItsEnd) {
  for (const double k : {2e3, 2e5, 2e7}) {
    for (const std::string s : {"time", "p"}) {
      for (const double n : {100.0, 500.0}) {
        expect_end(states,
                   "der(p) = 1; der(y) = sqrt(1 + " + std::to_string(k) + ")/(1 + " +
                       std::to_string(k) + "*sin(" + s + " + 1)^2);",
                   n * pi, "y", n * pi);
      }
    }
  }
}

/// x = cos(t) passes 0.3 at 2πk ± acos(0.3), 477 times until t = 1500, each time with the area 2.
TEST(TrainOfBumps, OfAnOscillatorIsSeenToItsEnd) {
  expect_end(
      "Real x(start = 1, fixed = true), v(start = 0, fixed = true), q(start = 0, fixed = true);",
      "der(x) = v; der(v) = -x; der(q) = abs(v)*(1 - tanh((x - 0.3)/1e-2)^2)/1e-2;", 1500.0, "q",
      954.0);
}

TEST(TrainOfBumps, WithoutWeightHidesNoOther) {
  for (const std::string frequency : {"1", "7"}) {
    expect_end("Real x(start = 0, fixed = true), z(start = 0, fixed = true);",
               "der(z) = 1 + 1e-9*exp(1e6*(cos(" + frequency +
                   "*time) - 1)); der(x) = exp(-((time - 701.234)/1e-3)^2);",
               1000.0, "x", 1e-3 * std::sqrt(pi));
  }
}

/// One bump in each second, all of the same area.
TEST(TrainOfBumps, BetweenJumpsOfItsArgumentIsSeenToItsEnd) {
  for (const double stop : {5.0, 50.0}) {
    expect_end("Real x(start = 0, fixed = true);",
               "der(x) = exp(-((time - noEvent(floor(time)) - 0.5)/0.01)^2);", stop, "x",
               0.01 * stop * std::sqrt(pi));
  }
}

/// The condition is on a variable without a derivative, which an equation gives its value.
TEST(ConditionOnAnAlgebraicVariable, ThatHoldsForAMomentIsAnEvent) {
  const std::string declarations =
      "Real p(start = 0, fixed = true), y(start = 0, fixed = true), a, z;";
  for (const std::string s : {"time", "p"}) {
    for (const std::string value :
         {"abs(a)", "max(a, -a)", "sqrt(a^2)", "0.02 - 0.01*exp(1 - (a/0.01)^2)", "a^2/0.01"}) {
      expect_end(declarations,
                 "der(p) = 1; a = " + s + " - 37.3; z = " + value +
                     "; der(y) = if z < 0.01 then 50 else 0;",
                 100.0, "y", 1.0);
    }
  }
}

/// Here z = b by an equation that is to be solved.
TEST(ConditionOnAnAlgebraicVariable, OfALoopIsAnEventToo) {
  for (const double c : {2.3, 37.3, 81.9}) {
    expect_end("Real y(start = 0, fixed = true), b, z;",
               "b = exp(-((time - " + std::to_string(c) +
                   ")/0.01)^2); z + z^3 = b + b^3; der(y) = if z > 0.5 then 50 else 0;",
               100.0, "y", std::sqrt(std::log(2.0)));
  }
}

/// u = (t - c)/w, whose functions here are gentle but for u near 0.
TEST(Bump, OfRootsAndLogarithmsIsNeverSteppedOver) {
  const std::string declarations = "Real x(start = 0, fixed = true), u;";
  for (const double w : {1e-2, 1e-3, 1e-4}) {
    const std::string u =
        "u = (time - 37.3)/" + std::to_string(w) + "; " + std::to_string(w) + "*der(x) = ";
    // ∫ log(u⁴ + a⁴) − log(u⁴ + b⁴) = 2√2 π (a − b)
    expect_end(declarations, u + "log(u^4 + 4) - log(u^4 + 1);", 100.0, "x",
               2.0 * std::sqrt(2.0) * pi * (std::sqrt(2.0) - 1.0));
    // The second difference of what is |u| far away: twice the square of its distance.
    expect_end(declarations, u + "sqrt((u - 1)^2 + 1) + sqrt((u + 1)^2 + 1) - 2*sqrt(u^2 + 1);",
               100.0, "x", 2.0);
  }
}

/// cos(t/2)^1458 by products of products has the mean (1458 over 729)/2^1458.
TEST(Bump, OfProductsIsNeverSteppedOver) {
  const double mean =
      std::exp(std::lgamma(1459.0) - 2.0 * std::lgamma(730.0) - 1458.0 * std::log(2.0));
  for (const std::string cube : {"*", "^"}) {
    std::string equations = "q = 0.5 + 0.5*cos(time); ";
    std::string last = "q";
    for (const std::string next : {"a", "b", "c", "d", "e", "f"}) {
      equations +=
          next + " = " + (cube == "^" ? last + "^3" : last + "*" + last + "*" + last) + "; ";
      last = next;
    }
    expect_end("Real x(start = 0, fixed = true), q, a, b, c, d, e, f;", equations + "der(x) = f;",
               20.0 * pi, "x", 20.0 * pi * mean);
  }
}

/// Time is known exactly: what depends on it alone is found however thin it is.
TEST(ThinWindowInTime, IsFoundDownToTheResolutionOfTheClock) {
  expect_end("Real x(start = 0, fixed = true);",
             "der(x) = 1 + (if abs(time - 3712.3) < 1e-3 then 1e7 else 0);", 1e4, "x", 3e4);
  expect_end("Real x(start = 0, fixed = true);", "der(x) = 1 + 1e9*exp(-((time - 371230)/1e-3)^2);",
             1e6, "x", 1e6 * (1.0 + std::sqrt(pi)));
}

TEST(Assertion, ThatFailsForAMomentWithinAStepEndsTheRun) {
  for (const std::string condition : {"abs(p - 37.3) > 0.1", "abs(time - 37.3) > 0.1", "z < 0.9"}) {
    const Solution solution =
        run("Real p(start = 0, fixed = true), z;",
            "der(p) = 1; z = 1 - abs(p - 37.3); assert(" + condition + ", \"too near\");", 100.0);
    EXPECT_EQ(solution.status, Status::assertion_failed) << condition << ": " << solution.message;
    EXPECT_NEAR(solution.times.back(), 37.2, 1e-4) << condition;
  }
}

/// What is thin is a function of a variable that an equation gives its value.
TEST(Bump, OfAnAlgebraicVariableIsNeverSteppedOver) {
  const std::string declarations = "Real x(start = 0, fixed = true), z;";
  expect_end(declarations, "z = abs(time - 37.3); der(x) = max(0, 1 - z/0.01);", 100.0, "x", 0.01);
  // Three zeros of sin(t + 1), each with √(π/1e5).
  expect_end(declarations, "z = -1e5*sin(time + 1)^2; der(x) = exp(z);", 10.0, "x",
             3.0 * std::sqrt(pi / 1e5));
  // |z| < 0.01 for 2 asin(0.01) around each of the 32 zeros.
  expect_end(declarations, "z = sin(time + 1); der(x) = noEvent(if abs(z) < 0.01 then 1 else 0);",
             100.0, "x", 64.0 * std::asin(0.01));
}

/// x = exp(20 (cos t - 1)) comes back to 1 from e^-40, where the tolerance is of the size 1e-8.
TEST(GrowthOfErrors, OfAStateThatComesBackIsNone) {
  const Solution solution =
      run("Real x(start = 1, fixed = true);", "der(x) = -20*sin(time)*x;", 2.0 * pi);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_TRUE(solution.warnings.empty());
  EXPECT_NEAR(solution.final_value("x"), 1.0, 1e-3);
}

/// Errors in x = cos t decay up to t = 3 and grow from there on.
TEST(GrowthOfErrors, ThatWereMadeOnTheWayIsTold) {
  const Solution solution = run("Real x(start = 1, fixed = true);",
                                "der(x) = 10*(time - 3)*(x - cos(time)) - sin(time);", 2.0 * pi);
  ASSERT_FALSE(solution.warnings.empty()) << solution.error_growth;
  EXPECT_NE(solution.warnings.front().find("No digit"), std::string::npos);
}

/// What the condition compares is the same by the equations, but for rounding errors: no event.
TEST(ConditionBetweenEquals, IsNoMatterOfRoundingErrors) {
  const std::string declarations = "Real i(start = 0, fixed = true), v, p;";
  const std::string equations = "0.1*der(i) = 50 - i - v; v = 50 - p; i = 1e-5*(50 - p);";
  const Solution plain = run(declarations, equations, 1.0);
  const Solution solution = run(declarations + "Boolean q(start = true, fixed = true);",
                                equations + "q = abs(i) <= 1e-5*abs(v) or pre(q);", 1.0);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("i"), 50.0 / 100001.0, tolerance * 50.0 / 100001.0);
  EXPECT_LE(solution.statistics.steps, 2 * plain.statistics.steps);
}

/// Near t = 0 the rounding errors of t - 37.3 are all that there is of x' so far.
TEST(RoundingErrorsOfAnUnknown, AreNoReasonForShortSteps) {
  const Solution solution =
      run("Real x(start = 0, fixed = true), u;",
          "u = (time - 37.3)/1e-4;"
          "1e-4*der(x) = sqrt((u - 1)^2 + 1) + sqrt((u + 1)^2 + 1) - 2*sqrt(u^2 + 1);",
          1.0);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("x"), 0.0, 1e-6);
}

}  // namespace
}  // namespace daedal
