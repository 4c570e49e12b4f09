// SPDX-License-Identifier: BSD-3-Clause

/// Values between the steps of an implicit scheme.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>

namespace daedal {
namespace {

/// The root of p + p³ = 2 sin 2πt.
double exact_root(double t) {
  const double right = 2.0 * std::sin(2.0 * std::numbers::pi * t);
  double p = right;
  for (int k = 0; k < 60; ++k) p -= (p + p * p * p - right) / (1.0 + 3.0 * p * p);
  return p;
}

TEST(ImplicitOutput, AlgebraicVariablesHoldBetweenTheStepsOfRadau) {
  // Nothing but x is integrated, and its steps are long: the polynomial through the stages of p
  // would be off by hundreds of tolerances.
  const Model model = parse_model(R"(
    model Circuit
      Real x(start = 0, fixed = true);
      Real p;
    equation
      p + p^3 = 2*sin(6.283185307179586*time);
      der(x) = 1 - x;
    end Circuit;)");
  const double rtol = 1e-6;
  const Solution s =
      solve(model, {0.0, 5.0},
            {.method = "direct", .integrator = "radau", .rtol = rtol, .interval = 0.001});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const std::size_t column = s.column("p");
  double worst = 0.0;
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    worst = std::max(worst, std::abs(s.row(i)[column] - exact_root(s.times[i])));
  }
  EXPECT_LT(worst, 10.0 * rtol);
}

}  // namespace
}  // namespace daedal
