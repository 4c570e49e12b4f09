// SPDX-License-Identifier: BSD-3-Clause

/// Models without a solution, with no option: each is diagnosed by its own name, none is a success.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <vector>

#include "places.hpp"
#include "problems/problems.hpp"

namespace daedal {
namespace {

using problems::Problem;
using testing::AllOf;
using testing::HasSubstr;

Model read(const std::string& file) {
  return load_model(std::string(DAEDAL_SOURCE_DIR) + "/problems/" + file);
}

TEST(AutomaticFailure, AnImpasseIsOne) {
  const Solution s = solve(read("impasse.mo"), {0.0, 2.0});
  EXPECT_EQ(s.status, Status::impasse_point) << s.message;
  EXPECT_NEAR(s.times.back(), 1.0, 1e-4);
  EXPECT_THAT(s.message, HasSubstr("'parabola'"));
}

TEST(AutomaticFailure, AMechanismThatCannotFollowLocksUp) {
  const Solution s = solve(read("lock_up.mo"), {0.0, 1.0});
  EXPECT_EQ(s.status, Status::lock_up) << s.message;
  EXPECT_NEAR(s.times.back(), 0.25 * std::numbers::pi - std::acos(0.9), 1e-3);
}

TEST(AutomaticFailure, RedundantConstraintsThatContradictEachOtherAreNamed) {
  const Model model = parse_model(R"(
    model Contradiction
      Real x(start = 1), y(start = 0), u, v, l1, l2;
    equation
      der(x) = u;
      der(y) = v;
      der(u) = -x*l1 - x*l2;
      der(v) = -y*l1 - y*l2 - 9.81;
      (x^2 + y^2 - 1)/2 = 0 "rod";
      (x^2 + y^2 - 4)/2 = 0 "longer rod";
    end Contradiction;)");
  const Solution s = solve(model, {0.0, 1.0});
  EXPECT_EQ(s.status, Status::inconsistent_constraints) << s.message;
  EXPECT_THAT(s.message, AllOf(HasSubstr("'rod'"), HasSubstr("'longer rod'")));
}

TEST(AutomaticFailure, WhatCanNeverBeDeterminedIsStructurallySingular) {
  const Model model = parse_model(R"(
    model Undetermined
      Real x(start = 1, fixed = true), y, z;
    equation
      der(x) = -x;
      x + y = 1;
      x - y = 2;
      annotation(experiment(StopTime = 1));
    end Undetermined;)");
  try {
    (void)solve(model, {0.0, 1.0});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::structurally_singular) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("z"));
  }
}

TEST(AutomaticFailure, AnIndexBeyondTheLimitIsSaid) {
  // 0 = x1 - sin t, x_i' = x_(i+1): index 8, its equations mixed by a Householder reflection, so
  // that the structure shows nothing.
  constexpr int n = 8;
  ModelBuilder b("MixedChain");
  std::vector<Expr> x, rows;
  for (int i = 1; i <= n; ++i) x.push_back(b.variable("x" + std::to_string(i)));
  rows.push_back(x[0] - sin(b.time()));
  for (std::size_t i = 0; i + 1 < x.size(); ++i) rows.push_back(der(x[i]) - x[i + 1]);
  Expr sum = rows[0];
  for (std::size_t i = 1; i < rows.size(); ++i) sum = sum + rows[i];
  for (const Expr& row : rows) b.equation(row - 2.0 / n * sum == 0.0);
  const Solution s = solve(b.build(), {0.0, 1.0});
  EXPECT_EQ(s.status, Status::index_too_high) << s.message;
}

TEST(AutomaticFailure, EquationsWithoutASolutionAreNotCalledRedundant) {
  for (const char* equations : {"der(x) = -y; y^2 + 4 = 0;", "x + y = 1; 2*x + 2*y = 3;"}) {
    const Solution s =
        solve(parse_model("model M Real x, y; equation " + std::string(equations) + " end M;"),
              {0.0, 1.0});
    EXPECT_EQ(s.status, Status::inconsistent_start) << equations;
    EXPECT_THAT(s.message, HasSubstr("No initial values were found")) << equations;
  }
}

TEST(AutomaticFailure, NoConsistentStartIsSaid) {
  const Model model = parse_model(R"(
    model OffTheRod
      Real x(start = 3, fixed = true), y(start = 4, fixed = true), u, v, lambda;
    equation
      der(x) = u;
      der(y) = v;
      der(u) = -x*lambda;
      der(v) = -y*lambda - 9.81;
      x^2 + y^2 = 1 "rod";
    end OffTheRod;)");
  const Solution s = solve(model, {0.0, 1.0});
  EXPECT_EQ(s.status, Status::inconsistent_start) << s.message;
  EXPECT_THAT(s.message, AllOf(HasSubstr("x = 3"), HasSubstr("'rod'")));
}

}  // namespace
}  // namespace daedal
