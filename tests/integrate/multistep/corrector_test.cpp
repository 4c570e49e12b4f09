// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/corrector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using test::FunctionDae;
using test::In;
using test::Out;
using Cause = CorrectorFailure::Cause;

/// Predicted points at 0 with weights 1e3, that is tolerance 1e-3.
class Bench {
 public:
  explicit Bench(const ImplicitSystem& system)
      : corrector(system),
        run(system.make_run()),
        zero(to_size(system.size())),
        weights(zero.size(), 1e3),
        correction(zero.size()) {}

  Corrector::Outcome solve(double c) {
    return corrector.solve({.t = 0.0, .c = c, .x = zero, .xp = zero, .weights = weights}, *run,
                           correction);
  }

  Corrector corrector;
  std::unique_ptr<Run> run;
  std::vector<double> zero, weights, correction;
};

/// x' + x = 1: the correction from 0 is 1/(1 + c).
FunctionDae relaxation() {
  return {1, [](double, In x, In xp, Out f) { f[0] = xp[0] + x[0] - 1.0; }};
}

TEST(Corrector, SolvesALinearSystem) {
  const FunctionDae system = relaxation();
  Bench bench(system);
  ASSERT_EQ(bench.solve(3.0), Corrector::Outcome::converged);
  EXPECT_NEAR(bench.correction[0], 0.25, 1e-10);
  EXPECT_NEAR(bench.corrector.x()[0], 0.25, 1e-10);
  EXPECT_NEAR(bench.corrector.xp()[0], 0.75, 1e-10);
}

TEST(Corrector, FactorsAnewWhenCMovesByMoreThanAQuarter) {
  const FunctionDae system = relaxation();
  Bench bench(system);
  bench.solve(1.0);
  EXPECT_EQ(bench.corrector.counters().factorizations, 1);
  EXPECT_EQ(bench.corrector.counters().jacobians, 1);
  ASSERT_EQ(bench.solve(1.2), Corrector::Outcome::converged);
  EXPECT_EQ(bench.corrector.counters().factorizations, 1);
  // With the matrix of c = 1 the iteration still reaches the solution for c = 1.2.
  EXPECT_NEAR(bench.correction[0], 1.0 / 2.2, 1e-3);
  ASSERT_EQ(bench.solve(1.3), Corrector::Outcome::converged);
  EXPECT_EQ(bench.corrector.counters().factorizations, 2);
  EXPECT_EQ(bench.corrector.counters().jacobians, 1) << "another c needs no other Jacobian";
  bench.corrector.forget_matrix();
  bench.solve(1.3);
  EXPECT_EQ(bench.corrector.counters().jacobians, 2);
}

TEST(Corrector, EvaluatesTheJacobianAnewWhenAnOldOneDiverges) {
  double slope = 1.0;
  const FunctionDae system{1, [&](double, In x, In, Out f) { f[0] = slope * x[0] - 1.0; }};
  Bench bench(system);
  ASSERT_EQ(bench.solve(1.0), Corrector::Outcome::converged);
  slope = -4.0;
  ASSERT_EQ(bench.solve(1.0), Corrector::Outcome::converged);
  EXPECT_NEAR(bench.correction[0], -0.25, 1e-10);
  EXPECT_EQ(bench.corrector.counters().jacobians, 2);
}

TEST(Corrector, TakesTheSlopesBeyondAKinkAtTheStart) {
  // x' = -1, y = 1e6 |x|: at x = 0 the slope is none of either side.
  const FunctionDae system{2, [](double, In x, In xp, Out f) {
                             f[0] = xp[0] + 1.0;
                             f[1] = x[1] - 1e6 * std::abs(x[0]);
                           }};
  Bench bench(system);
  ASSERT_EQ(bench.solve(10.0), Corrector::Outcome::converged);
  EXPECT_NEAR(bench.correction[0], -0.1, 1e-8);
  EXPECT_NEAR(bench.correction[1], 1e5, 1e-2);
}

TEST(Corrector, NamesTheUnknownWithoutAPivot) {
  const FunctionDae system{2, [](double, In x, In xp, Out f) {
                             f[0] = xp[0] + x[0];
                             f[1] = x[0];
                           }};
  Bench bench(system);
  EXPECT_EQ(bench.solve(1.0), Corrector::Outcome::recoverable);
  EXPECT_EQ(bench.corrector.failure().cause, Cause::singular_matrix);
  EXPECT_EQ(bench.corrector.failure().column, 1);
}

TEST(Corrector, NamesTheRowWithoutAValue) {
  bool is_broken = false;
  const FunctionDae system{2, [&](double, In x, In, Out f) {
                             f[0] = x[0];
                             f[1] = is_broken ? NAN : x[1] - 1.0;
                           }};
  Bench bench(system);
  ASSERT_EQ(bench.solve(1.0), Corrector::Outcome::converged);
  is_broken = true;
  EXPECT_EQ(bench.solve(1.0), Corrector::Outcome::recoverable);
  EXPECT_EQ(bench.corrector.failure().row, 1);
}

TEST(Corrector, KeepsUnknownsOutOfTheTestWhoseWeightIsZero) {
  // x1 converges at once; x2 by a slow linear iteration that is not waited for.
  const FunctionDae system{2, [](double, In x, In, Out f) {
                             f[0] = x[0] - 1.0;
                             f[1] = x[1] + 0.3 * std::sin(4.0 * x[1]) - 1.0;
                           }};
  Bench tested(system);
  Bench untested(system);
  untested.weights = {1e3 * std::sqrt(2.0), 0.0};
  ASSERT_EQ(untested.solve(1.0), Corrector::Outcome::converged);
  tested.solve(1.0);
  EXPECT_LT(untested.corrector.counters().iterations, tested.corrector.counters().iterations);
}

TEST(Corrector, SolvesOverdeterminedSystemsInTheirStateSpaceForm) {
  // F1: x' = (2, 0) with c = 1, so that A1 = I and the unconstrained correction is (2, 0);
  // F2: x1 − x2 = 0. On the constraint x1 = x2, and F1 = 0 along (1, 1): x1 + x2 = 2.
  const FunctionDae system{2,
                           [](double, In x, In xp, Out f) {
                             f[0] = xp[0] - 2.0;
                             f[1] = xp[1];
                             f[2] = x[0] - x[1];
                           },
                           1};
  Bench bench(system);
  ASSERT_EQ(bench.solve(1.0), Corrector::Outcome::converged);
  EXPECT_NEAR(bench.correction[0], 1.0, 1e-9);
  EXPECT_NEAR(bench.correction[1], 1.0, 1e-9);
}

TEST(Corrector, NamesAConstraintThatDependsOnOthers) {
  const FunctionDae system{2,
                           [](double, In x, In xp, Out f) {
                             f[0] = xp[0] - 2.0;
                             f[1] = xp[1];
                             f[2] = x[0] - x[1];
                             f[3] = 2.0 * x[0] - 2.0 * x[1];
                           },
                           2};
  Bench bench(system);
  EXPECT_EQ(bench.solve(1.0), Corrector::Outcome::recoverable);
  EXPECT_EQ(bench.corrector.failure().cause, Cause::singular_matrix);
  EXPECT_GE(bench.corrector.failure().column, 2);
}

}  // namespace
}  // namespace daedal::integration
