// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <cmath>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace daedal {
namespace {

/// x' = unit · (five-point Laplacian of x) on m by m points, cold at the edges: the product of
/// sin(π i/(m+1)) sin(π j/(m+1)) is an eigenvector with 4 cos(π/(m+1)) − 4.
Model plate(int m, double unit) {
  ModelBuilder b("Plate");
  std::vector<Expr> x;
  const double angle = std::numbers::pi / (m + 1);
  for (int k = 0; k < m * m; ++k) {
    const double start = std::sin(angle * (k / m + 1)) * std::sin(angle * (k % m + 1));
    x.push_back(b.variable("x" + std::to_string(k), {.start = start, .fixed = true}));
  }
  const auto at = [&](int i, int j) {
    const bool is_inside = i >= 0 && i < m && j >= 0 && j < m;
    return is_inside ? x[static_cast<std::size_t>(i * m + j)] : Expr(0.0);
  };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      b.equation(der(at(i, j)) == unit * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) +
                                          at(i, j + 1) - 4.0 * at(i, j)));
    }
  }
  return b.build();
}

double exact_middle(int m, double t) {
  const double angle = std::numbers::pi / (m + 1);
  const double middle = std::sin(angle * (m / 2 + 1)) * std::sin(angle * (m / 2 + 1));
  return middle * std::exp((4.0 * std::cos(angle) - 4.0) * t);
}

TEST(LinearSolverChoice, GivesTheSameSolution) {
  const int m = 15;
  const std::string middle = "x" + std::to_string((m / 2) * m + m / 2);
  for (const std::string integrator : {"bdf", "radau"}) {
    for (const std::string solver : {"klu", "fronts"}) {
      const Solution s = solve(plate(m, 1.0), {0.0, 10.0},
                               {.integrator = integrator + ":linear_solver=" + solver});
      ASSERT_TRUE(is_success(s.status)) << s.message;
      EXPECT_NEAR(s.final_value(middle), exact_middle(m, 10.0), 1e-4) << integrator << solver;
      EXPECT_EQ(s.statistics.linear_solver, solver + ", because it was asked for");
      EXPECT_THAT(s.full_report(), testing::HasSubstr("matrices     by " + solver));
    }
  }
}

TEST(LinearSolverChoice, FollowsTheFillOfTheFactorsInAnyUnit) {
  for (const double unit : {1e-9, 1.0, 1e9}) {
    const TimeSpan span{0.0, 0.01 / unit};
    const auto solver = [&](int m) {
      return solve(plate(m, unit), span, {.method = "direct", .integrator = "bdf"})
          .statistics.linear_solver;
    };
    EXPECT_THAT(solver(12), testing::StartsWith("klu, because ")) << unit;
    EXPECT_THAT(solver(80), testing::StartsWith("fronts, because ")) << unit;
  }
}

TEST(LinearSolverChoice, IsNotToldOfSmallSystems) {
  const Solution s = solve(plate(3, 1.0), {0.0, 1.0}, {.integrator = "bdf"});
  EXPECT_EQ(s.statistics.linear_solver, "");
}

}  // namespace
}  // namespace daedal
