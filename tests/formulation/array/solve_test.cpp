// SPDX-License-Identifier: BSD-3-Clause
// What the solution of F_k = 0 at given coordinates has to bear.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/array/derivative_array.hpp"
#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"
#include "problems/problems.hpp"
#include "support/allocation_count.hpp"

namespace daedal::formulation {
namespace {

TEST(ArraySolve, DampsWhereAFullStepWouldDiverge) {
  // atan(10 (x − y)) = 0, y' = 1: Newton's method for x diverges from |10 (x − y)| > 1.3917 on,
  // each full step farther away than the one before.
  ModelBuilder b("Arctangent");
  const Expr x = b.variable("x", {.start = 0.0});
  const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
  b.equation(der(y) == 1.0);
  b.equation(atan(10.0 * (x - y)) == 0.0, "constraint");
  const Model model = b.build();
  ArraySettings settings;
  settings.schedule = {{0.0, {0}}};
  const ArraySystem system(general_view(model), {}, {}, settings);
  const auto base = system.make_run();
  auto& run = run_of<ArrayRun>(*base);
  ASSERT_EQ(system.start(0.0, run).status, Status::success);
  std::vector<double> state{0.0, 0.2};  // 10 (x − y) = −2
  ASSERT_EQ(system.complete(0.0, state, run), Evaluation::ok) << run.failure.detail;
  EXPECT_NEAR(state[0], 0.2, 1e-12);
  EXPECT_EQ(state[1], 0.2);
  std::vector<double> slope(2);
  ASSERT_EQ(system.rhs(0.0, state, run, slope), Evaluation::ok);
  EXPECT_NEAR(slope[0], 1.0, 1e-10);
}

/// The number of allocations after a warm-up and at the end.
class AllocationWatch final : public integration::Observer {
 public:
  int n_steps = 0;
  long after_warm_up = 0;
  long at_the_end = 0;
  void on_output(double, std::span<const double>, std::span<const double>, Run&) override {}
  void on_step(const integration::StepReport&, const integration::Stepper&, Run&) override {
    if (++n_steps == 20) after_warm_up = daedal::test::n_allocations();
    at_the_end = daedal::test::n_allocations();
  }
  void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}
};

TEST(ArraySolve, AllocatesNothingInTheLoop) {
  for (const auto& problem : {problems::flexible_arm(5), problems::pendulum()}) {
    const Model& model = problem.model;
    const ArraySystem system(general_view(model), model.parameter_values(), {}, {});
    const auto run = system.make_run();
    const Start start = system.start(0.0, run_of<ArrayRun>(*run));
    ASSERT_EQ(start.status, Status::success) << start.message;
    integration::StepOptions step;
    step.fixed_step = 0.01;
    const auto stepper = integration::find_integrator("abm5").make_explicit(system, step, {});
    AllocationWatch watch;
    // Until the pendulum's first change of partition, where an order of elimination is found anew.
    const auto outcome =
        integration::drive(system, *stepper, *run, start.x, start.xp, {.t1 = 0.4}, watch);
    ASSERT_EQ(outcome.status, Status::success) << outcome.message;
    ASSERT_GE(watch.n_steps, 39);
    EXPECT_EQ(watch.at_the_end, watch.after_warm_up) << model.name();
  }
}

/// The pendulum of problems::pendulum() with every equation mixed into every other: E f = 0 with a
/// full matrix E that varies with the state, and Φ_i(y) = Σ_(j ≤ i) ((y_j − α)² − α²) of Campbell
/// and Moore (39) on top. No constraint is visible any more.
Model mixed_pendulum() {
  ModelBuilder b("MixedPendulum");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 0.0});
  const Expr u = b.variable("u", {.start = 0.0});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda", {.start = 0.0});
  const std::vector<Expr> f{der(x) - u, der(y) - v, der(u) + lambda * x, der(v) + lambda * y + 9.81,
                            sqr(x) + sqr(y) - 1.0};
  const double alpha = 40.0;
  Expr sum = sqr(f[0] - alpha) - alpha * alpha;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (i > 0) sum = sum + (sqr(f[i] - alpha) - alpha * alpha);
    b.equation(sum + 0.1 * (2.0 + sin(x)) * f[(i + 1) % f.size()] == 0.0);
  }
  return b.build();
}

TEST(DerivativeArray, ThePendulumIsTheSameFullyImplicitAndMixed) {
  const problems::Problem plain = problems::pendulum();
  for (const char* integrator : {"dop853", "adams"}) {
    SolveOptions options;
    options.method = "derivative-array";
    options.integrator = integrator;
    options.rtol = options.atol = 1e-9;
    const Solution mixed = solve(mixed_pendulum(), {0.0, 2.0}, options);
    ASSERT_EQ(mixed.status, Status::success) << mixed.message;
    const Solution reference = solve(plain.model, {0.0, 2.0}, options);
    const char* const pairs[][2] = {
        {"x", "x"}, {"y", "y"}, {"u", "vx"}, {"v", "vy"}, {"lambda", "lambda"}};
    for (const auto& [ours, theirs] : pairs) {
      EXPECT_NEAR(mixed.final_value(ours), reference.final_value(theirs), 1e-6)
          << ours << ' ' << integrator;
    }
    const double x = mixed.final_value("x"), y = mixed.final_value("y");
    EXPECT_NEAR(x * x + y * y, 1.0, 1e-10);
  }
}

}  // namespace
}  // namespace daedal::formulation
