// SPDX-License-Identifier: BSD-3-Clause
/// Every mechanical method on the reference problems, on redundant constraints, and through a
/// singular position.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "formulation/frame/registry.hpp"
#include "formulation/mechanics/support.hpp"
#include "problems/problems.hpp"

namespace daedal {
namespace {

using problems::Problem;
using test::Scheme;
using testing::AnyOf;
using testing::HasSubstr;

/// All methods for constrained mechanics.
std::vector<std::string> mechanical_methods() {
  std::vector<std::string> names;
  for (const auto& method : formulation::methods()) {
    if (method.needs == formulation::View::constrained) names.emplace_back(method.name);
  }
  return names;
}

Solution solve_problem(const Problem& problem, const Scheme& scheme, double tolerance) {
  Options options = test::options_of(scheme);
  options.rtol = tolerance;
  options.atol = tolerance;
  return solve(problem.model, {0.0, problem.stop_time}, options);
}

/// The greatest relative error of the named end values.
double end_error(const Solution& solution, const Problem& problem,
                 const std::vector<std::string>& names) {
  double worst = 0.0;
  for (const std::string& name : names) {
    const double exact = problem.end_values.at(name);
    worst = std::max(worst, std::abs(solution.final_value(name) - exact) / std::abs(exact));
  }
  return worst;
}

const std::vector<std::string> squeezer_angles{"beta",  "Theta", "gamma",  "Phi",
                                               "delta", "Omega", "epsilon"};

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, SolvesTheSqueezerToFiveDigitsAtEight) {
  const Problem problem = problems::squeezer();
  const Solution s = solve_problem(problem, {GetParam()}, 1e-8);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LE(end_error(s, problem, squeezer_angles), 1e-5);
}

TEST_P(EveryMethod, SolvesTheCarAxisWithItsMovingConstraint) {
  const Problem problem = problems::car_axis();
  const Solution s = solve_problem(problem, {GetParam()}, 1e-8);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LE(end_error(s, problem, {"xl", "yl", "xr", "yr"}), 1e-5);
}

TEST_P(EveryMethod, NamesARedundantConstraint) {
  ModelBuilder b("TwoRods");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y", {.start = 0.0});
  const Expr vx = b.variable("vx");
  const Expr vy = b.variable("vy");
  const Expr first = b.variable("first");
  const Expr second = b.variable("second");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(vx) == -x * first - 2.0 * x * second);
  b.equation(der(vy) == -y * first - 2.0 * y * second - 9.8);
  b.equation((x * x + y * y - 1.0) / 2.0 == 0.0, "rod");
  b.equation(x * x + y * y - 1.0 == 0.0, "same rod");
  const Solution s = solve(b.build(), {0.0, 1.0}, {.method = GetParam()});
  EXPECT_EQ(s.status, Status::singular_iteration_matrix);
  EXPECT_THAT(s.message, AnyOf(HasSubstr("'rod'"), HasSubstr("'same rod'")));
}

// Through the bifurcation of the slider crank five times in 10 s: right, or stopped with the name
// of the constraint.
TEST_P(EveryMethod, PassesASingularPositionRightlyOrStops) {
  const Problem problem = problems::slider_crank();
  for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
    Options options = test::options_of({GetParam()});
    options.rtol = tolerance;
    options.atol = 0.01 * tolerance;
    const Solution s = solve(problem.model, {0.0, 10.0}, options);
    if (s.status == Status::success) {
      EXPECT_NEAR(s.final_value("th1"), -0.6795107682, 30.0 * tolerance + 1e-5) << tolerance;
    } else {
      EXPECT_THAT(s.message, HasSubstr("slider")) << tolerance;
    }
  }
}

// The same with steps that end in the singular positions, to the digits known of their times.
TEST_P(EveryMethod, IsNotThrownOffItsBranchByAStepThatEndsInASingularPosition) {
  const Problem problem = problems::slider_crank();
  Options options = test::options_of({GetParam()});
  options.rtol = 1e-7;
  options.atol = 1e-9;
  options.stop_times = {1.03126624, 3.09379873, 5.15633121, 7.21886370, 9.28139618};
  const Solution s = solve(problem.model, {0.0, 10.0}, options);
  if (s.status == Status::success) {
    EXPECT_NEAR(s.final_value("th1"), -0.6795107682, 1.3e-5);
  } else {
    EXPECT_THAT(s.message, HasSubstr("slider"));
  }
}

// A force that is switched by a variable of its own: the relation keeps its id, whatever its
// operands are substituted by.
TEST_P(EveryMethod, SwitchesForcesAtTheExactTimes) {
  const Model cartesian = parse_model(R"(
    model Switched
      Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda, s, f;
    equation
      s = x + 2*y;
      f = if s > 0.3 then 5 else 0;
      der(x) = vx;
      der(y) = vy;
      der(vx) = -lambda*x + f;
      der(vy) = -lambda*y - 9.81 + s*f;
      x^2 + y^2 = 1 "rod";
    end Switched;)");
  const Model angle = parse_model(R"(
    model Angle
      Real a(start = 0, fixed = true), w(start = 0, fixed = true), s, f;
    equation
      s = cos(a) + 2*sin(a);
      f = if s > 0.3 then 5 else 0;
      der(a) = w;
      der(w) = -sin(a)*f + cos(a)*(s*f - 9.81);
    end Angle;)");
  const Solution exact = solve(angle, {0.0, 2.0}, {.method = "ode", .rtol = 1e-11, .atol = 1e-11});
  ASSERT_EQ(exact.status, Status::success) << exact.message;
  Options options = test::options_of({GetParam()});
  options.rtol = 1e-8;
  options.atol = 1e-8;
  const Solution s = solve(cartesian, {0.0, 2.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  // Once: consistent values at the event take the drift back, not the crossing.
  ASSERT_EQ(exact.events.size(), 1U);
  ASSERT_EQ(s.events.size(), 1U);
  EXPECT_NEAR(s.events[0].time, exact.events[0].time, 1e-5);
  EXPECT_NEAR(s.final_value("x"), std::cos(exact.final_value("a")), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Mechanics, EveryMethod, testing::ValuesIn(mechanical_methods()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Squeezer, IsSolvedByBdfOnTheDriftingForms) {
  const Problem problem = problems::squeezer();
  const Solution index1 = solve_problem(problem, {"index1", {}, "bdf"}, 1e-8);
  ASSERT_EQ(index1.status, Status::success) << index1.message;
  EXPECT_LE(end_error(index1, problem, squeezer_angles), 1e-4);
  const Solution index3 = solve_problem(problem, {"index3", {}, "bdf"}, 1e-8);
  ASSERT_EQ(index3.status, Status::success) << index3.message;
  EXPECT_LE(end_error(index3, problem, squeezer_angles), 1e-2);
}

TEST(Squeezer, IsSolvedToTenDigitsWithItsMultipliers) {
  const Problem problem = problems::squeezer();
  const Solution s = solve_problem(problem, {"orthogonal-projection", {}, "dop853"}, 1e-12);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LE(end_error(s, problem, squeezer_angles), 1e-10);
  EXPECT_LE(end_error(s, problem, {"lambda1", "lambda2", "lambda3", "lambda4"}), 1e-8);
}

TEST(Pendulums, OfSeveralKindsAreSolvedByEveryMethod) {
  const Problem spherical = problems::spherical_pendulum();
  const Problem twofold = problems::double_pendulum();
  for (const std::string& method : mechanical_methods()) {
    const Solution s = solve_problem(spherical, {method}, 1e-8);
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    for (const auto& [name, exact] : spherical.end_values) {
      EXPECT_NEAR(s.final_value(name), exact, 1e-4 * (1.0 + std::abs(exact)))
          << method << ' ' << name;
    }
    const Solution d = solve_problem(twofold, {method}, 1e-8);
    ASSERT_EQ(d.status, Status::success) << method << ": " << d.message;
    for (const auto& [name, exact] : twofold.end_values) {
      EXPECT_NEAR(d.final_value(name), exact, 1e-4 * (1.0 + std::abs(exact)))
          << method << ' ' << name;
    }
  }
}

}  // namespace
}  // namespace daedal
