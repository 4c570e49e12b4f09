// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <daedal/nearest_name.hpp>
#include <vector>

namespace daedal {
namespace {

TEST(NearestName, FindsSlipsOfThePen) {
  const std::vector<std::string> names{"gravity", "mass", "length"};
  EXPECT_EQ(nearest_name("gravty", names), "gravity");
  EXPECT_EQ(nearest_name("lenght", names), "length");
  EXPECT_EQ(nearest_name("MASS", names), "mass");
}

TEST(NearestName, KeepsSilentWhenNothingIsNear) {
  const std::vector<std::string> names{"gravity", "mass"};
  EXPECT_EQ(nearest_name("temperature", names), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name("L", std::vector<std::string>{"x", "y"}), "");  // not one letter in common
}

TEST(NearestName, TakesTheFirstOfEquals) {
  const std::vector<std::string> names{"x1", "x2"};
  EXPECT_EQ(nearest_name("x3", names), "x1");
}

TEST(NearestName, CompletesWordsThatWereLeftOut) {
  const std::vector<std::string> options{"--step", "--stop-time", "--start-time"};
  EXPECT_EQ(nearest_name("--stop", options), "--stop-time");
  EXPECT_EQ(nearest_name("--stp", options), "--step");
  EXPECT_EQ(nearest_name("rod", std::vector<std::string>{"rad", "rod.mass"}), "rod.mass");
}

}  // namespace
}  // namespace daedal
