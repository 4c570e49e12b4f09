// SPDX-License-Identifier: BSD-3-Clause
/// Events of the text: when-clauses, discrete equations and the operators that go with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <map>
#include <string>

#include "expr/pool.hpp"
#include "support/evaluate.hpp"
#include "support/exported_model.hpp"

namespace daedal {
namespace {

std::int32_t discrete_index(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.discretes().size(); ++i) {
    if (model.discretes()[i].name == name) return static_cast<std::int32_t>(i);
  }
  ADD_FAILURE() << "no discrete variable " << name;
  return -1;
}

/// Values of leaves by their text: "h", "n", "pre(n)", "time", "initial".
using Leaves = std::map<std::string, double>;

double value(const Model& model, NodeId node, const Leaves& leaves) {
  return test::evaluate(*model.pool(), node, [&](NodeId, const Node& leaf) {
    const auto at = static_cast<std::size_t>(leaf.symbol);
    std::string name;
    if (leaf.op == Op::time) name = "time";
    if (leaf.op == Op::initial) name = "initial";
    if (leaf.op == Op::sample) name = "sample";
    if (leaf.op == Op::variable) name = model.variables()[at].name;
    if (leaf.op == Op::pre_variable) name = "pre(" + model.variables()[at].name + ")";
    if (leaf.op == Op::discrete) name = model.discretes()[at].name;
    if (leaf.op == Op::pre) name = "pre(" + model.discretes()[at].name + ")";
    const auto found = leaves.find(name);
    return found == leaves.end() ? 0.0 : found->second;
  });
}

NodeId discrete_value(const Model& model, const std::string& name) {
  for (const DiscreteEquation& equation : model.discrete_equations()) {
    if (equation.discrete == discrete_index(model, name)) return equation.value;
  }
  ADD_FAILURE() << "nothing determines " << name;
  return no_node;
}

TEST(WhenClauses, TheBouncingBallReinitialisesItsSpeed) {
  const Model model = parse_model(R"(
    model Ball
      parameter Real e = 0.8;
      Real h(start = 1, fixed = true), v;
      Integer bounces(start = 0, fixed = true);
    equation
      der(h) = v;
      der(v) = -9.81;
      when h <= 0 then
        reinit(v, -e * pre(v));
        bounces = pre(bounces) + 1;
      end when;
    end Ball;)");
  ASSERT_EQ(model.when_clauses().size(), 1U);
  const WhenBranch& branch = model.when_clauses()[0].branches.at(0);
  EXPECT_EQ(value(model, branch.condition, {{"h", -0.1}}), 1.0);
  EXPECT_EQ(value(model, branch.condition, {{"h", 0.1}}), 0.0);
  const Node condition = (*model.pool())[branch.condition];
  EXPECT_TRUE(is_relation(condition.op));
  EXPECT_GE(condition.symbol, 0) << "the relation must make events";
  ASSERT_EQ(branch.actions.size(), 2U);
  EXPECT_EQ(branch.actions[0].kind, WhenAction::Kind::reinit);
  EXPECT_EQ(model.variables()[static_cast<std::size_t>(branch.actions[0].target)].name, "v");
  EXPECT_EQ(branch.actions[1].kind, WhenAction::Kind::assign);
  EXPECT_EQ(branch.actions[1].target, discrete_index(model, "bounces"));
  EXPECT_EQ(value(model, branch.actions[1].value, {{"pre(bounces)", 4.0}}), 5.0);
  EXPECT_EQ(model.discretes()[0].type, ValueType::integer);
}

TEST(WhenClauses, ARealAssignedInAWhenClauseIsDiscrete) {
  const Model model = parse_model(R"(
    model M
      Real x, u[2];
    equation
      der(x) = u[1] + u[2];
      when sample(0, 0.1) then
        u = {x, 2 * x};
      elsewhen x > 3 then
        u = {0, 0};
      end when;
    end M;)");
  EXPECT_EQ(model.variables().size(), 1U);
  EXPECT_EQ(model.discretes().size(), 2U);
  ASSERT_EQ(model.samplers().size(), 1U);
  EXPECT_EQ((*model.pool())[model.samplers()[0].interval].value, 0.1);
  ASSERT_EQ(model.when_clauses()[0].branches.size(), 2U);
  EXPECT_EQ(model.when_clauses()[0].branches[0].actions.size(), 2U);
}

TEST(WhenClauses, BooleanEquationsAreDiscreteEquationsWhicheverSideIsKnown) {
  const Model model = parse_model(R"(
    model M
      Real x = time;
      Boolean a = x > 1, b, c;
    equation
      b = c;
      not b = a;
    end M;)");
  EXPECT_EQ(model.equations().size(), 1U);
  ASSERT_EQ(model.discrete_equations().size(), 3U);
  EXPECT_EQ(value(model, discrete_value(model, "a"), {{"x", 2.0}}), 1.0);
  // b = not a, and the equation b = c is left for c.
  EXPECT_EQ(value(model, discrete_value(model, "b"), {{"a", 1.0}}), 0.0);
  EXPECT_EQ(value(model, discrete_value(model, "c"), {{"b", 1.0}}), 1.0);
}

TEST(WhenClauses, ADiscreteVariableWithTwoEquationsIsRefused) {
  EXPECT_THROW(parse_model("model M Boolean b; equation b = true; b = false; end M;"), Error);
}

TEST(WhenClauses, ADiscreteVariableWithoutAnEquationIsRefused) {
  EXPECT_THROW(parse_model("model M Boolean b; Real x; equation x = if b then 1 else 2; end M;"),
               Error);
}

TEST(WhenClauses, NoEventMakesRelationsFollowTheirArguments) {
  const Model model = parse_model(R"(
    model M
      Real x = noEvent(if time > 1 then 2 else 3);
      Real y = if time > 2 then 4 else smooth(1, 5);
    end M;)");
  EXPECT_EQ(model.pool()->n_relations(), 1);
}

TEST(WhenClauses, RelationsBetweenDiscreteValuesNeedNoRootFinding) {
  const Model model = parse_model(R"(
    model M
      Integer n(start = 0);
      Real x = if n > 3 then 1 else 2;
    equation
      when sample(0, 1) then
        n = pre(n) + 1;
      end when;
    end M;)");
  EXPECT_EQ(model.pool()->n_relations(), 0);
}

TEST(WhenClauses, EdgeAndChangeCompareWithTheValueBefore) {
  const Model model = parse_model(R"(
    model M
      Real x = time;
      Boolean b = x > 1, up, any;
    equation
      up = edge(b);
      any = change(b);
    end M;)");
  const NodeId up = discrete_value(model, "up");
  const NodeId any = discrete_value(model, "any");
  for (const double now : {0.0, 1.0}) {
    for (const double before : {0.0, 1.0}) {
      const Leaves leaves{{"b", now}, {"pre(b)", before}};
      EXPECT_EQ(value(model, up, leaves), now == 1.0 && before == 0.0 ? 1.0 : 0.0);
      EXPECT_EQ(value(model, any, leaves), now != before ? 1.0 : 0.0);
    }
  }
}

TEST(WhenClauses, AListOfConditionsActsOnTheEdgeOfEach) {
  const Model model = parse_model(R"(
    model M
      Real x = time;
      Integer n(start = 0);
    equation
      when {x > 1, x > 2} then
        n = pre(n) + 1;
      end when;
    end M;)");
  const NodeId condition = model.when_clauses()[0].branches[0].condition;
  ASSERT_EQ(model.discretes().size(), 3U);
  const std::string first = model.discretes()[1].name;
  const std::string second = model.discretes()[2].name;
  const auto holds = [&](double a, double pre_a, double b, double pre_b) {
    return value(
        model, condition,
        {{first, a}, {"pre(" + first + ")", pre_a}, {second, b}, {"pre(" + second + ")", pre_b}});
  };
  EXPECT_EQ(holds(1, 0, 0, 0), 1.0);
  EXPECT_EQ(holds(1, 1, 0, 0), 0.0);
  EXPECT_EQ(holds(1, 1, 1, 0), 1.0) << "the second edge counts although the first stays true";
}

TEST(WhenClauses, RoundingOfAContinuousValueIsHeldBetweenEvents) {
  const Model model = parse_model(R"(
    model M
      Real x = 10 * time;
      Integer k = integer(x);
    end M;)");
  ASSERT_EQ(model.discretes().size(), 2U);
  const std::string held = model.discretes()[1].name;
  const NodeId next = discrete_value(model, held);
  const auto after = [&](double x, double before, double initial) {
    return value(model, next, {{"x", x}, {"pre(" + held + ")", before}, {"initial", initial}});
  };
  EXPECT_EQ(after(-2.5, 0.0, 1.0), -3.0);
  EXPECT_EQ(after(3.5, 3.0, 0.0), 3.0);
  EXPECT_EQ(after(4.0, 3.0, 0.0), 4.0);
  EXPECT_EQ(after(7.5, 3.0, 0.0), 7.0) << "a jump over several integers";
  EXPECT_EQ(after(2.9, 3.0, 0.0), 2.0);
  // Just at the crossing rounding may leave x above 3: the value still moves.
  EXPECT_EQ(after(std::nextafter(3.0, 0.0), 3.0, 0.0), 2.0);
  EXPECT_EQ(model.pool()->n_relations(), 2);
}

TEST(WhenClauses, AnIfInsideAWhenKeepsWhatItDoesNotAssign) {
  const Model model = parse_model(R"(
    model M
      Real x = time;
      Integer n(start = 0);
    equation
      when sample(0, 1) then
        if x > 2 then
          n = 7;
        end if;
      end when;
    end M;)");
  const WhenAction action = model.when_clauses()[0].branches[0].actions.at(0);
  EXPECT_EQ(value(model, action.value, {{"x", 3.0}, {"pre(n)", 4.0}}), 7.0);
  EXPECT_EQ(value(model, action.value, {{"x", 1.0}, {"pre(n)", 4.0}}), 4.0);
}

TEST(WhenClauses, AlgorithmsWithWhenAssignAtEvents) {
  const Model model = parse_model(R"(
    model M
      Integer n(start = 0), m;
    algorithm
      when sample(0, 1) then
        n := pre(n) + 1;
        n := 2 * n;
      end when;
      m := n + 1;
    end M;)");
  ASSERT_EQ(model.when_clauses().size(), 1U);
  const WhenAction action = model.when_clauses()[0].branches[0].actions.at(0);
  EXPECT_EQ(action.target, discrete_index(model, "n"));
  EXPECT_EQ(value(model, action.value, {{"pre(n)", 4.0}}), 10.0);
  EXPECT_EQ(value(model, discrete_value(model, "m"), {{"n", 10.0}}), 11.0);
}

TEST(WhenClauses, AssertionsAndTerminationKeepTheirTexts) {
  const Model model = parse_model(R"(
    model M
      Real x = time;
    equation
      assert(x < 5, "x is " + "large", AssertionLevel.warning);
      if x > 1 then
        assert(x < 2, "inside");
      end if;
      when x > 3 then
        terminate("done");
      end when;
    end M;)");
  ASSERT_EQ(model.assertions().size(), 2U);
  EXPECT_EQ(model.assertions()[0].message, "x is large");
  EXPECT_TRUE(model.assertions()[0].warning);
  EXPECT_EQ(value(model, model.assertions()[1].condition, {{"x", 0.5}}), 1.0);
  EXPECT_EQ(value(model, model.assertions()[1].condition, {{"x", 2.5}}), 0.0);
  const WhenAction action = model.when_clauses()[0].branches[0].actions.at(0);
  EXPECT_EQ(action.kind, WhenAction::Kind::terminate);
  EXPECT_EQ(action.message, "done");
}

TEST(WhenClauses, InitialEquationsAndFreeParametersAreKept) {
  const Model model = parse_model(R"(
    model M
      parameter Real p(fixed = false, start = 2);
      Real x;
    initial equation
      der(x) = 0;
      x = 3;
    equation
      der(x) = p - x;
    end M;)");
  EXPECT_EQ(model.initial_equations().size(), 2U);
  EXPECT_FALSE(model.parameters()[0].fixed);
  EXPECT_EQ(model.parameter_values(), std::vector<double>{2.0});
}

// The level begins between the limits of a hysteresis: what was before the start is above if it is
// above the middle.
TEST(WhenClauses, WhatWasBeforeTheStartMayDependOnVariables) {
  const auto model = [](const std::string& level) {
    return test::ExportedModel{
        "Boolean 'above'; Real 'h'; Real 'y'; initial equation pre('above') = 'h' > 1.0; equation "
        "'h' "
        "= " +
        level +
        "; 'above' = 'h' > 2.0 or pre('above') and 'h' > 0.5; 'y' = if 'above' then 1.0 else 0.0;"};
  };
  test::check({{model("1.5 + 0.1 * time"), {{"y", 1.0}}},
               {model("0.7 + 0.1 * time"), {{"y", 0.0}}},
               {model("1.5 - 0.6 * time"), {{"y", 0.0}}}});
}

}  // namespace
}  // namespace daedal
