// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <vector>

#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"
#include "support/order_fit.hpp"

namespace daedal::integration {
namespace {

using test::Driven;
using test::FunctionDae;
using test::In;
using test::Out;
using test::run_driver;

FunctionDae decay() {
  return {1, [](double, In x, In xp, Out f) { f[0] = xp[0] + x[0]; }};
}

/// x' = −x + z − sin t, 0 = z³ + z·x − sin³t − e^-t·sin t: x = e^-t, z = sin t, of index 1.
FunctionDae index_one() {
  return {2, [](double t, In x, In xp, Out f) {
            const double s = std::sin(t);
            f[0] = xp[0] + x[0] - x[1] + s;
            f[1] = x[1] * x[1] * x[1] + x[1] * x[0] - s * s * s - s * std::exp(-t);
          }};
}

test::Drive index_one_drive(double tolerance) {
  return {.tolerance = tolerance,
          .x0 = {1.0, 0.0},
          .xp0 = {-1.0, 1.0},
          .options = {.t1 = 3.0, .interval = 0.05}};
}

/// The greatest error over a grid, so that the dense output takes part.
double index_one_error(double tolerance) {
  const Driven driven = run_driver(index_one(), index_one_drive(tolerance));
  EXPECT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  double error = 0.0;
  for (std::size_t i = 0; i < driven.seen.times.size(); ++i) {
    const double t = driven.seen.times[i];
    error = std::max({error, std::abs(driven.seen.states[i][0] - std::exp(-t)),
                      std::abs(driven.seen.states[i][1] - std::sin(t))});
  }
  return error;
}

TEST(Bdf, RunsForwardAndBackwardInTime) {
  for (const double t1 : {2.0, -1.0}) {
    const Driven driven =
        run_driver(decay(), {.tolerance = 1e-9, .x0 = {1.0}, .xp0 = {-1.0}, .options = {.t1 = t1}});
    ASSERT_EQ(driven.outcome.status, Status::success);
    EXPECT_EQ(driven.outcome.t, t1);
    EXPECT_NEAR(driven.last()[0], std::exp(-t1), 1e-7 * std::exp(-t1));
  }
}

TEST(Bdf, ErrorFollowsTheToleranceOverSixDecades) {
  const std::vector<double> tolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  const double slope = test::fit_order(tolerances, index_one_error);
  EXPECT_GT(slope, 0.7);
  EXPECT_LT(slope, 1.2);
}

TEST(Bdf, SolvesRobertsonsKineticsToTheEnd) {
  FunctionDae system{3, [](double, In y, In yp, Out f) {
                       f[0] = yp[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
                       f[1] = yp[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
                       f[2] = y[0] + y[1] + y[2] - 1.0;
                     }};
  // The absolute tolerances are far below the values at the end, 1e-14 and 1e-19, and above the
  // round-off of y1 + y2 + y3 = 1.
  system.typical = {1.0, 1e-5, 1.0};
  constexpr double rtol = 1e-6;
  const Driven driven = run_driver(system, {.tolerance = rtol,
                                            .atol = 1e-14,
                                            .x0 = {1.0, 0.0, 0.0},
                                            .xp0 = {-0.04, 0.04, 0.0},
                                            .options = {.t1 = 4e10}});
  ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  EXPECT_NEAR(driven.last()[0], 5.20834518e-8, 100.0 * rtol * 5.2e-8);
  EXPECT_NEAR(driven.last()[1], 2.08333818e-13, 100.0 * rtol * 2.1e-13);
}

TEST(Bdf, TakesLargeStepsOnAStiffLinearSystem) {
  // x = cos t + (transient with rate 1e6): y' = −1e6·(y − cos t) − sin t.
  const FunctionDae system{1, [](double t, In x, In xp, Out f) {
                             f[0] = xp[0] + 1e6 * (x[0] - std::cos(t)) + std::sin(t);
                           }};
  const Driven driven =
      run_driver(system, {.tolerance = 1e-8, .x0 = {1.0}, .xp0 = {0.0}, .options = {.t1 = 10.0}});
  ASSERT_EQ(driven.outcome.status, Status::success);
  EXPECT_NEAR(driven.last()[0], std::cos(10.0), 1e-6);
  EXPECT_LT(driven.outcome.statistics.steps, 1000);
}

TEST(Bdf, ReportsDerivativesThatSatisfyTheEquations) {
  const FunctionDae system = index_one();
  const auto stepper =
      find_integrator("bdf").make_implicit(system, {.rtol = 1e-4, .atol = 1e-4}, {});
  const auto run = system.make_run();
  stepper->start(0.0, std::vector{1.0, 0.0}, std::vector{-1.0, 1.0}, *run, 3.0);
  std::vector<double> residual(2);
  while (stepper->time() < 3.0) {
    ASSERT_EQ(stepper->advance(3.0).status, Status::success);
    system.residual(stepper->time(), stepper->x(), stepper->xp(), *run, residual);
    EXPECT_LE(std::abs(residual[0]), 1e-4);
  }
}

TEST(Bdf, HistoryDifferentiatesItsInterpolant) {
  const FunctionDae system = index_one();
  const auto stepper =
      find_integrator("bdf").make_implicit(system, {.rtol = 1e-9, .atol = 1e-9}, {});
  const auto run = system.make_run();
  stepper->start(0.0, std::vector{1.0, 0.0}, std::vector{-1.0, 1.0}, *run, 1.0);
  StepReport report;
  while (stepper->time() < 1.0) report = stepper->advance(1.0);
  ASSERT_GE(stepper->max_derivative(), 3);
  const double t = 0.5 * (report.t0 + report.t1);
  std::vector<double> value(2), rate(2);
  stepper->interpolate(t, value, rate);
  EXPECT_NEAR(value[0], std::exp(-t), 1e-7);
  EXPECT_NEAR(rate[0], -std::exp(-t), 1e-5);
  std::vector<double> second(2);
  stepper->derivative(t, 2, second);
  EXPECT_NEAR(second[0], std::exp(-t), 1e-3);
  EXPECT_NEAR(second[1], -std::sin(t), 1e-3);
}

TEST(Bdf, ChangedEquationsKeepTheHistory) {
  FunctionDae system = index_one();
  const test::Drive drive = index_one_drive(1e-8);
  const Driven plain = run_driver(system, drive);
  system.on_step = [](double, Out, Out, const History&, daedal::Run&) {
    return Change{Change::Kind::equations, Status::success, ""};
  };
  const Driven changed = run_driver(system, drive);
  EXPECT_EQ(changed.outcome.statistics.restarts, 0);
  EXPECT_LE(changed.outcome.statistics.steps, plain.outcome.statistics.steps * 11 / 10);
  EXPECT_GE(changed.outcome.statistics.jacobian_evaluations, changed.outcome.statistics.steps - 1);
  EXPECT_LT(plain.outcome.statistics.jacobian_evaluations, plain.outcome.statistics.steps / 3);
}

/// A particle on the unit circle driven by the tangential force ½(−y, x): φ = t + t²/4,
/// λ = φ'² = (1 + t/2)². Unknowns q, v, λ (and μ).
struct Circle {
  static double angle(double t) { return t + 0.25 * t * t; }
  static double rate(double t) { return 1.0 + 0.5 * t; }
  static void equations_of_motion(In x, In xp, Out f) {
    f[0] = xp[0] - x[2];
    f[1] = xp[1] - x[3];
    f[2] = xp[2] + x[4] * x[0] + 0.5 * x[1];
    f[3] = xp[3] + x[4] * x[1] - 0.5 * x[0];
  }
  static double position_level(In x) { return 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0); }
  static double velocity_level(In x) { return x[0] * x[2] + x[1] * x[3]; }
};

Driven run_circle(const FunctionDae& system, double tolerance, double index_weights) {
  return run_driver(system, {.tolerance = tolerance,
                             .parameters = {{"index_weights", index_weights}},
                             .x0 = {1.0, 0.0, 0.0, 1.0, 1.0},
                             .xp0 = {0.0, 1.0, -1.0, 0.5, 1.0},
                             .options = {.t1 = 2.0}});
}

double position_error(const Driven& driven) {
  const double angle = Circle::angle(driven.outcome.t);
  return std::hypot(driven.last()[0] - std::cos(angle), driven.last()[1] - std::sin(angle));
}

TEST(Bdf, SolvesAnIndexTwoProblemWithIndexWeights) {
  FunctionDae system{5, [](double, In x, In xp, Out f) {
                       Circle::equations_of_motion(x, xp, f);
                       f[4] = Circle::velocity_level(x);
                     }};
  system.unknown_kinds = {{}, {}, {}, {}, {.differential = false, .index = 2}};
  for (const double weights : {1.0, 2.0}) {
    constexpr double tolerance = 1e-7;
    const Driven driven = run_circle(system, tolerance, weights);
    ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
    EXPECT_LT(position_error(driven), 100.0 * tolerance);
    // One power of h is lost in the multiplier: h is above 1e-3 here.
    EXPECT_NEAR(driven.last()[4], Circle::rate(2.0) * Circle::rate(2.0), 1e3 * tolerance);
  }
}

TEST(Bdf, SolvesAnIndexThreeProblemWithIndexWeights) {
  FunctionDae system{5, [](double, In x, In xp, Out f) {
                       Circle::equations_of_motion(x, xp, f);
                       f[4] = Circle::position_level(x);
                     }};
  system.unknown_kinds = {{}, {}, {.index = 2}, {.index = 2}, {.differential = false, .index = 3}};
  constexpr double tolerance = 1e-7;
  const Driven weighed = run_circle(system, tolerance, 1.0);
  ASSERT_EQ(weighed.outcome.status, Status::success) << weighed.outcome.message;
  EXPECT_LT(position_error(weighed), 100.0 * tolerance);
  EXPECT_NEAR(weighed.last()[3], Circle::rate(2.0) * std::cos(Circle::angle(2.0)), 1e3 * tolerance);
  // With velocities and multiplier out of the tests nothing holds the error along the circle, only
  // that across it: the constraint.
  const Driven excluded = run_circle(system, tolerance, 2.0);
  ASSERT_EQ(excluded.outcome.status, Status::success) << excluded.outcome.message;
  EXPECT_LT(std::abs(Circle::position_level(excluded.last())), 10.0 * tolerance);
  EXPECT_LT(position_error(excluded), 1e-2);
}

TEST(Bdf, RunsTheStabilizedPendulumWithItsMultipliersOutOfTheTests) {
  // Gear, Gupta & Leimkuhler: q' = v − Gᵀμ.
  FunctionDae system{6, [](double, In x, In xp, Out f) {
                       Circle::equations_of_motion(x, xp, f);
                       f[0] += x[0] * x[5];
                       f[1] += x[1] * x[5];
                       f[4] = Circle::position_level(x);
                       f[5] = Circle::velocity_level(x);
                     }};
  const UnknownKind multiplier{.differential = false, .index = 2, .in_error_test = false};
  system.unknown_kinds = {{}, {}, {}, {}, multiplier, multiplier};
  const Driven driven = run_driver(system, {.tolerance = 1e-7,
                                            .x0 = {1.0, 0.0, 0.0, 1.0, 1.0, 0.0},
                                            .xp0 = {0.0, 1.0, -1.0, 0.5, 1.0, 0.0},
                                            .options = {.t1 = 10.0}});
  ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  EXPECT_NEAR(driven.last()[0], std::cos(Circle::angle(10.0)), 1e-3);
  EXPECT_NEAR(driven.last()[4], Circle::rate(10.0) * Circle::rate(10.0), 1e-2);
  EXPECT_LT(std::abs(Circle::position_level(driven.last())), 1e-7);
}

/// Führer & Leimkuhler (17): the λ-equation is the constraint on the level of acceleration,
/// |q|²·λ = |v|² (the force is tangential); positions and velocities are extra rows.
class OverdeterminedCircle {
 public:
  OverdeterminedCircle() {
    system.unknown_kinds = {{}, {}, {}, {}, {.differential = false, .in_error_test = false}};
  }
  FunctionDae system{5,
                     [](double, In x, In xp, Out f) {
                       Circle::equations_of_motion(x, xp, f);
                       f[4] = (x[0] * x[0] + x[1] * x[1]) * x[4] - x[2] * x[2] - x[3] * x[3];
                       f[5] = Circle::position_level(x);
                       f[6] = Circle::velocity_level(x);
                     },
                     2};
};

TEST(Bdf, KeepsTheConstraintsOfAnOverdeterminedSystem) {
  const OverdeterminedCircle circle;
  constexpr double tolerance = 1e-5;
  const Driven driven = run_circle(circle.system, tolerance, 1.0);
  ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  EXPECT_LT(position_error(driven), 100.0 * tolerance);
  for (const auto& x : driven.seen.states) {
    EXPECT_LT(std::abs(Circle::position_level(x)), 1e-2 * tolerance);
    EXPECT_LT(std::abs(Circle::velocity_level(x)), 1e-2 * tolerance);
  }
}

TEST(Bdf, TakesFewerStepsOverdeterminedThanAtIndexThree) {
  const OverdeterminedCircle circle;
  FunctionDae direct{5, [](double, In x, In xp, Out f) {
                       Circle::equations_of_motion(x, xp, f);
                       f[4] = Circle::position_level(x);
                     }};
  direct.unknown_kinds = {{}, {}, {.index = 2}, {.index = 2}, {.differential = false, .index = 3}};
  const auto overdetermined = run_circle(circle.system, 1e-6, 1.0).outcome.statistics.steps;
  EXPECT_LE(3 * overdetermined, 2 * run_circle(direct, 1e-6, 1.0).outcome.statistics.steps);
}

/// u' = u_xx by second differences between algebraic ends u = 0: sparse, of index 1. The start
/// sin(πx) decays as e^(−λt) with λ = 4·sin²(πΔ/2)/Δ² exactly.
class HeatRod final : public ImplicitSystem {
 public:
  static constexpr std::size_t n = 301;
  static constexpr double spacing = 1.0 / (n - 1);

  HeatRod() : pattern_{to_index(n), to_index(n), {0}, {}} {
    for (std::size_t j = 0; j < n; ++j) {
      for (const std::size_t i : {j - 1, j, j + 1}) {
        if (i < n && (i == j || !is_end(i))) pattern_.row.push_back(to_index(i));
      }
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }
  static bool is_end(std::size_t i) { return i == 0 || i == n - 1; }
  static double rate() {
    const double s = std::sin(0.5 * M_PI * spacing);
    return 4.0 * s * s / (spacing * spacing);
  }

  [[nodiscard]] std::int64_t size() const override { return to_index(n); }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation residual(double, In u, In up, Run&, Out f) const override {
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = is_end(i) ? u[i] : up[i] - (u[i - 1] - 2.0 * u[i] + u[i + 1]) / (spacing * spacing);
    }
    return Evaluation::ok;
  }
  Evaluation jacobian(double, In, In, Run&, Out f_x, Out f_xp) const override {
    for (std::size_t j = 0; j < n; ++j) {
      for (Index k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
        const std::size_t i = to_size(pattern_.row[to_size(k)]);
        const double scale = 1.0 / (spacing * spacing);
        f_x[to_size(k)] = is_end(i) ? 1.0 : i == j ? 2.0 * scale : -scale;
        f_xp[to_size(k)] = i == j && !is_end(i) ? 1.0 : 0.0;
      }
    }
    return Evaluation::ok;
  }

 private:
  SparsityPattern pattern_;
};

TEST(Bdf, SolvesASparseSystem) {
  const HeatRod rod;
  std::vector<double> u(HeatRod::n);
  std::vector<double> up(HeatRod::n);
  for (std::size_t i = 1; i + 1 < HeatRod::n; ++i) {
    u[i] = std::sin(M_PI * static_cast<double>(i) * HeatRod::spacing);
    up[i] = -HeatRod::rate() * u[i];
  }
  const Driven driven =
      run_driver(rod, {.tolerance = 1e-7, .x0 = u, .xp0 = up, .options = {.t1 = 0.3}});
  ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  const std::size_t middle = HeatRod::n / 2;
  EXPECT_NEAR(driven.last()[middle], std::exp(-0.3 * HeatRod::rate()) * u[middle], 1e-5);
}

TEST(Bdf, RefusesOptionsItCannotObey) {
  const FunctionDae system = decay();
  const auto& bdf = find_integrator("bdf");
  EXPECT_THROW(bdf.make_implicit(system, {.fixed_step = 0.1}, {}), OptionError);
  EXPECT_THROW(bdf.make_implicit(system, {.max_order = 6}, {}), OptionError);
  EXPECT_THROW(bdf.make_implicit(system, {.rtol = 0.0, .atol = 0.0}, {}), OptionError);
  EXPECT_THROW(bdf.make_implicit(system, {}, "bdf:index_weights=1.5"), OptionError);
}

}  // namespace
}  // namespace daedal::integration
