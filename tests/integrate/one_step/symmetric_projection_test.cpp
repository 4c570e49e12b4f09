// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/symmetric_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <numbers>
#include <vector>

#include "integrate/one_step/explicit_rk.hpp"
#include "integrate/registry.hpp"
#include "integrate/stepping.hpp"
#include "support/order_fit.hpp"

namespace daedal::integration {
namespace {

using test::FunctionOde;
using test::In;
using test::Out;

constexpr double gravity = 9.81;

/// The planar pendulum of unit length: levels g = (p·p - 1)/2 and p·v.
class Circle final : public Manifold {
 public:
  [[nodiscard]] int n_levels() const override { return 2; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return 1; }
  Evaluation residual(double, In x, int level, Run&, Out values) const override {
    values[0] = level == 0 ? 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0) : x[0] * x[2] + x[1] * x[3];
    return Evaluation::ok;
  }
  Evaluation project(double, Out, In, Run&) const override { return Evaluation::ok; }
  Evaluation add_normal(double, In base, In mu, Out x, Run&) const override {
    x[0] += base[0] * mu[0] + base[2] * mu[1];
    x[1] += base[1] * mu[0] + base[3] * mu[1];
    x[2] += base[0] * mu[1];
    x[3] += base[1] * mu[1];
    return Evaluation::ok;
  }
};

/// x = (p, v), v' = (0, -g) - pλ with λ from p·v' + v·v = 0.
class Pendulum {
 public:
  Pendulum()
      : system(4, [](double, In x, Out xp) {
          const double lambda =
              (x[2] * x[2] + x[3] * x[3] - gravity * x[1]) / (x[0] * x[0] + x[1] * x[1]);
          xp[0] = x[2];
          xp[1] = x[3];
          xp[2] = -lambda * x[0];
          xp[3] = -gravity - lambda * x[1];
        }) {
    system.invariants = &circle_;
  }
  FunctionOde system;

 private:
  Circle circle_;
};

struct Drift {
  double position = 0.0;  ///< greatest |g|
  double velocity = 0.0;  ///< greatest |p·v|
  std::vector<double> end;
  double first_energy = 0.0;  ///< mean over the first and the last tenth of the run
  double last_energy = 0.0;
};

Drift run_pendulum(int stages, double h, double end) {
  const Pendulum pendulum;
  const auto stepper = find_integrator("gauss").make_explicit(
      pendulum.system, {.fixed_step = h, .symmetric_projection = true}, Gauss{.stages = stages});
  daedal::Run run;
  stepper->start(0.0, std::vector{1.0, 0.0, 0.0, 0.0}, {}, run, end);
  Drift drift;
  const double tenth = 0.1 * end / h;
  const auto report = test::run_to(*stepper, end, [&](const StepReport& step) {
    const In x = stepper->x();
    drift.position = std::max(drift.position, std::abs(0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0)));
    drift.velocity = std::max(drift.velocity, std::abs(x[0] * x[2] + x[1] * x[3]));
    const double energy = 0.5 * (x[2] * x[2] + x[3] * x[3]) + gravity * x[1];
    if (step.t1 < 0.1 * end) drift.first_energy += energy / tenth;
    if (step.t1 >= 0.9 * end) drift.last_energy += energy / tenth;
  });
  EXPECT_EQ(report.status, Status::success) << report.message;
  drift.end.assign(stepper->x().begin(), stepper->x().end());
  return drift;
}

/// The same pendulum by its angle: θ'' = -g sin θ from θ = π/2, p = (sin θ, -cos θ).
std::vector<double> reference(double end) {
  const FunctionOde system(2, [](double, In x, Out xp) {
    xp[0] = x[1];
    xp[1] = -gravity * std::sin(x[0]);
  });
  const auto stepper = find_integrator("dop853").make_explicit(
      system, {.rtol = 1e-13, .atol = 1e-13, .log = {}}, {});
  daedal::Run run;
  stepper->start(0.0, std::vector{std::numbers::pi / 2.0, 0.0}, {}, run, end);
  test::run_to(*stepper, end);
  return {std::sin(stepper->x()[0]), -std::cos(stepper->x()[0])};
}

TEST(SymmetricProjection, KeepsPositionAndVelocityOnTheManifold) {
  for (const int stages : {1, 2, 3}) {
    const auto drift = run_pendulum(stages, 0.01, 10.0);
    EXPECT_LT(drift.position, 1e-12) << stages;
    EXPECT_LT(drift.velocity, 1e-12) << stages;
  }
}

TEST(SymmetricProjection, KeepsTheOrderOfTheScheme) {
  const auto exact = reference(5.0);
  for (const int stages : {1, 2}) {
    const double order = test::fit_order({0.01, 0.005, 0.0025}, [&](double h) {
      return test::distance(In(run_pendulum(stages, h, 5.0).end).first(2), exact);
    });
    EXPECT_NEAR(order, 2 * stages, 0.2);
  }
}

TEST(SymmetricProjection, ReachesTheAccuracyOfThePaperWithGauss4) {
  const auto exact = reference(10.0);
  EXPECT_LT(test::distance(In(run_pendulum(2, 0.01, 10.0).end).first(2), exact), 1e-6);
}

TEST(SymmetricProjection, LosesNoEnergyOverALongRun) {
  // Means over tenths of a run of 100 s cancel the bounded oscillation; they lie 90 s apart.
  const auto midpoint = run_pendulum(1, 0.01, 100.0);
  EXPECT_LT(std::abs(midpoint.last_energy - midpoint.first_energy) / 90.0, 1e-6);
  const auto gauss = run_pendulum(2, 0.01, 100.0);
  EXPECT_LT(std::abs(gauss.last_energy - gauss.first_energy) / 90.0, 1e-10);
}

TEST(SymmetricProjection, IsSymmetricToRoundOff) {
  const Pendulum pendulum;
  const auto go = [&](double t, const std::vector<double>& x, double end) {
    const auto stepper = find_integrator("gauss").make_explicit(
        pendulum.system, {.fixed_step = 0.02, .symmetric_projection = true}, {});
    daedal::Run run;
    stepper->start(t, x, {}, run, end);
    EXPECT_EQ(test::run_to(*stepper, end).status, Status::success);
    return std::vector(stepper->x().begin(), stepper->x().end());
  };
  const std::vector start{1.0, 0.0, 0.0, 0.0};
  EXPECT_LT(test::distance(go(2.0, go(0.0, start, 2.0), 0.0), start), 1e-11);
}

TEST(SymmetricProjection, BendsTheDenseOutputToEndOnTheManifold) {
  const Pendulum pendulum;
  const auto stepper = find_integrator("gauss").make_explicit(
      pendulum.system, {.fixed_step = 0.05, .symmetric_projection = true}, Gauss{.stages = 1});
  daedal::Run run;
  const std::vector start{1.0, 0.0, 0.0, 0.0};
  stepper->start(0.0, start, {}, run, 1.0);
  stepper->advance(1.0);
  std::vector<double> x(4);
  stepper->interpolate(0.0, x, {});
  EXPECT_LT(test::distance(x, start), 1e-14);
  stepper->interpolate(0.05, x, {});
  EXPECT_LT(test::distance(x, stepper->x()), 1e-14);
}

TEST(SymmetricProjection, RefusesSystemsWithoutInvariantsAndSchemesWithoutSymmetry) {
  const FunctionOde free(1, [](double, In, Out xp) { xp[0] = 0.0; });
  EXPECT_THROW(find_integrator("gauss").make_explicit(
                   free, {.fixed_step = 0.1, .symmetric_projection = true}, {}),
               OptionError);
  const Pendulum pendulum;
  EXPECT_THROW(SymmetricProjection(pendulum.system, std::make_unique<ExplicitRungeKutta>(
                                                        pendulum.system, classical_rk4())),
               OptionError);
}

}  // namespace
}  // namespace daedal::integration
