// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/ode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/formulation_support.hpp"

namespace daedal::formulation {
namespace {

using test::make;
using testing::ElementsAre;

SolveOptions explicit_options() {
  return {.method = "ode", .integrator = "dop853", .rtol = 1e-10, .atol = 1e-12};
}

/// x'' = −x with the force through two algebraic variables, written in the wrong order:
/// 2·v' = force, force = −2·stretch, stretch = x.
Model oscillator() {
  ModelBuilder b("Oscillator");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr force = b.variable("force");
  const Expr stretch = b.variable("stretch");
  b.equation(2.0 * der(v) == force + sin(stretch) * 0.0);
  b.equation(force + 2.0 * stretch == 0.0);
  b.equation(stretch == x + 0.0 * v);
  b.equation(der(x) == v);
  return b.build();
}

TEST(ExplicitOde, SolvesAlgebraicVariablesInSequence) {
  const auto formulation = make("ode", oscillator());
  const auto& system = *formulation.explicit_system;
  ASSERT_EQ(system.size(), 2);
  const auto run = system.make_run();
  const auto start = formulation.start(0.0, *run);
  ASSERT_EQ(start.status, Status::success) << start.message;
  const std::vector x{0.25, 3.0};
  std::vector<double> xp(2);
  ASSERT_EQ(system.rhs(0.0, x, *run, xp), Evaluation::ok);
  EXPECT_THAT(xp, ElementsAre(3.0, -0.25));
  std::vector<double> values(4);
  formulation.outputs.to_model(0.0, x, xp, *run, values, {});
  EXPECT_THAT(values, ElementsAre(0.25, 3.0, -0.5, 0.25));
}

TEST(ExplicitOde, HasTheJacobianOfTheWholeSequence) {
  ModelBuilder b("Cubic");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 1.0, .fixed = true});
  const Expr z = b.variable("z");
  b.equation(der(x) == z * y);
  b.equation(z == sqr(x));
  b.equation((1.0 + sqr(x)) * der(y) == x);
  const auto formulation = make("ode", b.build());
  const auto& system = *formulation.explicit_system;
  ASSERT_TRUE(system.has_jacobian());
  const auto run = system.make_run();
  std::vector<double> f_x(4);
  ASSERT_EQ(system.jacobian(0.0, std::vector{2.0, 3.0}, *run, f_x), Evaluation::ok);
  // f = (x²y, x/(1+x²)): columns (2xy, (1−x²)/(1+x²)²) and (x², 0) at (2, 3).
  EXPECT_DOUBLE_EQ(f_x[0], 12.0);
  EXPECT_NEAR(f_x[1], -3.0 / 25.0, 1e-15);
  EXPECT_DOUBLE_EQ(f_x[2], 4.0);
  EXPECT_DOUBLE_EQ(f_x[3], 0.0);
}

TEST(ExplicitOde, IsSteppedByAnExplicitScheme) {
  const Solution s = solve(oscillator(), {0.0, 10.0}, explicit_options());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), std::cos(10.0), 1e-8);
  EXPECT_NEAR(s.final_value("force"), -2.0 * std::cos(10.0), 1e-8);
}

TEST(ExplicitOde, NamesALoopOfAlgebraicEquations) {
  ModelBuilder b("Loop");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) == y, "state");
  b.equation(y + z == x, "sum");
  b.equation(y - z == 2.0 * x, "difference");
  try {
    make("ode", b.build());
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_recognized);
    EXPECT_THAT(error.variables(), ElementsAre("der(x)", "y", "z"));
    EXPECT_THAT(error.equations(), ElementsAre("'state'", "'sum'", "'difference'"));
  }
}

TEST(ExplicitOde, RefusesAnEquationThatIsNotLinearInItsUnknown) {
  ModelBuilder b("Nonlinear");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(sqr(der(x)) + der(x) == x);
  EXPECT_THROW(make("ode", b.build()), ModelError);
}

// A relation of an algebraic variable switches inside f: x' = 1 below height 1, then 2.
TEST(ExplicitOde, TakesEventsOfAlgebraicVariables) {
  ModelBuilder b("Switch");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr height = b.variable("height");
  const Expr n = b.discrete("n", {.start = 0.0, .fixed = true});
  b.equation(der(x) == if_else(height > 1.0, 2.0, 1.0));
  b.equation(height == 2.0 * x);
  b.when({.branches = {{.condition = (height > 3.0).in(b.pool()),
                        .actions = {{.kind = WhenAction::Kind::assign,
                                     .target = 0,
                                     .value = (b.pre(n) + 1.0).in(b.pool())},
                                    {.kind = WhenAction::Kind::reinit,
                                     .target = 0,
                                     .value = (b.pre(x) - 1.5).in(b.pool())}}}}});
  // x reaches 0.5 at t = 0.5 and 1.5 at t = 1, falls to 0 and begins again: period 1.
  const Solution s = solve(b.build(), {0.0, 3.25}, explicit_options());
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.final_value("n"), 3.0);
  EXPECT_NEAR(s.final_value("x"), 0.25, 1e-9);
}

}  // namespace
}  // namespace daedal::formulation
