// SPDX-License-Identifier: BSD-3-Clause
/// Functions of C++ in models: beside the same model with the formula, and beside closed forms.

#include <daedal/function.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/solve.hpp>
#include <daedal/table.hpp>
#include <stdexcept>

namespace daedal {
namespace {

using testing::HasSubstr;

/// der(x) = -f(x) from 1, f by formula or by a function.
Model decay(const Function* f) {
  ModelBuilder b("Decay");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  b.equation(der(x) == -y);
  b.equation(y == (f != nullptr ? (*f)(x) : x * x));
  return b.build();
}

double square(double x) {
  return x * x;
}
double twice(double x) {
  return 2.0 * x;
}
double two(double) {
  return 2.0;
}

TEST(Functions, GiveWhatTheFormulaGives) {
  const Function f("square", {square, twice, two});
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const SolveOptions options{.integrator = Integrator(integrator), .rtol = 1e-9, .atol = 1e-12};
    const Solution s = solve(decay(&f), {0.0, 3.0}, options);
    ASSERT_EQ(s.status, Status::success) << integrator << ": " << s.message;
    EXPECT_NEAR(s.final_value("x"), 0.25, 1e-7) << integrator;  // 1/(1 + t)
    EXPECT_NEAR(s.final_value("y"), 0.0625, 1e-7);
  }
}

// x = f(t) = t² of index 3: v = 2t, F = 2.
TEST(Functions, AreDifferentiatedByHigherIndex) {
  const auto moved = [](const Function& f) {
    ModelBuilder b("Moved");
    const Expr x = b.variable("x"), v = b.variable("v"), force = b.variable("F");
    b.equation(der(x) == v);
    b.equation(der(v) == force);
    b.equation(x == f(b.time()));
    return b.build();
  };
  for (const char* method : {"auto", "dummy-derivatives", "derivative-array"}) {
    const Solution s =
        solve(moved(Function("square", {square, twice, two, [](double) { return 0.0; }})),
              {0.0, 2.0}, {.method = Method(method)});
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_NEAR(s.final_value("v"), 4.0, 1e-6) << method;
    EXPECT_NEAR(s.final_value("F"), 2.0, 1e-6) << method;
  }
  try {
    (void)solve(moved(Function("square", {square, twice})), {0.0, 2.0});
    ADD_FAILURE() << "a derivative is missing";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("derivative of the function square'"));
  }
}

TEST(Functions, ThatThrowEndTheRunWithWhatWasComputed) {
  ModelBuilder b("Throws");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Function f = b.function(
      "f",
      [](double u) {
        if (u > 0.5) throw std::runtime_error("outside");
        return 1.0;
      },
      [](double) { return 0.0; });
  b.equation(der(x) == f(x));
  const Model model = b.build();
  for (const char* integrator : {"bdf", "dop853"}) {
    Simulation run =
        prepare(model, {.integrator = Integrator(integrator), .max_step = 0.01}).start({0.0, 1.0});
    EXPECT_THROW(while (run.step()){}, std::runtime_error);
    EXPECT_EQ(run.solution().status, Status::cancelled);
    EXPECT_NEAR(run.solution().times.back(), 0.5, 0.02) << integrator;
  }
}

TEST(Functions, WithoutAValueEndTheRunAsAnyOther) {
  ModelBuilder b("NaN");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Function f =
      b.function("f", [](double u) { return u > 0.5 ? NAN : 1.0; }, [](double) { return 0.0; });
  b.equation(der(x) == f(x));
  const Solution s = solve(b.build(), {0.0, 1.0});
  EXPECT_FALSE(is_success(s.status));
  EXPECT_NEAR(s.times.back(), 0.5, 0.01);
}

TEST(Functions, FoldNumbersAndPrintTheirName) {
  const Function f("square", {square, twice});
  EXPECT_EQ(f(3.0).value(), 9.0);
  EXPECT_THROW(Function("none", {}), ModelError);
  EXPECT_THROW(Function("none", {nullptr}), ModelError);
  try {
    ModelBuilder b("M");
    (void)b.function("f", square, Function::Real{});
    ADD_FAILURE() << "an empty derivative was accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("Derivative 1 of the function 'f' is empty"));
  }
}

// x'' + 0.1 x' + x = a bump of area sqrt(pi), between the steps of a system at rest: whether it is
// written as a formula or in C++, steps see it.
TEST(Functions, AreLookedAtBetweenTheSteps) {
  for (const double c : {2.1, 3.77, 5.05, 6.23, 7.7}) {
    const auto at = [c](double t) { return (t - c) / 0.08; };
    const Function f("bump",
                     {[at](double t) { return std::exp(-at(t) * at(t)) / 0.08; },
                      [at](double t) { return -2.0 * at(t) * std::exp(-at(t) * at(t)) / 0.0064; }});
    double ends[2] = {0.0, 0.0};
    for (int i = 0; i < 2; ++i) {
      ModelBuilder b("Bump");
      const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
      const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
      const Expr z = (b.time() - c) / 0.08;
      b.equation(der(x) == v);
      b.equation(der(v) == (i == 0 ? exp(-z * z) / 0.08 : f(b.time())) - x - 0.1 * v);
      const Solution s = solve(b.build(), {0.0, 10.0});
      ASSERT_EQ(s.status, Status::success) << s.message;
      ends[i] = s.final_value("x");
    }
    EXPECT_GT(std::abs(ends[0]), 0.05) << c;
    EXPECT_NEAR(ends[1], ends[0], 1e-4) << c;
  }
}

// A spline without knots beside its ends is exact for cubics (de Boor, chapter IV).
TEST(Splines, AreExactForCubicsAndStraightBeyondTheirEnds) {
  const auto cubic = [](double x) { return x * x * x - 2.0 * x + 1.0; };
  std::vector<double> x{-1.0, -0.2, 0.5, 1.1, 2.0}, y;
  for (const double u : x) y.push_back(cubic(u));
  const Function f = spline("cubic", x, y);
  for (const double u : {-1.0, -0.7, 0.0, 0.5, 1.3, 2.0}) {
    EXPECT_NEAR(f(u).value(), cubic(u), 1e-13) << u;
  }
  EXPECT_NEAR(f(3.0).value(), cubic(2.0) + 10.0, 1e-12);   // slope 3·4 - 2
  EXPECT_NEAR(f(-2.0).value(), cubic(-1.0) - 1.0, 1e-12);  // slope 3 - 2

  ModelBuilder b("Along");
  const Expr h = b.variable("h", {.start = -1.0, .fixed = true}), p = b.variable("p");
  b.equation(der(h) == 1.0);
  b.equation(p == f(h));
  const Solution s = solve(b.build(), {0.0, 3.0}, {.rtol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.at(1.7, "p"), cubic(0.7), 1e-6);
  EXPECT_THROW((void)spline("s", {0.0, 0.0}, {1.0, 2.0}), OptionError);
  EXPECT_THROW((void)spline("s", {0.0}, {1.0}), OptionError);
  EXPECT_THROW((void)spline("s", {0.0, 1.0}, {1.0, NAN}), OptionError);
  EXPECT_THROW((void)spline("s", {0.0, 1.0, 1.0 + 1e-12, 2.0}, {0, 1, 3, 4}), OptionError);
  EXPECT_THROW((void)spline("s", {0.0, 1.0, 1.0 + 1e-6, 2.0}, {0, 1, 3, 4}), OptionError);
}

TEST(Tables, AreStraightBetweenTheirPointsAndBeyond) {
  const Function f = table("f", {0.0, 1.0, 3.0}, {1.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(f(0.25).value(), 1.25);
  EXPECT_DOUBLE_EQ(f(2.0).value(), 1.5);
  EXPECT_DOUBLE_EQ(f(-1.0).value(), 0.0);
  EXPECT_DOUBLE_EQ(f(5.0).value(), 0.0);
  EXPECT_THROW((void)table("t", {1.0, 0.0}, {1.0, 2.0}), OptionError);

  // x' = f(h) with h = t: the integral of the straight lines, 3/2 + 3.
  ModelBuilder b("Along");
  const Expr h = b.variable("h", {.start = 0.0, .fixed = true});
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  b.equation(der(h) == 1.0);
  b.equation(der(x) == f(h));
  const Solution s = solve(b.build(), {0.0, 3.0}, {.rtol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 4.5, 1e-6);
}

}  // namespace
}  // namespace daedal
