// SPDX-License-Identifier: BSD-3-Clause
/// delay() of values that change at events.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;
using ::testing::HasSubstr;

// 1, then 2 from 0.5 s and 3 from 0.6 s on: a second later the same, whose integral over 2 s is
// 1.5·1 + 0.1·2 + 0.4·3.
TEST(Delays, BringStepsLater) {
  const std::string steps = "Integer 'x'; Real 'y'; Real 's'(start = 0.0, fixed = true); ";
  const std::string equations =
      "'x' = if time > 0.6 then 3 elseif time > 0.5 then 2 else 1; der('s') = 'y'; ";
  check({{{steps + "equation " + equations + "'y' = delay('x', 1.0);"}, {{"y", 3.0}, {"s", 2.9}}},
         {{steps + "Real 'r'; equation " + equations +
           "'r' = 2.0 * 'x'; 'y' = delay('r', 1.0, 1.0);"},
          {{"y", 6.0}, {"s", 5.8}}},
         {{steps + "equation " + equations + "'y' = delay('x', 0.0);"}, {{"s", 0.5 + 0.2 + 4.2}}}});
}

// A value of its own past: it doubles every half second, 0.5, 1.0 and 1.5 s after the start.
TEST(Delays, FeedBack) {
  const ExportedModel model{
      "Real 'y'; Integer 'x'(start = 1, fixed = true); Real 'd'; equation 'y' = 'x'; 'd' = "
      "delay('y', 0.25); when sample(0.5, 0.5) then 'x' = 2 * integer(pre('x')); end when;",
      "", 1.6};
  check({{model, {{"y", 8.0}, {"d", 4.0}}}});
}

TEST(Delays, HoldSoManyChangesAndNoMore) {
  const ExportedModel model{
      "Integer 'x'(start = 0, fixed = true); Real 'y'; equation when sample(0.1, 0.01) then 'x' = "
      "pre('x') + 1; end when; 'y' = delay('x', 1.0);"};
  const Solution solution = model.solve();
  EXPECT_NE(solution.status, Status::success);
  EXPECT_THAT(solution.message, HasSubstr("more than 16 times within its delay"));
}

TEST(Delays, OfWhatChangesAllTheTimeAreRefused) {
  EXPECT_THROW(parse_model(ExportedModel{"Real 'y'; equation 'y' = delay(sin(time), 1.0);"}.text()),
               ParseError);
}

}  // namespace
}  // namespace daedal
