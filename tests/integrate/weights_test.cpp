// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace daedal::integration {
namespace {

/// Only what the norms read.
class Described final : public System {
 public:
  explicit Described(std::vector<UnknownKind> kinds, std::vector<double> nominals = {})
      : kinds_(std::move(kinds)), nominals_(std::move(nominals)) {}
  [[nodiscard]] std::int64_t size() const override { return to_index(kinds_.size()); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return kinds_; }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }

 private:
  std::vector<UnknownKind> kinds_;
  std::vector<double> nominals_;
};

TEST(ErrorWeights, AreTheReciprocalsOfTheTolerances) {
  const Described system({{}, {}}, {1.0, 100.0});
  const ErrorWeights weights(system, {.rtol = 1e-3, .atol = 1e-6});
  std::vector<double> w(2);
  weights.compute(std::vector{2.0, 0.0}, 0.1, w);
  EXPECT_DOUBLE_EQ(w[0], 1.0 / (2e-3 + 1e-6));
  EXPECT_DOUBLE_EQ(w[1], 1.0 / 1e-4);
}

TEST(ErrorWeights, TheNormIsTheMeanOverTheTestedUnknowns) {
  const Described system({{}, {.in_error_test = false}, {.in_error_test = false}});
  const ErrorWeights weights(system, {.rtol = 0.0, .atol = 0.5});
  std::vector<double> w(3);
  weights.compute(std::vector{1.0, 1.0, 1.0}, 0.1, w);
  EXPECT_TRUE(weights.is_tested(0));
  EXPECT_FALSE(weights.is_tested(1));
  EXPECT_NEAR(weighted_rms(std::vector{0.5, 1e6, 1e6}, w), 1.0, 1e-15);
}

TEST(ErrorWeights, WeighHigherIndicesByPowersOfTheStep) {
  const Described system({{.index = 1}, {.index = 2}, {.index = 3}});
  const ErrorWeights plain(system, {.rtol = 0.0, .atol = 1.0});
  const ErrorWeights by_step(system,
                             {.rtol = 0.0, .atol = 1.0, .index_weighting = IndexWeights::by_step});
  const ErrorWeights excluded(system,
                              {.rtol = 0.0, .atol = 1.0, .index_weighting = IndexWeights::exclude});
  const std::vector<double> x(3);
  std::vector<double> w(3);
  plain.compute(x, 0.25, w);
  EXPECT_EQ(w, (std::vector{1.0, 1.0, 1.0}));
  by_step.compute(x, -0.25, w);
  EXPECT_EQ(w, (std::vector{1.0, 0.25, 0.0625}));
  by_step.compute(x, 10.0, w);
  EXPECT_EQ(w, (std::vector{1.0, 1.0, 1.0})) << "a long step must not sharpen the test";
  excluded.compute(x, 0.25, w);
  EXPECT_DOUBLE_EQ(w[0], std::sqrt(3.0));
  EXPECT_EQ(w[1], 0.0);
  EXPECT_EQ(w[2], 0.0);
}

TEST(ErrorWeights, ANonFiniteEntryShowsEvenWithoutWeight) {
  EXPECT_TRUE(std::isnan(weighted_rms(std::vector{1.0, HUGE_VAL}, std::vector{1.0, 0.0})));
  EXPECT_EQ(weighted_rms({}, {}), 0.0);
}

// Without a tolerance of its own or a nominal value, the greatest value so far is the scale.
TEST(ErrorWeights, FollowWhatHasDecayedInAnyOrder) {
  const Described system({{}, {}, {}, {}});
  ErrorWeights weights(system, {.rtol = 1e-3, .atol = 1e-5});
  weights.follow(std::vector<std::size_t>{2}, std::vector{1e-4});
  weights.follow(std::vector<std::size_t>{3, 0, 2}, std::vector{1e-6, 1e-6, 1e-6});
  std::vector<double> w(4);
  weights.compute(std::vector{1e-6, 1e-6, 1e-6, 1e-6}, 0.1, w);
  // The absolute tolerance of a followed unknown has shrunk with it from atol/rtol = 1e-2 on.
  const double followed = 1.0 / (1e-9 + 1e-5 * (1e-6 / 1e-2));
  const std::vector expected{followed, 1.0 / (1e-9 + 1e-5), followed, followed};
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_DOUBLE_EQ(w[i], expected[i]) << i;
}

TEST(ErrorWeights, FollowTheScaleOfSmallUnknowns) {
  const Described system({{}, {}, {}}, {1.0, 100.0, 1.0});
  ErrorWeights weights(system, {.rtol = 1e-6, .atol = 1e-8, .follows_scales = true});
  std::vector<double> w(3);
  weights.observe(std::vector{1e-9, 1e-9, 0.0});
  EXPECT_TRUE(weights.has_small());
  weights.compute(std::vector{0.0, 0.0, 0.0}, 0.1, w);
  EXPECT_DOUBLE_EQ(w[0], 1.0 / 1e-15);
  EXPECT_DOUBLE_EQ(w[1], 1.0 / 1e-6);
  EXPECT_DOUBLE_EQ(w[2], 1.0 / 1e-8) << "what has been 0 has no scale";
  EXPECT_TRUE(weights.lacks_scale(std::vector{0.0, 0.0, 1e-20}));
  weights.compute(std::vector{0.0, 0.0, 0.0}, 0.1, w, std::vector{0.0, 0.0, 1e-20});
  EXPECT_DOUBLE_EQ(w[2], 1.0 / 1e-26);
  weights.raise_floor(std::vector{5e-14, 0.0, 0.0}, std::vector{5e-13, 0.0, 0.0});
  weights.compute(std::vector{0.0, 0.0, 0.0}, 0.1, w);
  EXPECT_DOUBLE_EQ(w[0], 1.0 / 1e-13);
  weights.observe(std::vector{0.02, 0.0, 0.02});
  EXPECT_FALSE(weights.has_small());
  weights.compute(std::vector{0.0, 0.0, 0.0}, 0.1, w);
  EXPECT_DOUBLE_EQ(w[0], 1.0 / 1e-8);
}

}  // namespace
}  // namespace daedal::integration
