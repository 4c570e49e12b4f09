// SPDX-License-Identifier: BSD-3-Clause
#include "problems/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "linalg/dense/rank.hpp"
#include "model/simplify/simplify.hpp"
#include "model/views/constrained_view.hpp"
#include "model/views/sample_points.hpp"
#include "places.hpp"
#include "support/model_point.hpp"

namespace daedal {
namespace {

using problems::Problem;
using test::evaluate;
using test::Point;

struct Case {
  const char* file;
  std::function<Problem()> make;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.file;
}

ConstrainedView view_of(const Model& model) {
  auto found = mechanical_view(model, model.parameter_values());
  if (!found) throw std::runtime_error(found.reason);
  return std::move(*found.view);
}

/// Values by the names of variables; what the map does not name is zero.
Point point_of(const ConstrainedView& view, double time,
               const std::map<std::string, double>& values) {
  Point point;
  point.time = time;
  point.parameters = view.model.parameter_values();
  for (std::size_t i = 0; i < view.model.variables().size(); ++i) {
    const auto found = values.find(view.model.variables()[i].name);
    point.variables[{static_cast<SymbolId>(i), 0}] = found == values.end() ? 0.0 : found->second;
    point.variables[{static_cast<SymbolId>(i), 1}] = 0.0;
  }
  return point;
}

std::map<std::string, double> start_values(const Model& model) {
  std::map<std::string, double> values;
  const std::vector<double> parameters = model.parameter_values();
  for (const Variable& variable : model.variables()) {
    if (variable.start == no_node) continue;
    values[variable.name] = parameter_expression(*model.pool(), parameters, variable.start);
  }
  return values;
}

Matrix dense(const ConstrainedView& view, const std::vector<JacobianEntry>& entries,
             const Point& point, std::size_t rows) {
  Matrix matrix = Matrix::Zero(to_index(rows), to_index(view.states[0].size()));
  for (const JacobianEntry& entry : entries) {
    matrix(entry.row, entry.column) = evaluate(*view.pool, entry.value, point);
  }
  return matrix;
}

Vector column(const ConstrainedView& view, const std::vector<NodeId>& nodes, const Point& point) {
  const std::vector<double> values = evaluate(*view.pool, nodes, point);
  return as_vector(std::span<const double>(values));
}

/// Accelerations by names of velocities and multipliers by names, from [M Gᵀ; G 0].
std::map<std::string, double> index_one_solution(const ConstrainedView& view, const Point& point) {
  const Index n = to_index(view.states[0].size()), m = to_index(view.levels[0].size());
  Matrix saddle = Matrix::Zero(n + m, n + m);
  saddle.topLeftCorner(n, n) = dense(view, view.mass, point, to_size(n));
  const Matrix g = dense(view, view.jacobian, point, to_size(m));
  saddle.bottomLeftCorner(m, n) = g;
  saddle.topRightCorner(n, m) = g.transpose();
  Vector rhs(n + m);
  rhs.head(n) = column(view, view.force, point);
  rhs.tail(m) = -column(view, view.remainder, point);
  const Vector solution = linalg::min_norm_least_squares(saddle, rhs, 1e-14);
  std::vector<double> lambda(to_size(m));
  const std::vector<double> ours(solution.data() + n, solution.data() + n + m);
  multipliers_of_model(view, ours, lambda);
  std::map<std::string, double> result;
  const auto name = [&](std::int32_t i) {
    return view.model.variables()[static_cast<std::size_t>(i)].name;
  };
  for (std::size_t i = 0; i < view.states[1].size(); ++i) {
    result[name(view.states[1][i])] = solution[to_index(i)];
  }
  for (std::size_t k = 0; k < view.algebraic.size(); ++k) {
    result[name(view.algebraic[k])] = lambda[k];
  }
  return result;
}

class EveryProblem : public testing::TestWithParam<Case> {};

TEST_P(EveryProblem, StartsOnItsConstraints) {
  const Problem problem = GetParam().make();
  const ConstrainedView view = view_of(problem.model);
  const Point point = point_of(view, 0.0, start_values(problem.model));
  EXPECT_LE(column(view, view.levels[0], point).lpNorm<Eigen::Infinity>(), 1e-15);
  EXPECT_LE(column(view, view.levels[1], point).lpNorm<Eigen::Infinity>(), 1e-15);
}

class ProblemWithEndValues : public testing::TestWithParam<Case> {};

TEST_P(ProblemWithEndValues, HasThemOnItsConstraints) {
  const Problem problem = GetParam().make();
  const ConstrainedView view = view_of(problem.model);
  const Point point = point_of(view, problem.stop_time, problem.end_values);
  const double tolerance = 20 * std::max(problem.trusted, 1e-15);
  EXPECT_LE(column(view, view.levels[0], point).lpNorm<Eigen::Infinity>(), tolerance);
}

TEST_P(EveryProblem, IsSymmetricMechanics) {
  const ConstrainedView view = view_of(GetParam().make().model);
  EXPECT_TRUE(view.is_mechanical());
}

/// The text states the same dynamics: equal accelerations at unrelated points.
TEST_P(EveryProblem, HasTheSameAccelerationsAsText) {
  const Problem problem = GetParam().make();
  const Model text =
      simplify(load_model(std::string(DAEDAL_SOURCE_DIR "/problems/") + GetParam().file + ".mo"),
               {.remove_outputs = false})
          .model;
  EXPECT_EQ(text.experiment().stop_time, problem.model.experiment().stop_time);
  const ConstrainedView ours = view_of(problem.model), theirs = view_of(text);
  ASSERT_EQ(ours.states[0].size(), theirs.states[0].size());
  std::mt19937 random(31);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  const std::map<std::string, double> start = start_values(problem.model);
  for (int trial = 0; trial < 3; ++trial) {
    std::map<std::string, double> values;
    for (const auto* list : {&ours.states[0], &ours.states[1]}) {
      for (const std::int32_t i : *list) {
        const std::string& name = ours.model.variables()[static_cast<std::size_t>(i)].name;
        const auto found = start.find(name);
        values[name] = (found == start.end() ? 0.0 : found->second) + uniform(random);
      }
    }
    const auto a = index_one_solution(ours, point_of(ours, 0.1, values));
    const auto b = index_one_solution(theirs, point_of(theirs, 0.1, values));
    for (const std::int32_t i : ours.states[1]) {
      const std::string& name = ours.model.variables()[static_cast<std::size_t>(i)].name;
      ASSERT_TRUE(b.contains(name)) << name;
      EXPECT_NEAR(a.at(name), b.at(name), 1e-9 * (1 + std::abs(a.at(name)))) << name;
    }
  }
}

TEST_P(EveryProblem, HasTheSameStartAsText) {
  const Problem problem = GetParam().make();
  const Model text =
      load_model(std::string(DAEDAL_SOURCE_DIR "/problems/") + GetParam().file + ".mo");
  const auto theirs = start_values(text);
  for (const auto& [name, value] : start_values(problem.model)) {
    const auto found = theirs.find(name);
    EXPECT_NEAR(found == theirs.end() ? 0.0 : found->second, value, 1e-15) << name;
  }
}

const std::vector<Case> with_end_values = {
    {"pendulum", problems::pendulum},
    {"two_second_pendulum", problems::two_second_pendulum},
    {"spherical_pendulum", problems::spherical_pendulum},
    {"double_pendulum", problems::double_pendulum},
    {"four_bar", problems::four_bar},
    {"slider_crank", problems::slider_crank},
    {"squeezer", problems::squeezer},
    {"car_axis", problems::car_axis},
    {"n_four_bar_2", [] { return problems::n_four_bar(2); }}};

std::string file_name(const testing::TestParamInfo<Case>& tested) {
  return tested.param.file;
}

INSTANTIATE_TEST_SUITE_P(Problems, ProblemWithEndValues, testing::ValuesIn(with_end_values),
                         file_name);
INSTANTIATE_TEST_SUITE_P(Problems, EveryProblem, testing::ValuesIn(with_end_values), file_name);
INSTANTIATE_TEST_SUITE_P(ProblemsWithoutEndValues, EveryProblem,
                         testing::Values(Case{"closed_chain",
                                              [] { return problems::closed_chain(10); }},
                                         Case{"bricard", problems::bricard}),
                         file_name);

/// The reference multipliers solve the index-1 equations at the reference positions and velocities:
/// data, derivation and reference agree though they come from different hands.
void expect_reference_multipliers(const Problem& problem, double tolerance) {
  const ConstrainedView view = view_of(problem.model);
  const Point point = point_of(view, problem.stop_time, problem.end_values);
  const auto solution = index_one_solution(view, point);
  // The rounding errors of a linear solve are relative to the largest unknown.
  double largest = 1.0;
  for (const std::int32_t i : view.algebraic) {
    const std::string& name = view.model.variables()[static_cast<std::size_t>(i)].name;
    largest = std::max(largest, std::abs(problem.end_values.at(name)));
  }
  EXPECT_FALSE(view.algebraic.empty());
  for (const std::int32_t i : view.algebraic) {
    const std::string& name = view.model.variables()[static_cast<std::size_t>(i)].name;
    const double expected = problem.end_values.at(name);
    EXPECT_NEAR(solution.at(name), expected, tolerance * largest) << name;
  }
}

TEST(Problems, ReferenceMultipliersSolveTheIndexOneEquations) {
  expect_reference_multipliers(problems::pendulum(), 1e-14);
  expect_reference_multipliers(problems::car_axis(), 1e-14);
  // Velocities of 1e3 are known to 1e-13 of themselves, forces go with their squares, and the
  // saddle-point matrix has masses of 1e-6: four digits are lost.
  expect_reference_multipliers(problems::squeezer(), 1e-11);
}

TEST(Problems, SqueezerStartsWithTheStatedMultipliers) {
  const ConstrainedView view = view_of(problems::squeezer().model);
  const Point point = point_of(view, 0.0, start_values(view.model));
  const auto solution = index_one_solution(view, point);
  EXPECT_NEAR(solution.at("lambda1"), 98.5668703962410896, 1e-10);
  EXPECT_NEAR(solution.at("lambda2"), -6.12268834425566266, 1e-11);
  EXPECT_NEAR(solution.at("lambda5"), 0.0, 1e-10);
}

TEST(Problems, TwoSecondPendulumHasPeriodTwo) {
  // From a right angle a pendulum swings with T = 2π √(l/g) / agm(1, cos 45°).
  const double g = problems::two_second_pendulum().model.parameter_values()[0];
  double a = 1.0, b = std::sqrt(0.5);
  for (int i = 0; i < 8; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  // The digits of g that the literature prints give it to ten digits.
  EXPECT_NEAR(2 * std::numbers::pi / std::sqrt(g) / a, 2.0, 1e-10);
}

TEST(Problems, ScalesOfMultipliersAreTheTextbooks) {
  const ConstrainedView pendulum = view_of(problems::pendulum().model);
  EXPECT_EQ(pendulum.forces->scale[0].value, 0.5);
  const ConstrainedView car = view_of(problems::car_axis().model);
  for (const SparseEntry& s : car.forces->scale) EXPECT_EQ(s.value, -1.0);
  const ConstrainedView squeezer = view_of(problems::squeezer().model);
  for (const SparseEntry& s : squeezer.forces->scale) {
    EXPECT_EQ(s.row, s.column);
    EXPECT_EQ(s.value, 1.0);
  }
}

TEST(Problems, ALongChainIsRecognised) {
  const ConstrainedView view = view_of(problems::closed_chain(2'000).model);
  EXPECT_EQ(view.levels[0].size(), 2'000U);
  EXPECT_EQ(view.forces->scale.size(), 2'000U);
  EXPECT_TRUE(view.mass_is_constant);
}

TEST(Problems, AChainNeedsTwoLinks) {
  EXPECT_THROW(problems::closed_chain(1), ModelError);
}

}  // namespace
}  // namespace daedal
