// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/line_search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::linalg {
namespace {

/// Newton's correction of exp(x) = 1 from above is 1 at every x: twenty steps become one of
/// sixteen.
TEST(LineSearch, GoesFarAlongAnExponential) {
  const auto squares = [](double length) { return std::pow(std::expm1(20.0 - length), 2); };
  EXPECT_EQ(line_search(squares(0.0), squares), 16.0);
}

/// From below it is exp(20), and a step as long would lead to where nothing is finite.
TEST(LineSearch, GoesBackFromWhatOverflows) {
  const double correction = std::expm1(20.0);
  const auto squares = [&](double length) {
    return std::pow(std::expm1(-20.0 + length * correction), 2);
  };
  const double length = line_search(squares(0.0), squares);
  EXPECT_GT(length, 0.0);
  EXPECT_LT(squares(length), squares(0.0));
}

/// x² - 4 from 3: the correction is nearly right, and is taken as it is.
TEST(LineSearch, TakesACorrectionThatConverges) {
  const auto squares = [](double length) {
    return std::pow(std::pow(3.0 - length * 5.0 / 6.0, 2) - 4.0, 2);
  };
  EXPECT_EQ(line_search(squares(0.0), squares), 1.0);
}

TEST(LineSearch, FindsNoLengthWhereNothingBecomesLess) {
  EXPECT_EQ(line_search(1.0, [](double length) { return 1.0 + length; }), 0.0);
}

}  // namespace
/// exp(-0.2 s²) at 1, 2, 4, ...: exp(-819) at 64 is 0 in double precision, and all beyond it.
TEST(LineSearch, EndsWhereNothingIsLeft) {
  const auto squares = [](double length) { return std::exp(-0.2 * length * length); };
  EXPECT_EQ(line_search(squares(0.0), squares), 64.0);
}

}  // namespace daedal::linalg
