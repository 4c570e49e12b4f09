// SPDX-License-Identifier: BSD-3-Clause
/// Every mechanical method on the reference problems, on redundant constraints, and through a
/// singular position.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <daedal/modelica.hpp>
#include <map>
#include <numbers>

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
  for (const auto& method : methods()) {
    if (method.needs == RequiredView::constrained) names.emplace_back(method.name);
  }
  return names;
}

Solution solve_problem(const Problem& problem, const Scheme& scheme, double tolerance) {
  SolveOptions options = test::options_of(scheme);
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

/// What a method does with the constraint of position.
enum class Position {
  holds,
  drifts,
};

const std::map<std::string, Position>& position_of() {
  static const std::map<std::string, Position> table{
      {"index3", Position::holds},
      {"index2", Position::drifts},
      {"index1", Position::drifts},
      {"baumgarte", Position::drifts},
      {"ggl", Position::holds},
      {"stabilized-index2", Position::holds},
      {"stabilized-index1", Position::holds},
      {"overdetermined-index1", Position::holds},
      {"overdetermined-index2", Position::holds},
      {"orthogonal-projection", Position::holds},
      {"symmetric-projection", Position::holds},
      {"coordinate-partitioning", Position::holds},
      {"tangent-space", Position::holds},
  };
  return table;
}

/// When the slider crank is in its singular position (0, π), to the digits known.
constexpr std::array singular_times{1.03126624, 3.09379873, 5.15633121, 7.21886370, 9.28139618};

/// 10 s of the slider crank, with steps that end at the given distances from its singular times.
Solution cross(const std::string& method, double rtol, const std::vector<double>& distances) {
  SolveOptions options = test::options_of({method});
  options.rtol = rtol;
  options.atol = 0.01 * rtol;
  for (const double time : singular_times) {
    for (const double distance : distances) options.stop_times.push_back(time + distance);
  }
  return solve(problems::slider_crank().model, {0.0, 10.0}, options);
}

// Both branches th2 = π ± th1 pass through (0, π). A method that holds the constraint of position
// stays on its own; for one that lets it drift, the drift would choose near that position, and so
// it has to stop.
TEST_P(EveryMethod, PassesABifurcationIfItHoldsPositionsAndStopsIfTheyDrift) {
  const std::string& method = GetParam();
  ASSERT_TRUE(position_of().contains(method));
  for (const double rtol : {1e-3, 1e-5, 1e-7}) {
    if (position_of().at(method) == Position::drifts) {
      const Solution s = cross(method, rtol, {-1e-4});
      EXPECT_EQ(s.status, Status::bifurcation) << rtol << ": " << s.message;
      EXPECT_THAT(s.message, HasSubstr("slider")) << rtol;
      continue;
    }
    const Solution s = cross(method, rtol, {-0.03, 0.05});
    if (method == "symmetric-projection" && rtol < 1e-6) {
      // Its equations for μ have the matrix GM⁻¹Gᵀ at both ends of a step, which the many short
      // steps of this tolerance bring too near to zero.
      EXPECT_EQ(s.status, Status::singular_iteration_matrix) << s.message;
      EXPECT_THAT(s.message, HasSubstr("slider"));
      continue;
    }
    ASSERT_EQ(s.status, Status::success) << rtol << ": " << s.message;
    EXPECT_NEAR(s.final_value("th1"), -0.6795107682, 30.0 * rtol + 1e-5) << rtol;
  }
}

// Steps that end in the singular positions: the multiplier has no value there, and all of these
// methods solve for it.
TEST_P(EveryMethod, StopsOnItsBranchWhereAStepEndsInASingularPosition) {
  const Solution s = cross(GetParam(), 1e-7, {0.0});
  EXPECT_FALSE(is_success(s.status)) << s.message;
  EXPECT_THAT(s.message, HasSubstr("slider"));
  // It comes as near as 1e-4 s, at a speed of 4.
  EXPECT_NEAR(s.final_value("th1"), 0.0, 4e-4);
  EXPECT_NEAR(s.final_value("th2"), std::numbers::pi, 4e-4);
}

// Charts end in a neighbourhood of a singular position, not in the position alone: there the last
// digits would choose the branch.
TEST(Charts, EndNearASingularPositionWhateverTheLastDigits) {
  for (const std::string method : {"coordinate-partitioning", "tangent-space"}) {
    for (const double distance : {-3e-8, -2e-9, 1e-9, 4e-9, 1e-8, 1e-7}) {
      const Solution s = cross(method, 1e-7, {distance});
      EXPECT_EQ(s.status, Status::bifurcation) << method << ", " << distance;
      EXPECT_NEAR(s.times.back(), singular_times[0] + distance, 1e-12) << method;
      EXPECT_THAT(s.message, HasSubstr("slider"));
    }
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
  SolveOptions options = test::options_of({GetParam()});
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
