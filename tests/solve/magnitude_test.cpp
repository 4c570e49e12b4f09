// SPDX-License-Identifier: BSD-3-Clause
/// Roots and powers of variables that are magnitudes by another equation, v = |e|: no try of an
/// iteration may end at a negative v.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>

namespace daedal {
namespace {

/// ∫ sin^a t dt from 0 to π.
double of_half_a_turn(double a) {
  return std::sqrt(std::numbers::pi) * std::tgamma(0.5 * (a + 1.0)) / std::tgamma(0.5 * a + 1.0);
}

struct Magnitude {
  const char* size;
  const char* power;
  double integral;  ///< over one turn
};

class Magnitudes : public testing::TestWithParam<Magnitude> {};

// near = sin t, so that the magnitude touches 0 at π.
TEST_P(Magnitudes, HavePowersWhereTheyTouchZero) {
  const auto [size, power, integral] = GetParam();
  const Model model = parse_model(fmt::format(R"(
    model Magnitude
      Real x(start = 0, fixed = true), near, size, z(start = 0, fixed = true), power;
    equation
      der(x) = cos(time);
      near + 0.1*sin(near) = x + 0.1*sin(x);
      size = {};
      power + 0.01*power^3 = {} + 0.01*({})^3;
      der(z) = power;
    end Magnitude;)",
                                              size, power, power));
  for (const char* method : {"auto", "direct", "states-only"}) {
    const Solution s =
        solve(model, {0.0, 2.0 * std::numbers::pi}, {.method = method, .rtol = 1e-8});
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_NEAR(s.final_value("z"), integral, 1e-5) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Magnitudes,
    testing::Values(Magnitude{"abs(near)", "size^2.5", 2.0 * of_half_a_turn(2.5)},
                    Magnitude{"max(near, 0)", "size^1.5", of_half_a_turn(1.5)},
                    Magnitude{"noEvent(abs(near))", "(size/2)^2.5",
                              2.0 * of_half_a_turn(2.5) / std::pow(2.0, 2.5)},
                    Magnitude{"near^2/4", "(4*size)^1.75", 2.0 * of_half_a_turn(3.5)}));

// An iron core with an air gap, the flux of which begins where no value is given: the reluctance
// of the core is 1/0 unless the magnitude of its flux density is found first.
TEST(MagnitudesOfCores, StartWithPowersOfAnyOrder) {
  const Model model = parse_model(R"(
    model Core
      parameter Real n;
      Real phi(start = 0), i, b, share, mu, permeance, reluctance, drop, total, flux, leak;
    equation
      total = 600*i;
      total = drop + 1.3e5*phi;
      drop = phi*reluctance;
      leak*1.2e6 = total;
      flux = phi + leak;
      reluctance = 1/permeance;
      permeance = 3.02e-9*mu;
      mu = 1 + (1209 + 24630*share)/(1 + 2.44*share + share^n);
      share = abs(b/1.16);
      b = phi/6.25e-4;
      600*der(flux) = 325*cos(314.159*time) - 7.5*i;
    end Core;)");
  for (const double n : {1.3, 11.4, 14.0}) {
    const Solution s = solve(model, {0.0, 0.02}, {.parameters = {{"n", n}}});
    ASSERT_EQ(s.status, Status::success) << n << ": " << s.message;
    for (std::size_t k = 0; k < s.n_rows(); ++k) {
      const auto value = [&](const char* name) { return s.row(k)[s.column(name)]; };
      const double share = std::abs(value("phi")) / 6.25e-4 / 1.16;
      const double mu =
          1.0 + (1209.0 + 24630.0 * share) / (1.0 + 2.44 * share + std::pow(share, n));
      EXPECT_NEAR(value("drop"), value("phi") / (3.02e-9 * mu),
                  1e-5 * (1.0 + std::abs(value("drop"))))
          << n << " at " << s.times[k];
    }
  }
}

}  // namespace
}  // namespace daedal
