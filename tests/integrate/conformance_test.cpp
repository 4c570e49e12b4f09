// SPDX-License-Identifier: BSD-3-Clause

/// What every scheme of the catalogue owes: its order, exactness, dense output, proportion of error
/// to tolerance, both directions of time, the same bits twice, and its failures by name.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "integrate/registry.hpp"
#include "integrate/stepping.hpp"
#include "support/order_fit.hpp"

namespace daedal::integration {
namespace {

using test::FunctionOde;
using test::In;
using test::Out;

/// x = e^(sin t), y = e^(cos t) solve x' = x log y, y' = -y log x.
const FunctionOde& exponentials() {
  static const FunctionOde system(2, [](double, In x, Out xp) {
    xp[0] = x[0] * std::log(x[1]);
    xp[1] = -x[1] * std::log(x[0]);
  });
  return system;
}

std::vector<double> exact(double t) {
  return {std::exp(std::sin(t)), std::exp(std::cos(t))};
}

/// A scheme with its parameters, and what its theory promises.
struct FixedCase {
  std::string name;
  FieldValues parameters;
  int order = 1;
  int dense_order = 1;
  std::vector<double> steps;  ///< where the leading error term rules and round-off does not
  std::vector<double> dense_steps = {};  ///< the same for the dense output, where they differ
};

std::string label(const std::string& name, const FieldValues& parameters) {
  std::string text = name;
  for (const auto& [key, value] : parameters) {
    text += "_" + key + std::to_string(static_cast<int>(*value.number()));
  }
  std::ranges::replace(text, '-', '_');
  return text;
}

void PrintTo(const FixedCase& scheme, std::ostream* out) {
  *out << label(scheme.name, scheme.parameters);
}

const std::vector<double> fine{0.01, 0.008, 0.005, 0.004};
const std::vector<double> medium{0.1, 0.08, 0.05, 0.04};
const std::vector<double> coarse{0.4, 0.25, 0.2, 0.16};

std::vector<FixedCase> fixed_cases() {
  std::vector<FixedCase> cases{
      {"euler-forward", {}, 1, 1, fine},
      {"rk4", {}, 4, 3, medium},
      {"dopri5", {}, 5, 4, medium},
      {"dop853", {}, 8, 7, coarse},
      {"euler-backward", {}, 1, 1, fine},
      {"radau", {{"stages", 1.0}}, 1, 1, fine},
      {"radau", {{"stages", 3.0}}, 5, 3, medium},
      {"radau", {{"stages", 5.0}}, 9, 5, {0.5, 0.4, 0.25}, coarse},
      {"gauss", {{"stages", 1.0}}, 2, 1, fine},
      {"gauss", {{"stages", 2.0}}, 4, 2, medium},
      {"gauss", {{"stages", 3.0}}, 6, 3, medium},
      {"abm5", {}, 5, 5, {0.04, 0.025, 0.02, 0.0125}},
  };
  for (int k = 1; k <= 6; ++k) {
    cases.push_back({"bdf-fixed", {{"order", static_cast<double>(k)}}, k, k, {}});
    cases.back().steps = k < 3 ? fine : std::vector{0.04, 0.025, 0.02, 0.0125};
  }
  return cases;
}

class FixedStep : public ::testing::TestWithParam<FixedCase> {};

std::unique_ptr<Stepper> make(const std::string& name, const FieldValues& parameters,
                              const ExplicitSystem& system, const StepOptions& options) {
  return find_integrator(name).make_explicit(system, options, Integrator(name, parameters));
}

/// The greatest errors on [0, 2] at the ends of the steps, and of the dense output inside them.
struct Errors {
  double steps = 0.0;
  double dense = 0.0;
};

Errors fixed_errors(const FixedCase& scheme, double h) {
  const auto stepper =
      make(scheme.name, scheme.parameters, exponentials(), {.fixed_step = h, .log = {}});
  daedal::Run run;
  stepper->start(0.0, exact(0.0), {}, run, 2.0);
  Errors errors;
  std::vector<double> x(2);
  const auto report = test::run_to(*stepper, 2.0, [&](const StepReport& step) {
    errors.steps = std::max(errors.steps, test::distance(stepper->x(), exact(step.t1)));
    for (const double theta : {0.3, 0.5, 0.8}) {
      const double t = step.t0 + theta * (step.t1 - step.t0);
      stepper->interpolate(t, x, {});
      errors.dense = std::max(errors.dense, test::distance(x, exact(t)));
    }
  });
  EXPECT_EQ(report.status, Status::success) << report.message;
  return errors;
}

TEST_P(FixedStep, HasItsOrderOnASmoothNonlinearProblem) {
  const auto& scheme = GetParam();
  const double order =
      test::fit_order(scheme.steps, [&](double h) { return fixed_errors(scheme, h).steps; });
  EXPECT_NEAR(order, scheme.order, 0.2);
}

TEST_P(FixedStep, HasItsDenseOutputOfTheStatedOrder) {
  const auto& scheme = GetParam();
  const auto& steps = scheme.dense_steps.empty() ? scheme.steps : scheme.dense_steps;
  const double order =
      test::fit_order(steps, [&](double h) { return fixed_errors(scheme, h).dense; });
  // The interpolation error is O(h^(dense_order+1)), on top of the error of the steps.
  EXPECT_NEAR(order, std::min(scheme.order, scheme.dense_order + 1), 0.25);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FixedStep, ::testing::ValuesIn(fixed_cases()),
                         [](const auto& tested) {
                           return label(tested.param.name, tested.param.parameters);
                         });

TEST(Conformance, TestsEveryFixedStepSchemeOfTheCatalogue) {
  std::set<std::string> tested;
  for (const auto& scheme : fixed_cases()) tested.insert(scheme.name);
  for (const auto& row : integrators()) {
    EXPECT_TRUE(!row.can.fixed_step || tested.contains(std::string(row.name))) << row.name;
  }
}

/// One step from 0 to 1 for x = t^degree: the error is that of the quadrature.
double power_error(const FixedCase& scheme, int degree) {
  const FunctionOde system(
      1, [degree](double t, In, Out xp) { xp[0] = degree * std::pow(t, degree - 1); });
  const auto stepper = make(scheme.name, scheme.parameters, system, {.fixed_step = 1.0, .log = {}});
  daedal::Run run;
  stepper->start(0.0, std::vector{0.0}, {}, run, 1.0);
  EXPECT_EQ(stepper->advance(1.0).status, Status::success);
  return std::abs(stepper->x()[0] - 1.0);
}

TEST(Conformance, OneStepSchemesAreExactOnPolynomialsUpToTheirOrderAndNotBeyond) {
  for (const auto& scheme : fixed_cases()) {
    if (scheme.name == "bdf-fixed" || scheme.name == "abm5") continue;  // fixed_multistep_test
    SCOPED_TRACE(label(scheme.name, scheme.parameters));
    for (int k = 1; k <= scheme.order; ++k) EXPECT_LT(power_error(scheme, k), 1e-13) << k;
    // The smallest constants are those of five-stage Radau, 10·4!²·5!²/(9!²·10) = 6e-5 (the norm of
    // a Jacobi polynomial), and of dop853.
    EXPECT_GT(power_error(scheme, scheme.order + 1), 1e-6);
  }
}

/// A scheme under error control with the slope of log(error) over log(tolerance) that its theory
/// gives, p/q: steps follow from estimate ~ h^q = tolerance, and the error from h^p.
struct ControlledCase {
  std::string name;
  FieldValues parameters;
  double slope = 1.0;
};

void PrintTo(const ControlledCase& scheme, std::ostream* out) {
  *out << label(scheme.name, scheme.parameters);
}

std::vector<ControlledCase> controlled_cases() {
  // The estimates of dopri5 and dop853 behave like h⁵ and h·(h⁵)²/h³ = h⁸. Those of the collocation
  // methods behave like h^(s+1), as their error between the ends of the steps does.
  return {{"dopri5", {}, 1.0},
          {"dop853", {}, 1.0},
          {"radau", {{"stages", 1.0}}, 1.0 / 2.0},
          {"radau", {{"stages", 3.0}}, 5.0 / 4.0},
          {"radau", {{"stages", 5.0}}, 9.0 / 6.0},
          {"radau", {}, 13.0 / 8.0},  // switching ends at seven stages: the problem is smooth
          {"gauss", {{"stages", 1.0}}, 2.0 / 2.0},
          {"gauss", {{"stages", 2.0}}, 4.0 / 3.0},
          {"gauss", {{"stages", 3.0}}, 6.0 / 4.0},
          {"euler-backward", {}, 1.0 / 2.0}};
}

class Controlled : public ::testing::TestWithParam<ControlledCase> {
 protected:
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper(const ExplicitSystem& system,
                                                      double tolerance) const {
    return make(GetParam().name, GetParam().parameters, system,
                {.rtol = tolerance, .atol = tolerance, .log = {}});
  }
};

TEST_P(Controlled, HasAnErrorInProportionToTheTolerance) {
  std::vector<double> tolerances;
  std::vector<double> errors;
  // Methods of order 1 and 2 need millions of steps below 1e-7.
  const double last =
      GetParam().slope < 0.6 || label(GetParam().name, GetParam().parameters) == "gauss_stages1"
          ? -7.0
          : -10.0;
  for (double exponent = -4.0; exponent >= last - 0.1; exponent -= 0.5) {
    const double tolerance = std::pow(10.0, exponent);
    const auto stepper = make_stepper(exponentials(), tolerance);
    daedal::Run run;
    stepper->start(0.0, exact(0.0), {}, run, 10.0);
    double error = 0.0;
    const auto report = test::run_to(*stepper, 10.0, [&](const StepReport& step) {
      error = std::max(error, test::distance(stepper->x(), exact(step.t1)));
    });
    ASSERT_EQ(report.status, Status::success) << report.message;
    // Stages are iterated to some hundred units of round-off, in each of many steps.
    if (error < 5e-12) break;
    tolerances.push_back(tolerance);
    errors.push_back(error);
  }
  EXPECT_NEAR(test::fit_slope(tolerances, errors), GetParam().slope, 0.15);
}

/// x' = -λ(x - sin(3t)) + 3 cos(3t) (Prothero, Robinson 1974): where it is stiff the ends of the
/// steps are far better than what lies between them, and the order is reduced.
TEST_P(Controlled, HoldsItsToleranceBetweenStepsOfAStiffProblem) {
  if (label(GetParam().name, GetParam().parameters).starts_with("do")) return;  // explicit
  for (const double rate : {1.0, 1e2, 1e4, 1e6}) {
    const FunctionOde system(1, [rate](double t, In x, Out xp) {
      xp[0] = -rate * (x[0] - std::sin(3.0 * t)) + 3.0 * std::cos(3.0 * t);
    });
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      // Methods of order 1 and 2 add up their errors over thousands of steps.
      if (tolerance < 1e-4 && GetParam().slope <= 1.0) continue;
      const auto stepper = make_stepper(system, tolerance);
      daedal::Run run;
      stepper->start(0.0, std::vector{0.0}, {}, run, 5.0);
      double error = 0.0;
      std::vector<double> x(1);
      const auto report = test::run_to(*stepper, 5.0, [&](const StepReport& step) {
        for (int k = 0; k <= 16; ++k) {
          const double t = step.t0 + k / 16.0 * (step.t1 - step.t0);
          stepper->interpolate(t, x, {});
          error = std::max(error, std::abs(x[0] - std::sin(3.0 * t)));
        }
      });
      ASSERT_EQ(report.status, Status::success) << report.message;
      const double allowed = GetParam().slope < 1.0 ? 100.0 : 10.0;
      EXPECT_LE(error, allowed * tolerance) << "rate " << rate << ", tolerance " << tolerance;
    }
  }
}

TEST_P(Controlled, IntegratesBackwardInTime) {
  const auto stepper = make_stepper(exponentials(), 1e-7);
  daedal::Run run;
  stepper->start(2.0, exact(2.0), {}, run, 0.0);
  ASSERT_EQ(test::run_to(*stepper, 0.0).status, Status::success);
  EXPECT_EQ(stepper->time(), 0.0);
  // The tolerance to the power of the slope, and a factor for two units of time. Switching begins
  // with three stages.
  const double slope = std::min(GetParam().slope, 5.0 / 4.0);
  EXPECT_LT(test::distance(stepper->x(), exact(0.0)), 10.0 * std::pow(1e-7, slope));
}

TEST_P(Controlled, GivesTheSameBitsTwice) {
  std::vector<std::vector<double>> ends;
  for (int k = 0; k < 2; ++k) {
    const auto stepper = make_stepper(exponentials(), 1e-6);
    daedal::Run run;
    stepper->start(0.0, exact(0.0), {}, run, 3.0);
    test::run_to(*stepper, 3.0);
    ends.emplace_back(stepper->x().begin(), stepper->x().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_P(Controlled, DerivativesOfTheHistoryAreThoseOfTheInterpolant) {
  const auto stepper = make_stepper(exponentials(), 1e-6);
  daedal::Run run;
  stepper->start(0.0, exact(0.0), {}, run, 3.0);
  const auto report = test::run_to(*stepper, 1.0);
  const double h = report.t1 - report.t0;
  const double t = report.t0 + 0.4 * h;
  ASSERT_GE(stepper->max_derivative(), 1);
  std::vector<double> x(2), xp(2), above(2), below(2), derivative(2);
  stepper->interpolate(t, x, xp);
  stepper->interpolate(t + 1e-3 * h, above, {});
  stepper->interpolate(t - 1e-3 * h, below, {});
  stepper->derivative(t, 0, derivative);
  EXPECT_LT(test::distance(derivative, x), 1e-14);
  stepper->derivative(t, 1, derivative);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_DOUBLE_EQ(derivative[i], xp[i]);
    // Central differences: cubic terms times 1e-6, and round-off over 2e-3 h.
    EXPECT_NEAR(derivative[i], (above[i] - below[i]) / (2e-3 * h), 1e-6 + 1e-12 / h);
  }
}

TEST_P(Controlled, ReportsUnderflowOfTheStepAtABlowUp) {
  // x = 1/(1 - t) has no continuation.
  const FunctionOde system(1, [](double, In x, Out xp) { xp[0] = x[0] * x[0]; });
  const auto stepper = make_stepper(system, 1e-4);
  daedal::Run run;
  stepper->start(0.0, std::vector{1.0}, {}, run, 2.0);
  const auto report = test::run_to(*stepper, 2.0);
  EXPECT_EQ(report.status, Status::step_size_underflow);
  EXPECT_NEAR(stepper->time(), 1.0, 0.1) << to_string(report.status);
  EXPECT_FALSE(report.message.empty());
}

TEST_P(Controlled, ReportsAValueThatIsNotFinite) {
  const FunctionOde system(1, [](double t, In, Out xp) { xp[0] = std::sqrt(1.0 - t); });
  const auto stepper = make_stepper(system, 1e-4);
  daedal::Run run;
  stepper->start(0.0, std::vector{0.0}, {}, run, 2.0);
  const auto report = test::run_to(*stepper, 2.0);
  EXPECT_EQ(report.status, Status::non_finite_value) << report.message;
  EXPECT_LE(stepper->time(), 1.0);
  EXPECT_GT(stepper->time(), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Controlled, ::testing::ValuesIn(controlled_cases()),
                         [](const auto& tested) {
                           return label(tested.param.name, tested.param.parameters);
                         });

}  // namespace
}  // namespace daedal::integration
