// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/solve.hpp>

#include "formulation/dummy/dummy_derivatives.hpp"
#include "formulation/dummy/support.hpp"
#include "formulation/formulation_support.hpp"

namespace daedal::formulation {
namespace {

using test::make;
using test::options_of;
using testing::AllOf;
using testing::HasSubstr;

struct Wish {
  double x = 0.8;
  double y = -0.6;
  StateSelect of_x = StateSelect::standard;
  StateSelect of_y = StateSelect::standard;
};

Model pendulum(const Wish& wish) {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = wish.x, .fixed = true, .state_select = wish.of_x});
  const Expr y = b.variable("y", {.start = wish.y, .state_select = wish.of_y});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x, 2) == -lambda * x);
  b.equation(der(y, 2) == -lambda * y - 9.81);
  b.equation(sqr(x) + sqr(y) == 1.0, "rod");
  b.initial_equation(der(x) == 0.0);
  return b.build();
}

/// The rod is solved for the coordinate with the greater derivative, 2x or 2y, unless told
/// otherwise.
bool y_is_state(const Wish& wish) {
  const auto formulation = make("dummy-derivatives", pendulum(wish));
  const auto run = formulation.system().make_run();
  EXPECT_EQ(formulation.start(0.0, *run).status, Status::success);
  return run_of<DummyRun>(*run).selection.equation_at[3] < 0;
}

TEST(StateSelectOfDummies, GoesByPivotsWhereNothingIsAskedFor) {
  EXPECT_TRUE(y_is_state({}));
  EXPECT_FALSE(y_is_state({.x = 0.6, .y = -0.8}));
}

TEST(StateSelectOfDummies, WeighsPreferAndAvoidByTen) {
  EXPECT_FALSE(y_is_state({.of_y = StateSelect::avoid}));
  EXPECT_TRUE(y_is_state({.x = 0.6, .y = -0.8, .of_y = StateSelect::prefer}));
  // Pivots 0.01 against 0.1 of 1: the wish gives way.
  EXPECT_FALSE(y_is_state({.x = 0.01, .y = -0.99995, .of_y = StateSelect::prefer}));
}

TEST(StateSelectOfDummies, ObeysAlwaysAndNever) {
  EXPECT_TRUE(y_is_state({.x = 0.01, .y = -0.99995, .of_y = StateSelect::always}));
  EXPECT_FALSE(y_is_state({.of_x = StateSelect::always}));
  EXPECT_FALSE(y_is_state({.x = 0.99995, .y = -0.01, .of_y = StateSelect::never}));
}

TEST(StateSelectOfDummies, NamesOrdersThatTheConstraintsContradict) {
  const Solution both = solve(pendulum({.of_x = StateSelect::always, .of_y = StateSelect::always}),
                              {0.0, 1.0}, options_of(1e-6));
  EXPECT_EQ(both.status, Status::inconsistent_start);
  EXPECT_THAT(both.message, AllOf(HasSubstr("'rod'"), HasSubstr("always for"), HasSubstr("'x'"),
                                  HasSubstr("'y'")));
  const Solution neither = solve(pendulum({.of_x = StateSelect::never, .of_y = StateSelect::never}),
                                 {0.0, 1.0}, options_of(1e-6));
  EXPECT_EQ(neither.status, Status::inconsistent_start);
  EXPECT_THAT(neither.message, AllOf(HasSubstr("never for"), HasSubstr("'x'"), HasSubstr("'y'")));
}

// x = √(1 − y²) loses its derivative at the bottom, and the sign of x with it: after a quarter of
// the period, K(sin θ/2)/√9.81 with tan θ = 4/3.
TEST(StateSelectOfDummies, StopsWhereAnOrderedStateCannotGoOn) {
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const Solution solution =
        solve(pendulum({.of_y = StateSelect::always}), {0.0, 2.0}, options_of(1e-6, integrator));
    EXPECT_EQ(solution.status, Status::singular_iteration_matrix) << integrator;
    EXPECT_THAT(solution.message, AllOf(HasSubstr("'rod'"), HasSubstr("always for")));
    EXPECT_NEAR(solution.times.back(), 0.529877, 0.01) << integrator;
  }
}

TEST(StateSelectOfDummies, RefusesOrdersThatNoChoiceCanObey) {
  ModelBuilder b("Impossible");
  const Expr x = b.variable("x", {.start = 1.0, .state_select = StateSelect::never});
  b.equation(der(x) == -x);
  try {
    (void)make("dummy-derivatives", b.build());
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("'x' (never)"));
  }
}

// Nothing differentiates y = 2x, but with its derivative given a name y can be the state and x
// follow from it: y = 2 e^(−t).
TEST(StateSelectOfDummies, MakesAStateOfAVariableWhoseDerivativeNoEquationContains) {
  ModelBuilder b("Introduced");
  const Expr x = b.variable("x", {.state_select = StateSelect::never});
  const Expr y =
      b.variable("y", {.start = 2.0, .fixed = true, .state_select = StateSelect::always});
  b.equation(der(x) == -x);
  b.equation(y == 2.0 * x);
  const Model model = b.build();
  for (const char* method : {"dummy-derivatives", "states-only"}) {
    SolveOptions options;
    options.method = method;
    options.rtol = 1e-9;
    const Solution solution = solve(model, {0.0, 1.0}, options);
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), 1e-7);
    EXPECT_EQ(solution.names.size(), 2U);
  }
}

// r swings by itself, and s = r + 1 follows: in the block of the constraint s is the only
// candidate. With r taken in from its own block s can be the state, as demanded: s = 1 + cos t.
TEST(StateSelectOfDummies, ObeysAlwaysAcrossBlocks) {
  ModelBuilder b("Follower");
  const Expr r = b.variable("r");
  const Expr s =
      b.variable("s", {.start = 2.0, .fixed = true, .state_select = StateSelect::always});
  const Expr w =
      b.variable("w", {.start = 0.0, .fixed = true, .state_select = StateSelect::always});
  const Expr a = b.variable("a");
  b.equation(der(r, 2) == -r);
  b.equation(s == r + 1.0, "follows");
  b.equation(w == der(s));
  b.equation(a == der(w));
  SolveOptions options;
  options.method = "dummy-derivatives";
  options.rtol = 1e-9;
  const Solution solution = solve(b.build(), {0.0, 2.0}, options);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("s"), 1.0 + std::cos(2.0), 1e-7);
  EXPECT_NEAR(solution.final_value("a"), -std::cos(2.0), 1e-6);
}

}  // namespace
}  // namespace daedal::formulation
