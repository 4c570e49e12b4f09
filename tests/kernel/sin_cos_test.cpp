// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "kernel/fixture.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {
namespace {

using test::Variables;

struct Wave {
  double sine;
  double cosine;
};

/// Both of one argument make one instruction; with `n` arguments, pairs of them.
std::vector<Wave> waves(const std::vector<double>& x) {
  Variables v(static_cast<int>(x.size()));
  std::vector<NodeId> outputs;
  for (const NodeId id : v.ids) {
    outputs.push_back(v.pool.unary(Op::sin, id));
    outputs.push_back(v.pool.unary(Op::cos, id));
  }
  const std::vector<double> values = v.evaluate(outputs, x);
  std::vector<Wave> result;
  for (std::size_t i = 0; i < values.size(); i += 2) result.push_back({values[i], values[i + 1]});
  return result;
}

/// In units of the last place of the exact value.
double error(double value, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(rounded, 2.0) - rounded;
  return static_cast<double>(std::abs(value - exact)) / unit;
}

TEST(SinCos, IsWithinOneUnitInTheLastPlaceOfTheExactValue) {
  std::mt19937 random(3);
  std::vector<double> x;
  for (const double range : {1e-8, 0.1, 0.8, 4.0, 50.0, 1e3, 8e5, 9e5, 1e9}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 4000; ++i) x.push_back(uniform(random));
  }
  // Next to multiples of π/2 all leading digits cancel.
  for (int k = -4000; k <= 4000; k += 7) {
    const double near = k * (std::numbers::pi / 2.0);
    x.push_back(near);
    x.push_back(std::nextafter(near, 1e9));
  }
  const std::vector<Wave> found = waves(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto exact = static_cast<long double>(x[i]);
    ASSERT_LE(error(found[i].sine, std::sin(exact)), 1.0) << x[i];
    ASSERT_LE(error(found[i].cosine, std::cos(exact)), 1.0) << x[i];
  }
}

TEST(SinCos, HasTheSameBitsAloneAndPaired) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-20.0, 20.0);
  std::vector<double> x;
  for (int i = 0; i < 101; ++i) x.push_back(uniform(random));
  const std::vector<Wave> paired = waves(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Wave alone = waves({x[i]}).front();
    EXPECT_EQ(paired[i].sine, alone.sine);
    EXPECT_EQ(paired[i].cosine, alone.cosine);
  }
}

TEST(SinCos, KeepsZerosAndWhatIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Wave> found = waves({-0.0, 0.0, infinity, 1.0, 5e-324});
  EXPECT_TRUE(std::signbit(found[0].sine));
  EXPECT_EQ(found[0].cosine, 1.0);
  EXPECT_FALSE(std::signbit(found[1].sine));
  EXPECT_TRUE(std::isnan(found[2].sine));
  EXPECT_TRUE(std::isnan(found[2].cosine));
  EXPECT_DOUBLE_EQ(found[3].sine, 0.84147098480789650665);
  EXPECT_EQ(found[4].sine, 5e-324);
}

TEST(SinCos, OfASineWaitsForIt) {
  // Neighbouring instructions of which the second needs the first are no pair.
  Variables v(1);
  const NodeId s = v.pool.unary(Op::sin, v.ids[0]);
  const NodeId c = v.pool.unary(Op::cos, v.ids[0]);
  const std::vector<NodeId> outputs{c, v.pool.unary(Op::sin, s), v.pool.unary(Op::cos, s)};
  const std::vector<double> values = v.evaluate(outputs, {0.7});
  EXPECT_DOUBLE_EQ(values[1], std::sin(std::sin(0.7)));
  EXPECT_DOUBLE_EQ(values[2], std::cos(std::sin(0.7)));
}

}  // namespace
}  // namespace daedal::kernel
