// SPDX-License-Identifier: BSD-3-Clause
/// What begins and ends within one step: conditions that hold for a moment, arguments that leave
/// the domain of their function, poles, and kinks.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace daedal {
namespace {

std::string without_hyphen(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
}

const auto integrators = testing::Values("dop853", "dopri5", "radau", "bdf", "cvode-bdf", "adams");

class Condition : public testing::TestWithParam<const char*> {};

TEST_P(Condition, ThatHoldsForAMomentIsAnEvent) {
  for (const std::string condition :
       {"abs(x - c) < w", "exp(-((x - c)/w)^2) > exp(-1)", "(x - c)^2 < w^2",
        "max(x - c, c - x) < w", "1/(1 + ((x - c)/w)^2) > 0.5", "exp(-((time - c)/w)^2) > exp(-1)",
        "((x - c)/w)^8 < 1", "exp((x - c)/w) + exp((c - x)/w) < exp(1) + exp(-1)"}) {
    const Model model = parse_model(R"(
      model Moment
        parameter Real c = 5, w = 0.01;
        Real x(start = 0, fixed = true);
        discrete Real n(start = 0, fixed = true), at(start = 0, fixed = true);
      equation
        der(x) = 1;
        when )" + condition + R"( then
          n = pre(n) + 1;
          at = time;
        end when;
      end Moment;)");
    for (const double c : {1.7, 3.31, 6.5, 9.05}) {
      for (const double w : {1e-1, 1e-2, 1e-3, 1e-4}) {
        const Solution solution =
            solve(model, {0.0, 10.0},
                  {.method = Ode{}, .integrator = GetParam(), .parameters = {{"c", c}, {"w", w}}});
        ASSERT_TRUE(is_success(solution.status)) << solution.message;
        EXPECT_EQ(solution.final_value("n"), 1.0) << condition << " at " << c << ", " << w;
        EXPECT_NEAR(solution.final_value("at"), c - w, 1e-6)
            << condition << " at " << c << ", " << w;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, Condition, integrators, without_hyphen);

struct Undefined {
  std::string equation;
  double instant;  ///< where y has no value any more
};

std::vector<Undefined> undefined_arguments() {
  return {
      {"y = sqrt((x - 6.5)^2 - 1e-4)", 6.49},
      {"y = log((x - 6.5)^2 - 1e-4)", 6.49},
      // Twice as wide as what the tolerance leaves open, and no more than a 30,000th of the step.
      {"y = sqrt((x - 7.2977)^2 - 2.1609e-8)", 7.2977 - 1.47e-4},
      {"y = (abs(x - 7.2977) - 1.47e-4)^1.5", 7.2977 - 1.47e-4},
      {"y = (abs(x - 6.5) - 0.01)^0.5", 6.49},
      {"y = asin(1.0001*exp(-((x - 6.5)/0.1)^2))", 6.5 - 0.1 * std::sqrt(std::log(1.0001))},
      {"y = sqrt(1 - 1.0001*exp(-((time - 6.5)/0.1)^2))", 6.5 - 0.1 * std::sqrt(std::log(1.0001))},
  };
}

std::vector<Undefined> poles() {
  return {
      {"y = tan(x/2.1)", 1.05 * std::numbers::pi},
      {"y = 1/(x - 6.5)", 6.5},
      {"y = 3/(x - 6.5)^2", 6.5},
      {"y*(x - 6.5) = 1", 6.5},
      {"y*sin(x/3) + 1 = x", 3.0 * std::numbers::pi},
  };
}

Solution run_to_ten(const std::string& declarations, const std::string& equations,
                    const char* integrator) {
  const Model model =
      parse_model("model M\n Real x(start = 0.5, fixed = true), y;\n" + declarations +
                  "equation\n der(x) = 1;\n" + equations + ";\nend M;");
  return solve(model, {0.5, 10.0}, {.method = Ode{}, .integrator = integrator});
}

class Undefinedness : public testing::TestWithParam<const char*> {};

/// The instant that a message begins with.
double instant_in(const std::string& message) {
  const std::string beginning = "At t = ";
  EXPECT_EQ(message.find(beginning), 0U) << message;
  return message.starts_with(beginning) ? std::stod(message.substr(beginning.size())) : NAN;
}

TEST_P(Undefinedness, OfAnOutputWithinAStepIsToldAndTheRestIsKept) {
  std::vector<Undefined> cases = undefined_arguments();
  for (const Undefined& pole : poles()) cases.push_back(pole);
  for (const Undefined& undefined : cases) {
    const Solution solution = run_to_ten("", undefined.equation, GetParam());
    EXPECT_EQ(solution.status, Status::non_finite_value) << undefined.equation;
    EXPECT_NE(solution.message.find("'y'"), std::string::npos) << solution.message;
    EXPECT_NEAR(instant_in(solution.message), undefined.instant, 1e-6) << undefined.equation;
    EXPECT_NEAR(solution.final_value("x"), 10.0, 1e-6) << undefined.equation;
  }
}

TEST_P(Undefinedness, OfARateWithinAStepEndsTheRun) {
  for (const Undefined& undefined : undefined_arguments()) {
    // A rate that grows without bounds may end the run before.
    if (undefined.equation.find("log") != std::string::npos) continue;
    const Solution solution = run_to_ten("Real z(start = 0, fixed = true);\n",
                                         undefined.equation + ";\n der(z) = y", GetParam());
    EXPECT_EQ(solution.status, Status::non_finite_value) << undefined.equation;
    ASSERT_FALSE(solution.times.empty());
    EXPECT_NEAR(solution.times.back(), undefined.instant, 1e-5) << undefined.equation;
  }
}

/// None of these ends: a choice or a bound keeps the argument inside, or nothing grows at all.
TEST_P(Undefinedness, ThatNothingComesToIsNone) {
  for (const std::string equation :
       {"y = noEvent(if x > 6.5 then sqrt(x - 6.5) else 0)", "y = sqrt(max(x - 6.5, 0))",
        "y = noEvent(if abs(x - 6.5) > 1e-3 then 1/(x - 6.5) else 0)",
        "y = sqrt((x - 6.5)^2 + 1e-12)", "y = log(exp(-x))",
        "y = if x > 6.5 then log(x - 6) else x", "y = sqrt(exp(-4*x))"}) {
    const Model model = parse_model(R"(
      model Defined
        Real x(start = 0, fixed = true), y;
      equation
        der(x) = 1;
        )" + equation + R"(;
      end Defined;)");
    const Solution solution =
        solve(model, {0.0, 10.0}, {.method = Ode{}, .integrator = GetParam()});
    EXPECT_EQ(solution.status, Status::success) << equation << ": " << solution.message;
    EXPECT_EQ(solution.times.back(), 10.0) << equation;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, Undefinedness, integrators, without_hyphen);

/// A strong acid of concentration c is titrated with a strong base: b = t, and the charges balance
/// where H² + (b − c) H = k. That has a negative root too, beyond the pole of k/H, to which H comes
/// close at the point of equivalence, b = c.
TEST(Pole, IsNotLeaptOverToTheRootBeyondIt) {
  struct Acid {
    double k, c;
  };
  for (const Acid& acid : {Acid{1e-10, 1e-3}, {3e-10, 1e-3}, {1e-9, 3e-3}, {1e-11, 1e-3}}) {
    const Model model = parse_model(R"(
      model Titration
        parameter Real k = 1, c = 1;
        Real b(start = 0, fixed = true), H(start = c);
      equation
        der(b) = 1;
        H + b = k/H + c;
      end Titration;)");
    const Overrides values{{"k", acid.k}, {"c", acid.c}};
    const double exact = 2.0 * acid.k / (acid.c + std::sqrt(acid.c * acid.c + 4.0 * acid.k));
    for (const double rtol : {1e-4, 1e-5}) {
      const Solution solution =
          solve(model, {0.0, 2.0 * acid.c}, {.rtol = rtol, .parameters = values});
      ASSERT_EQ(solution.status, Status::success) << acid.k << ": " << solution.message;
      EXPECT_NEAR(solution.final_value("H"), exact, 0.01 * exact) << acid.k << " at " << rtol;
    }
  }
}

class Kink : public testing::TestWithParam<const char*> {};

/// A body that is thrown against a wall without friction comes back as fast as it came.
TEST_P(Kink, OfAContactForceConservesTheEnergy) {
  for (const std::string force :
       {"1e4*max(x - 15, 0)^1.5", "1e4*max(x - 15, 0)", "1e6*max(x - 15, 0)^3",
        "5e3*(x - 15 + abs(x - 15))", "noEvent(if x > 15 then 100 else 0)"}) {
    const Model model = parse_model(R"(
      model Wall
        Real x(start = 0, fixed = true), v(start = 9, fixed = true);
      equation
        der(x) = v;
        der(v) = -()" + force + R"();
      end Wall;)");
    const Solution solution =
        solve(model, {0.0, 10.0}, {.method = Ode{}, .integrator = GetParam()});
    ASSERT_TRUE(is_success(solution.status)) << solution.message;
    EXPECT_NEAR(solution.final_value("v"), -9.0, 9e-4) << force;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, Kink, integrators, without_hyphen);

}  // namespace
}  // namespace daedal
