// SPDX-License-Identifier: BSD-3-Clause
/// Points at which a slope is infinite: the solution goes on beyond some of them, and ends at
/// others.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

Solution run(const std::string& body, double stop, const SolveOptions& options = {}) {
  return solve(parse_model("model M\n" + body + "end M;\n"), {0.0, stop}, options);
}

// y = (t - 2)^(1/3) has an infinite slope at t = 2, and is defined on both sides.
TEST(Passages, LeadThroughTheCubeRoot) {
  const Solution s = run(R"(
      Real x(start = 0, fixed = true), y(start = -1.26);
    equation
      der(x) = 1;
      y^3 = x - 2;
  )",
                         4.0, {.interval = 0.5});
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_NEAR(s.final_value("y"), std::cbrt(2.0), 1e-5);
  EXPECT_EQ(s.n_rows(), 9U);
}

// A flow that turns round with its pressure: q = sign(p) sqrt|p|, p = sin(t + 1).
TEST(Passages, LeadThroughTheReversalOfAFlow) {
  const Solution s = run("Real q(start = 0.9); equation q*abs(q) = sin(time + 1);", 5.0);
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_NEAR(s.final_value("q"), -std::sqrt(-std::sin(6.0)), 1e-4);
}

// y = sqrt(1 - t) has no value beyond t = 1.
TEST(Passages, DoNotLeadBeyondAFold) {
  const Solution s = run(R"(
      Real x(start = 1, fixed = true), y(start = 1);
    equation
      der(x) = -1;
      y^2 = x;
  )",
                         2.0);
  EXPECT_EQ(s.status, Status::impasse_point);
  EXPECT_NEAR(s.times.back(), 1.0, 1e-3);
}

// u = y/a, (3u² - 1) u' = -u from u = 1 on: the fold at u = 1/√3, where y would have to jump to
// -2a/√3, is reached at t = 1 - log(3)/2, in any unit of y.
TEST(Passages, DoNotLeadBeyondAFoldOfSmallValues) {
  for (const double a : {1.0, 0.1, 1e-3, 1e-6}) {
    const Solution s = run(R"(
        parameter Real a = 1;
        Real x(start = 0, fixed = true), y(start = 1.2*a);
      equation
        der(x) = -y/a;
        x = (y/a)^3 - y/a;
    )",
                           5.0, {.parameters = {{"a", a}}});
    EXPECT_EQ(s.status, Status::impasse_point) << a << ": " << s.message;
    EXPECT_NEAR(s.times.back(), 1.0 - 0.5 * std::log(3.0), 1e-3) << a;
  }
}

}  // namespace
}  // namespace daedal
