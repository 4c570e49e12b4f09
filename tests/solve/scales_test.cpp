// SPDX-License-Identifier: BSD-3-Clause
/// Where no absolute tolerance is given, small variables have the scale of their own values, and
/// what follows from states has as many digits as they are asked for. Expected values are closed
/// forms.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>
#include <utility>

namespace daedal {
namespace {

using testing::IsEmpty;

Solution run(const std::string& body, double stop, const SolveOptions& options = {}) {
  return solve(parse_model("model M\n" + body + "end M;\n"), {0.0, stop}, options);
}

// y = a e^(-t/2).
TEST(Scales, AreThoseOfAlgebraicValues) {
  for (const double a : {1e-12, 1e-3, 1.0, 1e9}) {
    const Solution s = run("parameter Real a; Real y(start = a); equation y^2 = a^2*exp(-time);",
                           2.0, {.parameters = {{"a", a}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_NEAR(s.final_value("y") / a, std::exp(-1.0), 1e-5) << a;
  }
}

// A motion of 1e-7 metres, read in units of its own.
TEST(Scales, AreThoseOfSmallMotions) {
  const Solution s = run(R"(
      Real x(start = 1e-7, fixed = true), v(start = 0, fixed = true), y;
    equation
      der(x) = v;
      der(v) = -x;
      y = 1e7*x;
  )",
                         20.0);
  EXPECT_NEAR(s.final_value("y"), std::cos(20.0), 1e-4);
}

// Read through the gain that shows it: x itself needs three to seven digits more than asked for.
TEST(Scales, OfOutputsReachTheStates) {
  for (const double size : {1e-3, 1e-5, 1e-7}) {
    const Solution s = run(R"(
        parameter Real a = 1;
        Real x(start = 1 + a, fixed = true), v(start = 0, fixed = true), y;
      equation
        der(x) = v;
        der(v) = 1 - x;
        y = (x - 1)/a;
    )",
                           10.0, {.interval = 0.25, .parameters = {{"a", size}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      EXPECT_NEAR(s.row(i)[s.column("y")], std::cos(s.times[i]), 1e-4) << size << " " << s.times[i];
    }
  }
}

// The drift of an energy is no signal: nobody wants digits of it.
TEST(Scales, OfDriftsAskForNothing) {
  const std::string motion = R"(
      Real x(start = 1, fixed = true), v(start = 0, fixed = true)%s;
    equation
      der(x) = v;
      der(v) = -x;
  )";
  const auto with = [&](const std::string& more) {
    std::string text = motion;
    return text.replace(text.find("%s"), 2, more);
  };
  const Solution plain = run(with(""), 50.0);
  const Solution watched = run(with(", e") + "e = x^2 + v^2 - 1;\n", 50.0);
  EXPECT_EQ(watched.statistics.steps, plain.statistics.steps);
}

// Steps are the same in units that are powers of two apart, and the digits to the last bit.
TEST(Scales, DoNotDependOnThePowerOfTwoOfAUnit) {
  const auto in_units = [](double a, double b) {
    return fmt::format(R"(
        Real x(start = {0}, fixed = true, nominal = {1}), v(start = 0, fixed = true, nominal = {1});
        Real y(start = {3}, nominal = {2});
      equation
        der(x) = v;
        der(v) = -x - {5}*y;
        y/{4} + 0.1*(y/{4})^3 = (x + v)/{0};
    )",
                       a, 0.5 * a, 0.5 * b, 0.5 * b, b, 0.25 * a / b);
  };
  for (const char* integrator : {"dop853", "dopri5", "bdf", "radau"}) {
    const Solution plain = run(in_units(1.0, 1.0), 5.0, {.integrator = integrator});
    ASSERT_TRUE(is_success(plain.status)) << integrator << ": " << plain.message;
    for (const auto& [first, second] : {std::pair{-20, 10}, {15, -25}}) {
      const double a = std::ldexp(1.0, first);
      const double b = std::ldexp(1.0, second);
      const Solution other = run(in_units(a, b), 5.0, {.integrator = integrator});
      ASSERT_TRUE(is_success(other.status)) << integrator << ": " << other.message;
      EXPECT_EQ(other.statistics.steps, plain.statistics.steps) << integrator << " " << first;
      EXPECT_EQ(other.final_value("x") / a, plain.final_value("x")) << integrator << " " << first;
      EXPECT_EQ(other.final_value("y") / b, plain.final_value("y")) << integrator << " " << first;
    }
  }
}

// a is 0 but for the rounding of 0.1*3 - 0.3, and so are the velocity and the position it drives:
// what has no scale of its own asks for nothing.
TEST(Scales, AreNotBelowRoundingErrors) {
  for (const char* integrator : {"dop853", "bdf", "radau", "adams"}) {
    const Solution s = run(R"(
        Real x(start = 0, fixed = true), v(start = 0, fixed = true), a;
        Real y(start = 1, fixed = true), w(start = 0, fixed = true);
      equation
        der(x) = v;
        der(v) = a;
        a = 0.1*y*3 - 0.3*y;
        der(y) = w;
        der(w) = -y;
    )",
                           20.0, {.integrator = integrator});
    ASSERT_TRUE(is_success(s.status)) << integrator << ": " << s.message;
    EXPECT_NEAR(s.final_value("x"), 0.0, 1e-12) << integrator;
    EXPECT_NEAR(s.final_value("y"), std::cos(20.0), 1e-4) << integrator;
    EXPECT_LT(s.statistics.steps, 2000) << integrator;
    EXPECT_THAT(s.warnings, IsEmpty()) << integrator;
  }
}

// The first mode of a chain of heat cells decays as e^(-rate t), rate = 4 n² sin²(π/(2(n+1))). It
// is no error at first, so that steps could grow far beyond the stability of an explicit scheme;
// the rounding errors of the other modes then show between the steps.
TEST(Scales, OfUnstableModesAreNotSeenBetweenSteps) {
  constexpr int n = 10;
  std::string body = "Real u[10](each fixed = true, start = {";
  for (int i = 1; i <= n; ++i) {
    body += fmt::format("{}", std::sin(i * std::numbers::pi / (n + 1))) +
            (i < n ? ", " : "});\nequation\n");
  }
  for (int i = 1; i <= n; ++i) {
    const std::string left = i > 1 ? "u[" + std::to_string(i - 1) + "]" : "0";
    const std::string right = i < n ? "u[" + std::to_string(i + 1) + "]" : "0";
    const std::string own = "u[" + std::to_string(i) + "]";
    body += "der(" + own + ") = 100*(" + left + " - 2*" + own + " + " + right + ");\n";
  }
  const Solution s = run(body, 0.25, {.interval = 0.01});
  const double rate = 400.0 * std::pow(std::sin(0.5 * std::numbers::pi / (n + 1)), 2);
  const std::size_t last = s.column("u[10]");
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    const double exact = std::sin(std::numbers::pi * n / (n + 1)) * std::exp(-rate * s.times[i]);
    EXPECT_NEAR(s.row(i)[last], exact, 1e-5) << s.times[i];
  }
}

// Heat that enters a cold rod of n cells: T_i = 1 - i/(n+1) - Σ_k cot(θ_k)/(n+1) sin(2 i θ_k)
// e^(-4 κ sin²(θ_k) t), θ_k = kπ/(2(n+1)). Ahead of the front the cells are small, and each has a
// tolerance of its own down to fourteen decades. That asks for a few times the steps that an
// absolute tolerance does, but not for sharper tolerances of all cells.
TEST(Scales, OfCellsAheadOfAFrontDoNotSharpenTheOthers) {
  constexpr int n = 200;
  constexpr double kappa = 40.0;
  const std::string body = R"(
      constant Integer n = 200;
      Real T[n](each start = 0, each fixed = true);
    equation
      der(T[1]) = 40*(1 - 2*T[1] + T[2]);
      for i in 2:n-1 loop
        der(T[i]) = 40*(T[i-1] - 2*T[i] + T[i+1]);
      end for;
      der(T[n]) = 40*(T[n-1] - 2*T[n]);
    )";
  const SolveOptions options{.method = "direct", .integrator = "bdf"};
  const Solution s = run(body, 1.0, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  for (const int i : {1, 10, 30, 60}) {
    double exact = 1.0 - i / (n + 1.0);
    for (int k = 1; k <= n; ++k) {
      const double theta = 0.5 * k * std::numbers::pi / (n + 1);
      exact -= std::sin(2.0 * i * theta) / std::tan(theta) / (n + 1) *
               std::exp(-4.0 * kappa * std::pow(std::sin(theta), 2));
    }
    EXPECT_NEAR(s.final_value("T[" + std::to_string(i) + "]"), exact, 1e-4 * exact) << i;
  }
  SolveOptions rough = options;
  rough.atol = 1e-8;
  EXPECT_LT(s.statistics.steps, 8 * run(body, 1.0, rough).statistics.steps);
}

/// Far from a bump of logarithms little but rounding errors is left of their difference: no step is
/// short enough for what they add up to, and the run goes on without it. Until t = 30 that is
/// 0.01 (730^-3 - 3730^-3).
TEST(SmallVariables, OfRoundingErrorsDoNotHoldARunBack) {
  const Model model = parse_model(R"(
    model Noise
      Real x(start = 0, fixed = true), u;
    equation
      u = (time - 37.3)/0.01;
      der(x) = log(u^4 + 4) - log(u^4 + 1);
    end Noise;)");
  const Solution s = solve(model, {0.0, 30.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 2.55e-11, 1e-8);
  EXPECT_LT(s.statistics.steps, 100'000);
}

/// x = 1e-6 t^8 begins with short steps, which tell little of the length of the run.
TEST(SmallVariables, ThatGrowFromZeroAreNotWarnedOf) {
  const Solution s = run("Real x(start = 0, fixed = true); equation der(x) = 8e-6*time^7;", 1.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 1e-6, 1e-12);
  EXPECT_THAT(s.warnings, IsEmpty());
}

// The rate jumps from 0 under noEvent, so that every step across has an error of its own size.
TEST(Scales, OfWhatAJumpMovesFromZeroAreNotFollowed) {
  struct Pulse {
    double begin, width, height;
  };
  for (const Pulse& p : {Pulse{0.3, 1e-4, 1.0}, Pulse{0.3, 1e-4, 1e4}}) {
    for (const char* integrator : {"auto", "dopri5", "radau", "bdf"}) {
      const Solution s = run(R"(
          parameter Real a, w, h;
          Real x(start = 0, fixed = true), z(start = 0, fixed = true);
        equation
          der(z) = 1;
          der(x) = 0.5*h*(sign(z - a) - sign(z - a - w));
      )",
                             1.0,
                             {.integrator = Integrator(integrator),
                              .parameters = {{"a", p.begin}, {"w", p.width}, {"h", p.height}}});
      ASSERT_TRUE(is_success(s.status)) << integrator << ": " << s.message;
      // A hundred tolerances: no estimate of an error holds across a jump.
      const double area = p.width * p.height;
      EXPECT_NEAR(s.final_value("x"), area, 100.0 * (1e-8 + 1e-6 * area)) << integrator;
    }
  }
}

// A variable is 0 until a bump of the area a w sqrt(pi) has passed, of any size.
TEST(SmallVariables, AreMovedByBumpsOfTheirOwnSize) {
  for (const double a : {1e-7, 1e-12, 1e-20}) {
    const Solution s = run(R"(
        parameter Real a;
        Real x(start = 0, fixed = true), y;
      equation
        der(x) = a*exp(-((time - 3.3)/0.01)^2);
        y = x/a;
    )",
                           10.0, {.parameters = {{"a", a}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_NEAR(s.final_value("y"), 0.01 * std::sqrt(std::numbers::pi), 2e-7) << a;
  }
}

// The same in a heat equation that is stiff, and with a jump instead of a bump: what came in is
// what is there, 1e-6/1e3·a.
TEST(SmallVariables, AreMovedByPulsesInStiffModels) {
  const Solution s = run(R"(
      Real T[6](each start = 0, each fixed = true), sum;
    equation
      der(T[1]) = 6000*(T[2] - T[1]);
      for j in 2:5 loop
        der(T[j]) = 6000*(T[j - 1] - 2*T[j] + T[j + 1])
          + (if j == 3 then noEvent(if time > 4.2 and time < 4.201 then 1e-6 else 0) else 0);
      end for;
      der(T[6]) = 6000*(T[5] - T[6]);
      sum = 1e9*(T[1] + T[2] + T[3] + T[4] + T[5] + T[6]);
  )",
                         10.0);
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_NEAR(s.final_value("sum"), 1.0, 1e-4);
}

// 1 + tanh(u) is 0 up to u = -18.7 and a multiple of the rounding error for a while: no step is
// short enough for x from there on, whose integral is log(cosh(67)/cosh(33))/10 + 10.
TEST(SmallVariables, HaveTheirLargestValuesAsScalesWhereTheyCannotBeFollowed) {
  for (const double a : {1e-9, 1e-6}) {
    const Solution s = run(R"(
        parameter Real a;
        Real x(start = 0, fixed = true);
      equation
        der(x) = a*(1 + tanh(10*(time - 3.3)));
    )",
                           10.0, {.parameters = {{"a", a}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_THAT(s.warnings, IsEmpty());
    EXPECT_NEAR(s.final_value("x") / a, 13.4, 1e-4) << a;
  }
}

// x = e^(-kt) falls far below the absolute tolerance of what it was, and is read all the same.
TEST(Decay, KeepsItsDigitsWhereVariablesReadThem) {
  for (const double k : {10.0, 30.0}) {
    const Solution s = run(R"(
        parameter Real k = 1;
        Real a(start = 1, fixed = true), b(start = 1, fixed = true);
        Real c(start = 1, fixed = true), s(start = 0, fixed = true);
        Real logarithm, reciprocal, ratio, direction;
      equation
        der(a) = -k*a;
        der(b) = -k*b*(1 - 0.1*sin(time));
        der(c) = -s;
        der(s) = c;
        logarithm = log(a);
        reciprocal = 1e-26/a;
        ratio = a/b;
        direction = a/sqrt(a^2 + b^2);
    )",
                           60.0 / k, {.interval = 1.0 / k, .parameters = {{"k", k}}});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_THAT(s.warnings, IsEmpty());
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      const double t = s.times[i];
      const double ratio = std::exp(-0.1 * k * (1.0 - std::cos(t)));
      EXPECT_NEAR(s.row(i)[s.column("logarithm")], -k * t, 1e-4 * k * t) << t;
      EXPECT_NEAR(s.row(i)[s.column("reciprocal")] / (1e-26 * std::exp(k * t)), 1.0, 1e-3) << t;
      EXPECT_NEAR(s.row(i)[s.column("ratio")], ratio, 1e-4) << t;
      EXPECT_NEAR(s.row(i)[s.column("direction")], ratio / std::hypot(1.0, ratio), 1e-4) << t;
    }
  }
}

// The same with a stiff part, by an implicit scheme, and in a model of index 2.
TEST(Decay, KeepsItsDigitsInImplicitModels) {
  for (const std::string rest : {"der(q) = -1e5*(q - cos(time)); p = q; l = 0;",
                                 "der(p) = l + q; der(q) = l - q; p + q = sin(time);"}) {
    const Solution s = run(R"(
        Real a(start = 1, fixed = true), b(start = 1, fixed = true), ratio;
        Real p, q(start = 0, fixed = true), l;
      equation
        der(a) = -10*a;
        der(b) = -10*b*(1 - 0.1*sin(time));
        ratio = a/b;
        )" + rest,
                           5.0);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.final_value("ratio"), std::exp(std::cos(5.0) - 1.0), 1e-4) << rest;
  }
}

// x = e^(-10t) is below c at t = -log(c)/10, and never below 0.
TEST(Decay, IsFollowedToThresholds) {
  for (const double c : {1e-9, 1e-14, 1e-20}) {
    const Solution s = run(R"(
        parameter Real c = 0;
        Real x(start = 1, fixed = true), y(start = 0, fixed = true), w(start = 0, fixed = true);
        discrete Real n(start = 0, fixed = true), t(start = 0, fixed = true);
      equation
        der(x) = -10*x;
        der(y) = if x > 0 then 1 else 5;
        der(w) = noEvent(sign(x));
        when x < c then
          n = pre(n) + 1;
          t = time;
        end when;
    )",
                           6.0, {.parameters = {{"c", c}}});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.final_value("n"), 1.0) << c;
    EXPECT_NEAR(s.final_value("t"), -std::log(c) / 10.0, 1e-4) << c;
    EXPECT_NEAR(s.final_value("y"), 6.0, 1e-5) << c;
    EXPECT_NEAR(s.final_value("w"), 6.0, 1e-5) << c;
  }
}

// w' = log(x) reads the digits of x by its rate alone.
TEST(Decay, KeepsItsDigitsWhereRatesReadThem) {
  for (const char* integrator : {"auto", "bdf", "radau", "dopri5", "taylor"}) {
    const Solution s = run(R"(
        Real x(start = 1, fixed = true), w(start = 0, fixed = true);
      equation
        der(x) = -10*x;
        der(w) = log(x);
    )",
                           4.0, {.integrator = integrator});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.final_value("w"), -80.0, 100 * 80e-6) << integrator;
  }
}

// x falls to e^(-100/π), where bdf damps it further, and grows back to 1: a run of one absolute
// tolerance forgets it.
TEST(Decay, ThatIsForgottenAndGrowsAgainIsFollowed) {
  const Solution s = run(R"(
      Real x(start = 1, fixed = true), p(start = 0, fixed = true);
    equation
      der(p) = 1;
      der(x) = 10*x*cos(0.62831853071795864769*p + 1.57079632679489661923);
  )",
                         10.0, {.integrator = "bdf"});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_NEAR(s.final_value("x"), 1.0, 1e-3);
}

// A point on a circle at the rate w, from where it is: consistent start values are kept, whatever
// the unit of time, and nobody has fixed them.
TEST(UnitOfTime, DoesNotMoveAConsistentStart) {
  for (const double w : {1e-8, 1.0, 1e9, 1e11}) {
    const Solution s = run(
        "Real a(start = 0.6), b(start = 0.8), f(start = -0.8), g(start = 0.6), l; parameter Real w;"
        "equation der(a) = w*f; der(b) = w*g; der(f) = -w*l*a; der(g) = -w*l*b; a^2 + b^2 = 1;",
        2.0 / w, {.parameters = {{"w", w}}});
    ASSERT_EQ(s.status, Status::success) << w << ": " << s.message;
    EXPECT_NEAR(s.row(0)[s.column("a")], 0.6, 1e-9) << w;
    EXPECT_NEAR(s.row(0)[s.column("g")], 0.6, 1e-9) << w;
    EXPECT_NEAR(s.final_value("a"), std::cos(std::atan2(0.8, 0.6) + 2.0), 1e-4) << w;
  }
}

// y = a (sqrt(1 + 8 e^(-t)) - 1)/2 beside something of size 1, and a ln(1 + t²) from 0, where its
// slope is 0: at sharp tolerances series are expanded, whose steps ask for the digits of both.
TEST(Scales, AreThoseOfSmallSeries) {
  for (const double a : {1e-9, 4e-20}) {
    for (const char* factor : {"1", "L/L"}) {
      const Solution s = run(fmt::format(R"(
          parameter Real a = 1;
          Real q(start = a, fixed = true), y(start = a), L(start = 1, fixed = true);
        equation
          der(q) = -q;
          y^2/a + y*{} = 2*q;
          der(L) = -0.3*L;
      )",
                                         factor),
                             7.0, {.rtol = 1e-9, .interval = 0.35, .parameters = {{"a", a}}});
      ASSERT_EQ(s.status, Status::success) << s.message;
      for (std::size_t i = 0; i < s.n_rows(); ++i) {
        const double exact = 0.5 * (std::sqrt(1.0 + 8.0 * std::exp(-s.times[i])) - 1.0);
        EXPECT_NEAR(s.row(i)[s.column("y")] / a, exact, 1e-7) << a << " at " << s.times[i];
      }
    }
    const Solution s =
        run("parameter Real a = 1; Real y(start = 0); equation exp(y/a) = 1 + time^2;", 2.0,
            {.rtol = 1e-9, .interval = 0.1, .parameters = {{"a", a}}});
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      EXPECT_NEAR(s.row(i)[s.column("y")] / a, std::log1p(s.times[i] * s.times[i]), 1e-7) << a;
    }
  }
}

}  // namespace
}  // namespace daedal
