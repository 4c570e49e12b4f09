// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/expr.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "expr/calculus.hpp"
#include "support/evaluate.hpp"

namespace daedal {
namespace {

using test::evaluate;

struct Rule {
  std::string name;
  std::function<Expr(Expr)> function;
  std::function<double(double)> derivative;
  std::vector<double> points;
};

std::vector<Rule> rules() {
  const std::vector<double> any = {-1.7, -0.3, 0.4, 2.1};
  const std::vector<double> unit = {-0.9, -0.2, 0.5};
  const std::vector<double> positive = {0.2, 1.0, 3.5};
  const auto square = [](double x) { return x * x; };
  return {
      {"sqrt", [](Expr x) { return sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); },
       positive},
      {"exp", [](Expr x) { return exp(x); }, [](double x) { return std::exp(x); }, any},
      {"log", [](Expr x) { return log(x); }, [](double x) { return 1.0 / x; }, positive},
      {"sin", [](Expr x) { return sin(x); }, [](double x) { return std::cos(x); }, any},
      {"cos", [](Expr x) { return cos(x); }, [](double x) { return -std::sin(x); }, any},
      {"tan", [](Expr x) { return tan(x); }, [=](double x) { return 1.0 / square(std::cos(x)); },
       any},
      {"asin", [](Expr x) { return asin(x); },
       [=](double x) { return 1.0 / std::sqrt(1.0 - square(x)); }, unit},
      {"acos", [](Expr x) { return acos(x); },
       [=](double x) { return -1.0 / std::sqrt(1.0 - square(x)); }, unit},
      {"atan", [](Expr x) { return atan(x); }, [=](double x) { return 1.0 / (1.0 + square(x)); },
       any},
      {"sinh", [](Expr x) { return sinh(x); }, [](double x) { return std::cosh(x); }, any},
      {"cosh", [](Expr x) { return cosh(x); }, [](double x) { return std::sinh(x); }, any},
      {"tanh", [](Expr x) { return tanh(x); }, [=](double x) { return 1.0 / square(std::cosh(x)); },
       any},
      {"abs", [](Expr x) { return abs(x); }, [](double x) { return x < 0.0 ? -1.0 : 1.0; }, any},
      {"sign", [](Expr x) { return sign(x); }, [](double) { return 0.0; }, any},
      {"floor", [](Expr x) { return Expr(*x.pool(), x.pool()->unary(Op::floor, x.id())); },
       [](double) { return 0.0; }, any},
      {"x^5", [](Expr x) { return pow(x, 5); }, [](double x) { return 5.0 * std::pow(x, 4); }, any},
      {"x^-3", [](Expr x) { return pow(x, -3); }, [](double x) { return -3.0 * std::pow(x, -4); },
       any},
      {"x^2.5",
       [](Expr x) { return pow(x, 2.5); },
       [](double x) { return 2.5 * std::pow(x, 1.5); },
       {0.0, 0.3, 2.0}},
      {"3^x", [](Expr x) { return pow(3.0, x); },
       [](double x) { return std::log(3.0) * std::pow(3.0, x); }, any},
      {"x^x", [](Expr x) { return pow(x, x); },
       [](double x) { return std::pow(x, x) * (std::log(x) + 1.0); }, positive},
      {"1/x", [](Expr x) { return 1.0 / x; }, [](double x) { return -1.0 / (x * x); }, any},
      {"x/(1+x^2)", [](Expr x) { return x / (1.0 + x * x); },
       [=](double x) { return (1.0 - square(x)) / square(1.0 + square(x)); }, any},
      {"atan2(x, 2)", [](Expr x) { return atan2(x, 2.0); },
       [=](double x) { return 2.0 / (4.0 + square(x)); }, any},
      {"atan2(2, x)", [](Expr x) { return atan2(2.0, x); },
       [=](double x) { return -2.0 / (4.0 + square(x)); }, any},
      {"min(x, 0.5)", [](Expr x) { return min(x, 0.5); },
       [](double x) { return x < 0.5 ? 1.0 : 0.0; }, any},
      {"max(x, x^2)", [](Expr x) { return max(x, x * x); },
       [](double x) { return x * x > x ? 2.0 * x : 1.0; }, any},
      {"a root on either side", [](Expr x) { return if_else(x > 0.0, sqrt(x), -sqrt(-x)); },
       [](double x) { return 0.5 / std::sqrt(std::abs(x)); }, any},
      {"a power and a quotient on either side",
       [](Expr x) { return if_else(x > 0.0, pow(x, 1.5) / sqrt(x), log(-x)); },
       [](double x) { return x > 0.0 ? 1.0 : 1.0 / x; }, any},
      {"a root that counts twice on one side",
       [](Expr x) { return if_else(x > 0.0, sqrt(x) * exp(sqrt(x)), x * x); },
       [](double x) {
         const double s = std::sqrt(std::max(x, 0.0));
         return x > 0.0 ? (1.0 + s) * std::exp(s) / (2.0 * s) : 2.0 * x;
       },
       any},
      {"if x < 0", [](Expr x) { return if_else(x < 0.0, x * x, 3.0 * x); },
       [](double x) { return x < 0.0 ? 2.0 * x : 3.0; }, any},
  };
}

TEST(DerivativeRules, MatchTheClosedFormsInBothDirections) {
  for (const Rule& rule : rules()) {
    Pool pool;
    const Expr x(pool, pool.variable(0));
    const Expr y = rule.function(x);
    const NodeId leaf = x.id();
    const NodeId root = y.id();
    const NodeId reverse = gradient(pool, root, std::span(&leaf, 1)).front();
    // The rate x' = 1 turns the total time derivative into the ordinary one, forward.
    const NodeId forward = der(y).id();
    for (const double point : rule.points) {
      const auto leaves = [&](NodeId, const Node& n) { return n.order == 0 ? point : 1.0; };
      const double expected = rule.derivative(point);
      EXPECT_NEAR(evaluate(pool, reverse, leaves), expected, 1e-14 * (1.0 + std::abs(expected)))
          << rule.name << " at " << point;
      EXPECT_NEAR(evaluate(pool, forward, leaves), expected, 1e-14 * (1.0 + std::abs(expected)))
          << rule.name << " at " << point;
    }
  }
}

// Where the divisor overflows, they are below the least number.
TEST(DerivativeRules, OfQuotientsVanishWhereTheDivisorOverflows) {
  const auto check = [](const char* name, const auto& function) {
    Pool pool;
    const Expr x(pool, pool.variable(0));
    const Expr y = function(x);
    const NodeId leaf = x.id();
    const NodeId reverse = gradient(pool, y.id(), std::span(&leaf, 1)).front();
    const NodeId forward = der(y).id();
    for (const double point : {-900.0, 900.0}) {
      const auto leaves = [&](NodeId, const Node& n) { return n.order == 0 ? point : 1.0; };
      EXPECT_EQ(evaluate(pool, reverse, leaves), 0.0) << name << " at " << point;
      EXPECT_EQ(evaluate(pool, forward, leaves), 0.0) << name << " at " << point;
    }
  };
  check("1/cosh(x)^2", [](Expr x) { return 1.0 / pow(cosh(x), 2.0); });
  check("1/(1 + e^x)", [](Expr x) { return 1.0 / (1.0 + exp(x)); });
  check("1/(1 + e^x)/(1 + e^-x)", [](Expr x) { return 1.0 / (1.0 + exp(x)) / (1.0 + exp(-x)); });
}

TEST(DerivativeRules, OfPowersWithConstantExponentHoldAtZeroAndBelow) {
  Pool pool;
  const Expr x(pool, pool.variable(0));
  const NodeId leaf = x.id();
  for (const double point : {-2.0, 0.0}) {
    const NodeId slope = gradient(pool, pow(x, 3.0).id(), std::span(&leaf, 1)).front();
    EXPECT_EQ(evaluate(pool, slope, [&](NodeId, const Node&) { return point; }),
              3.0 * point * point);
  }
}

}  // namespace
}  // namespace daedal
