// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/propagation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/initializer.hpp"

namespace daedal::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One equation: the unknowns in it, its value, and its derivatives by them.
struct Row {
  std::vector<Index> unknowns;
  std::function<double(std::span<const double>)> value;
  std::function<std::vector<double>(std::span<const double>)> derivatives;
};

class SparseSet final : public ConstraintSet {
 public:
  SparseSet(Index n, std::vector<Row> rows) : rows_(std::move(rows)) {
    pattern_.rows = to_index(rows_.size());
    pattern_.columns = n;
    pattern_.column_start.push_back(0);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < pattern_.rows; ++i) {
        const auto& unknowns = rows_[to_size(i)].unknowns;
        const auto found = std::find(unknowns.begin(), unknowns.end(), j);
        if (found == unknowns.end()) continue;
        pattern_.row.push_back(i);
        place_.push_back(to_size(found - unknowns.begin()));
      }
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }

  [[nodiscard]] Index n_unknowns() const override { return pattern_.columns; }
  [[nodiscard]] Index n_equations() const override { return pattern_.rows; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Index residual(std::span<const double> u, std::span<double> values) override {
    Index bad = -1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      values[i] = rows_[i].value(u);
      if (bad < 0 && !std::isfinite(values[i])) bad = to_index(i);
    }
    return bad;
  }
  Index jacobian(std::span<const double> u, std::span<double> values) override {
    Index bad = -1;
    for (std::size_t p = 0; p < values.size(); ++p) {
      const auto row = to_size(pattern_.row[p]);
      values[p] = rows_[row].derivatives(u)[place_[p]];
      if (bad < 0 && !std::isfinite(values[p])) bad = to_index(row);
    }
    return bad;
  }
  [[nodiscard]] std::string unknown_name(Index unknown) const override {
    return "u" + std::to_string(unknown);
  }
  [[nodiscard]] std::string equation_name(Index equation) const override {
    return "e" + std::to_string(equation);
  }

 private:
  std::vector<Row> rows_;
  SparsityPattern pattern_;
  std::vector<std::size_t> place_;
};

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
