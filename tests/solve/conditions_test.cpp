// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

// 1000 (sin² x + cos² x) is 1000 but for rounding: the sign of what is left is no condition that
// varies. x = t.
TEST(Conditions, WhatIsZeroButForRoundingIsNotFollowed) {
  const Model model = parse_model(R"(model Balance
  Real x(start = 0, fixed = true);
  Real p;
  Real q;
equation
  der(x) = 1;
  p = 1000 * sin(x) * sin(x) + 1000 * cos(x) * cos(x) - 1000;
  q = abs(p);
end Balance;
)");
  SolveOptions options;
  options.method = "states-only";
  const Solution solution = solve(model, {0.0, 10.0}, options);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_TRUE(solution.warnings.empty()) << solution.warnings.front();
  EXPECT_NEAR(solution.final_value("x"), 10.0, 1e-6);
  EXPECT_LT(solution.final_value("q"), 1e-11);
}

// ψ/i at i = 0 is never taken where the choice says so: ψ/ε there, and success.
TEST(Conditions, AQuotientThatAChoiceAvoidsHasNoPole) {
  const Model model = parse_model(R"(model Inductance
  Real i(start = 0.5, fixed = true);
  Real psi(start = 1, fixed = true);
  Real L;
equation
  der(i) = -1;
  der(psi) = 0;
  L = noEvent(if abs(i) > 1e-14 then abs(psi / i) else abs(psi / 1e-14));
end Inductance;
)");
  for (const char* method : {"auto", "states-only", "direct"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    EXPECT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("L"), 2.0, 1e-5) << method;
  }
}

}  // namespace
}  // namespace daedal
