// SPDX-License-Identifier: BSD-3-Clause
// Statements of Campbell and Moore about derivative arrays, checked by numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "analysis/array/array_corrector.hpp"
#include "analysis/array/array_history.hpp"
#include "analysis/array/array_structure.hpp"
#include "analysis/array/numerical_index.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "linalg/dense/rank.hpp"
#include "problems/problems.hpp"

namespace daedal::analysis {
namespace {

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

/// Taylor coefficients of the torus solution (37) at t: x = (5c + 10)(c, s), x3 = −5s.
std::vector<double> torus_series(double t, int orders) {
  std::vector<double> series(static_cast<std::size_t>(7 * orders), 0.0);
  const auto derivative_of_sine = [](double a, double phase, int k) {
    // d^k/dt^k sin(a t + phase) at the angle given, without the factor a^k
    return std::pow(a, k) * std::sin(phase + k * std::acos(-1.0) / 2.0);
  };
  const double quarter = std::acos(-1.0) / 2.0;
  const auto positions = [&](int k) {
    // 5c² + 10c = 2.5 + 2.5 cos 2t + 10 cos t,  5cs + 10s = 2.5 sin 2t + 10 sin t.
    return std::array{
        2.5 * derivative_of_sine(2.0, 2.0 * t + quarter, k) +
            10.0 * derivative_of_sine(1.0, t + quarter, k) + (k == 0 ? 2.5 : 0.0),
        2.5 * derivative_of_sine(2.0, 2.0 * t, k) + 10.0 * derivative_of_sine(1.0, t, k),
        -5.0 * derivative_of_sine(1.0, t, k)};
  };
  for (int k = 0; k < orders; ++k) {
    const auto x = positions(k);
    const auto u = positions(k + 1);
    for (std::size_t i = 0; i < 3; ++i) {
      series[static_cast<std::size_t>(7 * k) + i] = x[i] / factorial(k);
      series[static_cast<std::size_t>(7 * k) + 3 + i] = u[i] / factorial(k);
    }
  }
  return series;
}

ArrayPoint point_at(double t, const std::vector<double>& series,
                    const std::vector<double>& parameters) {
  return {.t = t,
          .scale = 1.0,
          .series = series,
          .parameters = parameters,
          .modes = {},
          .discretes = {}};
}

TEST(ArrayTheory, TheTorusHasTheRanksOfThePaper) {
  const Model model = problems::torus().model;
  const DerivativeArray array(general_view(model), 5);
  const auto parameters = model.parameter_values();
  for (const double t : {0.0, 0.7, 2.0, 4.4}) {
    const auto series = torus_series(t, 7);
    const auto point = point_at(t, series, parameters);
    auto workspace = array.make_workspace();
    std::vector<double> r(7 * 6);
    ASSERT_TRUE(array.residual(point, 5, r, workspace));
    for (const double value : r) ASSERT_NEAR(value, 0.0, 1e-10);  // (37) solves (36) exactly
    const NumericalIndex found = find_numerical_index(array, point, {.max_level = 5});
    ASSERT_TRUE(found.found()) << found.message;
    EXPECT_EQ(found.index, 3);
    EXPECT_EQ(found.n_states, 4);
    EXPECT_EQ(found.levels[3].derivatives.rank, 25);
    EXPECT_EQ(found.levels[3].all.rank, 28);
    EXPECT_TRUE(found.levels[3].derivatives.is_clear());
  }
}

TEST(ArrayTheory, MixingTheEquationsLeavesTheIndexAsItIs) {
  // Lemma 3: the pendulum as written, and through Φ_i(y) = Σ_(j ≤ i) (y_j − 1)² − i.
  for (const bool is_mixed : {false, true}) {
    ModelBuilder b("Pendulum");
    const Expr x = b.variable("x"), y = b.variable("y"), u = b.variable("u"), v = b.variable("v");
    const Expr lambda = b.variable("lambda");
    const std::vector<Expr> f{der(x) - u, der(y) - v, der(u) + lambda * x,
                              der(v) + lambda * y + 9.81, sqr(x) + sqr(y) - 1.0};
    Expr sum = sqr(f[0] - 1.0);
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (i > 0) sum = sum + sqr(f[i] - 1.0);
      if (is_mixed) {
        b.equation(sum == static_cast<double>(i + 1));
      } else {
        b.equation(f[i] == 0.0);
      }
    }
    const DerivativeArray array(general_view(b.build()), 5);
    // At rest at (0.6, −0.8): λ = 9.81·0.8, x'' = −λx, y'' = −λy − 9.81.
    const double l = 9.81 * 0.8;
    const double ax = -l * 0.6, ay = l * 0.8 - 9.81;
    // The series up to second order in x; higher ones are off the solution, which A3 allows.
    std::vector<double> series(5 * 7, 0.0);
    series[0] = 0.6, series[1] = -0.8, series[4] = l;
    series[7] = ax, series[8] = ay;
    series[10] = ax / 2.0, series[11] = ay / 2.0;
    const NumericalIndex found = find_numerical_index(array, point_at(0.0, series, {}));
    ASSERT_TRUE(found.found()) << found.message;
    EXPECT_EQ(found.index, 3) << is_mixed;
    EXPECT_EQ(found.n_states, 2) << is_mixed;
  }
}

TEST(ArrayTheory, ProjectionWithAllDerivativesSpoilsXAndPartitioningDoesNot) {
  // Section 4: x' + x = 0, k = 2. The projection on the array's null space is ¼ v vᵀ with
  // v = (1, −1, 1, −1) in (x', x'', x''', x), so that an error of x''' moves x by a quarter of it.
  ModelBuilder b("Decay");
  const Expr x = b.variable("x");
  b.equation(der(x) + x == 0.0);
  const DerivativeArray array(general_view(b.build()), 2);
  auto workspace = array.make_workspace();
  const std::vector<double> exact{1.0, -1.0, 0.5, -1.0 / 6.0};
  std::vector<double> r(3);
  ASSERT_TRUE(array.linearize(point_at(0.0, exact, {}), 2, r, workspace));
  Matrix jacobian(3, 4);
  array.assemble(2, workspace, jacobian);
  for (Index j = 0; j < 4; ++j) jacobian.col(j) /= factorial(static_cast<int>(j));
  const Matrix basis = linalg::null_space(jacobian);
  ASSERT_EQ(basis.cols(), 1);
  const Matrix projection = basis * basis.transpose();
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      EXPECT_NEAR(projection(i, j), (i + j) % 2 == 0 ? 0.25 : -0.25, 1e-12);
    }
  }
  // The corrector at given x: a wrong x''' leaves x and x' alone.
  std::vector<double> wrong = exact;
  wrong[3] += 0.1;
  const std::vector<double> nominals{1.0};
  ArrayCorrector corrector(array, {.level = 2, .n_constraints = 0}, nominals);
  ASSERT_EQ(corrector.factor(point_at(0.0, wrong, {})), ArrayCorrector::Outcome::ok);
  std::vector<double> delta(4);
  corrector.correct(delta);
  EXPECT_EQ(delta[0], 0.0);
  EXPECT_NEAR(delta[1], 0.0, 1e-14);
}

TEST(ArrayTheory, TheoremTwoBoundsWhatAPartitionCanReach) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto smallest = [](const Matrix& a) { return linalg::svd(a).s.minCoeff(); };
  for (int trial = 0; trial < 50; ++trial) {
    Matrix a(3, 7);
    for (Index j = 0; j < 7; ++j) {
      for (Index i = 0; i < 3; ++i) a(i, j) = normal(random) * std::pow(10.0, -trial % 4);
    }
    a.row(trial % 3) *= 1e-2;
    const double all = smallest(a);
    double best = 0.0;
    for (Index i = 0; i < 7; ++i) {
      for (Index j = i + 1; j < 7; ++j) {
        for (Index k = j + 1; k < 7; ++k) {
          Matrix part(3, 3);
          part << a.col(i), a.col(j), a.col(k);
          const double here = smallest(part);
          EXPECT_LE(here, all * (1.0 + 1e-12));
          best = std::max(best, here);
        }
      }
    }
    EXPECT_GE(best, all / std::sqrt(35.0));  // (26), C(7, 3) = 35
    Matrix chosen(3, 3);
    const auto columns = linalg::choose_pivot_columns(a).columns;
    chosen << a.col(columns[0]), a.col(columns[1]), a.col(columns[2]);
    EXPECT_GE(smallest(chosen), 0.1 * best);
  }
}

TEST(ArrayTheory, NoPartitionOfTheTorusExceedsWhatTheCorrectorTakesForTheBest) {
  // (26) for [D_5 D_6] itself: re-selection is tried only where σ_min of all columns promises a
  // gain.
  const Model model = problems::torus().model;
  const DerivativeArray array(general_view(model), 3);
  const auto parameters = model.parameter_values();
  const std::vector<double> nominals(7, 1.0);
  for (const double t : {0.0, 0.7, 2.0, 4.4}) {
    const auto series = torus_series(t, 5);
    ArrayCorrector corrector(array, {.level = 3, .n_constraints = 3}, nominals);
    ASSERT_EQ(corrector.factor(point_at(t, series, parameters)), ArrayCorrector::Outcome::ok);
    const double all = corrector.best_possible();
    double best = 0.0;
    for (Index i = 0; i < 7; ++i) {
      for (Index j = i + 1; j < 7; ++j) {
        for (Index k = j + 1; k < 7; ++k) {
          const std::array<Index, 3> columns{i, j, k};
          const double here = corrector.quality(columns);
          EXPECT_LE(here, all * (1.0 + 1e-12)) << t;
          best = std::max(best, here);
        }
      }
    }
    EXPECT_GE(best, all / std::sqrt(35.0)) << t;
  }
}

TEST(ArrayHistory, SeedsDerivativesOfAPolynomialExactly) {
  // x' = (t³, 1 − 2t): X_j in the scale 0.5 at t = 1.
  ArrayHistory history(2, 3);
  const double times[] = {0.4, 0.55, 0.8, 1.0};
  for (const double t : times) history.push(t, std::vector<double>{t * t * t, 1.0 - 2.0 * t});
  EXPECT_TRUE(history.is_full());
  std::vector<double> series(10, 7.0);
  EXPECT_EQ(history.seed(0.5, series), 3);
  const double h = 0.5;
  EXPECT_NEAR(series[4], 3.0 * h * h / 2.0, 1e-12);  // x'' = 3t²
  EXPECT_NEAR(series[5], -2.0 * h * h / 2.0, 1e-12);
  EXPECT_NEAR(series[6], 6.0 * h * h * h / 6.0, 1e-12);  // x''' = 6t
  EXPECT_NEAR(series[8], 6.0 * std::pow(h, 4) / 24.0, 1e-12);
  EXPECT_NEAR(series[9], 0.0, 1e-12);
  EXPECT_EQ(series[0], 7.0);
}

TEST(ArrayHistory, DropsOrdersThatAreRoundOff) {
  ArrayHistory history(1, 4);
  for (int i = 0; i < 5; ++i) history.push(i * 1e-5, std::vector<double>{std::sin(i * 1e-5)});
  std::vector<double> series(6, 0.0);
  EXPECT_LT(history.seed(1.0, series), 4);
  EXPECT_GT(history.seed(1.0, series), 0);
}

TEST(ArrayStructure, NamesTheEquationsThatHideConstraints) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x"), y = b.variable("y"), u = b.variable("u"), v = b.variable("v");
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x);
  b.equation(der(v) == -lambda * y - 9.81);
  b.equation(sqr(x) + sqr(y) == 1.0);
  const DerivativeArray array(general_view(b.build()), 3);
  std::vector<double> series(25, 0.1);
  series[0] = 0.6, series[1] = -0.8;
  const auto found = find_structure(array, point_at(0.0, series, {}), 3, {0, 1, 0, 1, 0});
  ASSERT_EQ(found.constraints.size(), 3U);
  for (int level = 0; level < 3; ++level) {
    EXPECT_EQ(found.constraints[to_size(level)].level, level);
    EXPECT_EQ(found.constraints[to_size(level)].count, 1);
    EXPECT_EQ(found.constraints[to_size(level)].equations, std::vector<Index>{4});
  }
  EXPECT_EQ(found.free, (std::vector<Index>{1, 3}));
  EXPECT_TRUE(found.determined.empty());
}

}  // namespace
}  // namespace daedal::analysis
