// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/simplify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "expr/pool.hpp"
#include "support/errors.hpp"
#include "support/model_point.hpp"

namespace daedal {
namespace {

using test::error_of;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

std::vector<std::string> variable_names(const Model& model) {
  std::vector<std::string> names;
  for (const Variable& variable : model.variables()) names.push_back(variable.name);
  return names;
}

double start_number(const Model& model, std::size_t i) {
  const NodeId start = model.variables()[i].start;
  return start == no_node ? 0.0 : (*model.pool())[start].value;
}

TEST(Simplify, TakesOutAliasesConstantsAndOutputsAndRecoversThem) {
  ModelBuilder b("M");
  const Expr p = b.parameter("p", 3.0);
  const Expr x = b.variable("x");
  const Expr v = b.variable("v");
  const Expr mirror = b.variable("mirror");
  const Expr copy = b.variable("copy");
  const Expr c = b.variable("c");
  const Expr d = b.variable("d");
  const Expr w = b.variable("w");
  const Expr u = b.variable("u");
  const Expr a = b.variable("a");
  const Expr n = b.discrete("n");
  b.equation(der(x) == v);
  b.equation(der(v) == -c * x + sin(b.time()));
  b.equation(x + mirror == 0);
  b.equation(copy - mirror == 0);
  b.equation(2 * c == p);
  b.equation(c + d == 5);
  b.equation(w == sin(copy) * d + v);
  b.equation(3 * u + w == x * b.time() + n);
  b.equation(a == der(v));
  const Simplified simple = simplify(b.build());

  EXPECT_THAT(variable_names(simple.model), ElementsAre("x", "v"));
  EXPECT_EQ(simple.model.equations().size(), 2U);
  EXPECT_EQ(simple.n_aliases, 2);
  EXPECT_EQ(simple.n_constants, 2);
  EXPECT_EQ(simple.n_outputs, 3);

  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  auto workspace = simple.recovery.make_workspace();
  for (int trial = 0; trial < 20; ++trial) {
    const double t = uniform(random), X = uniform(random), V = uniform(random);
    const double vp = uniform(random), N = uniform(random), P = uniform(random);
    const double values[] = {X, V}, derivatives[] = {V, vp}, discretes[] = {N}, parameters[] = {P};
    std::vector<double> out(10);
    simple.recovery.evaluate({t, values, derivatives, discretes, parameters}, out, workspace);
    const double C = P / 2, D = 5 - C, W = std::sin(-X) * D + V, U = (X * t + N - W) / 3;
    const double expected[] = {X, V, -X, -X, C, D, W, U, vp, N};
    EXPECT_THAT(out, Pointwise(DoubleNear(1e-14), expected));
  }
}

TEST(Simplify, LeavesTheRemainingEquationsEqualOnRandomPoints) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) == y * z - sin(y));
  b.equation(y == -x);
  b.equation(z * z + x == 4 + der(x));
  const Simplified simple = simplify(b.build());
  ASSERT_THAT(variable_names(simple.model), ElementsAre("x", "z"));
  std::mt19937 random(3);
  const test::Point point = test::random_point(random, 2, 1);
  const double x0 = point.variables.at({0, 0}), x1 = point.variables.at({0, 1});
  const double z0 = point.variables.at({1, 0});
  const auto side = [&](NodeId id) { return test::evaluate(*simple.model.pool(), id, point); };
  const auto equations = simple.model.equations();
  EXPECT_NEAR(side(equations[0].lhs) - side(equations[0].rhs), x1 - (-x0 * z0 + std::sin(x0)),
              1e-15);
  EXPECT_NEAR(side(equations[1].lhs) - side(equations[1].rhs), z0 * z0 + x0 - 4 - x1, 1e-15);
}

TEST(Simplify, WritesVelocitiesInTheUnitsOfTheirPositions) {
  const auto pendulum = [](bool is_bound) {
    ModelBuilder b("Pendulum");
    const Expr x = b.variable("x"), y = b.variable("y");
    const Expr v = b.variable("v", {.start = 3.0, .fixed = true, .nominal = 10.0, .min = -4.0});
    const Expr u = b.variable("u"), l = b.variable("l");
    b.equation(5 * der(x) == 2 * v);
    b.equation(der(y) == u);
    b.equation(der(v) == -l * x);
    b.equation(der(u) == -l * y - 9.81);
    if (is_bound) b.equation(x * x + y * y == 1);
    if (!is_bound) b.equation(l * l == x);
    return b.build();
  };
  const Simplified simple = simplify(pendulum(true));
  const auto variables = simple.model.variables();
  const auto equations = simple.model.equations();
  EXPECT_EQ((*simple.model.pool())[equations[0].rhs].symbol, 2);
  EXPECT_DOUBLE_EQ(start_number(simple.model, 2), 1.2);  // x' = 0.4 v
  EXPECT_DOUBLE_EQ(variables[2].nominal, 4.0);
  EXPECT_DOUBLE_EQ(variables[2].min, -1.6);
  auto workspace = simple.recovery.make_workspace();
  const double values[] = {0.6, 0.8, 1.2, 0.7, 0.5}, derivatives[] = {1.2, 0.7, 0.0, 0.0, 0.0};
  std::vector<double> out(5);
  simple.recovery.evaluate({0.0, values, derivatives, {}, {}}, out, workspace);
  EXPECT_THAT(out, Pointwise(DoubleNear(1e-15), {0.6, 0.8, 3.0, 0.7, 0.5}));
  // Without a constraint on positions nothing is gained.
  EXPECT_DOUBLE_EQ(start_number(simplify(pendulum(false)).model, 2), 3.0);
}

TEST(Simplify, KeepsConstraintsOnStates) {
  // Two masses bound together, a third held in place: with aliases and constants for positions the
  // constraints, and the index 3 that they make, would be gone.
  ModelBuilder b("M");
  std::vector<Expr> x, v, force;
  for (const char* name : {"a", "b", "c"}) {
    x.push_back(b.variable(std::string("x") + name));
    v.push_back(b.variable(std::string("v") + name));
    force.push_back(b.variable(std::string("f") + name));
    b.equation(der(x.back()) == v.back());
    b.equation(der(v.back()) == force.back() - 1);
  }
  b.equation(x[0] == x[1]);
  b.equation(force[0] == -force[1]);
  b.equation(x[2] == 1);
  const Simplified simple = simplify(b.build(), {.remove_outputs = false});
  EXPECT_EQ(simple.model.variables().size(), 8U);
  EXPECT_EQ(simple.n_aliases, 1);
  EXPECT_EQ(simple.n_constants, 0);
}

TEST(Simplify, NeverDividesByWhatMayBeZero) {
  ModelBuilder b("M");
  const Expr p = b.parameter("p", 0.0);
  const Expr x = b.variable("x");
  const Expr w = b.variable("w");
  b.equation(der(x) == -x);
  b.equation(p * w == x);
  EXPECT_THAT(variable_names(simplify(b.build()).model), ElementsAre("x", "w"));
}

TEST(Simplify, KeepsADerivativeThatOnlyTheOutputNeeds) {
  // w = der(x) with x prescribed is an index-2 model: without the equation nothing gives der(x).
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr w = b.variable("w");
  b.equation(w == der(x));
  b.equation(x * x * x == sin(b.time()));
  EXPECT_THAT(variable_names(simplify(b.build()).model), ElementsAre("x", "w"));
}

TEST(Simplify, KeepsOutputsWithEventsOfTheirOwn) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr w = b.variable("w");
  b.equation(der(x) == 1);
  b.equation(w == if_else(x > 0, Expr(1.0), Expr(-1.0)));
  EXPECT_THAT(variable_names(simplify(b.build()).model), ElementsAre("x", "w"));
}

TEST(Simplify, KeepsWhatTheUserWantsAsAState) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y", {.state_select = StateSelect::prefer});
  b.equation(der(x) == -x);
  b.equation(y == -x);
  const Simplified simple = simplify(b.build());
  EXPECT_THAT(variable_names(simple.model), ElementsAre("y"));
}

TEST(Simplify, MergesStartValuesWithTheirSigns) {
  ModelBuilder b("M");
  const Expr x = b.variable("x", {.start = 7.0, .min = 0.0});
  const Expr y = b.variable("y", {.start = -2.0, .fixed = true, .nominal = 100.0, .min = -5.0});
  b.equation(der(x) == -x);
  b.equation(y == -x);
  const Simplified simple = simplify(b.build());
  const Variable& merged = simple.model.variables()[0];
  EXPECT_EQ(merged.name, "x");
  EXPECT_TRUE(merged.fixed);
  EXPECT_EQ(start_number(simple.model, 0), 2.0);
  EXPECT_EQ(merged.nominal, 100.0);
  EXPECT_EQ(merged.min, 0.0);
  EXPECT_EQ(merged.max, 5.0);
}

TEST(Simplify, TakesTheGuessOfAnAliasWhenThereIsNoOther) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y", {.start = 4.0});
  b.equation(der(x) == -x);
  b.equation(y == x);
  const Simplified simple = simplify(b.build());
  EXPECT_EQ(start_number(simple.model, 0), 4.0);
  EXPECT_FALSE(simple.model.variables()[0].fixed);
}

TEST(Simplify, NamesContradictoryFixedStarts) {
  ModelBuilder b("M");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 2.0, .fixed = true});
  b.equation(der(x) == -x);
  b.equation(y == x);
  const Error error = error_of<ModelError>([model = b.build()] { simplify(model); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_THAT(error.variables(), ElementsAre("x", "y"));
  EXPECT_THAT(error.what(), HasSubstr("contradict"));
}

TEST(Simplify, AcceptsFixedStartsThatAgreeUpToSign) {
  ModelBuilder b("M");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = -1.0, .fixed = true});
  b.equation(der(x) == -x);
  b.equation(y == -x);
  const Simplified simple = simplify(b.build());
  EXPECT_EQ(start_number(simple.model, 0), 1.0);
  EXPECT_TRUE(simple.model.initial_equations().empty());
}

TEST(Simplify, LeavesFixedStartsThatDependOnParametersToTheRun) {
  ModelBuilder b("M");
  const Expr p = b.parameter("p", 1.0);
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = p, .fixed = true});
  b.equation(der(x) == -x);
  b.equation(y == x);
  const Simplified simple = simplify(b.build());
  ASSERT_EQ(simple.model.initial_equations().size(), 1U);
  EXPECT_THAT(simple.model.initial_equations()[0].name, HasSubstr("y"));
}

TEST(Simplify, NamesAFixedStartThatContradictsAConstant) {
  ModelBuilder b("M");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(x == 2);
  const Error error = error_of<ModelError>([model = b.build()] { simplify(model); });
  EXPECT_THAT(error.variables(), ElementsAre("x"));
}

TEST(Simplify, TakesStartValuesOfTheRunAsFixed) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  b.equation(der(x) == -x);
  b.equation(y == -x);
  const Model model = b.build();
  const Simplified simple = simplify(model, {.starts = {{"y", 3.0}}});
  EXPECT_TRUE(simple.model.variables()[0].fixed);
  EXPECT_EQ(start_number(simple.model, 0), -3.0);
  EXPECT_EQ(error_of<ModelError>([&] { simplify(model, {.starts = {{"z", 1.0}}}); }).code(),
            ErrorCode::unknown_name);
  EXPECT_EQ(
      error_of<ModelError>([&] { simplify(model, {.starts = {{"x", std::nan("")}}}); }).code(),
      ErrorCode::invalid_value);
}

TEST(Simplify, FoldsConstantsAndKeepsParameters) {
  ModelBuilder b("M");
  const Expr k = b.parameter("k", 2.0, {.constant = true});
  const Expr p = b.parameter("p", 3.0);
  const Expr x = b.variable("x");
  b.equation(der(x) == k * p * x);
  const Model model = b.build();
  test::Point point;
  point.variables[{0, 0}] = 1.0;
  point.parameters = {100.0, 5.0};
  const Model simplified = simplify(model).model;
  EXPECT_EQ(test::evaluate(*simplified.pool(), simplified.equations()[0].rhs, point), 10.0);
}

TEST(Simplify, SubstitutesInEventsAndInitialEquations) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr w = b.variable("w");
  b.equation(der(x) == -x);
  b.equation(y == -x);
  b.equation(w == 2 * x + 1);
  b.initial_equation(w == 3);
  WhenClause clause;
  clause.branches.push_back(
      {(w > 0.5).in(b.pool()),
       {{.kind = WhenAction::Kind::reinit, .target = 1, .value = (b.pre(y) * 3).in(b.pool())}}});
  b.when(clause);
  const Model model = simplify(b.build()).model;
  ASSERT_EQ(variable_names(model), (std::vector<std::string>{"x"}));
  const Pool& pool = *model.pool();
  const WhenBranch& branch = model.when_clauses()[0].branches[0];
  EXPECT_EQ(branch.actions[0].target, 0);
  // reinit(y, 3 pre(y)) with y = -x is reinit(x, 3 pre(x)): the value depends on pre(x) alone.
  EXPECT_THAT(dependencies(pool, std::span(&branch.actions[0].value, 1)).size(), 1U);
  test::Point point;
  point.time = 0.25;  // stands for pre(x)
  EXPECT_EQ(test::evaluate(pool, branch.actions[0].value, point), 0.75);
  const Node& relation = pool[branch.condition];
  ASSERT_TRUE(is_relation(relation.op));
  point.variables[{0, 0}] = 1.5;
  EXPECT_EQ(test::evaluate(pool, relation.a, point) - test::evaluate(pool, relation.b, point), 3.5);
  EXPECT_EQ(test::evaluate(pool, model.initial_equations()[0].lhs, point), 4.0);
}

TEST(Simplify, KeepsRepeatedEquationsForTheDiagnosis) {
  ModelBuilder b("M");
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(x == y);
  b.equation(y == z);
  b.equation(z == x);
  const Simplified simple = simplify(b.build());
  EXPECT_EQ(simple.model.equations().size(), 1U);
  EXPECT_EQ(simple.model.variables().size(), 1U);
}

TEST(Simplify, TakesAHundredThousandEquations) {
  constexpr int n = 100'000;
  ModelBuilder b("Chain");
  // A tenth each of states, aliases in a chain, outputs in a chain; the rest coupled states.
  std::vector<Expr> x;
  for (int i = 0; i < n; ++i) x.push_back(b.variable("x" + std::to_string(i)));
  const auto at = [&](int i) { return x[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i) {
    if (i >= 1 && i < n / 10) {
      b.equation(at(i) == (i % 2 == 0 ? at(i - 1) : -at(i - 1)));
    } else if (i >= 9 * n / 10) {
      b.equation(at(i) == sin(at(i - 1)) + b.time());
    } else {
      b.equation(der(at(i)) == at(i) - at((i + n / 20) % (9 * n / 10)));
    }
  }
  const Simplified simple = simplify(b.build());
  EXPECT_EQ(simple.n_aliases, n / 10 - 1);
  EXPECT_EQ(simple.n_outputs, n / 10);
  const auto states = simple.model.variables().size();
  EXPECT_EQ(states, static_cast<std::size_t>(n) - static_cast<std::size_t>(n / 5 - 1));

  std::vector<double> values(states, 0.25), derivatives(states, 0.0), out(n);
  values[0] = 0.5;
  auto workspace = simple.recovery.make_workspace();
  simple.recovery.evaluate({1.0, values, derivatives, {}, {}}, out, workspace);
  // x1 = -x0, x2 = x1, x3 = -x2, ...: the sign changes at every odd number.
  EXPECT_EQ(out[1], -0.5);
  EXPECT_EQ(out[2], -0.5);
  EXPECT_EQ(out[3], 0.5);
  EXPECT_EQ(out[n - 1], std::sin(out[n - 2]) + 1.0);
}

}  // namespace
}  // namespace daedal
