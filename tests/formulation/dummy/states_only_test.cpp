// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/states_only.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>

#include "formulation/dummy/dummy_derivatives.hpp"
#include "formulation/formulation_support.hpp"

namespace daedal::formulation {
namespace {

using testing::Contains;
using testing::HasSubstr;

SolveOptions states_only(double tolerance, const char* integrator = "cvode-bdf") {
  return {.method = "states-only",
          .integrator = integrator,
          .rtol = tolerance,
          .atol = tolerance,
          .max_steps = 20000};
}

Solution run(const Model& model, double stop, const SolveOptions& options) {
  Solution solution = solve(model, {0.0, stop}, options);
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return solution;
}

/// The root of an increasing function.
template <class Function>
double root(const Function& f, double low, double high) {
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (f(middle) < 0.0 ? low : high) = middle;
  }
  return low;
}

// y + y³ = x + x³ has the one root y = x: x' = −1000 (x − cos t), which is stiff, and
// x = (cos t + ε sin t − e^(−t/ε)·…)/(1 + ε²) with ε = 1e-3 from x(0) = 1/(1 + ε²).
Model stiff_loop() {
  ModelBuilder b("StiffLoop");
  const Expr x = b.variable("x", {.start = 1.0 / (1.0 + 1e-6), .fixed = true});
  const Expr y = b.variable("y", {.start = 1.0});
  const Expr z = b.variable("z");
  b.equation(der(x) == -1000.0 * (y - cos(b.time())));
  b.equation(y + pow(y, 3) == x + pow(x, 3), "loop");
  b.equation(z == 3.0 * y);
  return b.build();
}

TEST(StatesOnly, IntegratesTheStatesOfAStiffModelImplicitly) {
  for (const char* integrator : {"cvode-bdf", "radau"}) {
    const Solution solution = run(stiff_loop(), 2.0, states_only(1e-8, integrator));
    const double expected = (std::cos(2.0) + 1e-3 * std::sin(2.0)) / (1.0 + 1e-6);
    EXPECT_NEAR(solution.final_value("x"), expected, 1e-6) << integrator;
    EXPECT_NEAR(solution.final_value("z"), 3.0 * solution.final_value("y"), 1e-14) << integrator;
    EXPECT_LT(solution.statistics.steps, 1000) << integrator;
  }
}

// dx'/dx = −1000 (1 + 3x²)/(1 + 3y²) = −1000 where y = x.
TEST(StatesOnly, DifferentiatesTheBlocksImplicitly) {
  Request request;
  request.model = stiff_loop();
  request.parameters = request.model.parameter_values();
  const auto context = std::make_shared<const DummyContext>(request, DummyDerivatives{});
  const Formulation formulation = make_states_only(context);
  const auto& system = *formulation.explicit_system;
  ASSERT_EQ(system.size(), 1);
  EXPECT_EQ(system.unknown_name(0), "x");
  const auto base = system.make_run();
  const Start start = formulation.start(0.0, *base);
  ASSERT_EQ(start.status, Status::success) << start.message;
  std::vector<double> x = start.x;
  std::vector<double> slope(1);
  for (const double value : {1.0, 0.7, 0.1}) {
    x[0] = value;
    ASSERT_EQ(system.jacobian(0.0, x, *base, slope), Evaluation::ok);
    EXPECT_NEAR(slope[0], -1000.0, 1e-8);
  }
}

// A pure output that jumps without an event, and a node that 1e-5 S alone hold: neither costs a
// step. x = e^(−t); the node lies at −1e5·1e-9·x.
TEST(StatesOnly, LeavesOutputsOutOfTheErrorTest) {
  const Model model = parse_model(R"(model Outputs
  Real x(start = 1, fixed = true);
  Real loss;
  Real v;
  Real u;
equation
  der(x) = -x;
  loss = noEvent(if x > 0.5 then 1000 * x else -1000 * x);
  1e-5 * v + 1e-9 * u = 0;
  u - x = 1e-12 * v;
end Outputs;
)");
  const Solution solution = run(model, 3.0, states_only(1e-6));
  EXPECT_NEAR(solution.final_value("x"), std::exp(-3.0), 1e-5);
  EXPECT_NEAR(solution.final_value("loss"), -1000.0 * solution.final_value("x"), 1e-9);
  EXPECT_NEAR(solution.final_value("v"), -1e-4 * solution.final_value("x"), 1e-12);
  EXPECT_LT(solution.statistics.steps, 200);
}

// The relaxation oscillator x' = −y, x = y³/3 − y: on the branch from y = 2 the time to the fold at
// y = 1 is ∫ (y − 1/y) dy = 3/2 − ln 2; there y jumps to −2 with x held, and the same again.
TEST(StatesOnly, JumpsAtTheFoldOfALoopWithStatesHeld) {
  ModelBuilder b("Relaxation");
  const Expr x = b.variable("x", {.start = 2.0 / 3.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 2.0});
  b.equation(der(x) == -y);
  b.equation(pow(y, 3) / 3.0 - y == x, "branches");
  const Model model = b.build();
  const double half = 1.5 - std::log(2.0);
  const double rest = 0.2;
  for (const char* integrator : {"cvode-bdf", "radau", "dop853"}) {
    const Solution solution = run(model, 2.0 * half + rest, states_only(1e-8, integrator));
    const double expected =
        root([&](double v) { return rest - ((4.0 - v * v) / 2.0 - std::log(2.0 / v)); }, 1.0, 2.0);
    EXPECT_NEAR(solution.final_value("y"), expected, 1e-4) << integrator;
    EXPECT_THAT(solution.warnings, Contains(HasSubstr("'branches'"))) << integrator;
    ASSERT_EQ(solution.events.size(), 2U) << integrator;
    EXPECT_NEAR(solution.events.front().time, half, 1e-5) << integrator;
  }
}

// The same curve driven by 0.9 cos t, without any state: upper branch until 0.9 cos t = −2/3, lower
// branch until 0.9 cos t = 2/3.
TEST(StatesOnly, FollowsTheBranchesOfAModelWithoutStates) {
  ModelBuilder b("Hysteresis");
  const Expr y = b.variable("y", {.start = 2.0});
  b.equation(pow(y, 3) / 3.0 - y == 0.9 * cos(b.time()), "branches");
  SolveOptions options = states_only(1e-6);
  options.interval = std::numbers::pi / 2.0;
  const Solution solution = run(b.build(), 2.0 * std::numbers::pi, options);
  const double end = root([](double v) { return v * v * v / 3.0 - v - 0.9; }, 1.0, 3.0);
  const std::size_t column = solution.column("y");
  const auto value = [&](double t) {
    for (std::size_t i = 0; i < solution.n_rows(); ++i)
      if (std::abs(solution.times[i] - t) < 1e-9) return solution.row(i)[column];
    return 0.0;
  };
  EXPECT_NEAR(value(std::numbers::pi / 2.0), std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(value(std::numbers::pi), -end, 1e-9);
  EXPECT_NEAR(value(1.5 * std::numbers::pi), -std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(solution.final_value("y"), end, 1e-9);
}

// A comparator with feedback, of straight pieces: y = clamp(100 (y/2 − sin t), −1, 1) stays at 1
// until sin t = 1/2 − 1/100, and then jumps to −1. Newton's method from 1 finds −1 in one
// correction at once wherever it exists; the first jump is at arcsin 0.49 all the same.
TEST(StatesOnly, KeepsTheSolutionOfAPiecewiseLinearLoopToItsEnd) {
  const Model model = parse_model(R"(model Comparator
  Real x(start = 0, fixed = true);
  Real y(start = 1);
  Real v(start = 50);
equation
  der(x) = y;
  v = 100 * (y / 2 - sin(time));
  y = noEvent(if v > 1 then 1 else if v < -1 then -1 else v);
end Comparator;
)");
  for (const char* integrator : {"cvode-bdf", "radau", "dop853"}) {
    const Solution solution = run(model, 2.0, states_only(1e-6, integrator));
    const double jump = std::asin(0.49);
    EXPECT_NEAR(solution.final_value("x"), jump - (2.0 - jump), 1e-4) << integrator;
    EXPECT_FALSE(solution.warnings.empty()) << integrator;
  }
}

// y² = 1 − t has no other root beyond t = 1: that is an end, not a jump.
TEST(StatesOnly, EndsWhereNoRootRemains) {
  ModelBuilder b("Impasse");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 1.0});
  b.equation(der(x) == y);
  b.equation(sqr(y) == 1.0 - b.time(), "parabola");
  const Solution solution = solve(b.build(), {0.0, 2.0}, states_only(1e-6));
  EXPECT_EQ(solution.status, Status::impasse_point) << solution.message;
  EXPECT_NEAR(solution.times.back(), 1.0, 1e-3);
}

// A capacitor of 1e-15 F behind 1e12 Ω: v = 1 − e^(−1000 t).
TEST(StatesOnly, TakesTheSmallestCapacitorForOne) {
  ModelBuilder b("Femtofarad");
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr i = b.variable("i");
  const Expr u = b.variable("u");
  b.equation(1e-15 * der(v) == i);
  b.equation(u == 1e12 * i);
  b.equation(u + v == 1.0);
  const Solution solution = run(b.build(), 2e-3, states_only(1e-8));
  EXPECT_NEAR(solution.final_value("v"), 1.0 - std::exp(-2.0), 1e-6);
}

// States change on the way: a pendulum that turns over. The energy of the start stays.
TEST(StatesOnly, SelectsOtherStatesOnTheWay) {
  for (const char* integrator : {"cvode-bdf", "radau", "dop853"}) {
    ModelBuilder b("Pendulum");
    const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
    const Expr y = b.variable("y", {.start = -1.0});
    const Expr vx = b.variable("vx", {.start = 7.0, .fixed = true});
    const Expr vy = b.variable("vy");
    const Expr lambda = b.variable("lambda");
    b.equation(der(x) == vx);
    b.equation(der(y) == vy);
    b.equation(der(vx) == -lambda * x);
    b.equation(der(vy) == -lambda * y - 9.81);
    b.equation(sqr(x) + sqr(y) == 1.0, "rod");
    const Solution solution = run(b.build(), 3.0, states_only(1e-8, integrator));
    const double energy =
        0.5 * (std::pow(solution.final_value("vx"), 2) + std::pow(solution.final_value("vy"), 2)) +
        9.81 * solution.final_value("y");
    EXPECT_NEAR(energy, 0.5 * 49.0 - 9.81, 1e-4) << integrator;
    EXPECT_GT(solution.statistics.reselections, 3) << integrator;
    EXPECT_NEAR(std::hypot(solution.at(1.5, "x"), solution.at(1.5, "y")), 1.0, 1e-12) << integrator;
  }
}

// Two brakes on shafts that a gear joins: sliding they brake by u = w and v = w/2, w = e^(−3t/2).
// From t = 1 on both hold, a = 0 twice: u + v = 0 is all that is known of the torques, which move
// nothing, and φ(2) = (1 − e^(−3/2))/1.5 + e^(−3/2). `felt` adds a state that moves by u − v.
Model two_brakes(bool felt) {
  return parse_model(std::string(R"(
model Brakes
  Real phi(start = 0, fixed = true), w(start = 1, fixed = true), a, phi2, w2, a2, u, v;
  Real q(start = 0, fixed = true);
  Boolean held(start = false, fixed = true);
equation
  held = time >= 1;
  der(phi) = w;
  der(w) = a;
  phi2 = 2*phi;
  der(phi2) = w2;
  der(w2) = a2;
  a = -u - v;
  0 = if held then a else u - w;
  0 = if held then a2 else v - w/2;
  der(q) = )") + (felt ? "u - v" : "w") +
                     ";\nend Brakes;\n");
}

TEST(StatesOnly, MovesOnWithoutWhatNothingDeterminesAndNoStateFeels) {
  for (const char* method : {"states-only", "auto"}) {
    // (At sharper tolerances `auto` begins with Taylor series.)
    const Solution solution =
        solve(two_brakes(false), {0.0, 2.0}, {.method = method, .rtol = 1e-7});
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("phi"), (1.0 - std::exp(-1.5)) / 1.5 + std::exp(-1.5), 1e-5)
        << method;
    EXPECT_NEAR(solution.final_value("w"), std::exp(-1.5), 1e-5) << method;
    EXPECT_NEAR(solution.final_value("u") + solution.final_value("v"), 0.0, 1e-9) << method;
    EXPECT_THAT(solution.warnings, Contains(HasSubstr("Values that nothing determines")));
  }
}

// y^3 - 3y = z has the fold y = -1 at z = 2, where the run begins at t = 0: no step has told what
// is near to that.
TEST(StatesOnly, EndsAtAFoldAtTheStart) {
  const Solution solution = solve(parse_model(R"(
model Fold
  Real z(start = 2, fixed = true), y(start = -1), w(start = 0, fixed = true);
equation
  der(z) = 1;
  y^3 - 3*y = z;
  der(w) = y;
end Fold;)"),
                                  {0.0, 1.0}, states_only(1e-6));
  EXPECT_FALSE(is_success(solution.status));
  EXPECT_LT(solution.times.back(), 1e-6);
}

TEST(StatesOnly, RefusesWhatNothingDeterminesAndAStateFeels) {
  const Solution solution = solve(two_brakes(true), {0.0, 2.0}, states_only(1e-8));
  EXPECT_EQ(solution.status, Status::index_too_high) << solution.message;
  EXPECT_DOUBLE_EQ(solution.times.back(), 1.0);
  // `auto` goes on to the method that takes any index, which finds that there is no one solution.
  EXPECT_EQ(solve(two_brakes(true), {0.0, 2.0}).status, Status::no_unique_solution);
}

TEST(DummyDerivatives, NamesWhatNothingDeterminesAndNoStateFeels) {
  const Solution solution =
      solve(two_brakes(false), {0.0, 2.0}, {.method = "dummy-derivatives", .rtol = 1e-6});
  EXPECT_EQ(solution.status, Status::no_unique_solution) << solution.message;
  EXPECT_THAT(solution.message, HasSubstr("which no state feels"));
}

}  // namespace
}  // namespace daedal::formulation
