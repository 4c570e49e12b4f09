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
  for (const char* method : {"auto", "dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("y"), -1.0, 1e-8) << method;
    EXPECT_NEAR(solution.final_value("x"), -1.0, 1e-6) << method;
  }
}

// An amplifier with positive feedback, y = 100 u and u = y/2 within ±1: at rest with y = 0, which
// is unstable, and saturated at ±1. The simplified equation y = −1 decides for −1, since it lies
// where the relations say so.
TEST(Homotopy, DecidesTheSidesOfRelations) {
  const Model model = parse_model(R"(model Amplifier
  Real x(start = 0, fixed = true);
  Real y;
  Real u;
equation
  der(x) = y;
  u = y / 2;
  y = homotopy(smooth(0, if 100 * u > 1 then 1 else if 100 * u < -1 then -1 else 100 * u), -1);
end Amplifier;
)");
  for (const char* method : {"auto", "direct", "dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
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

// A magnetic circuit: nobody guesses anything, and 1/g at g = 0 is no start. With the flux guessed
// to be 0 first, mu = 100 and everything else follow. The voltage is that of phi = 1.5, where
// r phi = 100·1.5/(1 + 99/10).
TEST(CausalStart, TakesGuessesThatLeaveTheDomainLast) {
  const Model model = parse_model(R"(model Circuit
  Real g, r, mu, b, phi, v;
  Real x(start = 0, fixed = true);
equation
  g = 0.01*mu;
  r = 1/g;
  mu = 1 + 99/(1 + b*b);
  b = 2*phi;
  v = r*phi;
  v = 1500/109;
  der(x) = phi;
end Circuit;
)");
  const Solution solution = solve(model, {0.0, 1.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("phi"), 1.5, 1e-8);
  EXPECT_NEAR(solution.final_value("x"), 1.5, 1e-6);
}

// Two links of 0.5 m whose tip is at (0.7, 0.3): cos φ2 = 0.58/0.5 − 1. The guess π/2 of φ2 is near
// to arccos 0.16; that r is guessed to be 0, which is to be no state, and that an angle which only
// follows has no guess at all, must not lead to −arccos 0.16.
TEST(CausalStart, StaysNearTheGuessesOfStates) {
  const Model model = parse_model(R"(model Arm
  Real phi1(start = 0, stateSelect = StateSelect.prefer);
  Real phi2(start = 1.5707963267948966, stateSelect = StateSelect.prefer);
  Real turned, c1, s1, c2, s2, c12, s12, x1, y1;
  Real r1(start = 0, stateSelect = StateSelect.avoid), r2(start = 0, stateSelect = StateSelect.avoid);
  Real x(start = 0.7, fixed = true), y(start = 0.3, fixed = true);
equation
  turned = phi2 + 0.1;
  c1 = cos(phi1);
  s1 = sin(phi1);
  c2 = cos(phi2);
  s2 = sin(phi2);
  c12 = c1*c2 - s1*s2;
  s12 = s1*c2 + c1*s2;
  x1 = 0.5*c1;
  y1 = 0.5*s1;
  r1 = x1;
  r2 = y1;
  x = r1 + 0.5*c12;
  y = r2 + 0.5*s12;
  der(x) = 1e-12*sin(turned*turned);
  der(y) = 0;
end Arm;
)");
  for (const char* method : {"dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("phi2"), std::acos(0.16), 1e-6) << method;
  }
}

// A brake that holds does not say with how much: the equation of motion does, 3 N.m, until the load
// reaches 5 N.m at t = 2.
TEST(CausalStart, AsksTheEquationsOfThePresentMode) {
  const Model model = parse_model(R"(model Brake
  Real w(start = 0, fixed = true);
  Real a, f, s, load;
  Boolean holds(start = true);
equation
  der(w) = a;
  load = 3 + time;
  a = load - f;
  f = if holds then s else 5;
  a = if holds then 0 else s - 5;
  holds = s <= 5;
end Brake;
)");
  for (const char* method : {"auto", "dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 4.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("w"), 2.0, 1e-5) << method;
    EXPECT_NEAR(solution.final_value("f"), 5.0, 1e-8) << method;
  }
}

// As long as the brake holds it says a = 0, and so does an initial equation. What is left over, the
// current i, is what it was guessed to be: 3 A, and 5 A at t = 2, where the brake slips.
TEST(CausalStart, TakesTheStartValueThatAModeLeavesOpen) {
  const Model model = parse_model(R"(model Drive
  Real w, a, f, s, load, i(start = 3);
  Boolean holds(start = true);
initial equation
  w = 0;
  a = 0;
equation
  der(w) = a;
  der(i) = 1;
  load = i;
  a = load - f;
  f = if holds then s else 5;
  a = if holds then 0 else s - 5;
  holds = s <= 5;
end Drive;
)");
  for (const char* method : {"auto", "dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 4.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("i"), 7.0, 1e-6) << method;
    EXPECT_NEAR(solution.final_value("w"), 2.0, 1e-5) << method;
  }
}

// A start value of 0 says nothing: exporting tools write it to every current. Then the equations
// say which unknown is left over in the order in which those of all modes are solved: the friction
// s, without a start value, is 0, and i is 3 A; at t = 5 it is 8 A, and the brake slips.
TEST(CausalStart, KeepsTheGuessOfWhatNoModeDetermines) {
  const Model model = parse_model(R"(model Drive
  Real w, a, f, s, load, i(start = 0);
  Boolean holds(start = true);
initial equation
  w = 0;
  a = 0;
equation
  der(w) = a;
  der(i) = 1;
  load = i - 3;
  a = load - f;
  f = if holds then s else 5;
  a = if holds then 0 else s - 5;
  holds = s <= 5;
end Drive;
)");
  for (const char* method : {"auto", "dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 7.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("i"), 10.0, 1e-6) << method;
    EXPECT_NEAR(solution.final_value("w"), 2.0, 1e-5) << method;
  }
}

// No other equation has der(y), which the initial equation makes 3: x begins at 1 - 3/2.
TEST(CausalStart, TakesDerivativesThatInitialEquationsAloneHave) {
  const Model model = parse_model(R"(model Start
  Real x, y;
initial equation
  der(y) = 3;
equation
  der(x) = 1 - x;
  y = 2 * x;
end Start;
)");
  const Solution solution = solve(model, {0.0, 1.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.at(0.0, "x"), -0.5, 1e-9);
  EXPECT_NEAR(solution.final_value("y"), 2.0 - 3.0 * std::exp(-1.0), 1e-5);
}

// The root of re² + im² has no slope at 0, but a value: x = t²/2.
TEST(CausalStart, BeginsAtTheRootOfZero) {
  const Model model = parse_model(R"(model Magnitude
  Real re(start = 0, fixed = true);
  Real im(start = 0, fixed = true);
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(re) = 0.6;
  der(im) = 0.8;
  der(x) = y;
  y = sqrt(re * re + im * im);
end Magnitude;
)");
  for (const char* method : {"auto", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 2.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("x"), 2.0, 1e-5) << method;
  }
}

// The same after an event, at which a sampled y keeps its value: x' = 1 from there on.
TEST(CausalStart, PassesAnEventAtTheRootOfZero) {
  const Model model = parse_model(R"(model Sampled
  discrete Real re(start = 0, fixed = true);
  Real x(start = 0, fixed = true);
  Real y;
  Real a;
equation
  when time >= 1 then
    re = 2 * pre(re);
  end when;
  der(x) = if time < 1 then y else 1 + y;
  a = re * (1 + x);
  y = sqrt(a * a);
end Sampled;
)");
  for (const char* method : {"auto", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 2.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("x"), 1.0, 1e-6) << method;
  }
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

// The states m and U have no start values; level and T, which are to be states, have. So the tank
// begins with 0.8 m at 293.15 K, drains 1 kg/s and keeps its temperature: what flows out has the
// specific energy of what stays.
TEST(CausalStart, TakesStatesWithoutStartValuesFromThoseThatWereToBeStates) {
  const Model model = parse_model(R"(model Tank
  Real level(start = 0.8, stateSelect = StateSelect.prefer);
  Real T(start = 293.15, nominal = 300, stateSelect = StateSelect.prefer);
  Real m, U, u;
equation
  m = 1000 * (level + 0.1);
  U = m * u;
  u = 4184 * (T - 273.15);
  der(m) = -1;
  der(U) = -u;
end Tank;
)");
  for (const char* method : {"auto", "direct", "dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    const Solution solution = solve(model, {0.0, 100.0}, options);
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("level"), 0.7, 1e-5) << method;
    EXPECT_NEAR(solution.final_value("T"), 293.15, 1e-3) << method;
  }
}

}  // namespace
}  // namespace daedal
