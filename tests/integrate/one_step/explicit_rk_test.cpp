// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/explicit_rk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "integrate/one_step/one_step_stepper.hpp"
#include "integrate/stepping.hpp"
#include "support/order_fit.hpp"

namespace daedal::integration {
namespace {

using test::FunctionOde;
using test::In;
using test::Out;

const std::vector<const Tableau*>& tableaus() {
  static const std::vector<const Tableau*> all{&forward_euler(), &classical_rk4(),
                                               &dormand_prince5(), &dormand_prince853()};
  return all;
}

OneStepStepper make(const ExplicitSystem& system, const Tableau& tableau,
                    const StepOptions& options) {
  return {system, std::make_unique<ExplicitRungeKutta>(system, tableau), options};
}

TEST(ExplicitTableau, RowSumsAreTheNodes) {
  for (const Tableau* tableau : tableaus()) {
    std::vector<double> sums(tableau->c.size(), 0.0);
    double size = 1.0;
    for (const auto& entry : tableau->a) {
      EXPECT_LT(entry.from, entry.row);
      sums[static_cast<std::size_t>(entry.row)] += entry.value;
      size = std::max(size, std::abs(entry.value));
    }
    // The decimals of the large coefficients are rounded: a few units of round-off of each.
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(sums[i], tableau->c[i], 20.0 * round_off * size) << tableau->name << " row " << i;
    }
  }
}

TEST(ExplicitTableau, WeightsIntegratePolynomialsUpToTheOrder) {
  for (const Tableau* tableau : tableaus()) {
    for (int k = 1; k <= tableau->order; ++k) {
      double sum = 0.0;
      for (const auto& entry : tableau->a) {
        if (entry.row != tableau->stages) continue;
        sum += entry.value * std::pow(tableau->c[static_cast<std::size_t>(entry.from)], k - 1);
      }
      EXPECT_NEAR(sum, 1.0 / k, 1e-14) << tableau->name << " power " << k - 1;
    }
  }
}

TEST(ExplicitTableau, ErrorRowsVanishOnPolynomialsOfTheEmbeddedOrder) {
  // Embedded orders: 4 in DOPRI5; 5 and 3 in DOP853.
  const auto moment = [](const Tableau& tableau, int row, int power) {
    double sum = 0.0;
    for (const auto& entry : tableau.error) {
      if (entry.row != row) continue;
      sum += entry.value * std::pow(tableau.c[static_cast<std::size_t>(entry.from)], power);
    }
    return std::abs(sum);
  };
  for (int k = 0; k < 4; ++k) EXPECT_LT(moment(dormand_prince5(), 0, k), 1e-14);
  EXPECT_GT(moment(dormand_prince5(), 0, 4), 1e-4);
  for (int k = 0; k < 5; ++k) EXPECT_LT(moment(dormand_prince853(), 0, k), 1e-13);
  EXPECT_GT(moment(dormand_prince853(), 0, 5), 1e-4);
  for (int k = 0; k < 3; ++k) EXPECT_LT(moment(dormand_prince853(), 1, k), 1e-13);
  EXPECT_GT(moment(dormand_prince853(), 1, 3), 1e-4);
}

/// Completes the last component, x_1 = x_0², before every stage, and counts.
class Completed final : public ExplicitSystem {
 public:
  [[nodiscard]] std::int64_t size() const override { return 2; }
  Evaluation rhs(double, In x, Run&, Out xp) const override {
    EXPECT_DOUBLE_EQ(x[1], x[0] * x[0]);
    xp[0] = -x[1];
    xp[1] = -2.0 * x[0] * x[1];
    return Evaluation::ok;
  }
  [[nodiscard]] bool has_complete() const override { return true; }
  Evaluation complete(double, Out x, Run&) const override {
    x[1] = x[0] * x[0];
    return Evaluation::ok;
  }
};

TEST(ExplicitRungeKutta, CompletesDependentCoordinatesBeforeEveryStage) {
  const Completed system;
  daedal::Run run;
  auto stepper = make(system, dormand_prince853(), {.rtol = 1e-10, .atol = 1e-10, .log = {}});
  stepper.start(0.0, std::vector{1.0, 1.0}, {}, run, 1.0);
  ASSERT_EQ(test::run_to(stepper, 1.0).status, Status::success);
  EXPECT_NEAR(stepper.x()[0], 0.5, 1e-9);  // x_0 = 1/(1 + t)
  EXPECT_DOUBLE_EQ(stepper.x()[1], stepper.x()[0] * stepper.x()[0]);
  std::vector<double> x(2);
  stepper.interpolate(1.0, x, {});
  EXPECT_NEAR(x[1], stepper.x()[1], 1e-14);
}

/// Refuses one of the stages that only the dense output of DOP853 needs, by its time.
class Picky final : public ExplicitSystem {
 public:
  [[nodiscard]] std::int64_t size() const override { return 1; }
  Evaluation rhs(double t, In x, Run&, Out xp) const override {
    if (t == 0.1) return Evaluation::recoverable;
    xp[0] = x[0];
    return Evaluation::ok;
  }
};

TEST(ExplicitRungeKutta, FallsBackToTheCubicWhenAStageOfTheDenseOutputFails) {
  const Picky system;
  daedal::Run run;
  auto stepper = make(system, dormand_prince853(), {.fixed_step = 1.0, .log = {}});
  stepper.start(0.0, std::vector{1.0}, {}, run, 1.0);
  ASSERT_EQ(stepper.advance(1.0).status, Status::success);
  EXPECT_EQ(stepper.max_derivative(), 3);
  std::vector<double> x(1);
  stepper.interpolate(0.5, x, {});
  // Hermite's cubic: h⁴/384·max|x⁗|.
  EXPECT_NEAR(x[0], std::exp(0.5), std::numbers::e / 384.0);
}

}  // namespace
}  // namespace daedal::integration
