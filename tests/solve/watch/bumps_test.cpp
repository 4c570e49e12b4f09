// SPDX-License-Identifier: BSD-3-Clause
/// Bumps that are thin beside the steps, in time or along a state, wherever they lie: what flows
/// through them is their area, which is known in closed form.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace daedal {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double tolerance = 1e-4;  // a hundred times the relative one

/// Of u = (s - c)/w, with its antiderivative; 1 is the area on the whole line over w.
struct Shape {
  std::string name;
  std::string text;
  std::function<double(double)> area;
};

double clamped(double u) {
  return std::fmin(std::fmax(u, -1.0), 1.0);
}

/// The integral of (1 - u^n)·(n + 1)/(2n), from -1 to 1 at most.
double flat_area(double u, double n) {
  const double v = clamped(u);
  return (v - v * std::pow(std::abs(v), n) / (n + 1.0)) * (n + 1.0) / (2.0 * n);
}

std::vector<Shape> shapes() {
  return {
      {"gauss", "exp(-u^2)/sqrt(pi)", [](double u) { return 0.5 * std::erf(u); }},
      {"rational", "1/(1 + u^2)/pi", [](double u) { return std::atan(u) / pi; }},
      {"tanh_slope", "(1 - tanh(u)^2)/2", [](double u) { return 0.5 * std::tanh(u); }},
      // (tanh(5u + 5) - tanh(5u - 5))/4, of which log(cosh(5u ± 5))/5 is the antiderivative.
      {"tanh_pulse", "(tanh(5*(u + 1)) - tanh(5*(u - 1)))/4",
       [](double u) {
         const auto log_cosh = [](double a) {
           return std::abs(a) + std::log1p(std::exp(-2.0 * std::abs(a))) - std::log(2.0);
         };
         return (log_cosh(5.0 * (u + 1.0)) - log_cosh(5.0 * (u - 1.0))) / 20.0;
       }},
      {"switched", "noEvent(if u > -1 and u < 1 then 0.5 else 0)",
       [](double u) { return 0.5 * clamped(u); }},
      {"triangle", "max(0, 1 - abs(u))",
       [](double u) {
         const double v = clamped(u);
         return v - 0.5 * v * std::abs(v);
       }},
      {"raised_cosine", "noEvent(if abs(u) < 1 then (1 + cos(pi*u))/2 else 0)",
       [](double u) {
         const double v = clamped(u);
         return 0.5 * (v + std::sin(pi * v) / pi);
       }},
      {"power", "sin(pi*min(max((u + 1)/2, 0), 1))^8*64/35",
       // sin(a)^8 has the mean 35/128: over u from -1 to 1 the area is 2*35/128*64/35 = 1.
       [](double u) {
         const double a = 0.5 * pi * (clamped(u) + 1.0);
         const double integral = 35.0 / 128.0 * a - 7.0 / 32.0 * std::sin(2.0 * a) +
                                 7.0 / 128.0 * std::sin(4.0 * a) - std::sin(6.0 * a) / 96.0 +
                                 std::sin(8.0 * a) / 1024.0;
         return integral * 128.0 / (35.0 * pi);
       }},
      // Flat at their tops: far away the difference is many powers of ten of what it is there.
      {"quartic", "max(0, 1 - u^4)*5/8", [](double u) { return flat_area(u, 4.0); }},
      {"sextic", "max(0, 1 - u^6)*7/12", [](double u) { return flat_area(u, 6.0); }},
      {"tenth_power", "max(0, 1 - u^10)*11/20", [](double u) { return flat_area(u, 10.0); }},
      {"switched_by_power", "noEvent(if u^6 < 1 then 0.5 else 0)",
       [](double u) { return 0.5 * clamped(u); }},
      // Bounds of u and of u^2 by themselves lie far above all values of u - u^2 = 1/4 - (u -
      // 1/2)^2.
      {"shifted", "exp(u - u^2 - 0.25)/sqrt(pi)", [](double u) { return 0.5 * std::erf(u - 0.5); }},
      // 2 - cosh(u) is 0 at ±acosh(2), where sinh is √3.
      {"cosh", "max(0, 2 - cosh(u))",
       [](double u) {
         const double end = std::acosh(2.0);
         const double v = std::fmin(std::fmax(u, -end), end);
         return 2.0 * v - std::sinh(v);
       }},
  };
}

Model along(const std::string& path, const Shape& shape) {
  return parse_model(R"(
    model Bump
      constant Real pi = 3.14159265358979323846;
      parameter Real c = 1, w = 1, T = 1;
      Real x(start = 0, fixed = true), y(start = 1, fixed = true), s(start = 0, fixed = true);
      Real u;
    equation
      u = ()" + path +
                     R"( - c)/w;
      der(s) = 1 + sin(4*pi*time/T)/2;
      der(y) = -y/T;
      der(x) = )" + (path == "s" ? "der(s)*" : "") +
                     "(" + shape.text + R"()/w;
    end Bump;)");
}

void expect_area(const std::string& path, const char* integrator, double span) {
  for (const Shape& shape : shapes()) {
    const Model model = along(path, shape);
    double place = 0.3;
    for (const double width : {1e-2, 1e-3, 1e-4}) {
      for (int k = 0; k < 8; ++k) {
        place = std::fmod(place + 0.6180339887498949, 1.0);  // spread over the span, in no order
        const double c = span * (0.03 + 0.94 * place);
        const double w = span * width;
        const Solution solution = solve(model, {0.0, span},
                                        {.method = Ode{},
                                         .integrator = integrator,
                                         .atol = 1e-8,
                                         .parameters = {{"c", c}, {"w", w}, {"T", span}}});
        ASSERT_TRUE(is_success(solution.status)) << shape.name << ": " << solution.message;
        const double area = shape.area((span - c) / w) - shape.area(-c / w);
        // Along a state x follows its errors as 1/w: ten times its tolerance is allowed for.
        const double allowed = tolerance + (path == "s" ? 1e-5 * span / w : 0.0);
        EXPECT_NEAR(solution.final_value("x"), area, allowed)
            << shape.name << " at " << place << ", width " << width << ", span " << span;
      }
    }
  }
}

class Bump : public testing::TestWithParam<const char*> {};

TEST_P(Bump, InTimeIsNeverSteppedOver) {
  expect_area("time", GetParam(), 10.0);
}

TEST_P(Bump, InTimeOfAnyUnitIsNeverSteppedOver) {
  expect_area("time", GetParam(), 1e-8);
  expect_area("time", GetParam(), 1e7);
}

class BumpOfAState : public testing::TestWithParam<const char*> {};

TEST_P(BumpOfAState, IsNeverSteppedOver) {
  expect_area("s", GetParam(), 10.0);
}

/// x = cos(2t) passes c = 0.77 seven times until t = 10, each time through the area 2 of sech².
TEST_P(BumpOfAState, IsSeenEachTimeThatAnOscillatorPassesIt) {
  const Model model = parse_model(R"(
    model Passing
      parameter Real c = 0.77, w = 1e-3;
      Real x(start = 1, fixed = true), v(start = 0, fixed = true), q(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = -4*x;
      der(q) = abs(v)*(1 - tanh((x - c)/w)^2)/w;
    end Passing;)");
  for (const double w : {1e-2, 1e-3, 1e-4}) {
    const Solution solution =
        solve(model, {0.0, 10.0},
              {.method = Ode{}, .integrator = GetParam(), .atol = 1e-8, .parameters = {{"w", w}}});
    ASSERT_TRUE(is_success(solution.status)) << solution.message;
    EXPECT_NEAR(solution.final_value("q"), 14.0, 14.0 * tolerance) << w;
  }
}

std::string without_dash(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Integrators, Bump,
                         testing::Values("dop853", "dopri5", "radau", "bdf", "cvode-bdf", "adams"),
                         without_dash);
INSTANTIATE_TEST_SUITE_P(Integrators, BumpOfAState,
                         testing::Values("dop853", "dopri5", "bdf", "cvode-bdf", "adams"),
                         without_dash);

/// An insulated rod that is heated at one end: what it takes up is what it holds.
TEST(ThinInput, HeatsARod) {
  const Model rod = parse_model(R"(
    model Rod
      parameter Real c = 5, w = 0.01;
      constant Integer n = 12;
      Real T[n](each start = 0, each fixed = true);
      Real held = sum(T)/n;
    equation
      der(T[1]) = n*n*(T[2] - T[1]) + n*exp(-((time - c)/w)^2)/(w*sqrt(3.14159265358979323846));
      for i in 2:n-1 loop
        der(T[i]) = n*n*(T[i - 1] - 2*T[i] + T[i + 1]);
      end for;
      der(T[n]) = n*n*(T[n - 1] - T[n]);
    end Rod;)");
  for (const char* integrator : {"auto", "radau", "bdf", "cvode-bdf"}) {
    for (const double c : {2.3, 4.71, 6.23, 8.88}) {
      for (const double w : {0.08, 1e-2, 1e-3}) {
        const Solution solution =
            solve(rod, {0.0, 10.0}, {.integrator = integrator, .parameters = {{"c", c}, {"w", w}}});
        ASSERT_TRUE(is_success(solution.status)) << solution.message;
        EXPECT_NEAR(solution.final_value("held"), 1.0, tolerance)
            << integrator << ", " << c << ", " << w;
      }
    }
  }
}

/// A capacitor at a voltage that is given has index 2: its current i = C dg/dt flows through a
/// resistor, whose heat is R∫i² = √(π/2)/w for g = exp(-u²) and R = C = 1.
TEST(ThinInput, ChargesACapacitorOfIndexTwo) {
  const Model charge = parse_model(R"(
    model Charge
      parameter Real c = 5, w = 0.1;
      Real q, i, heat(start = 0, fixed = true);
    equation
      q = exp(-((time - c)/w)^2);
      der(q) = i;
      der(heat) = i^2;
    end Charge;)");
  for (const double c : {2.3, 4.71, 6.23, 8.88}) {
    for (const double w : {0.08, 1e-2, 1e-3}) {
      const Solution solution = solve(charge, {0.0, 10.0}, {.parameters = {{"c", c}, {"w", w}}});
      ASSERT_TRUE(is_success(solution.status)) << solution.message;
      const double heat = std::sqrt(0.5 * pi) / w;
      EXPECT_NEAR(solution.final_value("heat"), heat, tolerance * heat) << c << ", " << w;
    }
  }
}

/// x'' + x = f(t) with a bump of area 1 at c, far thinner than a period: sin(t - c) from there on.
TEST(ThinInput, StrikesAnOscillatorInEveryMethodThatTakesIt) {
  const Model oscillator = parse_model(R"(
    model Struck
      parameter Real c = 5, w = 1e-4;
      Real x(start = 0, fixed = true), v(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = exp(-((time - c)/w)^2)/(w*sqrt(3.14159265358979323846)) - x;
    end Struck;)");
  for (const char* method : {"direct", "ode", "dummy-derivatives", "derivative-array"}) {
    for (const double c : {2.3, 4.71, 6.23, 8.88}) {
      const Solution solution =
          solve(oscillator, {0.0, 10.0}, {.method = method, .parameters = {{"c", c}}});
      ASSERT_TRUE(is_success(solution.status)) << solution.message;
      EXPECT_NEAR(solution.final_value("x"), std::sin(10.0 - c), tolerance) << method << ", " << c;
    }
  }
}

/// Beside an algebraic loop, and through one: z + z³ = b + b³ has the one root z = b. A scheme that
/// completes what it interpolates by the equations must not hide that it has not integrated them.
TEST(ThinInput, IsSeenBesideAlgebraicLoops) {
  const Model beside = parse_model(R"(
    model Beside
      parameter Real c = 5, w = 1e-4;
      Real x(start = 0, fixed = true), z;
    equation
      der(x) = max(0, 1 - abs(time - c)/w)/w;
      z + z^3 = 2 + cos(time/5);
    end Beside;)");
  const Model through = parse_model(R"(
    model Through
      parameter Real c = 5, w = 1e-4;
      Real x(start = 0, fixed = true), b, z;
    equation
      b = exp(-((time - c)/w)^2)/sqrt(3.14159265358979323846);
      z + z^3 = b + b^3;
      der(x) = z/w;
    end Through;)");
  for (const Model& model : {beside, through}) {
    for (const char* integrator : {"auto", "radau", "bdf"}) {
      for (const double c : {2.3, 4.71, 6.23, 8.88}) {
        for (const double w : {0.1, 1e-2, 1e-4}) {
          const Solution solution = solve(
              model, {0.0, 10.0}, {.integrator = integrator, .parameters = {{"c", c}, {"w", w}}});
          ASSERT_TRUE(is_success(solution.status)) << solution.message;
          EXPECT_NEAR(solution.final_value("x"), 1.0, tolerance)
              << model.name() << ", " << integrator << ", " << c << ", " << w;
        }
      }
    }
  }
}

/// z' = a/w between c and c + w: z ends at a. A step that ends beyond the jump has seen its other
/// side, which for a variable that was 0 no tolerance minds: an implicit Euler step takes it for
/// its whole length.
TEST(ThinInput, SmallPulsesHaveTheirAreaWithEveryIntegrator) {
  const Model pulse = parse_model(R"(
    model Pulse
      parameter Real a = 1e-12, c = 5, w = 1e-3;
      Real s(start = 0, fixed = true), z(start = 0, fixed = true), y(start = 0, fixed = true);
    equation
      der(s) = 1;
      der(z) = a/w*noEvent(if time > c and time < c + w then 1 else 0);
      der(y) = a/w*(sign(s - c) - sign(s - c - w))/2;
    end Pulse;)");
  for (const char* integrator : {"dopri5", "dop853", "radau", "bdf", "taylor"}) {
    for (const double c : {1.234, 4.2226, 8.743}) {
      for (const double w : {1e-2, 2.2e-4}) {
        for (const double a : {1e-12, 1e-9, 1e-6}) {
          const Solution solution =
              solve(pulse, {0.0, 10.0},
                    {.integrator = integrator, .parameters = {{"a", a}, {"c", c}, {"w", w}}});
          ASSERT_TRUE(is_success(solution.status)) << solution.message;
          EXPECT_NEAR(solution.final_value("z"), a, tolerance * a) << integrator << c << ", " << w;
          EXPECT_NEAR(solution.final_value("y"), a, tolerance * a) << integrator << c << ", " << w;
        }
      }
    }
  }
}

/// Of widths at which the exponent goes a few times farther over a step than a gentle curve does:
/// where the stages of a step lie close together they see these bumps by themselves.
TEST(BroadBump, OfAnExponentialHasItsArea) {
  const Model model = along("time", shapes().front());
  double place = 0.3;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    for (const double width : {0.01, 0.03, 0.06, 0.1, 0.2, 0.4, 0.8, 1.6}) {
      for (int k = 0; k < 6; ++k) {
        place = std::fmod(place + 0.6180339887498949, 1.0);
        const double c = 0.5 + 9.0 * place;
        const Solution solution = solve(model, {0.0, 10.0},
                                        {.method = Direct{},
                                         .integrator = "radau",
                                         .rtol = rtol,
                                         .atol = rtol,
                                         .parameters = {{"c", c}, {"w", width}, {"T", 10.0}}});
        ASSERT_TRUE(is_success(solution.status)) << solution.message;
        const double area = 0.5 * (std::erf((10.0 - c) / width) - std::erf(-c / width));
        EXPECT_NEAR(solution.final_value("x"), area, 100.0 * rtol) << c << ", " << width;
      }
    }
  }
}

/// Steps that are given stay as they are; the report says that they were too long.
TEST(ThinInput, BetweenFixedStepsIsWarnedOf) {
  const Model model = parse_model(R"(
    model Bump
      Real x(start = 0, fixed = true);
    equation
      der(x) = exp(-((time - 5.05)/0.01)^2);
    end Bump;)");
  const Solution solution =
      solve(model, {0.0, 10.0}, {.method = Ode{}, .integrator = "rk4", .fixed_step = 0.1});
  ASSERT_TRUE(is_success(solution.status)) << solution.message;
  ASSERT_EQ(solution.warnings.size(), 1U);
  EXPECT_NE(solution.warnings[0].find("faster than the fixed step"), std::string::npos)
      << solution.warnings[0];
}

}  // namespace
}  // namespace daedal
