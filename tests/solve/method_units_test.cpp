// SPDX-License-Identifier: BSD-3-Clause
/// Named methods in other units of time and of the variables, given with their nominal values: the
/// same answers by the same steps. The solution was chosen, x = sin T, y = cos 2T, λ = exp(-T), and
/// the equations have the forcing that makes it theirs.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>

namespace daedal {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

struct Units {
  double time = 1.0, x = 1.0, y = 1.0, v = 1.0, w = 1.0, force = 1.0;
};

/// A variable with its start and nominal values, `size` being the value of 1 in its unit.
std::string variable(const char* name, double start, double size) {
  return fmt::format("Real {}(start = {:.17g}, nominal = {:.17g});\n", name, start * size, size);
}

/// A particle on a curve that moves, of index 3.
Model particle(const Units& u) {
  const std::string text = fmt::format(
      R"(
      parameter Real c = {:.17g}, X = {:.17g}, Y = {:.17g}, V = {:.17g}, W = {:.17g}, L = {:.17g};
      Real T = time/c;
    equation
      c/X*der(x) = v/V;
      100*(c/Y*der(y)) = 100*(w/W);
      c/V*der(v) = -x/X - 0.5*(v/V) + 1.5*(f/L) + 0.5*cos(T) - 1.5*exp(-T);
      c/W*der(w) = -y/Y + 0.8*(f/L) - 3*cos(2*T) - 0.8*exp(-T);
      0.01*(1.5*(x/X) + 0.8*(y/Y) + 0.2*sin(x/X))
        = 0.01*(1.5*sin(T) + 0.8*cos(2*T) + 0.2*sin(sin(T)));
    )",
      u.time, u.x, u.y, u.v, u.w, u.force);
  return parse_model("model Particle\n" + variable("x", 0.0, u.x) + variable("y", 1.0, u.y) +
                     variable("v", 1.0, u.v) + variable("w", 0.0, u.w) +
                     variable("f", 1.0, u.force) + text + "end Particle;\n");
}

/// The greatest error of all variables at the end, in tolerances of their greatest values.
double error_at_end(const Solution& s, const Units& u, double end, double rtol) {
  const auto error = [&](const char* name, double unit, double exact, double greatest) {
    return std::abs(s.final_value(name) / unit - exact) / (rtol * greatest);
  };
  return std::max({error("x", u.x, std::sin(end), 1.0), error("y", u.y, std::cos(2.0 * end), 1.0),
                   error("v", u.v, std::cos(end), 1.0),
                   error("w", u.w, -2.0 * std::sin(2.0 * end), 2.0),
                   error("f", u.force, std::exp(-end), 1.0)});
}

class MethodInUnits : public testing::TestWithParam<const char*> {};

TEST_P(MethodInUnits, TakesTheSameSteps) {
  const double end = 2.0;
  const double rtol = 1e-7;
  const SolveOptions options{.method = GetParam(), .rtol = rtol};
  // A nominal value of 1 counts as none: then the values that are seen are the scale.
  const Units two{.time = 1.0, .x = 2.0, .y = 2.0, .v = 2.0, .w = 2.0, .force = 2.0};
  const Solution plain = solve(particle(two), {0.0, end}, options);
  ASSERT_TRUE(is_success(plain.status)) << plain.message;
  EXPECT_LT(error_at_end(plain, two, end, rtol), 100.0);
  const auto power = [](int exponent) { return std::ldexp(1.0, exponent); };
  for (const Units& u :
       {Units{.time = power(-30),
              .x = power(-13),
              .y = power(15),
              .v = power(-2),
              .w = power(6),
              .force = power(13)},
        Units{.time = power(19),
              .x = power(14),
              .y = power(-10),
              .v = power(-17),
              .w = power(2),
              .force = power(-7)},
        Units{.time = 1.0, .x = power(-17), .y = 2.0, .v = power(13), .w = 2.0, .force = 2.0}}) {
    const Solution other = solve(particle(u), {0.0, end * u.time}, options);
    ASSERT_TRUE(is_success(other.status)) << other.message;
    EXPECT_THAT(other.warnings, IsEmpty());
    EXPECT_LT(error_at_end(other, u, end, rtol), 100.0);
    // Conditions of matrices are estimated, with vectors that know no units.
    const auto expected = static_cast<double>(plain.statistics.steps);
    EXPECT_NEAR(static_cast<double>(other.statistics.steps), expected, 1.0 + 0.1 * expected);
  }
}

// The corrections along the constraints are of index 2: after a step of another length those of
// order one are large. Thousands of such steps were off by 200 tolerances together.
TEST(OverdeterminedForms, LeaveTheirFirstOrderAtSharpTolerances) {
  const double end = 2.0;
  const double rtol = 1e-9;
  for (const char* method : {"stabilized-index1", "overdetermined-index2"}) {
    const Solution s = solve(particle({}), {0.0, end}, {.method = method, .rtol = rtol});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_LT(error_at_end(s, {}, end, rtol), 100.0) << method;
  }
}

// x = cos t and z = cos t - sin t; the penalty leaves a violation of about epsilon z, ten thousand
// tolerances.
TEST(Penalty, IsToldWhereItLeavesTheConstraint) {
  const Model model = parse_model(R"(
    model Held
      Real x(start = 1, fixed = true), z;
    equation
      der(x) = -x + z;
      x = cos(time) "line";
    end Held;)");
  const Solution s = solve(model, {0.0, 1.0}, {.method = Penalty{.epsilon = 1e-2}, .rtol = 1e-6});
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_THAT(s.warnings, Contains(HasSubstr("'line'")));
}

// λ = exp(-T) from the first instant on: not 0 in a layer, as a penalty has it, and without the
// errors of ε and of what draws the motion back onto its constraint.
TEST(Regularisations, HaveTheMultipliersOfTheConstraints) {
  const double rtol = 1e-6;
  const Model model = parse_model(R"(
    model Particle
      Real x(start = 0), y(start = 1), v(start = 1), w(start = 0), f(start = 1);
    equation
      der(x) = v;
      der(y) = w;
      der(v) = -x - 0.5*v + 1.5*f + 0.5*cos(time) - 1.5*exp(-time);
      der(w) = -y + 0.8*f - 3*cos(2*time) - 0.8*exp(-time);
      1.5*x + 0.8*y + 0.2*sin(x) = 1.5*sin(time) + 0.8*cos(2*time) + 0.2*sin(sin(time));
    end Particle;)");
  for (const char* method :
       {"penalty", "srm", "park-chiou", "direct-regularization", "trust-region"}) {
    const Solution s = solve(model, {0.0, 2.0}, {.method = method, .rtol = rtol});
    ASSERT_TRUE(is_success(s.status)) << method << ": " << s.message;
    for (const double t : {0.0, 0.01, 0.5, 1.3, 2.0}) {
      EXPECT_NEAR(s.at(t, "f"), std::exp(-t), 100.0 * rtol) << method << " at " << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, MethodInUnits,
                         testing::Values("index1", "ggl", "stabilized-index1",
                                         "overdetermined-index1", "overdetermined-index2",
                                         "derivative-array", "derivative-array-implicit",
                                         "least-squares-completion", "taylor"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace daedal
