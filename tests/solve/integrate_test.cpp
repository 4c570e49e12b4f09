// SPDX-License-Identifier: BSD-3-Clause
// Systems written in C++ against closed forms, and against the same equations as models.
#include <daedal/integrate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/solve.hpp>
#include <thread>

#include "support/function_systems.hpp"

namespace daedal {
namespace {

using test::FunctionDae;
using test::FunctionOde;
using test::In;
using test::Out;
using testing::HasSubstr;

constexpr double gravity = 9.81;

/// A mass on a rod of length 1 from the horizontal, index 3.
Model pendulum_model() {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
  const Expr u = b.variable("u");
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x);
  b.equation(der(v) == -lambda * y - gravity);
  b.equation(x * x + y * y == 1.0);
  return b.build();
}

/// x² + y² = 1 and xu + yv = 0, projected along the radius.
class Rod final : public Manifold {
 public:
  [[nodiscard]] int n_levels() const override { return 2; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return 1; }
  Evaluation residual(double, In x, int level, Run&, Out values) const override {
    values[0] = level == 0 ? x[0] * x[0] + x[1] * x[1] - 1.0 : x[0] * x[2] + x[1] * x[3];
    return Evaluation::ok;
  }
  Evaluation project(double, Out x, In, Run&) const override {
    const double radius = std::hypot(x[0], x[1]);
    x[0] /= radius;
    x[1] /= radius;
    const double along = x[0] * x[2] + x[1] * x[3];
    x[2] -= along * x[0];
    x[3] -= along * x[1];
    return Evaluation::ok;
  }
};

/// With λ = u² + v² − g y from the constraint differentiated twice, on |q| = 1.
FunctionOde explicit_pendulum() {
  return {4, [](double, In x, Out xp) {
            const double lambda =
                (x[2] * x[2] + x[3] * x[3] - gravity * x[1]) / (x[0] * x[0] + x[1] * x[1]);
            xp[0] = x[2];
            xp[1] = x[3];
            xp[2] = -lambda * x[0];
            xp[3] = -lambda * x[1] - gravity;
          }};
}

/// The form of Gear, Gupta and Leimkuhler (1985), index 2: q' = v − Gᵀμ, both levels as equations.
struct GglPendulum {
  GglPendulum() {
    system.unknown_kinds.resize(6);
    for (const std::size_t multiplier : {4U, 5U}) {
      system.unknown_kinds[multiplier] = {
          .differential = false, .index = 2, .in_error_test = false};
    }
    system.names = {"x", "y", "u", "v", "lambda", "mu"};
  }
  FunctionDae system{6, [](double, In x, In xp, Out f) {
                       f[0] = xp[0] - x[2] + x[0] * x[5];
                       f[1] = xp[1] - x[3] + x[1] * x[5];
                       f[2] = xp[2] + x[4] * x[0];
                       f[3] = xp[3] + x[4] * x[1] + gravity;
                       f[4] = x[0] * x[0] + x[1] * x[1] - 1.0;
                       f[5] = x[0] * x[2] + x[1] * x[3];
                     }};
  StartValues start{{1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, -gravity, 0.0, 0.0}};
};

constexpr TimeSpan two_seconds{0.0, 2.0};

TEST(Integrate, PendulumOnItsManifoldMatchesTheModel) {
  const Solution model = solve(pendulum_model(), two_seconds, {.rtol = 1e-9, .atol = 1e-11});
  ASSERT_EQ(model.status, Status::success) << model.message;
  FunctionOde system = explicit_pendulum();
  const Rod rod;
  system.invariants = &rod;
  for (const char* integrator : {"auto", "dopri5", "adams", "cvode-bdf", "bdf", "radau"}) {
    const Solution s = integrate(system, {1.0, 0.0, 0.0, 0.0}, two_seconds,
                                 {.integrator = integrator, .rtol = 1e-9, .atol = 1e-11});
    ASSERT_EQ(s.status, Status::success) << integrator << ": " << s.message;
    EXPECT_NEAR(s.final_value("x[1]"), model.final_value("x"), 1e-6) << integrator;
    EXPECT_NEAR(s.final_value("x[4]"), model.final_value("v"), 1e-6) << integrator;
    ASSERT_EQ(s.constraints.size(), 2U);
    EXPECT_LT(s.constraints[0].max_residual, 1e-14) << integrator;
    EXPECT_LT(s.constraints[1].max_residual, 1e-14) << integrator;
    EXPECT_GE(s.statistics.projections, s.statistics.steps) << integrator;
  }
}

TEST(Integrate, GglPendulumMatchesTheModel) {
  const Solution model = solve(pendulum_model(), two_seconds, {.rtol = 1e-9, .atol = 1e-11});
  ASSERT_EQ(model.status, Status::success) << model.message;
  const GglPendulum pendulum;
  for (const char* integrator : {"auto", "radau"}) {
    const Solution s = integrate(pendulum.system, pendulum.start, two_seconds,
                                 {.integrator = integrator, .rtol = 1e-8, .atol = 1e-10});
    ASSERT_EQ(s.status, Status::success) << integrator << ": " << s.message;
    EXPECT_EQ(s.names, pendulum.system.names);
    for (const char* name : {"x", "y", "u", "v"}) {
      EXPECT_NEAR(s.final_value(name), model.final_value(name), 1e-5) << integrator << " " << name;
      EXPECT_NEAR(s.at(1.3, name), model.at(1.3, name), 1e-5) << integrator << " " << name;
    }
    // The multipliers are not in the error test. Radau IIA with three stages finds them to order 3
    // (Hairer, Lubich, Roche 1989), and steps are about 0.01: 18·1e-6 times a constant.
    EXPECT_NEAR(s.final_value("lambda"), model.final_value("lambda"), 1e-3) << integrator;
  }
}

/// Robertson's kinetics, with the conservation of mass in place of the third rate.
Model robertson_model() {
  ModelBuilder b("Robertson");
  const Expr y1 = b.variable("y1", {.start = 1.0, .fixed = true});
  const Expr y2 = b.variable("y2", {.start = 0.0, .fixed = true});
  const Expr y3 = b.variable("y3");
  b.equation(der(y1) == -0.04 * y1 + 1e4 * y2 * y3);
  b.equation(der(y2) == 0.04 * y1 - 1e4 * y2 * y3 - 3e7 * y2 * y2);
  b.equation(y1 + y2 + y3 == 1.0);
  return b.build();
}

TEST(Integrate, RobertsonMatchesTheModel) {
  const TimeSpan span{0.0, 40.0};
  const Solution model = solve(robertson_model(), span, {.rtol = 1e-8, .atol = 1e-12});
  ASSERT_EQ(model.status, Status::success) << model.message;
  const FunctionDae implicit{3, [](double, In y, In yp, Out f) {
                               f[0] = yp[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
                               f[1] = yp[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
                               f[2] = y[0] + y[1] + y[2] - 1.0;
                             }};
  const FunctionOde explicit_form{3, [](double, In y, Out yp) {
                                    yp[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                                    yp[2] = 3e7 * y[1] * y[1];
                                    yp[1] = -yp[0] - yp[2];
                                  }};
  const auto expect_match = [&](const Solution& s, const char* who) {
    ASSERT_EQ(s.status, Status::success) << who << ": " << s.message;
    EXPECT_NEAR(s.final_value("x[1]"), model.final_value("y1"), 1e-6) << who;
    EXPECT_NEAR(s.final_value("x[2]"), model.final_value("y2"), 1e-10) << who;
    EXPECT_NEAR(s.final_value("x[3]"), model.final_value("y3"), 1e-6) << who;
  };
  for (const char* integrator : {"bdf", "radau"}) {
    const IntegrateOptions options{.integrator = integrator, .rtol = 1e-8, .atol = 1e-12};
    expect_match(integrate(implicit, {{1.0, 0.0, 0.0}, {-0.04, 0.04, 0.0}}, span, options),
                 integrator);
    expect_match(integrate(explicit_form, {1.0, 0.0, 0.0}, span, options), integrator);
  }
}

TEST(Integrate, AutoGoesOnWithBdfWhereTheSystemIsStiff) {
  // x1 follows cos t at the rate 1e5.
  const FunctionOde system{
      1, [](double t, In x, Out xp) { xp[0] = -1e5 * (x[0] - std::cos(t)) - std::sin(t); }};
  const Solution s = integrate(system, {1.0}, {0.0, 10.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.requested, "auto");
  EXPECT_EQ(s.integrator.used, "bdf");
  ASSERT_EQ(s.notices.size(), 1U);
  EXPECT_THAT(s.notices.front(), HasSubstr("stiff for 'dop853'"));
  EXPECT_NEAR(s.final_value("x[1]"), std::cos(10.0), 1e-4);
  EXPECT_TRUE(std::ranges::is_sorted(s.times, std::less_equal{})) << "no point comes twice";
  for (int i = 0; i <= 100; ++i) EXPECT_NEAR(s.at(0.1 * i, "x[1]"), std::cos(0.1 * i), 1e-4);
  const Solution asked = integrate(system, {1.0}, {0.0, 0.1}, {.integrator = "dop853"});
  ASSERT_EQ(asked.status, Status::success) << asked.message;
  ASSERT_EQ(asked.warnings.size(), 1U);
  EXPECT_THAT(asked.warnings.front(), HasSubstr("stiff"));
}

/// A ball that keeps its speed at the floor: from height 1 it lands at √(2/g), and every 2√(2/g).
template <class System>
void add_bounces(System& system) {
  system.events = {
      .n = 1,
      .values = [](double, In x, In, Out g) { g[0] = x[0]; },
      .crossings = {Crossing::falling},
      .on_event = [](double, std::span<const std::int64_t>, Out x, Out xp, Run&) -> Change {
        x[1] = -x[1];
        xp[0] = x[1];
        return {Change::Kind::unknowns, Status::success, ""};
      }};
}

TEST(Integrate, ExecutesEvents) {
  FunctionOde ball{2, [](double, In x, Out xp) {
                     xp[0] = x[1];
                     xp[1] = -gravity;
                   }};
  add_bounces(ball);
  FunctionDae implicit_ball{2, [](double, In x, In xp, Out f) {
                              f[0] = xp[0] - x[1];
                              f[1] = xp[1] + gravity;
                            }};
  add_bounces(implicit_ball);
  const double fall = std::sqrt(2.0 / gravity);
  const IntegrateOptions options{.rtol = 1e-9, .atol = 1e-10, .interval = 0.01};
  for (const Solution& s :
       {integrate(ball, {1.0, 0.0}, {0.0, 2.0}, options),
        integrate(implicit_ball, {{1.0, 0.0}, {0.0, -gravity}}, {0.0, 2.0}, options)}) {
    ASSERT_EQ(s.status, Status::success) << s.message;
    ASSERT_EQ(s.events.size(), 2U);
    EXPECT_NEAR(s.events[0].time, fall, 1e-7);
    EXPECT_NEAR(s.events[1].time, 3.0 * fall, 1e-6);
    EXPECT_EQ(s.events[0].what, "event function 1");
    EXPECT_EQ(s.n_rows(), 201U + 2U * 2U) << "a point before and after each event";
    const double late = 2.0 - 4.0 * fall;
    EXPECT_NEAR(s.final_value("x[1]"), 1.0 - 0.5 * gravity * late * late, 1e-6);
  }
}

TEST(Integrate, RunsBackwardInTime) {
  const FunctionOde ode = test::oscillator();
  const Solution s = integrate(ode, {1.0, 0.0}, {0.0, -3.0}, {.rtol = 1e-9, .atol = 1e-11});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x[1]"), std::cos(3.0), 1e-7);
  EXPECT_NEAR(s.at(-1.5, "x[2]"), std::sin(1.5), 1e-6);
  const FunctionDae dae{2, [](double t, In x, In xp, Out f) {
                          f[0] = xp[0] - x[1];
                          f[1] = x[1] - std::exp(t);
                        }};
  const Solution implicit =
      integrate(dae, {{1.0, 1.0}, {1.0, 1.0}}, {0.0, -3.0}, {.rtol = 1e-8, .atol = 1e-10});
  ASSERT_EQ(implicit.status, Status::success) << implicit.message;
  EXPECT_NEAR(implicit.final_value("x[1]"), std::exp(-3.0), 1e-6);
}

/// Says nothing of its NaN from t = 1 on: the integrators must see it.
class Breaks final : public ExplicitSystem {
 public:
  [[nodiscard]] std::int64_t size() const override { return 2; }
  Evaluation rhs(double t, In x, Run&, Out xp) const override {
    xp[0] = -x[0];
    xp[1] = t < 1.0 ? 1.0 : NAN;
    return Evaluation::ok;
  }
};

TEST(Integrate, ACallbackThatReturnsNaNEndsTheRunAndKeepsIt) {
  for (const char* integrator : {"dop853", "dopri5", "adams", "cvode-bdf", "bdf", "radau"}) {
    const Solution s = integrate(Breaks{}, {1.0, 0.0}, {0.0, 2.0}, {.integrator = integrator});
    EXPECT_EQ(s.status, Status::non_finite_value) << integrator << ": " << s.message;
    EXPECT_NEAR(s.times.back(), 1.0, 1e-2) << integrator;
    EXPECT_NEAR(s.row(s.n_rows() - 1)[1], s.times.back(), 1e-6) << integrator;
  }
  const FunctionDae dae{2, [](double t, In x, In xp, Out f) {
                          f[0] = xp[0] + x[0];
                          f[1] = x[1] - (t < 1.0 ? t : NAN);
                        }};
  const Solution later = integrate(dae, {{1.0, 0.0}, {-1.0, 1.0}}, {0.0, 2.0});
  EXPECT_EQ(later.status, Status::non_finite_value);
  EXPECT_THAT(later.message, HasSubstr("equation 2"));
  EXPECT_NEAR(later.times.back(), 1.0, 1e-2);
  const Solution at_once = integrate(dae, {{1.0, 0.0}, {-1.0, 1.0}}, {3.0, 4.0});
  EXPECT_EQ(at_once.status, Status::non_finite_value);
  EXPECT_THAT(at_once.message, HasSubstr("equation 2"));
  EXPECT_EQ(at_once.n_rows(), 0U);
}

TEST(Integrate, ACancelledRunKeepsWhatItHas) {
  std::atomic<bool> cancel = false;
  const FunctionOde system{1, [&](double t, In, Out xp) {
                             if (t > 1.0) cancel = true;
                             xp[0] = 1.0;
                           }};
  const Solution s = integrate(system, {0.0}, {0.0, 10.0}, {.max_step = 0.1, .cancel = &cancel});
  EXPECT_EQ(s.status, Status::cancelled);
  EXPECT_NEAR(s.times.back(), 1.0, 0.2);
  EXPECT_NEAR(s.final_value("x[1]"), s.times.back(), 1e-12);
}

TEST(Integrate, StartValuesThatDoNotSatisfyTheEquationsAreRefusedByName) {
  GglPendulum pendulum;
  pendulum.start.x[0] = 1.01;  // 1.01² − 1 = 0.0201
  const Solution s = integrate(pendulum.system, pendulum.start, two_seconds);
  EXPECT_EQ(s.status, Status::inconsistent_start);
  EXPECT_THAT(s.message, HasSubstr("do not satisfy equation 5"));
  EXPECT_THAT(s.message, HasSubstr("0.0201"));
  EXPECT_EQ(s.n_rows(), 0U);
  pendulum.start.x[0] = 1.0;
  pendulum.start.xp[3] = 0.0;
  const Solution slope = integrate(pendulum.system, pendulum.start, two_seconds);
  EXPECT_EQ(slope.status, Status::inconsistent_start);
  EXPECT_THAT(slope.message, HasSubstr("do not satisfy equation 4"));
  FunctionOde ode = explicit_pendulum();
  const Rod rod;
  ode.invariants = &rod;
  const Solution off = integrate(ode, {1.01, 0.0, 0.0, 0.0}, two_seconds);
  EXPECT_EQ(off.status, Status::inconsistent_start);
  EXPECT_THAT(off.message, HasSubstr("x[1] = 1.01 would have to be 1."));
}

TEST(Integrate, RefusesOptionsThatDoNotFit) {
  const FunctionOde ode = test::oscillator();
  const GglPendulum pendulum;
  const auto code_of = [](const auto& call) {
    try {
      (void)call();
    } catch (const OptionError& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code_of([&] { return integrate(ode, {1.0}, {0.0, 1.0}); }), ErrorCode::invalid_option);
  EXPECT_EQ(code_of([&] { return integrate(ode, {1.0, 0.0}, {0.0, 1.0}, {.rtol = 0.0}); }),
            ErrorCode::invalid_option);
  EXPECT_EQ(
      code_of([&] { return integrate(ode, {1.0, 0.0}, {0.0, 1.0}, {.integrator = "dop835"}); }),
      ErrorCode::unknown_method);
  EXPECT_EQ(code_of([&] {
              return integrate(pendulum.system, pendulum.start, {0.0, 1.0},
                               {.integrator = "dop853"});
            }),
            ErrorCode::illegal_combination);
  EXPECT_EQ(code_of([&] { return integrate(ode, {1.0, 0.0}, {0.0, 1.0}, {.integrator = "rk4"}); }),
            ErrorCode::illegal_combination);
  EXPECT_EQ(code_of([&] {
              return integrate(ode, {1.0, 0.0}, {0.0, 1.0}, {.integrator = "radau:order=5"});
            }),
            ErrorCode::invalid_option);
  EXPECT_EQ(code_of([&] {
              return integrate(ode, {1.0, 0.0}, {0.0, 1.0}, {.symmetric_projection = true});
            }),
            ErrorCode::illegal_combination);
}

TEST(Integrate, DenseOutputIsKeptOnRequest) {
  const FunctionOde ode = test::oscillator();
  const Solution s = integrate(ode, {1.0, 0.0}, {0.0, 10.0}, {.rtol = 1e-9, .atol = 1e-11});
  for (int i = 0; i <= 200; ++i) EXPECT_NEAR(s.at(0.05 * i, "x[1]"), std::cos(0.05 * i), 1e-6);
  const Solution without = integrate(ode, {1.0, 0.0}, {0.0, 10.0}, {.dense_output = false});
  EXPECT_THROW((void)without.at(1.0, "x[1]"), OptionError);
}

/// A heat equation of 60 unknowns, whose Jacobian takes three groups of columns.
class Heat final : public ImplicitSystem {
 public:
  Heat() {
    pattern_ = {n, n, {0}, {}};
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = std::max<std::int64_t>(j - 1, 0); i < std::min(j + 2, n); ++i) {
        pattern_.row.push_back(i);
      }
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }
  static constexpr std::int64_t n = 60;
  [[nodiscard]] std::int64_t size() const override { return n; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation residual(double, In x, In xp, Run&, Out f) const override {
    ++n_residuals;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double left = i == 0 ? 0.0 : x[i - 1];
      const double right = i + 1 == x.size() ? 0.0 : x[i + 1];
      f[i] = xp[i] - (left - 2.0 * x[i] + right) * 61.0 * 61.0;
    }
    return Evaluation::ok;
  }
  mutable std::atomic<int> n_residuals = 0;

 private:
  SparsityPattern pattern_;
};

/// The lowest mode sin(πs) of the differences decays at the rate 4·61²·sin²(π/122).
TEST(Integrate, APatternMakesDifferencesCheap) {
  const Heat heat;
  StartValues start{std::vector<double>(Heat::n), std::vector<double>(Heat::n)};
  const double rate = 4.0 * 61.0 * 61.0 * std::pow(std::sin(M_PI / 122.0), 2);
  for (std::size_t i = 0; i < start.x.size(); ++i) {
    start.x[i] = std::sin(M_PI * static_cast<double>(i + 1) / 61.0);
    start.xp[i] = -rate * start.x[i];
  }
  const Solution s = integrate(heat, start, {0.0, 0.1}, {.rtol = 1e-7, .atol = 1e-9});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x[30]"), start.x[29] * std::exp(-0.1 * rate), 1e-5);
  // Two evaluations for each of three groups, for x and for x'; the start takes one as well.
  EXPECT_EQ(heat.n_residuals,
            s.statistics.residual_evaluations + 12 * (s.statistics.jacobian_evaluations + 1) + 1);
}

TEST(Integrate, ThreadsShareASystem) {
  const GglPendulum pendulum;
  const auto run = [&] { return integrate(pendulum.system, pendulum.start, two_seconds); };
  Solution other;
  std::thread thread([&] { other = run(); });
  const Solution here = run();
  thread.join();
  EXPECT_EQ(here.values, other.values);
}

}  // namespace
}  // namespace daedal
