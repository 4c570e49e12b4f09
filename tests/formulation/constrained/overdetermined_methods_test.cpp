// SPDX-License-Identifier: BSD-3-Clause
/// Fuehrer, Leimkuhler, Tables 2, 3 and the 2-second pendulum, with variable-step BDF.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/solve.hpp>

#include "problems/problems.hpp"

namespace daedal {
namespace {

using problems::Problem;

Solution solve_by_bdf(const Model& model, double stop, const std::string& method, double tolerance,
                      int corrector = 0) {
  return solve(model, {0.0, stop},
               {.method = method,
                .integrator = Integrator("bdf", {{"corrector", corrector}}),
                .rtol = tolerance,
                .atol = tolerance,
                .dense_output = false});
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
