// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>

#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"
#include "support/order_fit.hpp"

namespace daedal::integration {
namespace {

using test::Driven;
using test::FunctionOde;
using test::In;
using test::oscillator;
using test::Out;
using test::run_driver;

double oscillator_error(std::string_view integrator, double tolerance) {
  const Driven driven = run_driver(oscillator(), {.integrator = integrator,
                                                  .tolerance = tolerance,
                                                  .x0 = {0.0, 1.0},
                                                  .options = {.t1 = 10.0, .interval = 0.1}});
  EXPECT_EQ(driven.outcome.status, Status::success);
  double error = 0.0;
  for (std::size_t i = 0; i < driven.seen.times.size(); ++i) {
    error = std::max(error, std::abs(driven.seen.states[i][0] - std::sin(driven.seen.times[i])));
  }
  return error;
}

TEST(Adams, ErrorFollowsTheToleranceOverSixDecades) {
  const std::vector<double> tolerances{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  const double slope = test::fit_order(
      tolerances, [](double tolerance) { return oscillator_error("adams", tolerance); });
  EXPECT_GT(slope, 0.7);
  EXPECT_LT(slope, 1.2);
}

int highest_order(const Driven& driven) {
  int order = 0;
  for (const StepReport& step : driven.seen.steps) order = std::max(order, step.order);
  return order;
}

TEST(Adams, TakesHighOrdersOnASmoothProblemUnlessBounded) {
  const FunctionOde system = oscillator();
  test::Drive drive{
      .integrator = "adams", .tolerance = 1e-12, .x0 = {0.0, 1.0}, .options = {.t1 = 50.0}};
  const Driven free = run_driver(system, drive);
  drive.max_order = 3;
  const Driven bounded = run_driver(system, drive);
  EXPECT_GT(highest_order(free), 5);
  EXPECT_EQ(highest_order(bounded), 3);
  EXPECT_LT(free.outcome.statistics.steps, bounded.outcome.statistics.steps);
  EXPECT_EQ(free.outcome.statistics.factorizations, 0);
}

TEST(Adams, SubstitutionAndNewtonAgree) {
  const FunctionOde system = oscillator();
  test::Drive drive{
      .integrator = "adams", .tolerance = 1e-9, .x0 = {0.0, 1.0}, .options = {.t1 = 5.0}};
  const Driven substituted = run_driver(system, drive);
  drive.parameters = {{"newton", 1.0}};
  const Driven solved = run_driver(system, drive);
  EXPECT_GT(solved.outcome.statistics.factorizations, 0);
  EXPECT_NEAR(substituted.last()[0], std::sin(5.0), 1e-7);
  EXPECT_NEAR(solved.last()[0], std::sin(5.0), 1e-7);
}

TEST(Adams, CountersSurviveRestarts) {
  FunctionOde system = oscillator();
  system.events = {
      .n = 0,
      .on_event = [](double, std::span<const std::int64_t>, Out, Out,
                     daedal::Run&) { return Change{Change::Kind::unknowns, Status::success, ""}; },
      .next_time_event = [](double t) { return std::floor(t) + 1.0; }};
  const Driven driven =
      run_driver(system, {.integrator = "adams", .x0 = {0.0, 1.0}, .options = {.t1 = 4.5}});
  EXPECT_EQ(driven.outcome.statistics.restarts, 4);
  EXPECT_EQ(driven.outcome.statistics.steps, static_cast<std::int64_t>(driven.seen.steps.size()));
  EXPECT_GE(driven.outcome.statistics.residual_evaluations, driven.outcome.statistics.steps);
}

/// u' = u_xx on (0, 1) by second differences: u = e^(−λt)·sin(πx) solves the differenced equations
/// exactly with λ = 4·sin²(πΔ/2)/Δ².
class Heat {
 public:
  static constexpr std::size_t n = 40;
  static constexpr double spacing = 1.0 / (n + 1);
  FunctionOde system{static_cast<std::int64_t>(n), [](double, In u, Out up) {
                       for (std::size_t i = 0; i < n; ++i) {
                         const double left = i == 0 ? 0.0 : u[i - 1];
                         const double right = i + 1 == n ? 0.0 : u[i + 1];
                         up[i] = (left - 2.0 * u[i] + right) / (spacing * spacing);
                       }
                     }};
  static std::vector<double> start() {
    std::vector<double> u(n);
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = std::sin(M_PI * static_cast<double>(i + 1) * spacing);
    }
    return u;
  }
  static double decay(double t) {
    const double s = std::sin(0.5 * M_PI * spacing);
    return std::exp(-4.0 * s * s / (spacing * spacing) * t);
  }
};

TEST(CvodeBdf, SolvesAStiffSystemWithDenseAndBandedMatrices) {
  const Heat heat;
  test::Drive drive{.integrator = "cvode-bdf", .tolerance = 1e-8, .x0 = Heat::start()};
  drive.options.t1 = 0.5;
  const Driven dense = run_driver(heat.system, drive);
  drive.parameters = {{"lower_bandwidth", 1.0}, {"upper_bandwidth", 1.0}};
  const Driven banded = run_driver(heat.system, drive);
  for (const Driven* driven : {&dense, &banded}) {
    ASSERT_EQ(driven->outcome.status, Status::success);
    EXPECT_NEAR(driven->last()[Heat::n / 2], Heat::decay(0.5) * Heat::start()[Heat::n / 2], 1e-6);
  }
  // Difference quotients cost 3 evaluations for a tridiagonal matrix, 40 for a full one.
  EXPECT_LT(banded.outcome.statistics.residual_evaluations,
            dense.outcome.statistics.residual_evaluations);
}

TEST(CvodeBdf, UsesTheAnalyticJacobian) {
  FunctionOde system{1, [](double t, In x, Out xp) { xp[0] = -1e5 * (x[0] - std::cos(t)); }};
  int n_calls = 0;
  system.analytic_jacobian = [&](double, In, Out f_x) {
    ++n_calls;
    f_x[0] = -1e5;
  };
  const Driven driven = run_driver(
      system, {.integrator = "cvode-bdf", .tolerance = 1e-7, .x0 = {1.0}, .options = {.t1 = 2.0}});
  ASSERT_EQ(driven.outcome.status, Status::success);
  EXPECT_EQ(n_calls, driven.outcome.statistics.jacobian_evaluations);
  EXPECT_GT(n_calls, 0);
  // x = cos t + ε·sin t + O(ε²) with ε = 1e-5.
  EXPECT_NEAR(driven.last()[0], std::cos(2.0) + 1e-5 * std::sin(2.0), 1e-6);
}

class UnitCircle final : public Manifold {
 public:
  [[nodiscard]] int n_levels() const override { return 1; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return 1; }
  Evaluation residual(double, In x, int, Run&, Out values) const override {
    values[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
    return Evaluation::ok;
  }
  Evaluation project(double, Out x, In, Run&) const override {
    const double radius = std::hypot(x[0], x[1]);
    for (double& entry : x) entry /= radius;
    return Evaluation::ok;
  }
};

TEST(CvodeBdf, ProjectsInsideTheStep) {
  FunctionOde system = oscillator();
  const UnitCircle circle;
  system.invariants = &circle;
  const Driven driven = run_driver(
      system,
      {.integrator = "cvode-bdf", .tolerance = 1e-5, .x0 = {0.0, 1.0}, .options = {.t1 = 20.0}});
  ASSERT_EQ(driven.outcome.status, Status::success);
  EXPECT_GE(driven.outcome.statistics.projections, driven.outcome.statistics.steps);
  for (const auto& state : driven.seen.states) {
    EXPECT_NEAR(std::hypot(state[0], state[1]), 1.0, 1e-14);
  }
}

TEST(Cvode, RefusesHalfABand) {
  const FunctionOde system = oscillator();
  EXPECT_THROW(
      find_integrator("cvode-bdf").make_explicit(system, {}, CvodeBdf{.lower_bandwidth = 1}),
      OptionError);
  EXPECT_THROW(find_integrator("adams").make_explicit(system, {.max_order = 13}, {}), OptionError);
}

}  // namespace
}  // namespace daedal::integration
