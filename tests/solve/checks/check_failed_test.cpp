// SPDX-License-Identifier: BSD-3-Clause
/// Methods that are wrong on purpose, added to the catalogue as any method is: a struct with its
/// fields, a function that makes its formulation, and a row. They run as all methods do, prepared,
/// driven, recorded and checked against the equations of the model that was given.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/frame/registry.hpp"
#include "model/simplify/simplify.hpp"

namespace daedal {
namespace {

using formulation::Formulation;
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

/// `ode` for a decay that is faster by a factor than the one of the model.
struct FastDecay {
  using Category = MethodCategory;
  static constexpr std::string_view name = "test-fast-decay";
  double factor = 2.0;
  static constexpr auto fields() {
    return std::tuple{field("factor", &FastDecay::factor, "of the rate", positive)};
  }
};

Formulation make_fast_decay(const FastDecay& method, const Request& request) {
  Request wrong = request;
  wrong.model = simplify(decay(method.factor)).model;
  wrong.method = Ode{};
  wrong.recognized = nullptr;
  return formulation::find_method(Ode::name).make(wrong);
}

/// `orthogonal-projection` on a rod of another length.
struct LongRod {
  using Category = MethodCategory;
  static constexpr std::string_view name = "test-long-rod";
  static constexpr std::tuple<> fields() { return {}; }
};

Formulation make_long_rod(const LongRod&, const Request& request) {
  Request wrong = request;
  wrong.model = simplify(pendulum(1.2)).model;
  wrong.method = OrthogonalProjection{};
  wrong.recognized = nullptr;
  return formulation::find_method(OrthogonalProjection::name).make(wrong);
}

/// What it integrates is right; its first output is not.
struct WrongOutput {
  using Category = MethodCategory;
  static constexpr std::string_view name = "test-wrong-output";
  static constexpr std::tuple<> fields() { return {}; }
};

Formulation make_wrong_output(const WrongOutput&, const Request& request) {
  Request right = request;
  right.method = OrthogonalProjection{};
  Formulation made = formulation::find_method(OrthogonalProjection::name).make(right);
  made.outputs.to_model = [to_model = made.outputs.to_model](
                              double t, std::span<const double> x, std::span<const double> xp,
                              Run& run, std::span<double> values, std::span<double> derivatives) {
    to_model(t, x, xp, run, values, derivatives);
    values[0] += 0.5;
  };
  return made;
}

const bool is_added = [] {
  const MethodInfo about{.summary = "Wrong on purpose.", .default_integrator = "dop853"};
  formulation::add_method(formulation::method_row<FastDecay, make_fast_decay>(about));
  formulation::add_method(formulation::method_row<LongRod, make_long_rod>(about));
  formulation::add_method(formulation::method_row<WrongOutput, make_wrong_output>(about));
  return true;
}();

TEST(CheckFailed, IsNotTheEndOfAMethodThatIsRight) {
  EXPECT_EQ(solve(decay(1.0), {0.0, 1.0}, {.method = Ode{}}).status, Status::success);
  EXPECT_EQ(solve(decay(1.0), {0.0, 1.0}, {.method = FastDecay{.factor = 1.0}}).status,
            Status::success);
}

TEST(CheckFailed, IsTheEndOfAMethodWithAWrongEquationOfMotion) {
  const Solution s = solve(decay(1.0), {0.0, 1.0}, {.method = FastDecay{}});
  EXPECT_EQ(s.status, Status::check_failed) << s.message;
  EXPECT_THAT(s.message, StartsWith("The result does not satisfy the model's equations"));
  EXPECT_THAT(s.message, HasSubstr("'decay'"));
  // What was computed is kept: e^(−2t).
  EXPECT_EQ(s.times.back(), 1.0);
  EXPECT_NEAR(s.final_value("x"), std::exp(-2.0), 1e-5);
}

TEST(CheckFailed, IsTheEndOfAMethodWithAWrongConstraint) {
  const Solution s = solve(pendulum(1.0), {0.0, 1.0}, {.method = LongRod{}});
  EXPECT_EQ(s.status, Status::check_failed) << s.message;
  EXPECT_THAT(s.message, HasSubstr("'rod'"));
}

TEST(CheckFailed, IsTheEndOfAMethodThatReadsItsStateWrongly) {
  const Solution s = solve(pendulum(1.0), {0.0, 1.0}, {.method = WrongOutput{}});
  EXPECT_EQ(s.status, Status::check_failed) << s.message;
  EXPECT_THAT(s.message, HasSubstr("'rod'"));
}

TEST(CheckFailed, IsAWarningWhereTheRunFailedAnyway) {
  const Solution s = solve(decay(1.0), {0.0, 1.0}, {.method = FastDecay{}, .max_steps = 2});
  EXPECT_EQ(s.status, Status::max_steps_reached) << s.message;
  EXPECT_THAT(s.warnings, Contains(HasSubstr("does not satisfy the model's equations")));
}

TEST(CheckFailed, IsNotAskedForWithFixedStepsWhichPromiseNoTolerance) {
  const Solution s = solve(decay(1.0), {0.0, 1.0},
                           {.method = FastDecay{}, .integrator = Rk4{}, .fixed_step = 0.01});
  EXPECT_EQ(s.status, Status::success) << s.message;
}

// A method that was added is in the catalogue, is chosen by its text, and its fields are checked.
TEST(AnAddedMethod, IsAsGoodAsTheOthers) {
  const Solution s = solve(decay(1.0), {0.0, 1.0}, {.method = "test-fast-decay:factor=3"});
  EXPECT_NEAR(s.final_value("x"), std::exp(-3.0), 1e-5);
  EXPECT_THROW((void)solve(decay(1.0), {0.0, 1.0}, {.method = "test-fast-decay:factor=-3"}),
               OptionError);
  EXPECT_THAT(methods(), Contains(testing::Field(&MethodInfo::name, FastDecay::name)));
}

}  // namespace
}  // namespace daedal
