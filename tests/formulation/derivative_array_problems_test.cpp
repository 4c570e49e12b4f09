// SPDX-License-Identifier: BSD-3-Clause
// Problems of high index with known solutions, by the methods on derivative arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/analyze.hpp>
#include <daedal/solve.hpp>

#include "problems/problems.hpp"

namespace daedal::formulation {
namespace {

double worst_end_error(const problems::Problem& problem, const Solution& solution) {
  double worst = 0.0;
  for (const auto& [name, value] : problem.end_values) {
    worst = std::max(worst, std::abs(solution.final_value(name) - value));
  }
  return worst;
}

TEST(ElasticRobot, HasIndexFiveAndStartsWhereThePathDemands) {
  const problems::Problem robot = problems::elastic_robot();
  const Analysis analysis = analyze(robot.model, 0.0);
  ASSERT_EQ(analysis.status, Status::success) << analysis.message;
  EXPECT_EQ(analysis.index, 5);
  EXPECT_EQ(analysis.states, 0);
  // θ = q + (M q'' + ...)/k and u = J θ'' + k(θ − q) on the path, by computer algebra.
  const std::map<std::string, double> exact{{"q1", 0.5},
                                            {"q2", 1.3},
                                            {"v1", 0.4},
                                            {"v2", 0.0},
                                            {"theta1", 1.230453383338127622772},
                                            {"theta2", 1.181265838036378343085},
                                            {"omega1", -0.03833274144656833360839},
                                            {"omega2", -0.2164188817507936437376},
                                            {"u1", 14.61200682549126882528},
                                            {"u2", -2.388675882160446558646}};
  for (const StartValue& start : analysis.start) {
    EXPECT_NEAR(start.value, exact.at(start.name), 1e-9) << start.name;
  }
}

TEST(ElasticRobot, TorquesAreThoseOfThePath) {
  const problems::Problem robot = problems::elastic_robot();
  for (const char* method : {"derivative-array", "derivative-array-implicit"}) {
    Options options;
    options.method = method;
    options.rtol = options.atol = 1e-8;
    const Solution s = solve(robot.model, {0.0, robot.stop_time}, options);
    ASSERT_EQ(s.status, Status::success) << method << ' ' << s.message;
    // There is nothing to integrate: every value follows from the path and its derivatives.
    EXPECT_LE(worst_end_error(robot, s), 1e-8) << method;
    EXPECT_EQ(s.constraints.size(), 5U) << method;
  }
}

class LinearTimeVarying : public ::testing::TestWithParam<int> {};

TEST_P(LinearTimeVarying, HasItsIndexAndOneState) {
  const problems::Problem problem = problems::linear_time_varying(GetParam());
  const Analysis analysis = analyze(problem.model, 0.0);
  ASSERT_EQ(analysis.status, Status::success) << analysis.message;
  EXPECT_EQ(analysis.index, problem.index);
  EXPECT_EQ(analysis.states, 1);
  EXPECT_EQ(analysis.free, std::vector<std::string>{"z"});
}

TEST_P(LinearTimeVarying, FollowsItsExactSolution) {
  const problems::Problem problem = problems::linear_time_varying(GetParam());
  for (const char* method : {"derivative-array", "derivative-array-implicit"}) {
    Options options;
    options.method = method;
    options.rtol = options.atol = 1e-9;
    const Solution s = solve(problem.model, {0.0, problem.stop_time}, options);
    ASSERT_EQ(s.status, Status::success) << method << ' ' << s.message;
    EXPECT_LE(worst_end_error(problem, s), 1e-7) << method;
    for (const ConstraintLevel& level : s.constraints) {
      EXPECT_LE(level.max_residual, 1e-8) << method << " level " << level.level;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Indices, LinearTimeVarying, ::testing::Values(2, 3, 4));

}  // namespace
}  // namespace daedal::formulation
