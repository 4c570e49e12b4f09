// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "formulation/dummy/dummy_derivatives.hpp"
#include "formulation/formulation_support.hpp"

namespace daedal::formulation {
namespace {

using test::make;

TEST(DummyDerivatives, HasOneUnknownPerDerivativeOfThePendulum) {
  const auto formulation = make("dummy-derivatives", test::pendulum());
  ASSERT_NE(formulation.implicit_system, nullptr);
  const auto& system = *formulation.implicit_system;
  ASSERT_EQ(system.size(), 7);  // x, x', x'', y, y', y'', λ
  EXPECT_EQ(formulation.levels.n, 3);
  const auto run = system.make_run();
  const auto start = formulation.start(0.0, *run);
  ASSERT_EQ(start.status, Status::success) << start.message;
  EXPECT_THAT(start.x, testing::Pointwise(testing::DoubleNear(1e-12),
                                          {1.0, 0.0, 0.0, 0.0, 0.0, -9.81, 0.0}));
  EXPECT_TRUE(system.kinds()[1].in_error_test);
  EXPECT_FALSE(system.kinds()[2].in_error_test);
  EXPECT_FALSE(system.kinds()[6].in_error_test);
  EXPECT_EQ(system.unknown_name(1), "u");
  EXPECT_EQ(system.unknown_name(2), "der(u)");
}

/// F_x and F_x' against central differences, which are exact for these quadratic equations.
void expect_analytic_jacobian(const ImplicitSystem& system, Run& run) {
  const auto n = to_size(system.size());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(0.5, 1.5);
  std::vector<double> x(n);
  std::vector<double> xp(n);
  for (double& value : x) value = draw(random);
  for (double& value : xp) value = draw(random);
  const auto& pattern = system.pattern();
  std::vector<double> f_x(to_size(pattern.nonzeros()));
  std::vector<double> f_xp(f_x.size());
  ASSERT_EQ(system.jacobian(0.3, x, xp, run, f_x, f_xp), Evaluation::ok);
  for (const bool by_rate : {false, true}) {
    auto& moved = by_rate ? xp : x;
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> high(n);
      std::vector<double> low(n);
      const double value = moved[j];
      moved[j] = value + 0.25;
      ASSERT_EQ(system.residual(0.3, x, xp, run, high), Evaluation::ok);
      moved[j] = value - 0.25;
      ASSERT_EQ(system.residual(0.3, x, xp, run, low), Evaluation::ok);
      moved[j] = value;
      std::vector<double> column(n, 0.0);
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
        column[to_size(pattern.row[to_size(p)])] = (by_rate ? f_xp : f_x)[to_size(p)];
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(column[i], 2.0 * (high[i] - low[i]), 1e-12) << "row " << i << " column " << j;
    }
  }
}

TEST(DummyDerivatives, JacobianFollowsTheSelection) {
  Request request;
  request.model = test::pendulum();
  request.parameters = request.model.parameter_values();
  const auto context = std::make_shared<const DummyContext>(request, DummyDerivatives{});
  const Formulation formulation = make_dummy_derivatives(context, false);
  const auto& system = *formulation.implicit_system;
  const auto run = system.make_run();
  auto& own = run_of<DummyRun>(*run);
  const std::vector<double> right{0.8, 0, 0, -0.6, 0, 0, 0};
  const std::vector<double> bottom{0.6, 0, 0, -0.8, 0, 0, 0};
  ASSERT_TRUE(context->select(0.0, right, own));
  EXPECT_GE(own.selection.equation_at[0], 0);  // x is solved from the rod, y is a state
  EXPECT_EQ(own.selection.equation_at[3], -1);
  expect_analytic_jacobian(system, *run);
  ASSERT_TRUE(context->select(0.0, bottom, own));
  EXPECT_EQ(own.selection.equation_at[0], -1);
  EXPECT_GE(own.selection.equation_at[3], 0);
  expect_analytic_jacobian(system, *run);
}

}  // namespace
}  // namespace daedal::formulation
