// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/initializer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "analysis/analysis_support.hpp"
#include "analysis/sparse_set.hpp"

namespace daedal::analysis {
namespace {

using test::DenseSet;
using test::linear_set;
using test::matrix;
using test::vector;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

InitialUnknown held(double value) {
  return {.value = value, .role = Role::held};
}
InitialUnknown guess(double value, double confidence = 1.0) {
  return {.value = value, .role = Role::guess, .nominal = 1.0, .confidence = confidence};
}
InitialUnknown free_value(double value = 0.0) {
  return {.value = value, .role = Role::free};
}

DenseSet circle() {
  return {1,
          {"x", "y"},
          [](const Vector& u) { return vector({u.squaredNorm() - 1.0}); },
          [](const Vector& u) { return Matrix(2.0 * u.transpose()); }};
}

TEST(Initializer, MovesAPointToTheNearestOneOfACircle) {
  auto set = circle();
  const std::vector unknowns{guess(1.2), guess(1.6)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(result.values[0], 0.6, 1e-7);
  EXPECT_NEAR(result.values[1], 0.8, 1e-7);
  EXPECT_NEAR(std::hypot(result.values[0], result.values[1]), 1.0, 1e-14);
  ASSERT_EQ(result.moved.size(), 2U);
  EXPECT_EQ(result.moved[0].name, "x");
  EXPECT_EQ(result.moved[0].from, 1.2);
}

// The nearest point of x²/4 + y² = 1 to (3, 1): with x = 3·4/(4+μ), y = 1/(1+μ) on the ellipse,
// μ = 1.3084719541 by bisection, so that x = 2.2605..., is not on the ray to the centre.
TEST(Initializer, FindsTheNearestPointOfAnEllipse) {
  DenseSet set{1,
               {"x", "y"},
               [](const Vector& u) { return vector({u[0] * u[0] / 4 + u[1] * u[1] - 1.0}); },
               [](const Vector& u) { return matrix({{u[0] / 2, 2 * u[1]}}); }};
  const std::vector unknowns{guess(3.0), guess(1.0)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success);
  // Lagrange's condition for the distance: (u − u₀) parallel to the gradient.
  const double x = result.values[0];
  const double y = result.values[1];
  EXPECT_NEAR(x * x / 4 + y * y, 1.0, 1e-13);
  EXPECT_NEAR((x - 3.0) * 2 * y - (y - 1.0) * x / 2, 0.0, 1e-6);
  EXPECT_GT(x, 0.0);
}

// Far outside the plain iteration diverges: the step along the circle must be damped.
TEST(Initializer, FindsTheNearestPointFromFarAwayToo) {
  auto set = circle();
  const std::vector unknowns{guess(30.0), guess(40.0)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success);
  EXPECT_NEAR(result.values[0], 0.6, 1e-6);
  EXPECT_NEAR(result.values[1], 0.8, 1e-6);
}

// min (x−2)² + 9(y−1)² on x + y = 1: x = 0.2, y = 0.8 by Lagrange's rule (x−2 = 9(y−1) = −1.8).
TEST(Initializer, WeighsMovesByConfidence) {
  auto set = linear_set(matrix({{1.0, 1.0}}), vector({1.0}), {"x", "y"});
  const std::vector unknowns{guess(2.0), guess(1.0, 3.0)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success);
  EXPECT_NEAR(result.values[0], 0.2, 1e-12);
  EXPECT_NEAR(result.values[1], 0.8, 1e-12);
}

TEST(Initializer, WeighsMovesByNominalValues) {
  auto set = linear_set(matrix({{1.0, 1.0}}), vector({1.0}), {"x", "y"});
  const std::vector<InitialUnknown> unknowns{{.value = 2.0, .role = Role::guess, .nominal = 3.0},
                                             {.value = 1.0, .role = Role::guess, .nominal = 1.0}};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success);
  EXPECT_NEAR(result.values[0], 0.2, 1e-12);
  EXPECT_NEAR(result.values[1], 0.8, 1e-12);
}

TEST(Initializer, LetsFreeUnknownsGiveWayBeforeAnyGuess) {
  auto set = linear_set(matrix({{1.0, 1e-6}}), vector({1.0}), {"x", "y"});
  const std::vector unknowns{guess(0.25), free_value()};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success);
  EXPECT_EQ(result.values[0], 0.25);
  EXPECT_NEAR(result.values[1], 0.75e6, 1e-6);
  EXPECT_TRUE(result.moved.empty());
}

// Two free unknowns for one equation: not square, and still no guess has to move.
TEST(Initializer, LeavesGuessesWhereUndeterminedFreeUnknownsCanGiveWay) {
  auto set = linear_set(matrix({{1.0, 1.0, 1.0}}), vector({1.0}), {"x", "y", "z"});
  const std::vector unknowns{guess(0.25), free_value(), free_value()};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success);
  EXPECT_NEAR(result.values[0], 0.25, 1e-15);
  EXPECT_NEAR(result.values[1] + result.values[2], 0.75, 1e-12);
}

// Pendulum, position and velocity level: x² + y² = 1, x·vx + y·vy = 0, with x and vy held.
TEST(Initializer, CompletesAPendulumFromTheFixedHalfOfItsState) {
  DenseSet set{2,
               {"x", "y", "vx", "vy"},
               [](const Vector& u) {
                 return vector({u[0] * u[0] + u[1] * u[1] - 1.0, u[0] * u[2] + u[1] * u[3]});
               },
               [](const Vector& u) {
                 return matrix({{2 * u[0], 2 * u[1], 0, 0}, {u[2], u[3], u[0], u[1]}});
               }};
  const std::vector unknowns{held(0.6), guess(-1.0), guess(0.0), held(3.0)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(result.values[1], -0.8, 1e-12);
  EXPECT_NEAR(result.values[2], 4.0, 1e-11);
  EXPECT_EQ(result.values[0], 0.6);
  EXPECT_EQ(result.values[3], 3.0);
}

TEST(Initializer, LeavesAPointWhereTheJacobianVanishes) {
  auto set = circle();
  const std::vector unknowns{guess(0.0), guess(0.0)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(std::hypot(result.values[0], result.values[1]), 1.0, 1e-12);
}

TEST(Initializer, TakesRedundantEquationsThatAgree) {
  auto set = linear_set(matrix({{1.0, 1.0, 0.0}, {2.0, 2.0, 0.0}, {0.0, 1.0, 1.0}}),
                        vector({1.0, 2.0, 3.0}), {"x", "y", "z"});
  const std::vector unknowns{held(0.25), guess(0.0), guess(0.0)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(result.values[1], 0.75, 1e-12);
  EXPECT_NEAR(result.values[2], 2.25, 1e-12);
}

TEST(Initializer, TakesMoreFixedValuesThanStatesWhenTheyAgree) {
  auto set = circle();
  const std::vector unknowns{held(0.6), held(0.8)};
  EXPECT_EQ(find_initial_values(set, unknowns).status, Status::success);
}

TEST(Initializer, NamesTheFixedValuesThatContradictAnEquation) {
  auto set =
      linear_set(matrix({{1, 1, 0, 0}, {0, 0, 1, 1}}), vector({1.0, 1.0}), {"x", "y", "z", "w"});
  const std::vector unknowns{held(1.0), held(1.0), held(5.0), guess(0.0)};
  const auto result = find_initial_values(set, unknowns);
  EXPECT_EQ(result.status, Status::inconsistent_start);
  EXPECT_THAT(result.equations, ElementsAre("e1"));
  EXPECT_THAT(result.variables, UnorderedElementsAre("x", "y"));
  EXPECT_THAT(result.message, HasSubstr("x = 1"));
}

// x + y = 1, y = z, z = 5 with x = 0 held, and an innocent pair: a chain of three is in conflict.
TEST(Initializer, NamesTheWholeChainOfEquationsInConflict) {
  auto set =
      linear_set(matrix({{1, 1, 0, 0, 0}, {0, 1, -1, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 1}}),
                 vector({1.0, 0.0, 5.0, 2.0}), {"x", "y", "z", "v", "w"});
  const std::vector unknowns{held(0.0), guess(0.0), guess(0.0), held(7.0), guess(0.0)};
  const auto result = find_initial_values(set, unknowns);
  EXPECT_EQ(result.status, Status::inconsistent_start);
  EXPECT_THAT(result.equations, ElementsAre("e1", "e2", "e3"));
  EXPECT_THAT(result.variables, ElementsAre("x"));
}

TEST(Initializer, RefusesAFixedValueOutsideTheCircle) {
  auto set = circle();
  const std::vector unknowns{held(2.0), guess(1.0)};
  const auto result = find_initial_values(set, unknowns);
  EXPECT_EQ(result.status, Status::inconsistent_start);
  EXPECT_THAT(result.variables, ElementsAre("x"));
}

TEST(Initializer, SaysWhenEquationsContradictEachOtherWithoutAnyFixedValue) {
  auto set = linear_set(matrix({{1.0}, {1.0}}), vector({1.0, 2.0}), {"x"});
  const std::vector unknowns{guess(0.0)};
  const auto result = find_initial_values(set, unknowns);
  EXPECT_EQ(result.status, Status::inconsistent_start);
  EXPECT_THAT(result.equations, ElementsAre("e1", "e2"));
  EXPECT_TRUE(result.variables.empty());
}

TEST(Initializer, NamesAnEquationThatIsNotFinite) {
  DenseSet set{
      2,
      {"x", "y"},
      [](const Vector& u) { return vector({u[0] - 1.0, std::log(-1.0 - u[1] * u[1])}); },
      [](const Vector& u) { return matrix({{1.0, 0.0}, {0.0, 2 * u[1] / (1.0 + u[1] * u[1])}}); }};
  const std::vector unknowns{guess(0.0), guess(0.0)};
  const auto result = find_initial_values(set, unknowns);
  EXPECT_EQ(result.status, Status::non_finite_value);
  EXPECT_THAT(result.equations, ElementsAre("e2"));
}

// Newton's full step for atan(y) = 0.5 from y = 30 diverges; damped it converges.
// One variable is 0 as time is, and another twice that; two guesses share what a third equation
// asks for. However they are found together, the first ones are 0 and not nearly so.
TEST(Initializer, ComputesWhatFollowsFromHeldValuesAlone) {
  const auto row = [](std::vector<Index> unknowns, std::vector<double> factors, double constant) {
    auto value = [=](std::span<const double> u) {
      double sum = constant;
      for (std::size_t k = 0; k < factors.size(); ++k) sum += factors[k] * u[to_size(unknowns[k])];
      return sum;
    };
    return test::Row{unknowns, value, [=](std::span<const double>) { return factors; }};
  };
  test::SparseSet set(5, {row({1, 2}, {2.0, -1.0}, 0.0), row({0, 1}, {1.0, -1.0}, 0.0),
                          row({2, 3, 4}, {0.3, 0.7, 1.1}, -1.7)});
  const std::vector unknowns{held(0.0), guess(0.3), guess(0.7), guess(0.1), guess(0.9)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_EQ(result.values[1], 0.0);
  EXPECT_EQ(result.values[2], 0.0);
  EXPECT_NEAR(0.7 * result.values[3] + 1.1 * result.values[4], 1.7, 1e-14);
}

// Of the roots 2 and −2 the one near which the search begins.
TEST(Initializer, BeginsAtAnOriginThatIsGiven) {
  DenseSet set{1,
               {"x"},
               [](const Vector& u) { return vector({u[0] * u[0] - 4.0}); },
               [](const Vector& u) { return matrix({{2.0 * u[0]}}); }};
  const std::vector unknowns{guess(0.5)};
  const std::array origin{-3.0};
  EXPECT_NEAR(find_initial_values(set, unknowns).values[0], 2.0, 1e-9);
  const auto other = find_initial_values(set, unknowns, {.origin = origin});
  EXPECT_NEAR(other.values[0], -2.0, 1e-9);
  EXPECT_EQ(other.moved.front().from, 0.5);
}

TEST(Initializer, DampsNewtonWhereTheFullStepDiverges) {
  DenseSet set{1,
               {"y"},
               [](const Vector& u) { return vector({std::atan(u[0]) - 0.5}); },
               [](const Vector& u) { return matrix({{1.0 / (1.0 + u[0] * u[0])}}); }};
  const std::vector unknowns{free_value(30.0)};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(result.values[0], std::tan(0.5), 1e-12);
}

TEST(Initializer, ChecksValuesThatAreAllHeld) {
  auto set = linear_set(matrix({{1.0}}), vector({2.0}), {"x"});
  EXPECT_EQ(find_initial_values(set, std::vector{held(2.0)}).status, Status::success);
  EXPECT_EQ(find_initial_values(set, std::vector{held(1.0)}).status, Status::inconsistent_start);
}

/// y_i³ + y_i = x_i + y_{i−1}: bidiagonal and nonlinear, solved by y = 1 for x = (2, 1, 1, ...).
class Chain final : public ConstraintSet {
 public:
  explicit Chain(Index n) : n_(n) {
    pattern_.rows = n;
    pattern_.columns = 2 * n;
    pattern_.column_start.push_back(0);
    for (Index j = 0; j < n; ++j) {
      pattern_.row.push_back(j);
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
    for (Index j = 0; j < n; ++j) {
      pattern_.row.push_back(j);
      if (j + 1 < n) pattern_.row.push_back(j + 1);
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }
  [[nodiscard]] Index n_unknowns() const override { return 2 * n_; }
  [[nodiscard]] Index n_equations() const override { return n_; }
  Index residual(std::span<const double> u, std::span<double> r) override {
    for (Index i = 0; i < n_; ++i) {
      const double y = u[to_size(n_ + i)];
      const double before = i > 0 ? u[to_size(n_ + i - 1)] : 0.0;
      r[to_size(i)] = y * y * y + y - u[to_size(i)] - before;
    }
    return -1;
  }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Index jacobian(std::span<const double> u, std::span<double> values) override {
    std::size_t p = 0;
    for (Index j = 0; j < n_; ++j) values[p++] = -1.0;
    for (Index j = 0; j < n_; ++j) {
      const double y = u[to_size(n_ + j)];
      values[p++] = 3 * y * y + 1;
      if (j + 1 < n_) values[p++] = -1.0;
    }
    return -1;
  }
  [[nodiscard]] std::string unknown_name(Index j) const override {
    return (j < n_ ? "x" : "y") + std::to_string(j % n_ + 1);
  }
  [[nodiscard]] std::string equation_name(Index i) const override {
    return "link" + std::to_string(i + 1);
  }

  [[nodiscard]] std::vector<InitialUnknown> unknowns(double y) const {
    std::vector<InitialUnknown> all(to_size(2 * n_));
    for (Index i = 0; i < n_; ++i) {
      all[to_size(i)] = guess(i > 0 ? 1.0 : 2.0);
      all[to_size(n_ + i)] = free_value(y);
    }
    return all;
  }

 private:
  Index n_;
  SparsityPattern pattern_;
};

TEST(Initializer, SolvesAHundredThousandEquationsWithoutMovingAGuess) {
  const Index n = 100'000;
  Chain chain(n);
  const auto result = find_initial_values(chain, chain.unknowns(0.9));
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_TRUE(result.moved.empty());
  for (Index i = 0; i < n; ++i) ASSERT_NEAR(result.values[to_size(n + i)], 1.0, 1e-9);
}

// With every y held to 2 the equations determine each guess: x1 = 10, and x_i = 10 − 2 after it.
TEST(Initializer, MovesAHundredThousandGuessesThatTheEquationsDetermine) {
  const Index n = 100'000;
  Chain chain(n);
  auto unknowns = chain.unknowns(0.0);
  for (Index i = 0; i < n; ++i) unknowns[to_size(n + i)] = held(2.0);
  const auto result = find_initial_values(chain, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_EQ(result.moved.size(), to_size(n));
  EXPECT_NEAR(result.values[0], 10.0, 1e-12);
  for (Index i = 1; i < n; ++i) ASSERT_NEAR(result.values[to_size(i)], 8.0, 1e-12);
}

// With y1 held the first link alone determines x1 = 1.1³ + 1.1; the other y follow freely.
TEST(Initializer, MovesAGuessOfALargeSparseSetByTheSaddlePointRoad) {
  const Index n = 2'000;
  Chain chain(n);
  auto unknowns = chain.unknowns(1.0);
  unknowns[to_size(n)] = held(1.1);
  const auto result = find_initial_values(chain, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  ASSERT_EQ(result.moved.size(), 1U);
  EXPECT_EQ(result.moved[0].name, "x1");
  EXPECT_NEAR(result.moved[0].to, 2.431, 1e-9);
}

TEST(Initializer, NamesAConflictInALargeSparseSet) {
  const Index n = 2'000;
  Chain chain(n);
  auto unknowns = chain.unknowns(1.0);
  unknowns[0] = held(2.0);
  unknowns[to_size(n)] = held(1.1);
  const auto result = find_initial_values(chain, unknowns);
  EXPECT_EQ(result.status, Status::inconsistent_start);
  EXPECT_THAT(result.equations, ElementsAre("link1"));
  EXPECT_THAT(result.variables, UnorderedElementsAre("x1", "y1"));
}

// a u₀ + b u₁ = 1 and c u₀ + d u₁ = 2, solved again and again with other coefficients, as after
// events: pivots that were kept may have become 0.
TEST(Initializer, KeepsPivotsFromSearchToSearchWhereTheyServe) {
  struct Case {
    std::array<double, 4> a;
    double u0, u1;
  };
  std::array<double, 4> a{};
  test::SparseSet set(2, {{{0, 1},
                           [&](auto u) { return a[0] * u[0] + a[1] * u[1] - 1.0; },
                           [&](auto) { return std::vector{a[0], a[1]}; }},
                          {{0, 1},
                           [&](auto u) { return a[2] * u[0] + a[3] * u[1] - 2.0; },
                           [&](auto) { return std::vector{a[2], a[3]}; }}});
  const auto memory = make_initializer_memory();
  const std::vector<InitialUnknown> all_free(2, free_value(0.0));
  for (const Case& next :
       {Case{{2.0, 1.0, 1.0, 2.0}, 0.0, 1.0}, Case{{0.0, 1.0, 4.0, 0.0}, 0.5, 1.0},
        Case{{1e5, 0.0, 0.0, 1e-5}, 1e-5, 2e5}, Case{{0.0, 1e-5, 1e5, 1.0}, -0.99998, 1e5}}) {
    a = next.a;
    const auto result =
        find_initial_values(set, all_free, {.by_blocks = true, .memory = memory.get()});
    ASSERT_EQ(result.status, Status::success) << result.message;
    EXPECT_NEAR(result.values[0], next.u0, 1e-9 * std::abs(next.u0) + 1e-15);
    EXPECT_NEAR(result.values[1], next.u1, 1e-9 * std::abs(next.u1));
  }
  // Another shape: u₁ is given.
  a = {2.0, 1.0, 0.0, 4.0};
  const std::vector<InitialUnknown> other{free_value(0.0), held(0.5)};
  const auto result = find_initial_values(set, other, {.by_blocks = true, .memory = memory.get()});
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(result.values[0], 0.25, 1e-12);
}

}  // namespace
}  // namespace daedal::analysis
