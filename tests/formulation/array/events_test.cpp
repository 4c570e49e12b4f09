// SPDX-License-Identifier: BSD-3-Clause
// Models with events by the methods on derivative arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal::formulation {
namespace {

class ArrayEventsOf : public ::testing::TestWithParam<const char*> {
 protected:
  static Solution run(const std::string& text, double stop) {
    SolveOptions options;
    options.method = GetParam();
    options.rtol = options.atol = 1e-10;
    const Solution s = solve(parse_model(text), {0.0, stop}, options);
    EXPECT_EQ(s.status, Status::success) << s.message;
    return s;
  }
};

TEST_P(ArrayEventsOf, ASamplerChangesTheForcesOfAPendulum) {
  // Without weight until t = ¼, then with the weight 1, from ¾ on with 2: the energy is 0 at first,
  // −y + 2y = y(¾) in the end.
  const Solution s = run(R"(
    model Sampled
      Real x(start = 1, fixed = true);
      Real y(start = 0);
      Real u(start = 0);
      Real v(start = 0, fixed = true);
      Real lambda;
      discrete Real n(start = 0, fixed = true);
    equation
      der(x) = u;
      der(y) = v;
      der(u) = -lambda*x;
      der(v) = -lambda*y - n;
      x^2 + y^2 = 1 "rod";
      when sample(0.25, 0.5) then
        n = pre(n) + 1;
      end when;
    end Sampled;)",
                         1.0);
  ASSERT_EQ(s.events.size(), 2U);
  EXPECT_EQ(s.events[0].time, 0.25);
  EXPECT_EQ(s.events[1].time, 0.75);
  EXPECT_EQ(s.final_value("n"), 2.0);
  EXPECT_NEAR(s.at(0.25, "y"), 0.0, 1e-12);
  const double kinetic = 0.5 * (std::pow(s.final_value("u"), 2) + std::pow(s.final_value("v"), 2));
  EXPECT_NEAR(kinetic + 2.0 * s.final_value("y"), s.at(0.75, "y"), 1e-7);
  EXPECT_LT(s.at(0.75, "y"), -0.1);
}

TEST_P(ArrayEventsOf, InitialIsTrueDuringInitialisationOnly) {
  const Solution s = run(R"(
    model Phase
      Real x(start = 1, fixed = true);
      Real y;
    equation
      der(x) = -y;
      y = if initial() then x else 2*x;
    end Phase;)",
                         1.0);
  EXPECT_NEAR(s.row(0)[s.column("y")], 2.0, 1e-12);
  EXPECT_NEAR(s.final_value("x"), std::exp(-2.0), 1e-7);
}

TEST_P(ArrayEventsOf, SamplersAndTheEndMayStandInEquations) {
  // True at single instants, which changes no integral.
  const Solution s = run(R"(
    model Instants
      Real x(start = 1, fixed = true);
      Real y;
      discrete Real last(start = 0, fixed = true);
    equation
      der(x) = -y;
      y = if sample(0.5, 0.5) or terminal() then 3*x else x;
      when terminal() then
        last = x;
      end when;
    end Instants;)",
                         1.25);
  EXPECT_NEAR(s.final_value("x"), std::exp(-1.25), 1e-7);
  EXPECT_EQ(s.final_value("last"), s.final_value("x"));
}

TEST_P(ArrayEventsOf, WhenClausesAtTheStartCount) {
  // x' = −kx with k = 1 from the start on, and 2 from x = ½ on.
  const Solution s = run(R"(
    model InitWhen
      Real x(start = 1, fixed = true);
      Real y;
      discrete Real k(start = 0);
    equation
      der(x) = -k*y;
      y = x;
      when {initial(), x < 0.5} then
        k = pre(k) + 1;
      end when;
    end InitWhen;)",
                         1.0);
  EXPECT_NEAR(s.final_value("x"), 0.5 * std::exp(-2.0 * (1.0 - std::log(2.0))), 1e-7);
}

TEST_P(ArrayEventsOf, ValuesHeldFromBeforeAnEventAreThoseOfTheState) {
  // x' = −held with held = x at 0, ¼, ½, ¾: (3/4)⁴ at the end.
  const Solution s = run(R"(
    model Held
      Real x(start = 1, fixed = true);
      Real y;
      discrete Real held(start = 0, fixed = true);
    equation
      der(x) = -held;
      y = x + held;
      when sample(0, 0.25) then
        held = pre(x);
      end when;
    end Held;)",
                         1.0);
  EXPECT_NEAR(s.final_value("x"), 81.0 / 256.0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, ArrayEventsOf,
                         ::testing::Values("derivative-array", "derivative-array-implicit",
                                           "least-squares-completion"));

TEST(ArrayEvents, AVelocityGivenAnewLeavesThePositionsAlone) {
  // A pendulum against a wall at x = −½: reinit of vx determines vy, both times −0.8, so that every
  // impact leaves 0.64 of the kinetic energy, 9.81·√¾ before the first one.
  const Model model = parse_model(R"(
    model Wall
      Real x(start = 1);
      Real y(start = 0, fixed = true);
      Real vx;
      Real vy(start = 0, fixed = true);
      Real lambda;
    equation
      der(x) = vx;
      der(y) = vy;
      der(vx) = -lambda*x;
      der(vy) = -lambda*y - 9.81;
      x^2 + y^2 = 1 "rod";
      when x < -0.5 then
        reinit(vx, -0.8*pre(vx));
      end when;
    end Wall;)",
                                  "wall.mo");
  SolveOptions options;
  options.method = "derivative-array";
  options.rtol = options.atol = 1e-10;
  const Solution s = solve(model, {0.0, 3.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  int impacts = 0;
  for (std::size_t i = 1; i < s.n_rows(); ++i) {
    const auto before = s.row(i - 1), after = s.row(i);
    if (s.times[i] != s.times[i - 1] || before[2] == after[2]) continue;
    ++impacts;
    EXPECT_EQ(after[0], before[0]);
    EXPECT_EQ(after[1], before[1]);
    EXPECT_NEAR(after[2], -0.8 * before[2], 1e-12);
    EXPECT_NEAR(after[3], -0.8 * before[3], 1e-9);
  }
  ASSERT_GE(impacts, 1);
  const auto end = s.row(s.n_rows() - 1);
  const double energy = 0.5 * (end[2] * end[2] + end[3] * end[3]) + 9.81 * end[1];
  EXPECT_NEAR(energy, -9.81 * std::sqrt(0.75) * (1.0 - std::pow(0.64, impacts)), 1e-7);
}

}  // namespace
}  // namespace daedal::formulation
