// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "formulation/regularized/support.hpp"
#include "formulation/singular/redundancy.hpp"
#include "problems/problems.hpp"

namespace daedal {
namespace {

using test::pi;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SolveOptions trust_region(double rtol) {
  return {.method = "trust-region", .rtol = rtol, .atol = rtol, .dense_output = false};
}

TEST(Redundancy, FindsTheSetsAndCountsTheRedundant) {
  // Rows 1 and 3 are parallel; rows 2, 4, 5 span a plane; row 6 stands alone.
  Matrix g = Matrix::Zero(6, 5);
  g.row(0) << 1, 2, 0, 0, 0;
  g.row(1) << 0, 0, 1, 0, 0;
  g.row(2) << -2, -4, 0, 0, 0;
  g.row(3) << 0, 0, 0, 3, 0;
  g.row(4) << 0, 0, 1, 1, 0;
  g.row(5) << 0, 0, 0, 0, 1;
  const std::vector<double> residual{0.1, 0.0, -0.2, 0.0, 1e-3, 0.5};
  const auto found = formulation::find_redundancy(g, residual);
  EXPECT_EQ(found.decision.rank, 4);
  ASSERT_EQ(found.sets.size(), 2U);
  const auto& pair = found.sets[0].constraints.size() == 2 ? found.sets[0] : found.sets[1];
  const auto& plane = found.sets[0].constraints.size() == 2 ? found.sets[1] : found.sets[0];
  EXPECT_EQ(pair.constraints, (std::vector<Index>{0, 2}));
  EXPECT_EQ(pair.n_redundant, 1);
  EXPECT_NEAR(pair.contradiction, 0.0, 1e-14);
  EXPECT_EQ(plane.constraints, (std::vector<Index>{1, 3, 4}));
  EXPECT_EQ(plane.n_redundant, 1);
  EXPECT_GT(plane.contradiction, 1e-4);
}

TEST(TrustRegion, NamesTheRedundantConstraintsOfAStart) {
  const Solution solution = solve(test::doubled_pendulum(), {0.0, 0.1}, trust_region(1e-8));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_THAT(solution.notices,
              Contains(::testing::AllOf(HasSubstr("rank 1 of 2"), HasSubstr("'rod'"),
                                        HasSubstr("'second rod'"))));
}

TEST(Automatic, TakesTheTrustRegionForRedundantConstraints) {
  const Solution solution = solve(test::doubled_pendulum(), {0.0, 3.0}, {.rtol = 1e-9});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.method.used, "trust-region");
  EXPECT_LE(test::max_error(solution, test::pendulum_motion(3.0)), 1e-6);
}

TEST(Automatic, StillSaysWhatNothingDetermines) {
  ModelBuilder b("Undetermined");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y"), z = b.variable("z");
  b.equation(der(x) == y + z);
  b.equation(y + z + x == 0, "sum");
  b.equation(2 * y + 2 * z + 2 * x == 0, "sum again");
  EXPECT_EQ(solve(b.build(), {0.0, 1.0}, {}).status, Status::no_unique_solution);
}

TEST(TrustRegion, StopsAtConstraintsThatContradictEachOther) {
  const Solution solution = solve(test::doubled_pendulum(0.1), {0.0, 0.1}, trust_region(1e-8));
  EXPECT_EQ(solution.status, Status::inconsistent_constraints) << solution.message;
  EXPECT_THAT(solution.message, HasSubstr("'rod'"));
  EXPECT_THAT(solution.message, HasSubstr("'second rod'"));
}

TEST(TrustRegion, ReportsTheSliderCranksBifurcation) {
  const Solution solution = solve(test::slider_crank(pi / 4), {0.0, 4.0}, trust_region(1e-8));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const std::vector<double> times = test::singular_times(solution);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[0], 1.03126624, 1e-4);
  EXPECT_NEAR(times[1], 3.09379873, 1e-4);
  // The branches th2 = π − th1 and th2 = π + th1.
  EXPECT_THAT(solution.warnings, Contains(HasSubstr("bifurcation")));
  EXPECT_THAT(solution.warnings, Contains(HasSubstr("th1 +1 and th2 +1")));
}

TEST(TrustRegion, WhatIsSaidOfAStartIsSaidOnce) {
  // Another method begins before: it meets the singular position, and this one begins again.
  const Solution solution = solve(test::slider_crank(pi / 4), {0.0, 4.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  ASSERT_EQ(solution.method.used, "trust-region");
  std::vector<std::string> notices = solution.notices;
  EXPECT_THAT(notices, Contains(HasSubstr("from the start on")));
  std::ranges::sort(notices);
  EXPECT_EQ(std::ranges::adjacent_find(notices), notices.end());
}

TEST(TrustRegion, ReportsTheThreeFlatPositionsOfTheParallelogram) {
  const Solution solution = solve(test::parallelogram(), {0.0, 3.0}, trust_region(1e-8));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const std::vector<double> times = test::singular_times(solution);
  // θ = −.8 + 2t + t²/8 = 0, π, 2π.
  ASSERT_EQ(times.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const double angle = pi * static_cast<double>(i);
    EXPECT_NEAR(times[i], -8.0 + std::sqrt(64.0 + 8.0 * (0.8 + angle)), 1e-5);
  }
}

TEST(TrustRegion, LeavesAMotionNearASingularityUnflagged) {
  const Solution solution =
      solve(test::unequal_slider_crank(false), {0.0, 5.0}, trust_region(1e-8));
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_THAT(test::singular_times(solution), IsEmpty());
}

TEST(TrustRegion, StopsWhereAPrescribedMotionLocksTheMechanism) {
  const Solution solution = solve(test::unequal_slider_crank(true), {0.0, 1.0}, trust_region(1e-8));
  EXPECT_EQ(solution.status, Status::lock_up) << solution.message;
  const double locked = pi / 4 - std::acos(0.9);  // .334371
  EXPECT_NEAR(solution.times.back(), locked, 1e-5);
  const std::string mark = "t = ";
  const auto place = solution.message.find(mark);
  ASSERT_NE(place, std::string::npos);
  EXPECT_NEAR(std::stod(solution.message.substr(place + mark.size())), locked, 1e-6);
}

/// Of bars of 1 kg and 1 m: T = (|ṗ|² + ṗ·q̇ + |q̇|²)/6, V = 9.81 (p_y + q_y)/2 each.
double energy(const Solution& s, std::size_t row) {
  const auto value = [&](const char* name, int i) {
    return s.row(row)[s.column(std::string(name) + "[" + std::to_string(i) + "]")];
  };
  double sum = 0.0;
  for (int i = 0; i <= 2; ++i) {
    const double u = value("vx", i), v = value("vy", i), y = value("y", i);
    sum += (u * u + v * v) / 6 + 9.81 * y / 2;
    if (i == 0) continue;
    const double a = value("vx", i - 1), b = value("vy", i - 1);
    sum += (a * a + a * u + u * u + b * b + b * v + v * v) / 6;
    sum += 9.81 * (value("y", i - 1) + y) / 2;
  }
  return sum;
}

TEST(TrustRegion, CarriesTwoFourBarsThroughEveryFlatPositionForTwentySeconds) {
  const problems::Problem problem = problems::n_four_bar(2);
  // The one angle of the intended branch.
  ModelBuilder b("Angle");
  const Expr th = b.variable("th", {.start = 0.0, .fixed = true});
  const Expr w = b.variable("w", {.start = 1.0, .fixed = true});
  b.equation(der(th) == w);
  b.equation(der(w) == 9.81 * 3.5 / 3.0 * sin(th));
  const Solution angle =
      solve(b.build(), {0.0, 20.0},
            {.method = "ode", .integrator = "dop853", .rtol = 1e-13, .atol = 1e-14});
  const test::Exact exact{{"x[0]", [&](double t) { return std::sin(angle.at(t, "th")); }},
                          {"y[0]", [&](double t) { return std::cos(angle.at(t, "th")); }}};
  struct Bound {
    double tolerance, error, drift;
  };
  for (const Bound& bound : {Bound{1e-8, 1e-4, 3e-7}, Bound{1e-9, 1e-5, 3e-8}}) {
    const Solution solution = solve(problem.model, {0.0, 20.0}, trust_region(bound.tolerance));
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_LE(test::max_error(solution, exact), bound.error);
    EXPECT_NEAR(solution.final_value("x[0]"), problem.end_values.at("x[0]"), bound.error);
    double drift = 0.0;
    for (std::size_t i = 0; i < solution.n_rows(); ++i) {
      drift = std::max(drift, std::abs(energy(solution, i) / energy(solution, 0) - 1.0));
    }
    EXPECT_LE(drift, bound.drift);
    const std::vector<double> times = test::singular_times(solution);
    ASSERT_FALSE(times.empty());
    EXPECT_NEAR(times.front(), 0.71435553, 1e-4);
  }
}

}  // namespace
}  // namespace daedal
