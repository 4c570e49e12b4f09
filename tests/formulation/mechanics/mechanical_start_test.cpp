// SPDX-License-Identifier: BSD-3-Clause
/// Consistent initial values of mechanical systems, and events on them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>

#include "expr/pool.hpp"
#include "formulation/mechanics/support.hpp"

namespace daedal {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

struct Wish {
  double value = 0.0;
  bool fixed = false;
};
struct Wishes {
  Wish x{}, y{}, vx{}, vy{};
};

/// The first row of a run from these wishes.
Solution start_from(const Wishes& wishes) {
  ModelBuilder b("Pendulum");
  const auto p = test::add_pendulum(b);
  const auto declare = [&](Expr variable, const Wish& wish) {
    b.declare(variable, {.start = wish.value, .fixed = wish.fixed});
  };
  declare(p.x, wishes.x);
  declare(p.y, wishes.y);
  declare(p.vx, wishes.vx);
  declare(p.vy, wishes.vy);
  return solve(b.build(), {0.0, 0.1}, {.method = "orthogonal-projection"});
}

double at_start(const Solution& s, const char* name) {
  return s.row(0)[s.column(name)];
}

TEST(MechanicalStart, MovesRoughGuessesToTheNearestConsistentPoint) {
  // The nearest point of the circle is p/|p|; the nearest tangent velocity to (1, 1) at
  // (.6, −.8) is 1.4·(.8, .6).
  const Solution s = start_from({.x = {0.9}, .y = {-1.2}, .vx = {1.0}, .vy = {1.0}});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(at_start(s, "x"), 0.6, 1e-9);
  EXPECT_NEAR(at_start(s, "y"), -0.8, 1e-9);
  EXPECT_NEAR(at_start(s, "vx"), 1.12, 1e-9);
  EXPECT_NEAR(at_start(s, "vy"), 0.84, 1e-9);
  // λ = v·v − g·y on the unit circle.
  EXPECT_NEAR(at_start(s, "lambda"), 1.96 + 0.8 * test::pendulum_gravity, 1e-9);
  ASSERT_FALSE(s.notices.empty());
  EXPECT_THAT(s.notices, testing::Contains(HasSubstr("x")));
}

TEST(MechanicalStart, HoldsFixedValuesAndMovesTheOthers) {
  const Solution s = start_from({.x = {0.5}, .y = {-0.6, true}, .vx = {0.0}, .vy = {0.8, true}});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(at_start(s, "y"), -0.6);
  EXPECT_NEAR(at_start(s, "x"), 0.8, 1e-10);
  EXPECT_EQ(at_start(s, "vy"), 0.8);
  EXPECT_NEAR(at_start(s, "vx"), 0.6, 1e-10);
}

TEST(MechanicalStart, TakesMoreFixedValuesThanStatesWhenTheyAgree) {
  const Solution s =
      start_from({.x = {0.6, true}, .y = {-0.8, true}, .vx = {0.8, true}, .vy = {0.6, true}});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(at_start(s, "lambda"), 1.0 + 0.8 * test::pendulum_gravity, 1e-12);
}

/// A pendulum that loses half of its speed at t = 0.5.
Model slowed_pendulum(const std::string& declarations, const std::string& initial) {
  return parse_model("model Pendulum\n" + declarations + R"(
    Real vy, lambda;
  equation
    der(x) = vx;
    der(y) = vy;
    der(vx) = -lambda*x;
    der(vy) = -lambda*y - 9.81;
    x^2 + y^2 = 1 "rod";
    when time >= 0.5 then
      reinit(vx, 0.5*pre(vx));
    end when;
  )" + initial + "end Pendulum;");
}

TEST(MechanicalStart, MeetsInitialEquationsAtTheStartAndNotAtEvents) {
  const Model by_values = slowed_pendulum(
      "Real x(start = 0.6, fixed = true), y(start = -0.8);"
      "Real vx(start = 0, fixed = true);",
      "");
  const Model by_equations = slowed_pendulum("Real x(start = 1), y(start = -0.8), vx;",
                                             "initial equation\n  x = 0.6;\n  der(x) = 0;\n");
  for (const char* method : {"orthogonal-projection", "ggl", "trust-region", "srm"}) {
    const SolveOptions options{.method = method, .rtol = 1e-8};
    const Solution expected = solve(by_values, {0.0, 1.0}, options);
    const Solution found = solve(by_equations, {0.0, 1.0}, options);
    ASSERT_EQ(expected.status, Status::success) << method << ": " << expected.message;
    ASSERT_EQ(found.status, Status::success) << method << ": " << found.message;
    // Both start at the same point to round-off, and go the same way to the tolerance.
    EXPECT_NEAR(found.final_value("x"), expected.final_value("x"), 1e-5) << method;
    EXPECT_NEAR(found.final_value("vy"), expected.final_value("vy"), 1e-5) << method;
  }
}

// x' = −u, z' = x, 0 = (x + x³/2) − (cos t + cos³t/2): x = cos t and z = z₀ + sin t, with
// z₀ = 2x(0) = 2.
TEST(HessenbergStart, MeetsInitialEquations) {
  const Model model = parse_model(R"(
    model Line
      Real x, z, u;
    initial equation
      z = 2*x;
    equation
      der(x) = -u;
      der(z) = x;
      x + 0.5*x^3 = cos(time) + 0.5*cos(time)^3;
    end Line;
  )");
  for (const char* method : {"trust-region", "srm", "direct-regularization"}) {
    const Solution s = solve(model, {0.0, 1.0}, {.method = method, .rtol = 1e-8});
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_NEAR(s.final_value("z"), 2.0 + std::sin(1.0), 1e-5) << method;
  }
}

TEST(MechanicalStart, RefusesImpossiblePositionsWithTheNameOfTheConstraint) {
  const Solution s = start_from({.x = {0.9, true}, .y = {0.9, true}});
  EXPECT_EQ(s.status, Status::inconsistent_start);
  EXPECT_THAT(s.message, HasSubstr("rod"));
}

TEST(MechanicalStart, RefusesImpossibleVelocitiesWithTheNameOfTheConstraint) {
  const Solution s = start_from({.x = {1.0, true}, .y = {0.0, true}, .vx = {1.0, true}});
  EXPECT_EQ(s.status, Status::inconsistent_start);
  EXPECT_THAT(s.message, HasSubstr("rod"));
}

/// A stop at x = 0 that returns half the speed.
Model pendulum_with_stop() {
  ModelBuilder b("PendulumWithStop");
  const auto p = test::add_pendulum(b);
  const WhenAction bounce{
      .kind = WhenAction::Kind::reinit, .target = 2, .value = (-0.5 * b.pre(p.vx)).in(b.pool())};
  b.when({.branches = {{.condition = (p.x < 0.0).in(b.pool()), .actions = {bounce}}}});
  return b.build();
}

class MethodWithEvents : public testing::TestWithParam<const char*> {};

TEST_P(MethodWithEvents, MeetsTheStopOfAPendulumAtTheExactTimes) {
  // Half the speed √(2g) of the bottom: from there k = ½·√(2g)/(2√g) = 1/(2√2), and the half swing
  // takes 2K(k)/√g.
  const double rate = std::sqrt(test::pendulum_gravity);
  const double first = test::pendulum_period() / 4.0;
  const double second = first + 2.0 * std::comp_ellint_1(std::numbers::sqrt2 / 4.0) / rate;
  const Solution s =
      solve(pendulum_with_stop(), {0.0, 2.0}, {.method = GetParam(), .rtol = 1e-9, .atol = 1e-10});
  ASSERT_EQ(s.status, Status::success) << s.message;
  ASSERT_THAT(s.events, SizeIs(2));
  EXPECT_NEAR(s.events[0].time, first, 1e-6);
  EXPECT_NEAR(s.events[1].time, second, 1e-6);
  EXPECT_LE(s.constraints[0].max_residual, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Mechanics, MethodWithEvents,
                         testing::Values("orthogonal-projection", "coordinate-partitioning",
                                         "tangent-space", "ggl", "overdetermined-index1",
                                         "stabilized-index1"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace daedal
