// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>
#include <numbers>

#include "problems/problems.hpp"

// Runs that fail because the solution itself ends.

namespace daedal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double pi = std::numbers::pi;

/// The time that a message speaks of.
double time_in(const std::string& message) {
  const std::string mark = "t = ";
  const auto place = message.find(mark);
  return place == std::string::npos ? std::nan("") : std::stod(message.substr(place + mark.size()));
}

TEST(Impasse, IsNamedWithItsTimeByEveryMethodAndIntegrator) {
  const problems::Problem problem = problems::impasse();
  struct Case {
    const char* method;
    const char* integrator;
  };
  for (const Case& c :
       {Case{"direct", "bdf"}, Case{"direct", "radau"}, Case{"dummy-derivatives", "bdf"},
        Case{"derivative-array", "dop853"}, Case{"derivative-array-implicit", "bdf"},
        Case{"least-squares-completion", "dop853"}}) {
    const Solution s = solve(problem.model, {0.0, 2.0},
                             {.method = c.method, .integrator = c.integrator, .rtol = 1e-7});
    EXPECT_EQ(s.status, Status::impasse_point) << c.method << ": " << s.message;
    EXPECT_NEAR(time_in(s.message), 1.0, 1e-6) << c.method << ": " << s.message;
    EXPECT_THAT(s.message, HasSubstr("'parabola'"));
    EXPECT_THAT(s.message, HasSubstr("'y'"));
    EXPECT_FALSE(s.times.empty());
  }
}

TEST(Impasse, IsFoundAtEveryTolerance) {
  for (const double rtol : {1e-3, 1e-5, 1e-8, 1e-10}) {
    const Solution s = solve(problems::impasse().model, {0.0, 2.0}, {.rtol = rtol, .atol = rtol});
    EXPECT_EQ(s.status, Status::impasse_point) << rtol << ": " << s.message;
    EXPECT_NEAR(s.times.back(), 1.0, std::max(rtol, 1e-6));
  }
}

TEST(Impasse, NamesOnlyTheEquationsThatFold) {
  // The impasse inside a larger model: z and w go on as they like.
  ModelBuilder b("Larger");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 1.0}), w = b.variable("w");
  const Expr z = b.variable("z", {.start = 0.0, .fixed = true});
  b.equation(der(x) == -1 + 0.0 * z);
  b.equation(der(z) == w, "drift");
  b.equation(w == cos(z) + y, "speed");
  b.equation(x - y * y == 0, "parabola");
  const Solution s = solve(b.build(), {0.0, 2.0});
  EXPECT_EQ(s.status, Status::impasse_point) << s.message;
  EXPECT_THAT(s.message, HasSubstr("'parabola'"));
  EXPECT_THAT(s.message, Not(HasSubstr("speed")));
}

TEST(Impasse, IsSeenInAnExplicitEquationToo) {
  // y = √(1 − t).
  ModelBuilder b("Root");
  const Expr y = b.variable("y", {.start = 1.0, .fixed = true});
  b.equation(der(y) == -1 / (2 * y));
  const Solution s = solve(b.build(), {0.0, 2.0}, {.method = "ode", .rtol = 1e-8});
  EXPECT_EQ(s.status, Status::impasse_point) << s.message;
  EXPECT_NEAR(time_in(s.message), 1.0, 1e-6);
}

TEST(Impasse, IsNoNameForASolutionThatBlowsUp) {
  ModelBuilder b("BlowUp");
  const Expr y = b.variable("y", {.start = 1.0, .fixed = true});
  b.equation(der(y) == y * y);
  const Model model = b.build();
  for (const char* method : {"ode", "direct"}) {
    const Solution s = solve(model, {0.0, 2.0}, {.method = method, .rtol = 1e-8});
    EXPECT_EQ(s.status, Status::step_size_underflow) << s.message;
  }
}

TEST(LockUp, IsNamedWhereverTheCrankIsPrescribed) {
  const problems::Problem problem = problems::lock_up();
  const double locked = pi / 4 - std::acos(0.9);  // .334371
  struct Case {
    const char* method;
    double accuracy;  // of a run that has to stop before it
  };
  for (const Case& c :
       {Case{"auto", 1e-6}, Case{"dummy-derivatives", 1e-6}, Case{"derivative-array", 1e-4}}) {
    const Solution s = solve(problem.model, {0.0, 1.0}, {.method = c.method, .rtol = 1e-7});
    EXPECT_EQ(s.status, Status::lock_up) << c.method << ": " << s.message;
    EXPECT_NEAR(time_in(s.message), locked, c.accuracy) << c.method << ": " << s.message;
    EXPECT_THAT(s.message, HasSubstr("'slider'"));
    EXPECT_THAT(s.message, testing::AnyOf(HasSubstr("'th2'"), HasSubstr("'drive'")));
  }
}

/// A crank of length 1 at constant rate, a coupler of .5 and a rocker of 1, pivots 2 apart: the
/// crank's tip reaches no farther than 1.5 from the rocker's pivot. From φ = .2 with rate 1.
Model driven_four_bar() {
  ModelBuilder b("DrivenFourBar");
  const Expr t = b.time();
  const Expr px = cos(0.2 + t), py = sin(0.2 + t);
  const Expr x = b.variable("x", {.start = 1.1}), y = b.variable("y", {.start = 0.6});
  const Expr u = b.variable("u"), v = b.variable("v");
  const Expr l = b.variable("l"), k = b.variable("k");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -(x - px) * l - (x - 2) * k);
  b.equation(der(v) == -(y - py) * l - y * k - 9.81);
  b.equation((sqr(x - px) + sqr(y - py) - 0.25) / 2 == 0, "coupler");
  b.equation((sqr(x - 2) + sqr(y) - 1) / 2 == 0, "rocker");
  return b.build();
}

TEST(LockUp, StopsAFourBarThatIsDrivenBeyondItsReach) {
  // |P − (2, 0)|² = 5 − 4 cos φ = 1.5²: coupler and rocker in line.
  const double locked = std::acos(2.75 / 4.0) - 0.2;
  for (const char* method : {"auto", "ggl", "index1", "trust-region", "direct-regularization"}) {
    const Solution s = solve(driven_four_bar(), {0.0, 2.0}, {.method = method, .rtol = 1e-7});
    EXPECT_EQ(s.status, Status::lock_up) << method << ": " << s.message;
    EXPECT_NEAR(time_in(s.message), locked, 1e-4) << method << ": " << s.message;
    EXPECT_THAT(s.message, HasSubstr("'coupler'")) << method;
    EXPECT_THAT(s.message, HasSubstr("'rocker'")) << method;
  }
}

TEST(SolutionEnd, LeavesOtherFailuresAsTheyAre) {
  // A motion at a bifurcation has a double zero of σ²: index 1 must not call it an impasse.
  const Solution s = solve(problems::slider_crank().model, {0.0, 10.0},
                           {.method = "index1", .rtol = 1e-3, .atol = 1e-3});
  EXPECT_EQ(s.status, Status::bifurcation) << s.message;
}

}  // namespace
}  // namespace daedal
