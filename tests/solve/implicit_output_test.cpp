// SPDX-License-Identifier: BSD-3-Clause

/// Values between the steps of an implicit scheme, and stiff models with no option.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <map>
#include <numbers>
#include <string>

namespace daedal {
namespace {

/// The root of p + p³ = 2 sin 2πt.
double exact_root(double t) {
  const double right = 2.0 * std::sin(2.0 * std::numbers::pi * t);
  double p = right;
  for (int k = 0; k < 60; ++k) p -= (p + p * p * p - right) / (1.0 + 3.0 * p * p);
  return p;
}

TEST(ImplicitOutput, AlgebraicVariablesHoldBetweenTheStepsOfRadau) {
  // Nothing but x is integrated, and its steps are long: the polynomial through the stages of p
  // would be off by hundreds of tolerances.
  const Model model = parse_model(R"(
    model Circuit
      Real x(start = 0, fixed = true);
      Real p;
    equation
      p + p^3 = 2*sin(6.283185307179586*time);
      der(x) = 1 - x;
    end Circuit;)");
  const double rtol = 1e-6;
  const Solution s =
      solve(model, {0.0, 5.0},
            {.method = "direct", .integrator = "radau", .rtol = rtol, .interval = 0.001});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const std::size_t column = s.column("p");
  double worst = 0.0;
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    worst = std::max(worst, std::abs(s.row(i)[column] - exact_root(s.times[i])));
  }
  EXPECT_LT(worst, 10.0 * rtol);
}

TEST(ImplicitOutput, AlgebraicVariablesHoldBetweenTheStepsOfRadauWhereConstraintsTieTheStates) {
  // Two shafts on a gear are held until the load passes the limit: nothing moves, and the steps are
  // long. All four angles and speeds are differentiated, two of them follow from the others.
  const Model model = parse_model(R"(
    model Held
      Real angle(start = 0, fixed = true), speed(start = 0, fixed = true), other, other_speed;
      Real load, torque, acceleration;
      Boolean slips(start = false, fixed = true);
    equation
      load = 10*sin(6.283185307179586*time);
      other = 2*angle;
      speed = der(angle);
      other_speed = der(other);
      acceleration = der(speed);
      acceleration + 2*der(other_speed) = load - torque;
      acceleration = if slips then load - 9 else 0;
      when load > 9 then slips = true; end when;
    end Held;)");
  const double rtol = 1e-6;
  const Solution s =
      solve(model, {0.0, 0.25},
            {.method = "dummy-derivatives", .integrator = "radau", .rtol = rtol, .interval = 0.01});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const std::size_t column = s.column("load");
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    EXPECT_NEAR(s.row(i)[column], 10.0 * std::sin(2.0 * std::numbers::pi * s.times[i]), 10.0 * rtol)
        << s.times[i];
  }
}

TEST(ImplicitOutput, ModelsOfConditionsAloneRunByEverySchemeForImplicitEquations) {
  const Model model = parse_model(R"(
    model Conditions
      Boolean late, odd;
    equation
      late = time > 0.5;
      odd = mod(time, 1) > 0.25;
    end Conditions;)");
  for (const char* integrator : {"radau", "gauss", "bdf", "euler-backward"}) {
    const Solution s = solve(model, {0.0, 2.0}, {.method = "direct", .integrator = integrator});
    ASSERT_EQ(s.status, Status::success) << integrator << ": " << s.message;
    EXPECT_NEAR(s.events.at(0).time, 0.25, 1e-12) << integrator;
    EXPECT_NEAR(s.events.at(1).time, 0.5, 1e-12) << integrator;
    EXPECT_EQ(s.final_value("late"), 1.0) << integrator;
  }
}

TEST(StiffAutomatic, HiresIsSolvedByAOneStepScheme) {
  const Model model = parse_model(R"(
    model Hires
      Real y1(start = 1, fixed = true), y2(start = 0, fixed = true), y3(start = 0, fixed = true),
           y4(start = 0, fixed = true), y5(start = 0, fixed = true), y6(start = 0, fixed = true),
           y7(start = 0, fixed = true), y8(start = 0.0057, fixed = true);
    equation
      der(y1) = -1.71*y1 + 0.43*y2 + 8.32*y3 + 0.0007;
      der(y2) = 1.71*y1 - 8.75*y2;
      der(y3) = -10.03*y3 + 0.43*y4 + 0.035*y5;
      der(y4) = 8.32*y2 + 1.71*y3 - 1.12*y4;
      der(y5) = -1.745*y5 + 0.43*y6 + 0.43*y7;
      der(y6) = -280*y6*y8 + 0.69*y4 + 1.71*y5 - 0.43*y6 + 0.69*y7;
      der(y7) = 280*y6*y8 - 1.81*y7;
      der(y8) = -280*y6*y8 + 1.81*y7;
    end Hires;)");
  // Mazzia, Magherini, Test Set for Initial Value Problem Solvers, release 2.4, II-1.
  const std::map<std::string, double> reference{
      {"y1", 0.7371312573325668e-3}, {"y2", 0.1442485726316185e-3}, {"y3", 0.5888729740967575e-4},
      {"y4", 0.1175651343283149e-2}, {"y5", 0.2386356198831331e-2}, {"y6", 0.6238968252742796e-2},
      {"y7", 0.2849998395185769e-2}, {"y8", 0.2850001604814231e-2}};
  const double rtol = 1e-8;
  const Solution s = solve(model, {0.0, 321.8122}, {.rtol = rtol, .atol = 1e-2 * rtol});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.used, "radau");
  for (const auto& [name, value] : reference) {
    EXPECT_NEAR(s.final_value(name) / value, 1.0, 100.0 * rtol) << name;
  }
}

// Nothing bounds the steps but the curves of y, which many angles b have as their sine, and one x
// as its hyperbolic tangent.
TEST(ImplicitOutput, AlgebraicVariablesStayOnTheirCurveInLongSteps) {
  const double rate = 2.07;
  for (const double length : {1.08, 1.7327, 2.5854}) {
    const Model model = parse_model(R"(
      model Crank
        parameter Real l = 1;
        Real p(start = 0, fixed = true), b(start = 0), y(start = 0);
      equation
        der(p) = 2.07;
        sin(p) = l*sin(b);
        l*tanh(y) = sin(p);
      end Crank;)");
    for (const double rtol : {1e-4, 1e-6}) {
      const Solution s = solve(model, {0.0, 40.0},
                               {.rtol = rtol, .interval = 0.13, .parameters = {{"l", length}}});
      ASSERT_EQ(s.status, Status::success) << s.message;
      for (std::size_t i = 0; i < s.n_rows(); ++i) {
        const double sine = std::sin(rate * s.times[i]) / length;
        EXPECT_NEAR(s.row(i)[s.column("b")], std::asin(sine), 100.0 * rtol) << s.times[i];
        EXPECT_NEAR(s.row(i)[s.column("y")], std::atanh(sine), 100.0 * rtol) << s.times[i];
      }
    }
  }
}

}  // namespace
}  // namespace daedal
