// SPDX-License-Identifier: BSD-3-Clause
/// Mechanisms by a lagrangian section move as the same mechanisms written out.

#include <gtest/gtest.h>

#include <daedal/inputs.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>
#include <utility>
#include <vector>

#include "places.hpp"

namespace daedal {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Both runs are solved to 1e-10; over a few periods errors grow by two or three digits.
void expect_same_motion(const Model& by_energy, const Model& by_hand, double end,
                        const Pairs& names) {
  const SolveOptions options{.rtol = 1e-10, .interval = end / 50};
  const Solution one = solve(by_energy, {0.0, end}, options);
  const Solution other = solve(by_hand, {0.0, end}, options);
  ASSERT_EQ(one.status, Status::success) << one.message;
  ASSERT_EQ(other.status, Status::success) << other.message;
  ASSERT_EQ(one.times, other.times);
  for (const auto& [name, twin] : names) {
    for (std::size_t i = 0; i < one.n_rows(); ++i) {
      EXPECT_NEAR(one.row(i)[one.column(name)], other.row(i)[other.column(twin)], 1e-7)
          << name << " at " << one.times[i];
    }
  }
}

TEST(LagrangianText, MovesThePendulum) {
  const Model by_energy = parse_model(R"(
    model Pendulum
      parameter Real g = 9.81;
      Real x(start = 1), y(start = 0, fixed = true);
    lagrangian
      coordinates x, y;
      kinetic (der(x)^2 + der(y)^2)/2;
      potential g*y;
      constraint (x^2 + y^2)/2 = 1/2 "rod";
    initial equation
      der(y) = 0;
    end Pendulum;)");
  const Model by_hand = load_model(DAEDAL_SOURCE_DIR "/problems/pendulum.mo");
  // Half the constraint has the same multiplier as the force that was written out.
  expect_same_motion(by_energy, by_hand, 3.0,
                     {{"x", "x"}, {"y", "y"}, {"der(x)", "vx"}, {"lambda[1]", "lambda"}});
}

TEST(LagrangianText, MovesTheFourBar) {
  const Model by_energy = parse_model(R"(
    model FourBar
      parameter Real g = 9.81, a = 1, b = 3, c = 2.5, d = 3;
      Real th1(start = Modelica.Constants.pi/2, fixed = true), th2(start = 0.5), th3(start = 1.7);
      Real x = a*cos(th1) + b/2*cos(th2), y = a*sin(th1) + b/2*sin(th2);
    lagrangian
      coordinates th1, th2, th3;
      kinetic a^3/6*der(th1)^2 + c^3/6*der(th3)^2;
      kinetic b/2*(der(x)^2 + der(y)^2) + b^3/24*der(th2)^2;
      potential a^2/2*g*sin(th1) + b*g*y + c^2/2*g*sin(th3);
      constraint a*cos(th1) + b*cos(th2) = c*cos(th3) + d;
      constraint a*sin(th1) + b*sin(th2) = c*sin(th3);
    initial equation
      der(th1) = 0;
    end FourBar;)");
  ASSERT_NE(by_energy.energy(), no_node);
  const Model by_hand = load_model(DAEDAL_SOURCE_DIR "/problems/four_bar.mo");
  expect_same_motion(by_energy, by_hand, 3.0,
                     {{"th1", "th1"},
                      {"th3", "th3"},
                      {"der(th2)", "w2"},
                      {"lambda[1]", "lambda1"},
                      {"lambda[2]", "lambda2"}});
}

TEST(LagrangianText, AnInputIsAFunctionOfTimeNotItsDefault) {
  const Model cart = parse_model(R"(
    model Cart
      input Real u = 3;
      Real x(start = 0, fixed = true);
    lagrangian
      coordinates x;
      kinetic 0.5*(der(u) + der(x))^2;
    initial equation
      der(x) = 0;
    end Cart;)");
  // (u' + x')' = 0 with u = t^2: x = -t^2.
  const Model moved = with_inputs(cart, {{"u", "time^2"}});
  EXPECT_NEAR(solve(moved, {0.0, 2.0}).final_value("x"), -4.0, 1e-6);
  EXPECT_NEAR(solve(cart, {0.0, 2.0}).final_value("x"), 0.0, 1e-12);
}

}  // namespace
}  // namespace daedal
