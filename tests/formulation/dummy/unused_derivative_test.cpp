// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

// A derivative that is only looked at asks for one more differentiation than the other equations
// do. q = e^−t, p = 2q + sin q: p' = −2q − q cos q and p'' = 2q + q cos q − q² sin q.
TEST(UnusedDerivative, IsRightThoughNoOtherEquationNeedsIt) {
  ModelBuilder b("Looked");
  const Expr q = b.variable("q", {.start = 1.0, .fixed = true});
  const Expr p = b.variable("p");
  const Expr w = b.variable("w");
  const Expr a = b.variable("a");
  const Expr z = b.variable("z");
  b.equation(der(q) == -q);
  b.equation(p == 2 * q + sin(q));
  b.equation(der(p) == w);
  b.equation(der(w) == a);
  b.equation(z * z * z + z == w);
  const Solution s =
      solve(b.build(), {0.0, 1.0}, {.method = "dummy-derivatives", .rtol = 1e-8, .atol = 1e-10});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double exact = std::exp(-1.0);
  EXPECT_NEAR(s.final_value("w"), -2 * exact - exact * std::cos(exact), 1e-6);
  EXPECT_NEAR(s.final_value("a"),
              2 * exact + exact * std::cos(exact) - exact * exact * std::sin(exact), 1e-6);
}

}  // namespace
}  // namespace daedal
