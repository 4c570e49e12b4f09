// SPDX-License-Identifier: BSD-3-Clause
// Problems of high index with known solutions, by the methods on derivative arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/analyze.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

#include "places.hpp"
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
    SolveOptions options;
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
    SolveOptions options;
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

struct Text {
  const char* file;
  problems::Problem problem;
};

TEST(HighIndexTexts, StateTheSameProblems) {
  const Text texts[] = {{"torus", problems::torus()},
                        {"flexible_arm_4", problems::flexible_arm(4)},
                        {"flexible_arm_5", problems::flexible_arm(5)},
                        {"flexible_arm_6", problems::flexible_arm(6)},
                        {"elastic_robot", problems::elastic_robot()},
                        {"gear_petzold", problems::linear_time_varying(2)},
                        {"rotated_chain_3", problems::linear_time_varying(3)},
                        {"rotated_chain_4", problems::linear_time_varying(4)}};
  for (const auto& [file, problem] : texts) {
    const Model text = load_model(std::string(DAEDAL_SOURCE_DIR "/problems/") + file + ".mo");
    EXPECT_EQ(text.experiment().stop_time, problem.stop_time) << file;
    const Analysis theirs = analyze(text, 0.0), ours = analyze(problem.model, 0.0);
    EXPECT_EQ(theirs.index, problem.index) << file << ' ' << theirs.message;
    EXPECT_EQ(theirs.states, ours.states) << file;
    SolveOptions options;
    options.method = "derivative-array";
    options.rtol = options.atol = 1e-9;
    const Solution s = solve(text, {0.0, problem.stop_time}, options);
    ASSERT_EQ(s.status, Status::success) << file << ' ' << s.message;
    EXPECT_LE(worst_end_error(problem, s), 2e-6) << file;
  }
}

TEST(HighIndexTexts, TheChainHasTheDerivativesOfSine) {
  const Model text = load_model(DAEDAL_SOURCE_DIR "/problems/hessenberg_chain.mo");
  SolveOptions options;
  options.method = "derivative-array";
  const double stop = text.experiment().stop_time.value();
  const Solution s = solve(text, {0.0, stop}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double quarter = std::acos(0.0);
  for (int i = 1; i <= 6; ++i) {
    EXPECT_NEAR(s.final_value("x[" + std::to_string(i) + "]"), std::sin(stop + (i - 1) * quarter),
                1e-11)
        << i;
  }
}

TEST(Cancellation, IsSolvedWhereItsStructureMisleads) {
  // x = cos t − 1, y = t − x: the file says why counting finds index 1.
  const Model model = load_model(DAEDAL_SOURCE_DIR "/problems/cancellation.mo");
  for (const char* method : {"derivative-array", "derivative-array-implicit", "auto"}) {
    SolveOptions options;
    options.method = method;
    options.rtol = options.atol = 1e-9;
    const Solution s = solve(model, {0.0, 5.0}, options);
    ASSERT_EQ(s.status, Status::success) << method << ' ' << s.message;
    EXPECT_NEAR(s.final_value("x"), std::cos(5.0) - 1.0, 1e-8) << method;
    EXPECT_NEAR(s.final_value("y"), 6.0 - std::cos(5.0), 1e-8) << method;
  }
}

}  // namespace
}  // namespace daedal::formulation
