// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/propagation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/sparse_set.hpp"

namespace daedal::analysis {
namespace {

using test::SparseSet;
using testing::ElementsAre;
using testing::HasSubstr;

using Point = std::span<const double>;

/// x, y, the length s of (x, y), and its direction.
SparseSet direction() {
  return {
      5,
      {{{0, 1, 2},
        [](Point u) { return u[2] - std::hypot(u[0], u[1]); },
        [](Point u) -> std::vector<double> {
          const double s = std::hypot(u[0], u[1]);
          return {-u[0] / s, -u[1] / s, 1.0};
        }},
       {{0, 2, 3},
        [](Point u) { return u[3] - u[0] / u[2]; },
        [](Point u) -> std::vector<double> { return {-1.0 / u[2], u[0] / (u[2] * u[2]), 1.0}; }},
       {{1, 2, 4},
        [](Point u) { return u[4] - u[1] / u[2]; },
        [](Point u) -> std::vector<double> { return {-1.0 / u[2], u[1] / (u[2] * u[2]), 1.0}; }}}};
}

const InitialUnknown free_unknown{.value = 0.0, .role = Role::free};

TEST(Propagation, ComputesALengthBeforeItIsDividedBy) {
  auto set = direction();
  const std::vector<InitialUnknown> unknowns{{.value = 3.0, .role = Role::held},
                                             {.value = 4.0, .role = Role::held},
                                             free_unknown,
                                             free_unknown,
                                             free_unknown};
  std::vector<double> u{3.0, 4.0, 0.0, 0.0, 0.0};
  propagate_known_values(set, unknowns, u);
  EXPECT_THAT(u, ElementsAre(3.0, 4.0, 5.0, 0.6, 0.8));

  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_THAT(result.values, ElementsAre(3.0, 4.0, 5.0, 0.6, 0.8));
  EXPECT_EQ(result.left_domain, 1);
}

TEST(Propagation, TakesAGivenGuessForKnownBeforeADefaultOne) {
  // u0 + u1 = 3 with u0 = 1 given and u1 = 0 by default.
  SparseSet set(2, {{{0, 1},
                     [](Point u) { return u[0] + u[1] - 3.0; },
                     [](Point) -> std::vector<double> { return {1.0, 1.0}; }}});
  const std::vector<InitialUnknown> unknowns{
      {.value = 0.0, .role = Role::guess, .nominal = 1.0, .confidence = 1e-3},
      {.value = 1.0, .role = Role::guess}};
  std::vector<double> u{0.0, 1.0};
  propagate_known_values(set, unknowns, u);
  EXPECT_THAT(u, ElementsAre(2.0, 1.0));
}

TEST(Propagation, TrustsNoSmallPivot) {
  SparseSet set(2, {{{0, 1},
                     [](Point u) { return 1e-6 * u[0] + u[1] - 1.0; },
                     [](Point) -> std::vector<double> { return {1e-6, 1.0}; }}});
  const std::vector<InitialUnknown> unknowns{free_unknown, {.value = 0.5, .role = Role::held}};
  std::vector<double> u{0.0, 0.5};
  propagate_known_values(set, unknowns, u);
  EXPECT_THAT(u, ElementsAre(0.0, 0.5));
}

// The angle of the matrix (c, s) is wanted, and all start values are 0: atan2(0, 0).
TEST(Initializer, FindsAnAngleFromAMatrixThatNobodyGave) {
  SparseSet set(3, {{{0, 1},
                     [](Point u) { return u[1] - std::cos(u[0]); },
                     [](Point u) -> std::vector<double> { return {std::sin(u[0]), 1.0}; }},
                    {{0, 2},
                     [](Point u) { return u[2] - std::sin(u[0]); },
                     [](Point u) -> std::vector<double> { return {-std::cos(u[0]), 1.0}; }},
                    {{1, 2},
                     [](Point u) { return std::atan2(u[2], u[1]) - 0.5; },
                     [](Point u) -> std::vector<double> {
                       const double square = u[1] * u[1] + u[2] * u[2];
                       return {-u[2] / square, u[1] / square};
                     }}});
  const std::vector<InitialUnknown> unknowns{
      {.value = 0.0, .role = Role::guess}, free_unknown, free_unknown};
  const auto result = find_initial_values(set, unknowns);
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(result.values[0], 0.5, 1e-12);
  EXPECT_NEAR(result.values[1], std::cos(0.5), 1e-12);
  EXPECT_NEAR(result.values[2], std::sin(0.5), 1e-12);
  EXPECT_EQ(result.left_domain, 2);
}

TEST(Initializer, MovesAwayFromAStartOutsideTheDomainTheSameWayEveryTime) {
  const auto search = [] {
    SparseSet set(1,
                  {{{0},
                    [](Point u) { return 1.0 / (u[0] * u[0]) - 4.0; },
                    [](Point u) -> std::vector<double> { return {-2.0 / (u[0] * u[0] * u[0])}; }}});
    const std::vector unknowns{free_unknown};
    return find_initial_values(set, unknowns);
  };
  const auto result = search();
  ASSERT_EQ(result.status, Status::success) << result.message;
  EXPECT_NEAR(std::abs(result.values[0]), 0.5, 1e-12);
  EXPECT_EQ(result.left_domain, 0);
  EXPECT_EQ(result.values, search().values);
}

TEST(Initializer, NamesTheEquationThatNoStartMakesFinite) {
  SparseSet set(1,
                {{{0},
                  [](Point u) { return std::log(-1.0 - u[0] * u[0]); },
                  [](Point u) -> std::vector<double> { return {std::log(-1.0 - u[0] * u[0])}; }}});
  const std::vector unknowns{free_unknown};
  const auto result = find_initial_values(set, unknowns);
  EXPECT_EQ(result.status, Status::non_finite_value);
  EXPECT_THAT(result.message, HasSubstr("e0 is not finite"));
}

}  // namespace
}  // namespace daedal::analysis
