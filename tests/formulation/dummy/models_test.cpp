// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>

#include "formulation/dummy/dummy_derivatives.hpp"
#include "formulation/dummy/support.hpp"
#include "formulation/formulation_support.hpp"

namespace daedal::formulation {
namespace {

using test::make;
using test::options_of;
using test::run;

constexpr double quarter_period = 0.59196;  // K(1/√2)/√9.81 of a pendulum released horizontally

// Two capacitors in series at a voltage source, a resistor beside the second, all values 1:
// 2 v2' + v2 = cos t, so v2 = −.2 e^(−t/2) + .2 cos t + .4 sin t from v2(0) = 0.
TEST(DummyDerivatives, SolvesALoopOfCapacitors) {
  ModelBuilder b("CapacitorLoop");
  const Expr v1 = b.variable("v1");
  const Expr v2 = b.variable("v2", {.start = 0.0, .fixed = true});
  const Expr i = b.variable("i");
  b.equation(v1 + v2 == sin(b.time()), "source");
  b.equation(der(v1) == i, "capacitor 1");
  b.equation(der(v2) == i - v2, "capacitor 2");
  const Model model = b.build();
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const Solution solution = run(model, 5.0, options_of(1e-8, integrator));
    const double t = 5.0;
    const double expected = -0.2 * std::exp(-t / 2) + 0.2 * std::cos(t) + 0.4 * std::sin(t);
    const double rate = 0.1 * std::exp(-t / 2) - 0.2 * std::sin(t) + 0.4 * std::cos(t);
    EXPECT_NEAR(solution.final_value("v2"), expected, 1e-6) << integrator;
    EXPECT_NEAR(solution.final_value("i"), rate + expected, 1e-6) << integrator;
  }
}

// x_k' = 2 x_(k+1), 0 = x_1 − sin t: index ν for ν variables, x_k = sin^(k−1)(t)/2^(k−1).
TEST(DummyDerivatives, SolvesHessenbergChainsUpToIndexSix) {
  for (int index = 2; index <= 6; ++index) {
    ModelBuilder b("Chain");
    std::vector<Expr> x;
    for (int k = 1; k <= index; ++k) x.push_back(b.variable("x" + std::to_string(k)));
    for (std::size_t k = 0; k + 1 < x.size(); ++k) b.equation(der(x[k]) == 2.0 * x[k + 1]);
    b.equation(x[0] == sin(b.time()));
    const Solution solution = run(b.build(), 3.0, options_of(1e-8));
    for (int k = 1; k <= index; ++k) {
      const double expected = std::sin(3.0 + (k - 1) * std::numbers::pi / 2) / std::exp2(k - 1);
      EXPECT_NEAR(solution.final_value("x" + std::to_string(k)), expected, 1e-9)
          << "index " << index;
    }
  }
}

Model chained_pendula(int n) {
  ModelBuilder b("ChainedPendula");
  Expr length = 10.0;
  for (int i = 1; i <= n; ++i) {
    const std::string suffix = std::to_string(i);
    const Expr x = b.variable("x" + suffix, {.start = 10.0});
    const Expr y = b.variable("y" + suffix, {.start = 0.0, .fixed = true});
    const Expr lambda = b.variable("lambda" + suffix);
    b.equation(der(x, 2) == -lambda * x);
    b.equation(der(y, 2) == -lambda * y + 9.8);
    b.equation(sqr(x) + sqr(y) == sqr(length), "rod " + suffix);
    b.initial_equation(der(y) == 0.0);
    length = 10.0 + 0.1 * lambda;
  }
  return b.build();
}

// Index 5. The first pendulum is a plain one of length 10; start values x = 10, 10, x' = 0.
TEST(DummyDerivatives, SolvesChainedPendulaOfIndexFive) {
  const Model chain = chained_pendula(2);
  const Solution implicit = run(chain, 3.0, options_of(1e-9, "radau"));
  const Solution expl = run(chain, 3.0, options_of(1e-9, "dop853"));
  ASSERT_EQ(implicit.constraints.size(), 5U);
  EXPECT_NEAR(implicit.row(0)[implicit.column("x2")], 10.0, 1e-9);
  SolveOptions other = options_of(1e-10, "dop853");
  other.method = "orthogonal-projection";
  const Solution first = run(chained_pendula(1), 3.0, other);
  EXPECT_NEAR(implicit.final_value("x1"), first.final_value("x1"), 1e-6);
  EXPECT_NEAR(implicit.final_value("lambda1"), first.final_value("lambda1"), 1e-6);
  EXPECT_NEAR(implicit.final_value("x2"), expl.final_value("x2"), 1e-6);
  EXPECT_NEAR(implicit.final_value("lambda2"), expl.final_value("lambda2"), 1e-6);
  const double length = 10.0 + 0.1 * expl.final_value("lambda1");
  EXPECT_NEAR(std::hypot(expl.final_value("x2"), expl.final_value("y2")), length, 1e-9);
}

TEST(DummyDerivatives, StartsFromInitialEquationsAndParametersToBeFound) {
  const Model model = parse_model(R"(model Pendulum
  parameter Real length(fixed = false, start = 1);
  Real x(start = 1);
  Real y(start = -1);
  Real u(start = 0, fixed = true);
  Real v;
  Real lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lambda * x;
  der(v) = -lambda * y - 9.81;
  x ^ 2 + y ^ 2 = length ^ 2;
initial equation
  x = 3;
  y = -4;
end Pendulum;
)");
  const auto formulation = make("dummy-derivatives", model);
  const auto run = formulation.system().make_run();
  const auto start = formulation.start(0.0, *run);
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_NEAR(run_of<DummyRun>(*run).parameters.at(0), 5.0, 1e-9);
  EXPECT_NEAR(start.x[0], 3.0, 1e-9);
  EXPECT_NEAR(start.x[3], -4.0, 1e-9);
}

// Stopped and sent back at the bottom, the pendulum returns to where it was released.
TEST(DummyDerivatives, ExecutesEvents) {
  const Model model = parse_model(R"(model Bouncing
  Real x(start = 1, fixed = true);
  Real y(start = 0);
  Real u(start = 0, fixed = true);
  Real v(start = 0);
  Real lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lambda * x;
  der(v) = -lambda * y - 9.81;
  x ^ 2 + y ^ 2 = 1;
  when x < 0 then
    reinit(u, -u);
  end when;
end Bouncing;
)");
  for (const char* integrator : {"bdf", "dop853"}) {
    const Solution solution = run(model, 2 * quarter_period, options_of(1e-9, integrator));
    ASSERT_EQ(solution.events.size(), 1U) << integrator;
    EXPECT_NEAR(solution.events[0].time, quarter_period, 1e-5);
    EXPECT_NEAR(solution.final_value("x"), 1.0, 1e-6) << integrator;
    EXPECT_NEAR(solution.final_value("y"), 0.0, 1e-4) << integrator;
  }
}

TEST(DummyDerivatives, IsTheChoiceForHigherIndexWithoutASpecialShape) {
  ModelBuilder b("CapacitorLoop");
  const Expr v1 = b.variable("v1");
  const Expr v2 = b.variable("v2", {.start = 0.0, .fixed = true});
  const Expr i = b.variable("i");
  b.equation(v1 + v2 == sin(b.time()));
  b.equation(der(v1) == i);
  b.equation(der(v2) == i - v2);
  const Solution solution = solve(b.build(), {0.0, 1.0});
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.method.used, "dummy-derivatives");
}

}  // namespace
}  // namespace daedal::formulation
