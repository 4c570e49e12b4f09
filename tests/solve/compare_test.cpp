// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/compare.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <daedal/error.hpp>
#include <span>
#include <string>
#include <thread>

#include "problems/problems.hpp"

namespace daedal {
namespace {

TEST(Compare, RanksMethodsOnThePendulum) {
  CompareOptions options;
  options.methods = {"orthogonal-projection", "index1+dop853", "baumgarte:alpha=5,beta=5", "ggl"};
  options.tolerances = {1e-6, 1e-8};
  const Comparison c = compare(problems::pendulum().model, {0.0, 2.0}, options);
  ASSERT_EQ(c.reference_status, Status::success);
  ASSERT_EQ(c.rows.size(), 8U);
  for (const CompareRow& row : c.rows) {
    EXPECT_EQ(row.status, Status::success) << row.method << ": " << row.message;
    EXPECT_LT(row.error, 1e3 * row.rtol) << row.method;
  }
  // Only the projection keeps the position constraint to round-off.
  EXPECT_LT(c.rows[0].constraints[0].max_residual, 1e-12);
  EXPECT_GT(c.rows[2].constraints[0].max_residual, 1e-12);
}

TEST(Compare, KnowsTheEnergyOfALagrangian) {
  CompareOptions options;
  options.methods = {"symmetric-projection", "ggl"};
  options.tolerances = {1e-4};
  const Comparison c = compare(problems::four_bar().model, {0.0, 2.0}, options);
  ASSERT_EQ(c.rows.size(), 2U);
  for (const CompareRow& row : c.rows) {
    ASSERT_TRUE(row.energy_drift.has_value()) << row.method;
    // The energy at the start is 9.81 (1/2 + 3 (1 + 1.5 sin .512) + 3.125 sin 1.725) = 86.
    EXPECT_GT(*row.energy_drift, 0.0) << row.method;
    EXPECT_LT(*row.energy_drift, 1e-2 * 86.0) << row.method;
  }
  // The parameters of the run count: without gravity nothing moves.
  options.base.parameters = {{"g", 0.0}};
  EXPECT_EQ(compare(problems::four_bar().model, {0.0, 2.0}, options).rows[0].energy_drift, 0.0);
}

TEST(Compare, HasNoEnergyWhereNoneIsKnown) {
  CompareOptions options;
  options.methods = {"ggl"};
  EXPECT_FALSE(compare(problems::slider_crank().model, {0.0, 0.5}, options)
                   .rows[0]
                   .energy_drift.has_value());
}

TEST(Compare, AMethodThatDoesNotFitIsARowAndNoFailure) {
  ModelBuilder b("Decay");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(der(x) == -x);
  CompareOptions options;
  options.methods = {"direct", "ggl"};
  const Comparison c = compare(b.build(), {0.0, 1.0}, options);
  ASSERT_EQ(c.rows.size(), 2U);
  EXPECT_EQ(c.rows[0].status, Status::success);
  EXPECT_EQ(c.rows[1].status, Status::method_does_not_fit);
  EXPECT_FALSE(c.rows[1].message.empty());
}

TEST(Compare, MakesOnlyShortRunsAgain) {
  ModelBuilder b("Decay");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(der(x) == -x);
  const Model model = b.build();
  CompareOptions options;
  options.methods = {"ode"};
  options.grid = 1;
  int n_runs = 0;
  options.base.observer.on_begin = [&](std::span<const std::string>) {
    ++n_runs;
    return Flow::go_on;
  };
  const Comparison quick = compare(model, {0.0, 1.0}, options);
  EXPECT_GE(n_runs, 2);
  EXPECT_LE(n_runs, 1 + 5);  // the reference is made once
  n_runs = 0;
  options.base.observer.on_output = [](double, std::span<const double>) {
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    return Flow::go_on;
  };
  const Comparison slow = compare(model, {0.0, 1.0}, options);
  EXPECT_EQ(n_runs, 2);
  EXPECT_GT(slow.rows[0].statistics.wall_time, 0.1);
  // Time alone is taken from other runs.
  EXPECT_EQ(quick.rows[0].error, slow.rows[0].error);
  EXPECT_EQ(quick.rows[0].statistics.steps, slow.rows[0].statistics.steps);
}

TEST(Compare, NamesThatDoNotExistAreRefused) {
  CompareOptions options;
  options.methods = {"no-such"};
  EXPECT_THROW(compare(problems::pendulum().model, {0.0, 1.0}, options), OptionError);
  options.methods = {};
  EXPECT_THROW(compare(problems::pendulum().model, {0.0, 1.0}, options), OptionError);
}

}  // namespace
}  // namespace daedal
