// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/derivative_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/formulation_support.hpp"
#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"
#include "problems/problems.hpp"
#include "support/order_fit.hpp"

namespace daedal::formulation {
namespace {

using Errors = std::array<double, 7>;

/// (37) and its derivative; λ ≡ 0.
Errors torus_solution(double t) {
  const double c = std::cos(t), s = std::sin(t);
  return {(5 * c + 10) * c,
          (5 * c + 10) * s,
          -5 * s,
          -10 * c * s - 10 * s,
          5 * (c * c - s * s) + 10 * c,
          -5 * c,
          0.0};
}

SolveOptions fixed_step(double h) {
  SolveOptions options;
  options.method = "derivative-array";
  options.integrator = "abm5";
  options.fixed_step = h;
  options.dense_output = false;
  return options;
}

struct TorusRun {
  Solution solution;
  Errors max_error{};
  double max_constraint = 0.0;  ///< |(36g)|
};

TorusRun run_torus(const SolveOptions& options) {
  TorusRun run;
  run.solution = solve(problems::torus().model, {0.0, 5.0}, options);
  for (std::size_t i = 0; i < run.solution.n_rows(); ++i) {
    const Errors exact = torus_solution(run.solution.times[i]);
    const auto x = run.solution.row(i);
    for (std::size_t j = 0; j < 7; ++j) {
      run.max_error[j] = std::max(run.max_error[j], std::abs(x[j] - exact[j]));
    }
    const double d = std::hypot(x[0], x[1]);
    run.max_constraint =
        std::max(run.max_constraint, std::abs(d * d + x[2] * x[2] - 20.0 * d + 75.0));
  }
  return run;
}

/// Constraints of all levels, hidden ones too, throughout: as many levels as the index.
void expect_small_constraints(const Solution& solution, int index) {
  ASSERT_EQ(solution.constraints.size(), static_cast<std::size_t>(index));
  for (const ConstraintLevel& level : solution.constraints) {
    EXPECT_LE(level.max_residual, 1e-10) << "level " << level.level;
  }
}

double worst(const Errors& errors) {
  return *std::max_element(errors.begin(), errors.end());
}

TEST(DerivativeArray, TheTorusIsBelowTheErrorsOfTable1) {
  struct Column {
    double h;
    Errors paper;
    double accepted;
  };
  const Column columns[] = {
      {0.1, {0.83566e-1, 0.24277, 0.66823e-1, 0.10225, 0.23177, 0.23452, 0.29790e-1}, 1e-2},
      {0.05,
       {0.29705e-3, 0.84379e-3, 0.24762e-3, 0.35684e-3, 0.79445e-3, 0.82335e-3, 0.10072e-3},
       5e-5},
      {0.01,
       {0.17743e-7, 0.51185e-7, 0.15315e-7, 0.21250e-7, 0.47475e-7, 0.49834e-7, 0.60497e-8},
       2e-8}};
  for (const Column& column : columns) {
    const TorusRun run = run_torus(fixed_step(column.h));
    ASSERT_EQ(run.solution.status, Status::success) << run.solution.message;
    for (std::size_t j = 0; j < 7; ++j) EXPECT_LE(run.max_error[j], column.paper[j]) << column.h;
    EXPECT_LE(worst(run.max_error), column.accepted);
    EXPECT_LE(run.max_constraint, 1e-11);
    EXPECT_GE(run.solution.statistics.reselections, 1);
    EXPECT_LE(run.solution.statistics.reselections, 10);
  }
}

TEST(DerivativeArray, TheTorusConvergesWithOrderFiveInAllVariables) {
  const std::vector<double> steps{0.05, 0.025, 0.0125};
  std::vector<std::vector<double>> errors(7);
  for (const double h : steps) {
    const TorusRun run = run_torus(fixed_step(h));
    for (std::size_t j = 0; j < 7; ++j) errors[j].push_back(run.max_error[j]);
  }
  for (std::size_t j = 0; j < 7; ++j) {
    const double order = daedal::test::fit_slope(steps, errors[j]);
    EXPECT_GE(order, 4.5) << j;
    EXPECT_LE(order, 6.5) << j;
  }
}

/// Runs the torus through the driver with settings that have no name outside.
struct DrivenTorus {
  Errors max_error{};
  double max_residual = 0.0;  ///< of G, all levels, in derivatives as the paper has them
  std::int64_t reselections = 0;
};

DrivenTorus drive_torus(const ArraySettings& settings, double h) {
  class Watch final : public integration::Observer {
   public:
    Watch(const ArraySystem& system, DrivenTorus& result) : system_(system), result_(result) {}
    void on_output(double t, std::span<const double> x, std::span<const double>,
                   Run& run) override {
      const Errors exact = torus_solution(t);
      for (std::size_t j = 0; j < 7; ++j) {
        result_.max_error[j] = std::max(result_.max_error[j], std::abs(x[j] - exact[j]));
      }
      for (int level = 0; level <= 3; ++level) {
        const double r = system_.solver().residual_of_level(t, x, level, run_of<ArrayRun>(run));
        if (!(r <= result_.max_residual)) result_.max_residual = r;
      }
    }
    void on_step(const integration::StepReport&, const integration::Stepper&, Run&) override {}
    void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}

   private:
    const ArraySystem& system_;
    DrivenTorus& result_;
  };
  DrivenTorus result;
  const Model model = problems::torus().model;
  const ArraySystem system(general_view(model), model.parameter_values(), {}, settings);
  const auto run = system.make_run();
  const Start start = system.start(0.0, run_of<ArrayRun>(*run));
  EXPECT_EQ(start.status, Status::success) << start.message;
  integration::StepOptions step;
  step.fixed_step = h;
  const auto stepper = integration::find_integrator("abm5").make_explicit(system, step, {});
  integration::DriverOptions options;
  options.t1 = 5.0;
  Watch watch(system, result);
  const auto outcome =
      integration::drive(system, *stepper, *run, start.x, start.xp, options, watch);
  EXPECT_EQ(outcome.status, Status::success) << outcome.message;
  result.reselections = outcome.statistics.reselections;
  return result;
}

TEST(DerivativeArray, TheStoppingCriterionDoesNotChangeTheError) {
  // Campbell, Moore, Table 2: ε = 1e-8, 1e-10, 1e-12.
  for (const double h : {0.1, 0.05, 0.01}) {
    const DrivenTorus exact = drive_torus({.epsilon = 1e-12}, h);
    EXPECT_LE(exact.max_residual, 1e-8) << h;
    for (const double epsilon : {1e-8, 1e-10}) {
      const DrivenTorus run = drive_torus({.epsilon = epsilon}, h);
      EXPECT_LE(run.max_residual, 1e-8) << h << ' ' << epsilon;
      for (std::size_t j = 0; j < 7; ++j) {
        EXPECT_NEAR(run.max_error[j], exact.max_error[j], 0.01 * exact.max_error[j]) << h;
      }
    }
  }
}

TEST(DerivativeArray, TheForcedScheduleReproducesThePapersOwnRun) {
  // Dependent {x1,x3,λ}, {x3,u3,λ} from t = 1.55, {x1,x3,λ} from 3.15, {x2,x3,λ} from 4.70.
  ArraySettings settings;
  settings.schedule = {{0.0, {0, 2, 6}}, {1.55, {2, 5, 6}}, {3.15, {0, 2, 6}}, {4.70, {1, 2, 6}}};
  const DrivenTorus run = drive_torus(settings, 0.05);
  EXPECT_EQ(run.reselections, 3);
  const Errors paper{0.29705e-3, 0.84379e-3, 0.24762e-3, 0.35684e-3,
                     0.79445e-3, 0.82335e-3, 0.10072e-3};
  for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(run.max_error[j] / paper[j], 1.0, 0.15) << j;
}

class FlexibleArm : public ::testing::TestWithParam<int> {};

TEST_P(FlexibleArm, RunsWithOrderFiveAndDoesNotDiverge) {
  const problems::Problem arm = problems::flexible_arm(GetParam());
  const auto error_of = [](const Solution& s) {
    double greatest = 0.0;
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      const double t = s.times[i];
      const double exact[] = {std::sin(t), std::sin(t) + 0.5 * std::cos(t), std::sin(2.0 * t),
                              std::sin(t), std::cos(t)};
      const char* names[] = {"q1", "q2", "u", "z", "w"};
      for (std::size_t j = 0; j < 5; ++j) {
        greatest = std::max(greatest, std::abs(s.row(i)[s.column(names[j])] - exact[j]));
      }
    }
    return greatest;
  };
  const std::vector<double> steps{0.05, 0.025, 0.0125};
  std::vector<double> errors;
  for (const double h : steps) {
    const Solution s = solve(arm.model, {0.0, 20.0}, fixed_step(h));
    ASSERT_EQ(s.status, Status::success) << s.message;
    errors.push_back(error_of(s));
  }
  EXPECT_LE(errors.front(), 1e-7);
  const double order = daedal::test::fit_slope(steps, errors);
  EXPECT_GE(order, 4.7);
  EXPECT_LE(order, 5.3);
}

INSTANTIATE_TEST_SUITE_P(Indices, FlexibleArm, ::testing::Values(4, 5, 6));

class ArrayChain : public ::testing::TestWithParam<int> {};

TEST_P(ArrayChain, IsSolvedToRoundOff) {
  const problems::Problem chain = problems::hessenberg_chain(GetParam());
  for (const char* integrator : {"abm5", "dop853"}) {
    SolveOptions options = fixed_step(integrator == std::string("abm5") ? 0.05 : 0.0);
    options.integrator = integrator;
    const Solution s = solve(chain.model, {0.0, chain.stop_time}, options);
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (const auto& [name, value] : chain.end_values) {
      EXPECT_NEAR(s.final_value(name), value, 1e-12) << name << ' ' << integrator;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Indices, ArrayChain, ::testing::Values(4, 6));

TEST(DerivativeArray, VariableStepsFollowTheToleranceOnTheTorus) {
  for (const char* integrator : {"dop853", "adams"}) {
    std::vector<double> tolerances, errors;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      SolveOptions options;
      options.method = "derivative-array";
      options.integrator = integrator;
      options.rtol = options.atol = tolerance;
      const TorusRun run = run_torus(options);
      ASSERT_EQ(run.solution.status, Status::success) << run.solution.message;
      EXPECT_LE(run.max_constraint, 1e-10);
      expect_small_constraints(run.solution, 3);
      EXPECT_LE(run.solution.statistics.reselections, 10);
      tolerances.push_back(tolerance);
      errors.push_back(worst(run.max_error));
    }
    const double slope = daedal::test::fit_slope(tolerances, errors);
    EXPECT_GE(slope, 0.6) << integrator;
    EXPECT_LE(slope, 1.35) << integrator;
  }
}

TEST(DerivativeArray, VariableStepsFollowTheToleranceOnArmAndPendulum) {
  // Worst error at the end over the variables that are known.
  for (const auto& problem :
       {problems::flexible_arm(4), problems::flexible_arm(6), problems::pendulum()}) {
    std::vector<double> tolerances, errors;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      SolveOptions options;
      options.method = "derivative-array";
      options.rtol = options.atol = tolerance;
      const Solution s = solve(problem.model, {0.0, problem.stop_time}, options);
      ASSERT_EQ(s.status, Status::success) << s.message;
      expect_small_constraints(s, problem.index);
      EXPECT_LE(s.statistics.reselections, 40);
      double error = 0.0;
      for (const auto& [name, value] : problem.end_values) {
        error = std::max(error, std::abs(s.final_value(name) - value));
      }
      tolerances.push_back(tolerance);
      errors.push_back(error);
    }
    const double slope = daedal::test::fit_slope(tolerances, errors);
    EXPECT_GE(slope, 0.6) << problem.model.name();
    EXPECT_LE(slope, 1.35) << problem.model.name();
  }
}

TEST(DerivativeArray, MechanismsReachTheirReferencesWithoutTheirStructureBeingKnown) {
  for (const auto& problem : {problems::four_bar(), problems::squeezer(), problems::car_axis()}) {
    SolveOptions options;
    options.method = "derivative-array";
    options.rtol = 1e-9;
    options.atol = 1e-11;
    const Solution s = solve(problem.model, {0.0, problem.stop_time}, options);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_LE(s.statistics.reselections, 40);
    for (const auto& [name, value] : problem.end_values) {
      EXPECT_NEAR(s.final_value(name), value, 1e-5 * std::max(1.0, std::abs(value)))
          << problem.model.name() << ' ' << name;
    }
  }
}

TEST(DerivativeArray, ThePendulumKeepsItsConstraintsOnAllLevels) {
  const problems::Problem pendulum = problems::pendulum();
  for (const char* integrator : {"dop853", "adams"}) {
    SolveOptions options;
    options.method = "derivative-array";
    options.integrator = integrator;
    options.rtol = options.atol = 1e-10;
    const Solution s = solve(pendulum.model, {0.0, pendulum.stop_time}, options);
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      const auto v = s.row(i);
      EXPECT_NEAR(v[0] * v[0] + v[1] * v[1], 1.0, 1e-10);
      EXPECT_NEAR(v[0] * v[2] + v[1] * v[3], 0.0, 1e-10);
    }
    for (const auto& [name, value] : pendulum.end_values) {
      EXPECT_NEAR(s.final_value(name), value, 1e-6) << name << ' ' << integrator;
    }
  }
}

TEST(LeastSquaresCompletion, SolvesThePendulumAndDrifts) {
  SolveOptions options;
  options.method = "least-squares-completion";
  options.integrator = "rk4";
  options.fixed_step = 0.01;
  const problems::Problem pendulum = problems::pendulum();
  const auto drift = [](const Solution& s) {
    const double x = s.final_value("x"), y = s.final_value("y");
    return std::abs(x * x + y * y - 1.0);
  };
  const Solution coarse = solve(pendulum.model, {0.0, 2.0}, options);
  ASSERT_EQ(coarse.status, Status::success) << coarse.message;
  options.fixed_step = 0.005;
  const Solution fine = solve(pendulum.model, {0.0, 2.0}, options);
  ASSERT_EQ(fine.status, Status::success) << fine.message;
  // The constraint is an invariant of the completion only up to the integrator's error.
  EXPECT_GT(drift(coarse), 1e-10);
  EXPECT_LT(drift(coarse), 1e-4);
  EXPECT_LT(drift(fine), drift(coarse) / 8.0);
  // And the report shows it on every level.
  ASSERT_EQ(coarse.constraints.size(), 3U);
  for (const ConstraintLevel& level : coarse.constraints) {
    EXPECT_GT(level.max_residual, 1e-10) << level.level;
    EXPECT_LT(level.max_residual, 1e-2) << level.level;
  }
}

TEST(DerivativeArray, ARankChangeOnTheWayIsNamedWithItsTime) {
  // x y' + y = 1, x = 1 − t: the coefficient of y' vanishes at t = 1.
  ModelBuilder b("Singular");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
  b.equation(x * der(y) == -y + 1.0, "singular");
  b.equation(x == 1.0 - b.time());
  const Solution s = solve(b.build(), {0.0, 2.0}, fixed_step(0.125));
  EXPECT_EQ(s.status, Status::rank_change) << s.message;
  EXPECT_THAT(s.message, ::testing::HasSubstr("t = 1"));
}

}  // namespace
}  // namespace daedal::formulation
