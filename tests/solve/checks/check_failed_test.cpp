// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <daedal/model.hpp>
#include <memory>
#include <string>
#include <utility>

#include "model/simplify/simplify.hpp"
#include "solve/run_segment.hpp"

// Methods that are wrong on purpose, run as solve() runs its own: prepared, driven, recorded and
// checked against the equations of the model that was given.

namespace daedal {
namespace {

using formulation::Formulation;
using formulation::MethodInfo;
using formulation::Request;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

Model decay(double rate) {
  ModelBuilder b("Decay");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(der(x) == -rate * x, "decay");
  return b.build();
}
Model slow_decay() {
  return decay(1.0);
}
Model fast_decay() {
  return decay(2.0);
}

Model pendulum(double length) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
  const Expr u = b.variable("u");
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x);
  b.equation(der(v) == -lambda * y - 9.81);
  b.equation(sqr(x) + sqr(y) == length * length, "rod");
  return b.build();
}
Model short_pendulum() {
  return pendulum(1.0);
}
Model long_pendulum() {
  return pendulum(1.2);
}

/// The method `Named`, which is made for the model `Other` instead of the one it is asked for.
template <const MethodInfo& (*Named)(), Model (*Other)()>
MethodInfo of_another_model() {
  MethodInfo method = Named();
  method.make = [](const Request& request) {
    Request wrong = request;
    wrong.model = simplify(Other()).model;
    return Named().make(wrong);
  };
  return method;
}

const MethodInfo& ode() {
  return formulation::find_method("ode");
}
const MethodInfo& projection() {
  return formulation::find_method("orthogonal-projection");
}

/// What the wrapped formulation integrates is right; its first output is not.
class WrongWayBack final : public Formulation {
 public:
  explicit WrongWayBack(std::unique_ptr<Formulation> right) : right_(std::move(right)) {}

  [[nodiscard]] const ImplicitSystem* implicit_system() const override {
    return right_->implicit_system();
  }
  [[nodiscard]] const ExplicitSystem* explicit_system() const override {
    return right_->explicit_system();
  }
  formulation::Start start(double t0, Run& run) const override { return right_->start(t0, run); }
  [[nodiscard]] std::span<const std::string> output_names() const override {
    return right_->output_names();
  }
  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override {
    right_->to_model(t, x, xp, run, values, derivatives);
    values[0] += 0.5;
  }

 private:
  std::unique_ptr<Formulation> right_;
};

/// The run of one method from 0 to 1, without the choice of methods before it.
Solution run(const MethodInfo& method, const Model& model, const Options& options = {}) {
  const TimeSpan span{0.0, 1.0};
  const Simplified simplified = simplify(model);
  Request request;
  request.model = simplified.model;
  solve_detail::Journey journey{.span = span,
                                .options = options,
                                .recovery = simplified.recovery,
                                .n_continuous = simplified.model.variables().size(),
                                .dense = nullptr,
                                .began = std::chrono::steady_clock::now()};
  solve_detail::Attempt attempt = solve_detail::prepare({.method = &method}, request, 0.0, options);
  Solution solution;
  run_leg(attempt, request, 0.0, journey, solution);
  return solution;
}

TEST(CheckFailed, IsNotTheEndOfAMethodThatIsRight) {
  EXPECT_EQ(run(ode(), slow_decay()).status, Status::success);
  EXPECT_EQ(run(projection(), short_pendulum()).status, Status::success);
}

TEST(CheckFailed, IsTheEndOfAMethodWithAWrongEquationOfMotion) {
  const MethodInfo method = of_another_model<ode, fast_decay>();
  const Solution s = run(method, slow_decay());
  EXPECT_EQ(s.status, Status::check_failed) << s.message;
  EXPECT_THAT(s.message, StartsWith("The result does not satisfy the model's equations"));
  EXPECT_THAT(s.message, HasSubstr("'decay'"));
  // What was computed is kept: e^(−2t).
  EXPECT_EQ(s.times.back(), 1.0);
  EXPECT_NEAR(s.final_value("x"), std::exp(-2.0), 1e-5);
}

TEST(CheckFailed, IsTheEndOfAMethodWithAWrongConstraint) {
  const MethodInfo method = of_another_model<projection, long_pendulum>();
  const Solution s = run(method, short_pendulum());
  EXPECT_EQ(s.status, Status::check_failed) << s.message;
  EXPECT_THAT(s.message, HasSubstr("'rod'"));
}

TEST(CheckFailed, IsTheEndOfAMethodThatReadsItsStateWrongly) {
  MethodInfo method = projection();
  method.make = [](const Request& request) -> std::unique_ptr<Formulation> {
    return std::make_unique<WrongWayBack>(projection().make(request));
  };
  const Solution s = run(method, short_pendulum());
  EXPECT_EQ(s.status, Status::check_failed) << s.message;
  EXPECT_THAT(s.message, HasSubstr("'rod'"));
}

TEST(CheckFailed, IsAWarningWhereTheRunFailedAnyway) {
  const MethodInfo method = of_another_model<ode, fast_decay>();
  const Solution s = run(method, slow_decay(), {.max_steps = 2});
  EXPECT_EQ(s.status, Status::max_steps_reached) << s.message;
  EXPECT_THAT(s.warnings, Contains(HasSubstr("does not satisfy the model's equations")));
}

TEST(CheckFailed, IsNotAskedForWithFixedStepsWhichPromiseNoTolerance) {
  const MethodInfo method = of_another_model<ode, fast_decay>();
  const Solution s = run(method, slow_decay(), {.integrator = "rk4", .fixed_step = 0.01});
  EXPECT_EQ(s.status, Status::success) << s.message;
}

}  // namespace
}  // namespace daedal
