// SPDX-License-Identifier: BSD-3-Clause
/// Fuehrer, Leimkuhler, Tables 1-3 and the 2-second pendulum, with variable-step BDF.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/solve.hpp>
#include <numbers>

#include "problems/problems.hpp"

namespace daedal {
namespace {

using problems::Problem;

Solution solve_by_bdf(const Model& model, double stop, const std::string& method, double tolerance,
                      int corrector = 0) {
  return solve(model, {0.0, stop},
               {.method = method,
                .integrator = "bdf",
                .integrator_parameters = {{"corrector", corrector}},
                .rtol = tolerance,
                .atol = tolerance,
                .keep_dense = false});
}

enum class Form { dae, state_space, differentiated };

/// Example 2.1: x' = y − ax² + cos t with y = ax² (10), x' = cos t, or y' = 2ax x' (11); a = 200.
Model example21(Form form) {
  ModelBuilder b("Example21");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  if (form == Form::state_space) {
    b.equation(der(x) == cos(b.time()));
    return b.build();
  }
  // The nominal value keeps y out of the error test.
  const bool is_dae = form == Form::dae;
  const Expr y = b.variable("y", {.start = 200.0, .fixed = !is_dae, .nominal = is_dae ? 1e9 : 1.0});
  b.equation(der(x) == y - 200.0 * x * x + cos(b.time()));
  if (is_dae) {
    b.equation(y == 200.0 * x * x);
  } else {
    b.equation(der(y) == 400.0 * x * (y - 200.0 * x * x + cos(b.time())));
  }
  return b.build();
}

/// The steps for an end error of 9e-6 in x: at the loosest tolerance from which on it is kept.
double steps_for_table1(Form form) {
  const Model model = example21(form);
  double steps = 0.0;
  for (double exponent = -12.0; exponent <= -5.0; exponent += 0.25) {
    const Solution s =
        solve_by_bdf(model, 10.0 * std::numbers::pi, "direct", std::pow(10.0, exponent));
    const bool is_good = s.status == Status::success && std::abs(s.final_value("x") - 1.0) <= 9e-6;
    if (!is_good) return steps;
    steps = static_cast<double>(s.statistics.steps);
  }
  return steps;
}

TEST(Example21, CostsManyTimesTheStepsOnceTheConstraintIsDifferentiated) {
  const double state_space = steps_for_table1(Form::state_space);
  ASSERT_GT(state_space, 0.0);
  const double differentiated = steps_for_table1(Form::differentiated) / state_space;
  EXPECT_GE(differentiated, 8.0);
  EXPECT_LE(differentiated, 25.0);
  const double dae = steps_for_table1(Form::dae) / state_space;
  EXPECT_GE(dae, 0.6);
  EXPECT_LE(dae, 1.6);
}

struct SqueezerErrors {
  double position = 0.0;
  double velocity = 0.0;
  double multiplier = 0.0;
};

/// Maximum relative errors at the end, as in Table 2.
SqueezerErrors errors_of(const Solution& solution, const Problem& problem) {
  SqueezerErrors errors;
  for (const auto& [name, exact] : problem.end_values) {
    double& worst = name.starts_with("v_")       ? errors.velocity
                    : name.starts_with("lambda") ? errors.multiplier
                                                 : errors.position;
    worst = std::max(worst, std::abs(solution.final_value(name) / exact - 1.0));
  }
  return errors;
}

TEST(SqueezerTables, AreReachedByTheStabilisedForms) {
  const Problem problem = problems::squeezer();
  for (const char* method :
       {"stabilized-index1", "ggl", "overdetermined-index1", "overdetermined-index2"}) {
    const Solution s = solve_by_bdf(problem.model, problem.stop_time, method, 1e-5);
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_GE(s.statistics.steps, 250) << method;
    EXPECT_LE(s.statistics.steps, 900) << method;
    const SqueezerErrors errors = errors_of(s, problem);
    EXPECT_LE(errors.position, 2e-3) << method;
    EXPECT_LE(errors.velocity, 2e-1) << method;
    EXPECT_LE(errors.multiplier, 3e-2) << method;
    EXPECT_LE(s.constraints[0].max_residual, 1e-7) << method;
    EXPECT_LE(s.constraints[1].max_residual, 1e-4) << method;
  }
  const Solution index2 = solve_by_bdf(problem.model, problem.stop_time, "index2", 1e-5);
  ASSERT_EQ(index2.status, Status::success) << index2.message;
  EXPECT_GE(index2.statistics.steps, 250);
  EXPECT_LE(index2.statistics.steps, 900);
}

TEST(TwoSecondPendulum, ComesBackOnlyWhenItIsStabilised) {
  const Problem problem = problems::two_second_pendulum();
  for (const char* method :
       {"stabilized-index1", "ggl", "overdetermined-index1", "overdetermined-index2"}) {
    const Solution s = solve_by_bdf(problem.model, 10.0, method, 1e-5);
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_LE(std::hypot(s.final_value("x") - 1.0, s.final_value("y")), 2e-3) << method;
    EXPECT_LE(s.constraints[0].max_residual, 1e-8) << method;
  }
  const Solution drifting = solve_by_bdf(problem.model, 10.0, "index1", 1e-5);
  EXPECT_GE(drifting.constraints[0].max_residual, 1e-5);
}

TEST(OverdeterminedCorrectors, OfLeastSquaresAreThereForComparison) {
  const Problem problem = problems::squeezer();
  const auto drift = [&](int corrector) {
    const Solution s =
        solve_by_bdf(problem.model, problem.stop_time, "overdetermined-index1", 1e-5, corrector);
    EXPECT_EQ(s.status, Status::success) << corrector << ": " << s.message;
    return s.constraints[0].max_residual;
  };
  const double ssf = drift(0);
  EXPECT_GE(drift(1), 100.0 * ssf);
  EXPECT_LE(drift(2), 1e-7);
}

}  // namespace
}  // namespace daedal
