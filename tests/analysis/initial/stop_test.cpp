// SPDX-License-Identifier: BSD-3-Clause
// Searches that shall end before they are done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <daedal/model.hpp>

#include "analysis/analysis_support.hpp"
#include "analysis/array/numerical_index.hpp"
#include "analysis/initial/initializer.hpp"

namespace daedal::analysis {
namespace {

using ::testing::HasSubstr;

StopSignal overdue() {
  return {.cancel = nullptr, .deadline = StopSignal::Clock::now() - std::chrono::seconds(1)};
}

TEST(StopSignal, KnowsWhy) {
  std::atomic<bool> cancel = false;
  StopSignal signal{.cancel = &cancel};
  EXPECT_FALSE(signal.is_raised());
  EXPECT_EQ(overdue().reason(), Status::time_limit_reached);
  cancel = true;
  EXPECT_EQ(signal.reason(), Status::cancelled);
  signal.deadline = overdue().deadline;
  EXPECT_EQ(signal.reason(), Status::cancelled);
  const auto now = StopSignal::Clock::now();
  EXPECT_FALSE(StopSignal::after(infinity, now, nullptr).is_raised());
  EXPECT_FALSE(StopSignal::after(1e300, now, nullptr).is_raised());
  EXPECT_FALSE(StopSignal::after(3600.0, now, nullptr).is_raised());
  EXPECT_TRUE(StopSignal::after(1.0, now - std::chrono::seconds(2), nullptr).is_raised());
}

/// |u|⁴ = −1 has no solution; Newton's method wanders, and every road is tried. `on_evaluation` is
/// told the number of every evaluation.
class Hopeless {
 public:
  explicit Hopeless(std::function<void(int)> on_evaluation)
      : on_evaluation_(std::move(on_evaluation)) {}
  [[nodiscard]] int n_evaluations() const { return n_; }
  InitialValues search(const StopSignal& stop) {
    test::DenseSet set(
        2, {"a", "b"},
        [this](const Vector& u) {
          on_evaluation_(++n_);
          return test::vector({std::pow(u.squaredNorm(), 2) + 1.0, u[0] * u[1] - 3.0});
        },
        [](const Vector& u) {
          const double s = 4.0 * u.squaredNorm();
          return test::matrix({{s * u[0], s * u[1]}, {u[1], u[0]}});
        });
    const std::vector<InitialUnknown> unknowns{{.value = 1.0}, {.value = 2.0, .role = Role::free}};
    return find_initial_values(set, unknowns, {.stop = stop});
  }

 private:
  std::function<void(int)> on_evaluation_;
  int n_ = 0;
};

TEST(Initializer, EndsAtTheEvaluationAfterItIsCancelled) {
  Hopeless undisturbed([](int) {});
  EXPECT_EQ(undisturbed.search({}).status, Status::inconsistent_start);
  for (const int n : {1, 2, 5, 12}) {
    ASSERT_GT(undisturbed.n_evaluations(), n);
    std::atomic<bool> cancel = false;
    Hopeless cancelled([&](int i) { cancel = i >= n; });
    const InitialValues found = cancelled.search({.cancel = &cancel});
    EXPECT_EQ(found.status, Status::cancelled) << n;
    EXPECT_THAT(found.message, HasSubstr("cancelled during the search for consistent values"));
    EXPECT_EQ(cancelled.n_evaluations(), n);
    EXPECT_EQ(found.values.size(), 2U);
  }
}

TEST(Initializer, EndsWhenItsTimeIsUsedUp) {
  Hopeless late([](int) {});
  const InitialValues found = late.search(overdue());
  EXPECT_EQ(found.status, Status::time_limit_reached);
  EXPECT_THAT(found.message, HasSubstr("allowed time"));
  EXPECT_EQ(late.n_evaluations(), 0);
}

TEST(NumericalIndex, TheSearchEndsWhenItIsCancelled) {
  ModelBuilder b("Chain");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) == y);
  b.equation(x == sin(b.time()));
  const DerivativeArray array(general_view(b.build()), 3);
  const std::vector<double> series(10, 0.1);
  const ArrayPoint point{
      .t = 0.0, .scale = 1.0, .series = series, .parameters = {}, .modes = {}, .discretes = {}};
  std::atomic<bool> cancel = false;
  NumericalIndex found;
  add_level(found, array, point, {.max_level = 3, .stop = {.cancel = &cancel}});
  ASSERT_EQ(found.levels.size(), 1U);
  cancel = true;
  add_level(found, array, point, {.max_level = 3, .stop = {.cancel = &cancel}});
  EXPECT_EQ(found.outcome, IndexOutcome::stopped);
  EXPECT_EQ(found.levels.size(), 1U);
  EXPECT_THAT(found.message, HasSubstr("cancelled"));
}

}  // namespace
}  // namespace daedal::analysis
