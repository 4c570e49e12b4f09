// SPDX-License-Identifier: BSD-3-Clause
/// Every way in which a boundary value problem fails, named, with what was computed.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <daedal/bvp.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>

namespace daedal {
namespace {

/// u'' = −u with the given conditions.
Model oscillator(const std::string& conditions) {
  return parse_model("model M\n  Real u, v;\nequation\n  der(u) = v;\n  der(v) = -u;\n" +
                         ("initial equation\n" + conditions) + "end M;\n",
                     "m.mo");
}

/// Two integrators in a row, driven by y so that x1 + x2 = 1: index 2.
Model driven_on_a_line(const std::string& conditions) {
  return parse_model(
      "model M\n  Real x1, x2, y;\nequation\n  der(x1) = x2;\n  der(x2) = y;\n  x1 + x2 = 1;\n"
      "initial equation\n" +
          conditions + "end M;\n",
      "m.mo");
}

template <class Thrown = ModelError>
std::string message_of(const Model& model, const BvpOptions& options = {},
                       const TimeSpan& span = {0.0, 1.0}) {
  try {
    (void)solve_bvp(model, span, options);
  } catch (const Thrown& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(BvpFailures, TooFewConditionsNameTheVariablesLeftOpen) {
  const std::string text = message_of(oscillator("  u(finalTime) = 1;\n"));
  expect_contains(text, "needs 2 boundary conditions");
  expect_contains(text, "one is given: 'u(finalTime) = 1'");
  expect_contains(text, "u and v");
}

TEST(BvpFailures, TooManyConditionsNameThoseThatDepend) {
  const std::string text =
      message_of(oscillator("  u(startTime) = 0;\n  v(startTime) = 1;\n  u(finalTime) = 1;\n"));
  expect_contains(text, "needs 2 boundary conditions");
  expect_contains(text, "3 are given");
  expect_contains(text, "leave 1 of them out");
}

TEST(BvpFailures, AConstraintTakesThePlaceOfACondition) {
  const Model model = driven_on_a_line("  x1(startTime) = 0;\n  x2(startTime) = 1;\n");
  const std::string text = message_of(model);
  expect_contains(text, "needs 1 boundary condition (2 differential variables less 1 constraint");
  // At t = 0 the two conditions and the constraint depend on each other.
  expect_contains(text, "at the beginning");
}

TEST(BvpFailures, ContradictoryConditionsAreNamed) {
  // Over half a period u(π) = −u(0), whatever the solution.
  const BvpSolution s =
      solve_bvp(oscillator("  u(startTime) = 1;\n  u(finalTime) = 2;\n"), {0.0, M_PI});
  EXPECT_EQ(s.status, Status::boundary_conditions);
  expect_contains(s.message, "'u(startTime) = 1'");
  expect_contains(s.message, "'u(finalTime) = 2'");
  expect_contains(s.message, "contradict each other");
  EXPECT_GT(s.n_rows(), 0U);
}

TEST(BvpFailures, DependentConditionsAreTold) {
  const BvpSolution s =
      solve_bvp(oscillator("  u(startTime) = 1;\n  u(finalTime) = -1;\n"), {0.0, M_PI});
  EXPECT_EQ(s.status, Status::boundary_conditions);
  expect_contains(s.message, "depend on each other");
}

/// Bratu's problem has no solution for λ > 3.514.
TEST(BvpFailures, NoConvergenceKeepsTheLastIterate) {
  const Model model = parse_model(R"(
    model Bratu
      Real u, v;
    equation
      der(u) = v;
      der(v) = -4*exp(u);
    initial equation
      u(startTime) = 0;
      u(finalTime) = 0;
    end Bratu;)",
                                  "bratu.mo");
  const BvpSolution s = solve_bvp(model, {0.0, 1.0});
  EXPECT_EQ(s.status, Status::newton_failure) << s.message;
  expect_contains(s.message, "Newton's iteration");
  ASSERT_GT(s.n_rows(), 1U);
  EXPECT_EQ(s.mesh.size(), s.n_rows());
  EXPECT_TRUE(std::isfinite(s.at(0.5, "u")));
  EXPECT_GT(s.rounds.size(), 1U);  // finer meshes were tried
}

TEST(BvpFailures, AMeshLimitKeepsTheBestSolution) {
  const Model model = parse_model(R"(
    model Layer
      Real u, w;
    equation
      der(u) = w;
      1e-4*der(w) = -w;
    initial equation
      u(startTime) = 0;
      u(finalTime) = 1;
    end Layer;)",
                                  "layer.mo");
  BvpOptions options;
  options.rtol = 1e-10;
  options.atol = 1e-10;
  options.points = 2;
  options.max_intervals = 200;
  const BvpSolution s = solve_bvp(model, {0.0, 1.0}, options);
  EXPECT_EQ(s.status, Status::mesh_limit_reached);
  expect_contains(s.message, "200 are allowed");
  EXPECT_LE(s.mesh.size(), 201U);
  EXPECT_GT(s.error_estimate, 1.0);
  EXPECT_NEAR(s.at(1e-4, "u"), 1.0 - std::exp(-1.0), 1e-4);  // the best so far is a good one
}

TEST(BvpFailures, AnIndexThatIsNoneOfTheFormsIsRefused) {
  // y is found after two differentiations, but not as a Hessenberg system: y² appears.
  const Model model = parse_model(R"(
    model M
      Real x1(start = 1), x2(start = 1), y(start = 1);
    equation
      der(x1) = x2;
      der(x2) = -y^2 - sin(y);
      x1 = time;
    end M;)",
                                  "m.mo");
  const BvpSolution s = solve_bvp(model, {0.0, 1.0});
  EXPECT_EQ(s.status, Status::index_too_high);
  expect_contains(s.message, "structural index 3");
}

TEST(BvpFailures, ASingularPointIsNamedWithItsTime) {
  // The multiplier is not determined where its factor vanishes, at the middle of an interval.
  const Model model = parse_model(R"(
    model M
      Real x1, x2, y;
    equation
      der(x1) = -x1 + x2 - sin(time);
      der(x2) = (1 - 2*time)*y;
      (1 - 2*time)*(x1 + x2 - exp(-time) - sin(time)) = 0;
    initial equation
      x1(finalTime) + x2(startTime) = exp(-1);
    end M;)",
                                  "m.mo");
  BvpOptions options;
  options.intervals = 21;  // odd: t = ½ is a collocation point
  const BvpSolution s = solve_bvp(model, {0.0, 1.0}, options);
  EXPECT_EQ(s.status, Status::singular_iteration_matrix) << s.message;
  expect_contains(s.message, "loses rank");
}

TEST(BvpFailures, ValuesThatAreNotFiniteAreNamed) {
  const Model model = parse_model(R"(
    model M
      Real u(start = -1), v;
    equation
      der(u) = v;
      der(v) = log(u);
    initial equation
      u(startTime) = -1;
      u(finalTime) = 1;
    end M;)",
                                  "m.mo");
  const BvpSolution s = solve_bvp(model, {0.0, 1.0});
  EXPECT_EQ(s.status, Status::non_finite_value);
  EXPECT_FALSE(s.message.empty());
}

TEST(BvpFailures, ConditionsOnMultipliersAndDerivativesAreRefusedByName) {
  const std::string text = message_of(parse_model(R"(
    model M
      Real x1, x2, y;
    equation
      der(x1) = x2;
      der(x2) = y;
      x1 + x2 = 1;
    initial equation
      y(finalTime) = 1;
    end M;)",
                                                  "m.mo"));
  expect_contains(text, "the algebraic variable 'y'");
  expect_contains(message_of(oscillator("  der(u) = 1;\n  der(v) = 0;\n")),
                  "the derivative of 'u'");
}

TEST(BvpFailures, EventsHaveNoPlace) {
  const Model model = parse_model(R"(
    model M
      Real x(start = 1);
    equation
      der(x) = -1;
      when x < 0.5 then
        reinit(x, 1);
      end when;
    end M;)",
                                  "m.mo");
  expect_contains(message_of(model), "when-clause");
}

TEST(BvpFailures, OptionsOutOfRangeAreRefused) {
  const Model model = oscillator("  u(startTime) = 0;\n  u(finalTime) = 1;\n");
  const auto refused = [&](const BvpOptions& options, const TimeSpan& span = {0.0, 1.0}) {
    return message_of<OptionError>(model, options, span);
  };
  expect_contains(refused({.scheme = "chebyshev"}), "no collocation scheme 'chebyshev'");
  expect_contains(refused({.points = 6}), "1 to 5 gauss points");
  expect_contains(refused({.rtol = 0.0}), "must be positive");
  expect_contains(refused({.intervals = 0}), "mesh intervals must be at least 1");
  expect_contains(refused({.mesh = {0.0, 0.7, 0.5, 1.0}}), "must ascend");
  expect_contains(refused({}, {1.0, 1.0}), "must be finite and ascending");
  BvpOptions guess;
  guess.guess = {.names = {"w"}, .times = {0.0}, .values = {1.0}};
  expect_contains(refused(guess), "names 'w'");
  guess.guess = {.names = {"u"}, .times = {0.0, 1.0}, .values = {1.0}};
  expect_contains(refused(guess), "1 numbers for 2 times");
}

TEST(BvpFailures, LobattoPointsAreForIndexOne) {
  const Model model = driven_on_a_line("  x1(startTime) = 0;\n");
  expect_contains(message_of<OptionError>(model, {.scheme = "lobatto"}), "Use gauss or radau");
}

TEST(BvpFailures, ACancelledRunSaysSo) {
  const std::atomic<bool> cancel = true;
  BvpOptions options;
  options.cancel = &cancel;
  const BvpSolution s =
      solve_bvp(oscillator("  u(startTime) = 0;\n  u(finalTime) = 1;\n"), {0.0, 1.0}, options);
  EXPECT_EQ(s.status, Status::cancelled);
}

// The dense blocks of 200 unknowns take seconds to eliminate on a mesh: the limit counts within it.
TEST(BvpFailures, ALimitOfTimeCountsWithinAnIteration) {
  const Model line = parse_model(R"(
    model Line
      Real u[200](each start = 1, each fixed = true);
    equation
      for i in 1:199 loop
        der(u[i]) = u[i + 1] - u[i]^3;
      end for;
      der(u[200]) = -u[200]^3;
    end Line;)");
  const BvpSolution s = solve_bvp(line, {0.0, 1.0}, {.time_limit = 0.01});
  EXPECT_EQ(s.status, Status::time_limit_reached);
  ASSERT_EQ(s.rounds.size(), 1U);
  EXPECT_EQ(s.rounds.front().newton_iterations, 1);
}

TEST(BvpFailures, SimulateRefusesConditionsAtTheEnd) {
  const Model model = oscillator("  u(startTime) = 0;\n  u(finalTime) = 1;\n");
  try {
    (void)solve(model, {0.0, 1.0});
    FAIL() << "nothing was thrown";
  } catch (const ModelError& error) {
    expect_contains(error.what(), "boundary value problem");
    EXPECT_EQ(error.where().line, 8);
  }
}

}  // namespace
}  // namespace daedal
