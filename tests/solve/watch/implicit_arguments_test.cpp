// SPDX-License-Identifier: BSD-3-Clause
/// Thin bumps of unknowns that the equations give in some other way than `unknown = expression`.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>

namespace daedal {
namespace {

struct Spelling {
  const char* unknowns;
  const char* equations;  ///< that give u = (x - c)/w
};

/// x = cos(2t) passes c = 0.77 seven times until t = 10, each time through the area 2 of sech².
void expect_all_passages(const Spelling& spelling, const char* integrator, double rtol) {
  const Model model = parse_model(std::string(R"(
    model Passing
      parameter Real c = 0.77, w = 1e-3, k = 2;
      Real x(start = 1, fixed = true), v(start = 0, fixed = true), q(start = 0, fixed = true);
      Real )") + spelling.unknowns +
                                  ";\n    equation\n" + spelling.equations + R"(
      der(x) = v;
      der(v) = -4*x;
      der(q) = abs(v)*(1 - tanh(u)^2)/w;
    end Passing;)");
  for (const double w : {1e-2, 1e-3}) {
    const Solution solution =
        solve(model, {0.0, 10.0},
              {.integrator = integrator, .rtol = rtol, .atol = 1e-8, .parameters = {{"w", w}}});
    ASSERT_TRUE(is_success(solution.status)) << solution.message;
    // Errors of the many steps add up to less than a hundredth of what a lost passage would be.
    EXPECT_NEAR(solution.final_value("q"), 14.0, 1.4e-2)
        << spelling.equations << ", " << integrator << ", " << w;
  }
}

TEST(ImplicitArgument, IsFollowedThroughItsEquationHoweverItIsWritten) {
  const Spelling spellings[] = {
      {"u", "u = (x - c)/w;"},
      {"u", "w*u + c = x;"},
      {"u", "2*w*u - 2*x = -2*c;"},
      {"u", "u/1e8 = (x - c)/(1e8*w);"},
      {"u", "k*w*u = k*x - k*c;"},
      {"u", "(2 + cos(v))*(w*u + c) = (2 + cos(v))*x;"},
      {"u, d", "d + c = x; w*u - d = 0;"},
      {"u, a", "a + w*u = 2*x - c; a - w*u = c;"},
      {
          "u, a, b",
          "a + b = x; a - k*b = c - k*w*u; a + w*u = x;  ",
      },
      {"u, a", "a + a^3 = c + c^3; w*u = x - a;"},
  };
  for (const Spelling& spelling : spellings) {
    for (const char* integrator : {"auto", "dop853", "radau", "bdf"}) {
      expect_all_passages(spelling, integrator, 1e-6);
    }
    expect_all_passages(spelling, "auto", 1e-9);
  }
}

/// x'' = -4 x as an equation of higher index, and a Lagrange multiplier that is given.
TEST(ImplicitArgument, IsFollowedBesideAConstraint) {
  const Model model = parse_model(R"(
    model Turning
      parameter Real c = 0.77, w = 1e-3;
      Real x(start = 1), y(start = 0), v(start = 0), z(start = 2), F, u;
      Real q(start = 0, fixed = true);
    equation
      der(x) = v;
      der(y) = z;
      der(v) = -F*x;
      der(z) = -F*y;
      x^2 + y^2 = 1;
      w*u + c = x;
      der(q) = abs(v)*(1 - tanh(u)^2)/w;
    end Turning;)");
  const Solution solution = solve(model, {0.0, 10.0}, {.rtol = 1e-7});
  ASSERT_TRUE(is_success(solution.status)) << solution.message;
  EXPECT_NEAR(solution.final_value("q"), 14.0, 1.4e-2);
}

}  // namespace
}  // namespace daedal
