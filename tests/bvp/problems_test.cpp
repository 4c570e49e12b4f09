// SPDX-License-Identifier: BSD-3-Clause
/// Classical problems solved to a tolerance, against closed forms and independent computations.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/bvp.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>

namespace daedal {
namespace {

/// u'' + λ e^u = 0, u(0) = u(1) = 0: u = −2 ln(cosh((t − ½) θ/2) / cosh(θ/4)) with
/// θ = √(2λ) cosh(θ/4), which has two roots for λ < 3.5138.
double bratu_theta(double lambda, double guess) {
  double theta = guess;
  for (int i = 0; i < 50; ++i) {
    const double f = theta - std::sqrt(2.0 * lambda) * std::cosh(theta / 4.0);
    theta -= f / (1.0 - std::sqrt(2.0 * lambda) * std::sinh(theta / 4.0) / 4.0);
  }
  return theta;
}

Model bratu(double lambda) {
  ModelBuilder b("Bratu");
  const Expr u = b.variable("u"), v = b.variable("v");
  b.equation(der(u) == v);
  b.equation(der(v) == -lambda * exp(u));
  b.boundary_equation(u == 0.0, "left end");
  b.boundary_equation(b.final_value(u) == 0.0, "right end");
  return b.build();
}

void expect_bratu(const BvpSolution& s, double theta) {
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LE(s.error_estimate, 1.0);
  for (int i = 0; i <= 50; ++i) {
    const double t = i / 50.0;
    const double exact =
        -2.0 * std::log(std::cosh((t - 0.5) * theta / 2.0) / std::cosh(theta / 4.0));
    EXPECT_NEAR(s.at(t, "u"), exact, 1e-6 * (1.0 + std::abs(exact))) << t;
  }
}

TEST(BvpProblems, BratuHasItsLowerBranchFromZero) {
  expect_bratu(solve_bvp(bratu(1.0), {0.0, 1.0}), bratu_theta(1.0, 1.5));
}

TEST(BvpProblems, BratuHasItsUpperBranchFromAHighGuess) {
  BvpOptions options;
  options.guess = {
      .names = {"u", "v"}, .times = {0.0, 0.5, 1.0}, .values = {0.0, 8.0, 4.0, 0.0, 0.0, -8.0}};
  expect_bratu(solve_bvp(bratu(1.0), {0.0, 1.0}, options), bratu_theta(1.0, 10.0));
}

/// Troesch: u'' = n sinh(n u), u(0) = 0, u(1) = 1. The first integral u'² = s² + 2(cosh nu − 1),
/// s = u'(0), gives 1 = ∫_0^1 du / √(s² + 2(cosh nu − 1)), here by u = e^w quadrature in the test.
TEST(BvpProblems, TroeschAgreesWithItsFirstIntegral) {
  const double n = 8.0;
  ModelBuilder b("Troesch");
  const Expr u = b.variable("u"), v = b.variable("v");
  b.equation(der(u) == v);
  b.equation(der(v) == n * sinh(n * u));
  b.boundary_equation(u == 0.0);
  b.boundary_equation(b.final_value(u) == 1.0);
  const BvpSolution s = solve_bvp(b.build(), {0.0, 1.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double slope = s.row(0)[1];
  EXPECT_NEAR(s.final_value("v"), std::sqrt(slope * slope + 2.0 * (std::cosh(n) - 1.0)),
              1e-5 * s.final_value("v"));
  // u = (s/n) sinh w takes the steepness out: du = (s/n) cosh w dw.
  const auto travel_time = [n](double initial) {
    const double end = std::asinh(n / initial);
    const int steps = 4000;
    double sum = 0.0;
    for (int i = 0; i <= steps; ++i) {
      const double w = end * i / steps;
      const double at = initial / n * std::sinh(w);
      const double half = std::sinh(n * at / 2.0);
      const double value =
          initial / n * std::cosh(w) / std::sqrt(initial * initial + 4.0 * half * half);
      sum += value * (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
    }
    return sum * end / steps / 3.0;
  };
  // The time changes with ln s / n: an error of 1e-6 · max|v| in s is what the tolerance allows.
  EXPECT_NEAR(travel_time(slope), 1.0, 1e-4);
  EXPECT_GT(std::abs(travel_time(1.1 * slope) - 1.0), 5e-3);
}

/// ε u'' + u' = 0, u(0) = 0, u(1) = 1: a layer of width ε at the left end.
TEST(BvpProblems, ALayerOfWidthOneMillionthIsResolvedByTheMesh) {
  const double eps = 1e-6;
  ModelBuilder b("Layer");
  const Expr u = b.variable("u"), w = b.variable("w");
  b.equation(der(u) == w);
  b.equation(eps * der(w) == -w);
  b.boundary_equation(u == 0.0);
  b.boundary_equation(b.final_value(u) == 1.0);
  const BvpSolution s = solve_bvp(b.build(), {0.0, 1.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LT(s.mesh.size(), 10'000U);  // a uniform mesh needs about a million intervals
  double error = 0.0;
  for (double t = 1e-9; t < 1.0; t *= 1.3) {
    error = std::max(error, std::abs(s.at(t, "u") - (1.0 - std::exp(-t / eps))));
  }
  EXPECT_LT(error, 1e-6);
}

/// ε u'' = u: layers of width √ε at both ends.
TEST(BvpProblems, LayersAtBothEndsAreResolvedByEveryScheme) {
  const double width = 1e-3;
  ModelBuilder b("Layers");
  const Expr u = b.variable("u"), v = b.variable("v");
  b.equation(width * der(u) == v);
  b.equation(width * der(v) == u);
  b.boundary_equation(u == 1.0);
  b.boundary_equation(b.final_value(u) == 1.0);
  const Model model = b.build();
  for (const char* scheme : {"gauss", "radau", "lobatto"}) {
    BvpOptions options;
    options.scheme = scheme;
    const BvpSolution s = solve_bvp(model, {0.0, 1.0}, options);
    ASSERT_EQ(s.status, Status::success) << scheme << ": " << s.message;
    for (const double t : {1e-4, 1e-3, 5e-3, 0.5, 0.999}) {
      const double exact = std::exp(-t / width) + std::exp((t - 1.0) / width);
      EXPECT_NEAR(s.at(t, "u"), exact, 1e-6) << scheme << " " << t;
    }
  }
}

TEST(BvpProblems, AFreeParameterIsAnEigenvalue) {
  const Model model = parse_model(R"(
    model Mode
      parameter Real lambda(fixed = false) = 8;
      Real u, v;
    equation
      der(u) = v;
      der(v) = -lambda*u;
    initial equation
      u(startTime) = 0;
      v(startTime) = 1;
    constraint
      u(finalTime) = 0;
    end Mode;)",
                                  "mode.mo");
  const BvpSolution first = solve_bvp(model, {0.0, 1.0});
  ASSERT_EQ(first.status, Status::success) << first.message;
  const double pi = std::numbers::pi;
  EXPECT_NEAR(first.parameters.at("lambda"), pi * pi, 1e-5);
  BvpOptions options;
  options.parameters["lambda"] = 36.0;  // a guess, because it is free
  const BvpSolution second = solve_bvp(model, {0.0, 1.0}, options);
  ASSERT_EQ(second.status, Status::success) << second.message;
  EXPECT_NEAR(second.parameters.at("lambda"), 4.0 * pi * pi, 1e-4);
}

/// The pendulum with its constraint (index 3), from one height to another: the velocity that does
/// it, given to the initial value solver, arrives there.
TEST(BvpProblems, ThePendulumOfIndexThreeArrivesWhereItShould) {
  const std::string head = R"(
    model Pendulum
      Real x(start = 1), y(start = 0), vx, vy, lambda;
    equation
      der(x) = vx;
      der(y) = vy;
      der(vx) = -lambda*x;
      der(vy) = -lambda*y - 9.81;
      x^2 + y^2 = 1;)";
  const Model model = parse_model(head + R"(
    initial equation
      y(startTime) = 0;
      y(finalTime) = -0.6;
    end Pendulum;)",
                                  "pendulum.mo");
  BvpOptions options;
  options.rtol = 1e-8;
  options.atol = 1e-9;
  const BvpSolution s = solve_bvp(model, {0.0, 1.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  ASSERT_EQ(s.constraints.size(), 2U);
  EXPECT_LT(s.constraints[0].max_residual, 1e-12);
  EXPECT_LT(s.constraints[1].max_residual, 1e-11);

  SolveOptions forward;
  forward.rtol = 1e-10;
  forward.atol = 1e-12;
  forward.start_values = {{"y", s.row(0)[s.column("y")]}, {"vy", s.row(0)[s.column("vy")]}};
  const Solution check = solve(parse_model(head + "end Pendulum;", "p.mo"), {0.0, 1.0}, forward);
  ASSERT_EQ(check.status, Status::success) << check.message;
  EXPECT_NEAR(check.final_value("y"), -0.6, 1e-6);
  EXPECT_NEAR(check.final_value("lambda"), s.final_value("lambda"), 1e-4);
}

/// Minimum energy: x'' = u, ∫u² least, from rest at 0 to rest at 1: u = 6 − 12t, x = 3t² − 2t³,
/// by Pontryagin's principle with the control as an algebraic variable.
TEST(BvpProblems, OptimalControlByItsNecessaryConditions) {
  const Model model = parse_model(R"(
    model Rendezvous
      Real x, v, p, q, u "control";
    equation
      der(x) = v;
      der(v) = u;
      der(p) = 0;
      der(q) = -p;
      u + q = 0 "stationarity";
    constraint
      x(startTime) = 0;
      v(startTime) = 0;
      x(finalTime) = 1;
      v(finalTime) = 0;
    end Rendezvous;)",
                                  "rendezvous.mo");
  const BvpSolution s = solve_bvp(model, {0.0, 1.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  for (const double t : {0.0, 0.3, 0.77, 1.0}) {
    EXPECT_NEAR(s.at(t, "x"), 3.0 * t * t - 2.0 * t * t * t, 1e-10);
    EXPECT_NEAR(s.at(t, "u"), 6.0 - 12.0 * t, 1e-9);
  }
}

/// Baumgarte for boundary value problems, Ascher & Lin (2.10) with (2.2), (2.3b): y eliminated, the
/// constraint as a decaying mode with the condition C x + r = 0 at the beginning.
TEST(BvpProblems, BaumgartesFormIsStableForBoundaryValuesToo) {
  ModelBuilder b("Baumgarte");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1"), x2 = b.variable("x2");
  const Expr g = x1 + x2 - exp(-t) - sin(t);
  const double eps = 1e-3;
  // C = (1 1), B = (0 1)ᵀ: x2' = −x1' + r-terms − g/ε.
  const Expr slope1 = -x1 + x2 - sin(t);
  b.equation(der(x1) == slope1);
  b.equation(der(x2) == -slope1 - exp(-t) + cos(t) - g / eps);
  b.boundary_equation(b.final_value(x1) + x2 == std::exp(-1.0));
  b.boundary_equation(x1 + x2 == 1.0, "(2.3b)");
  const BvpSolution s = solve_bvp(b.build(), {0.0, 1.0});
  ASSERT_EQ(s.status, Status::success) << s.message;
  for (const double at : {0.0, 0.1, 0.5, 1.0}) {
    EXPECT_NEAR(s.at(at, "x1"), std::exp(-at), 1e-6);
    EXPECT_NEAR(s.at(at, "x2"), std::sin(at), 1e-6);
  }
}

/// The same from the constrained model, and a particle on a line that moves: (d/dt + γ)² g = 0.
TEST(BvpProblems, BaumgarteDampsTheConstraintsOfTheModel) {
  ModelBuilder b("Line");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1"), x2 = b.variable("x2"), y = b.variable("y");
  b.equation(der(x1) == -x1 + x2 - sin(t));
  b.equation(der(x2) == y);
  b.equation(x1 + x2 - exp(-t) - sin(t) == 0, "line");
  b.boundary_equation(b.final_value(x1) + x2 == std::exp(-1.0));
  const Model line = b.build();
  BvpOptions options{.method = BvpBaumgarte{.gamma = 20.0}};
  const BvpSolution s = solve_bvp(line, {0.0, 1.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  for (const double at : {0.0, 0.1, 0.5, 1.0}) {
    EXPECT_NEAR(s.at(at, "x1"), std::exp(-at), 1e-6);
    EXPECT_NEAR(s.at(at, "x2"), std::sin(at), 1e-6);
    EXPECT_NEAR(s.at(at, "y"), std::cos(at), 1e-5);
  }
  // q₁'' = −λ, q₂'' = −2λ with q₁ + 2q₂ = t²: λ = −2/5, so that q₁ = t²/5 + at + b, q₂ = 2t²/5 −
  // (at
  // + b)/2. q₁(0) = 1 and q₁(1) = 1 give b = 1 and a = −1/5.
  ModelBuilder m("Particle");
  const Expr q1 = m.variable("q1"), q2 = m.variable("q2"), v1 = m.variable("v1"),
             v2 = m.variable("v2"), lambda = m.variable("lambda");
  m.equation(der(q1) == v1);
  m.equation(der(q2) == v2);
  m.equation(der(v1) == -lambda);
  m.equation(der(v2) == -2 * lambda);
  m.equation(q1 + 2 * q2 - m.time() * m.time() == 0, "moving line");
  m.boundary_equation(q1 == 1.0);
  m.boundary_equation(m.final_value(q1) == 1.0);
  const BvpSolution p = solve_bvp(m.build(), {0.0, 1.0}, {.method = "baumgarte"});
  ASSERT_EQ(p.status, Status::success) << p.message;
  EXPECT_NEAR(p.at(0.5, "q1"), 0.05 - 0.1 + 1.0, 1e-8);
  EXPECT_NEAR(p.at(0.5, "q2"), 0.1 - 0.45, 1e-8);
  EXPECT_NEAR(p.at(0.7, "lambda"), -0.4, 1e-7);
  options.method = "baumgarte:alpha=1";
  EXPECT_THROW(static_cast<void>(solve_bvp(line, {0.0, 1.0}, options)), OptionError);
  options.method = "baumgarte:gamma=0";
  EXPECT_THROW(static_cast<void>(solve_bvp(line, {0.0, 1.0}, options)), OptionError);
}

/// x' = −y, y + y³ = x: a condition on y at the end is one on x there.
TEST(BvpProblems, ConditionsMayKnowAlgebraicVariablesOfIndexOne) {
  const std::string head = R"(
    model M
      Real x(start = 1), y(start = 1);
    equation
      der(x) = -y;
      y + y^3 = x;
    initial equation
      )";
  const BvpSolution by_y =
      solve_bvp(parse_model(head + "y(finalTime) = 0.5;\n end M;", "m.mo"), {0.0, 1.0});
  ASSERT_EQ(by_y.status, Status::success) << by_y.message;
  EXPECT_NEAR(by_y.final_value("x"), 0.5 + 0.125, 1e-7);
  EXPECT_NEAR(by_y.final_value("y"), 0.5, 1e-7);
  const BvpSolution by_x =
      solve_bvp(parse_model(head + "x(finalTime) = 0.625;\n end M;", "m.mo"), {0.0, 1.0});
  EXPECT_NEAR(by_y.row(0)[0], by_x.row(0)[0], 1e-6);
}

TEST(BvpProblems, RelationsFollowTheirArguments) {
  // u'' = −1 for t < ½, +1 after, u(0) = u(1) = 0: u(½) = 0, u'(0) = ¼.
  const Model model = parse_model(R"(
    model Switch
      Real u, v;
    equation
      der(u) = v;
      der(v) = if time < 0.5 then -1 else 1;
    initial equation
      u(startTime) = 0;
      u(finalTime) = 0;
    end Switch;)",
                                  "switch.mo");
  BvpOptions options;
  options.intervals = 10;  // with a mesh point at the switch
  const BvpSolution s = solve_bvp(model, {0.0, 1.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.at(0.5, "u"), 0.0, 1e-9);
  EXPECT_NEAR(s.at(0.0, "v"), 0.25, 1e-9);
}

/// u = −exp(−((p − ½)/w)²) with a state p that is the time: from the guess p = 0 a first correction
/// of u is far off, and right once p is.
TEST(BvpProblems, ABumpInAStateIsFoundFromAGuessOfZero) {
  for (const double w : {0.05, 0.005}) {
    ModelBuilder b("Bump");
    const Expr p = b.variable("p"), u = b.variable("u"), v = b.variable("v");
    const Expr z = (p - 0.5) / w;
    b.equation(der(p) == 1.0);
    b.equation(der(u) == v);
    b.equation(der(v) == (2.0 - 4.0 * z * z) * exp(-z * z) / (w * w));
    b.boundary_equation(p == 0.0);
    b.boundary_equation(u == 0.0);
    b.boundary_equation(b.final_value(u) == 0.0);
    const BvpSolution s = solve_bvp(b.build(), {0.0, 1.0});
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (int i = 0; i <= 50; ++i) {
      const double t = i / 50.0;
      EXPECT_NEAR(s.at(t, "u"), -std::exp(-std::pow((t - 0.5) / w, 2)), 1e-5) << w << ' ' << t;
    }
  }
}

// y' = b(t) + z, z' = 0 with a bump of area 1 at c, thinner than the intervals of any first mesh:
// z = −1, and y = −t before the bump and 1 − t behind it. Also where the bump is the root of a
// loop.
TEST(BvpProblems, ABumpBetweenThePointsOfTheMeshIsFound) {
  const Model direct = parse_model(R"(
    model Struck
      parameter Real c = 0.3123, w = 1e-3;
      Real y, z;
    equation
      der(y) = exp(-((time - c)/w)^2)/(w*sqrt(3.14159265358979323846)) + z;
      der(z) = 0;
    initial equation
      y(startTime) = 0;
      y(finalTime) = 0;
    end Struck;)");
  const Model through = parse_model(R"(
    model Loop
      parameter Real c = 0.3123, w = 1e-3;
      Real y, z, q, h;
    equation
      h = exp(-((time - c)/w)^2)/sqrt(3.14159265358979323846);
      q + q^3 = h + h^3;
      der(y) = q/w + z;
      der(z) = 0;
    initial equation
      y(startTime) = 0;
      y(finalTime) = 0;
    end Loop;)");
  for (const Model& model : {direct, through}) {
    for (const double c : {0.2, 0.3123, 0.5, 0.777}) {
      for (const double w : {1e-2, 1e-3, 1e-4}) {
        BvpOptions options;
        options.parameters = {{"c", c}, {"w", w}};
        const BvpSolution s = solve_bvp(model, {0.0, 1.0}, options);
        ASSERT_EQ(s.status, Status::success) << model.name() << ' ' << c << ' ' << w << s.message;
        EXPECT_NEAR(s.at(0.05, "y"), -0.05, 1e-4) << model.name() << ' ' << c << ' ' << w;
        EXPECT_NEAR(s.at(0.9, "y"), 0.1, 1e-4) << model.name() << ' ' << c << ' ' << w;
      }
    }
  }
}

// u'' = b(t), u(0) = u(1) = 0 with an even bump of area a about c: by Green's function
// u = a t (c − 1) before it and a c (t − 1) behind.
TEST(BvpProblems, BumpsAndPulsesOfAnyWidthAreFound) {
  constexpr auto text = [](std::string_view rate) {
    return fmt::format(R"(
      model Beam
        parameter Real a = 1, c = 0.5, w = 1e-3;
        Real u, v, s;
      equation
        der(u) = v;
        der(v) = a/w*({});
        der(s) = 1;
      initial equation
        u(startTime) = 0;
        u(finalTime) = 0;
        s(startTime) = 0;
      end Beam;)",
                       rate);
  };
  const auto expect = [&](std::string_view rate, double c, double w, double a,
                          const std::string& scheme) {
    BvpOptions options;
    options.scheme = scheme;
    options.parameters = {{"a", a}, {"c", c}, {"w", w}};
    const BvpSolution s = solve_bvp(parse_model(text(rate)), {0.0, 1.0}, options);
    const std::string what = fmt::format("{} at {} of width {} by {}", rate, c, w, scheme);
    ASSERT_EQ(s.status, Status::success) << what << ": " << s.message;
    const double size = std::abs(a) * c * (1.0 - c);
    EXPECT_NEAR(s.at(0.05, "u"), a * 0.05 * (c - 1.0), 1e-5 * size) << what;
    EXPECT_NEAR(s.at(0.95, "u"), -a * c * 0.05, 1e-5 * size) << what;
  };
  for (const double w : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}) {
    for (const double c : {0.3137, 0.4713, 0.7391}) {
      for (const char* scheme : {"gauss", "radau", "lobatto"}) {
        expect("if time > c - w and time < c + w then 0.5 else 0", c, w, 1.0, scheme);
      }
      expect("exp(-((time - c)/w)^2)/sqrt(3.14159265358979323846)", c, w, -30.0, "gauss");
      expect("exp(-((s - c)/w)^2)/sqrt(3.14159265358979323846)", c, w, 1.0, "gauss");
      expect("max(0, 1 - abs(time - c)/w)", c, w, 1.0, "gauss");
      expect("(sign(time - c + w) - sign(time - c - w))/4", c, w, 200.0, "gauss");
    }
  }
}

}  // namespace
}  // namespace daedal
