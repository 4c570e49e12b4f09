// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

// y³ − y = 0 has the roots −1, 0 and 1. The guess 0.9 is nearest to 1; the simplified equation
// y + 1 = 0 and what lies between the two lead to −1, from where x = −t.
TEST(Homotopy, LeadsFromTheSimplifiedEquationsToTheActualOnes) {
  const Model model = parse_model(R"(model Branches
  Real x(start = 0, fixed = true);
  Real y(start = 0.9);
equation
  der(x) = y;
  homotopy(y * y * y - y, y + 1) = 0;
end Branches;
)");
  for (const char* method : {"auto", "dummy-derivatives"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("y"), -1.0, 1e-8) << method;
    EXPECT_NEAR(solution.final_value("x"), -1.0, 1e-6) << method;
  }
}

// An unknown that is 1/g of another, whose guess is 0: computed in causal order from the guess of
// b, nothing is divided by 0. b + b³ = 2 has the root 1, so that g = 2, r = 1/2 and x = t/2.
TEST(CausalStart, ComputesWhatFollowsFromGuesses) {
  const Model model = parse_model(R"(model Chain
  Real x(start = 0, fixed = true);
  Real r, g, m;
  Real b(start = 0.5);
equation
  der(x) = r;
  r = 1 / g;
  g = 2 * m;
  m = b * b;
  b + b * b * b = 2;
end Chain;
)");
  const Solution solution = solve(model, {0.0, 1.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("r"), 0.5, 1e-9);
  EXPECT_NEAR(solution.final_value("x"), 0.5, 1e-6);
}

// cos φ = 0.6 is a block of its own and found near the guess of φ, before the force that the
// Jacobian of all equations at once would have it follow.
TEST(CausalStart, FindsPositionsBeforeForces) {
  const Model model = parse_model(R"(model Position
  Real phi(start = 1.0);
  Real f;
  Real x(start = 0, fixed = true);
equation
  der(x) = f;
  f = 1e3 * sin(phi) + f * cos(phi) - 0.6 * f;
  cos(phi) = 0.6;
end Position;
)");
  const Solution solution = solve(model, {0.0, 1.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("phi"), std::acos(0.6), 1e-9);
  EXPECT_NEAR(solution.final_value("f"), 800.0, 1e-6);
}

}  // namespace
}  // namespace daedal
