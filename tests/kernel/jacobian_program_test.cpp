// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/jacobian_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <random>

#include "kernel/fixture.hpp"
#include "support/finite_differences.hpp"
#include "support/random_graph.hpp"

namespace daedal::kernel {
namespace {

using test::GraphOptions;
using test::RandomGraph;
using test::Variables;

/// The pendulum x'' = -λx, y'' = -λy - g in first order, with x² + y² = 1: unknowns x, y, u, w, λ.
struct Pendulum {
  Pendulum() {
    for (int i = 0; i < 5; ++i) {
      x.push_back(pool.variable(i));
      xp.push_back(i < 4 ? pool.variable(i, 1) : no_node);
      inputs.push_back({x.back(), 0, i});
      if (i < 4) inputs.push_back({xp.back(), 1, i});
    }
    roots = {pool.sub(xp[0], x[2]), pool.sub(xp[1], x[3]), pool.add(xp[2], pool.mul(x[4], x[0])),
             pool.add(pool.add(xp[3], pool.mul(x[4], x[1])), pool.constant(9.81)),
             pool.sub(pool.add(pool.power(x[0], 2), pool.power(x[1], 2)), pool.constant(1.0))};
  }
  Pool pool;
  std::vector<NodeId> x;
  std::vector<NodeId> xp;
  std::vector<NodeId> roots;
  std::vector<Input> inputs;
};

TEST(JacobianProgram, FillsBothArraysOfAnImplicitSystemOnTheUnionPattern) {
  Pendulum p;
  const JacobianProgram program = JacobianProgram::compile(
      p.pool, {.roots = p.roots, .groups = {p.x, p.xp}, .inputs = p.inputs, .with_values = true});
  const SparsityPattern& pattern = program.pattern();
  EXPECT_EQ(pattern.rows, 5);
  EXPECT_EQ(pattern.columns, 5);
  // Columns x, y, u, w, λ: F_x has {2,4} {3,4} {0} {1} {2,3}, F_x' has {0} {1} {2} {3} {}.
  EXPECT_THAT(pattern.column_start, testing::ElementsAre(0, 3, 6, 8, 10, 12));
  EXPECT_THAT(pattern.row, testing::ElementsAre(0, 2, 4, 1, 3, 4, 0, 2, 1, 3, 2, 3));

  const std::array x{0.6, 0.8, 1.5, -0.5, 2.0};
  const std::array xp{1.0, 2.0, 3.0, 4.0, 0.0};
  const std::array<const double*, 2> blocks{x.data(), xp.data()};
  JacobianWorkspace workspace = program.make_workspace();
  std::vector<double> f_x(12, -1.0);
  std::vector<double> f_xp(12, -1.0);
  std::vector<double> values(5);
  const std::array<std::span<double>, 2> arrays{f_x, f_xp};
  program.evaluate(blocks, arrays, workspace, values);
  EXPECT_THAT(f_x, testing::ElementsAre(0, 2, 1.2, 0, 2, 1.6, -1, 0, -1, 0, 0.6, 0.8));
  EXPECT_THAT(f_xp, testing::ElementsAre(1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0));
  EXPECT_THAT(values, testing::Pointwise(testing::DoubleNear(1e-15),
                                         {1.0 - 1.5, 2.5, 3.0 + 1.2, 4.0 + 1.6 + 9.81, 0.0}));
}

TEST(JacobianProgram, SharesSubexpressionsBetweenValuesAndDerivatives) {
  // The gradient of exp(product) shares exp with the value: one exp in all.
  Variables v(3);
  const NodeId product = v.pool.mul(v.pool.mul(v.ids[0], v.ids[1]), v.ids[2]);
  const NodeId root = v.pool.unary(Op::exp, product);
  const JacobianProgram program = JacobianProgram::compile(
      v.pool,
      {.roots = std::span(&root, 1), .groups = {v.ids}, .inputs = v.inputs, .with_values = true});
  // exp, two products for the value, three pairs' and three outer products at most.
  EXPECT_LE(program.program().n_operations(), 9);
}

TEST(JacobianProgram, TheGradientOfAProductOfNVariablesCostsOrderN) {
  constexpr int n = 1000;
  Variables v(n);
  NodeId product = v.ids[0];
  for (std::size_t i = 1; i < n; ++i) product = v.pool.mul(product, v.ids[i]);
  const JacobianProgram program = JacobianProgram::compile(
      v.pool, {.roots = std::span(&product, 1), .groups = {v.ids}, .inputs = v.inputs});
  EXPECT_LE(program.program().n_operations(), 4 * n);
  EXPECT_EQ(program.pattern().nonzeros(), n);

  JacobianWorkspace workspace = program.make_workspace();
  const std::vector<double> x(n, 1.0);
  std::vector<double> gradient(n);
  const double* block = x.data();
  const std::array<std::span<double>, 1> arrays{gradient};
  program.evaluate({&block, 1}, arrays, workspace);
  EXPECT_THAT(gradient, testing::Each(1.0));
}

TEST(JacobianProgram, RefusesGroupsOfDifferentSize) {
  Pendulum p;
  EXPECT_THROW((void)JacobianProgram::compile(
                   p.pool, {.roots = p.roots,
                            .groups = {p.x, std::span<const NodeId>(p.xp).first(4)},
                            .inputs = p.inputs}),
               Error);
}

TEST(JacobianProgram, AgreesWithFiniteDifferencesOnRandomGraphs) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int n_checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    constexpr std::size_t n = 4;
    Variables v(n);
    RandomGraph graph(v.pool, v.ids, seed, GraphOptions{.n_steps = 25, .leaf_bound = 1.5});
    const std::vector<NodeId> roots = graph.roots(3);
    const Program function = v.compile(roots);
    const JacobianProgram program =
        JacobianProgram::compile(v.pool, {.roots = roots, .groups = {v.ids}, .inputs = v.inputs});
    std::vector<double> x(n);
    for (double& value : x) value = uniform(random);
    const double* block = x.data();
    std::vector<double> nonzeros(static_cast<std::size_t>(program.pattern().nonzeros()));
    const std::array<std::span<double>, 1> arrays{nonzeros};
    JacobianWorkspace workspace = program.make_workspace();
    program.evaluate({&block, 1}, arrays, workspace);

    Matrix dense = Matrix::Zero(to_index(roots.size()), n);
    const SparsityPattern& pattern = program.pattern();
    for (std::size_t j = 0; j < n; ++j) {
      for (auto k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        dense(pattern.row[to_size(k)], to_index(j)) = nonzeros[to_size(k)];
      }
    }
    Workspace scratch = function.make_workspace();
    std::vector<double> out(roots.size());
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < roots.size(); ++i) {
        const auto f = [&](double value) {
          std::vector<double> moved = x;
          moved[j] = value;
          const double* at = moved.data();
          function.evaluate({&at, 1}, out, scratch);
          return out[i];
        };
        const auto [expected, error] = test::differentiate(f, x[j], 0.02);
        const double scale = std::max(1.0, std::abs(expected));
        if (error > 1e-7 * scale) continue;  // too wild for differences to judge
        ++n_checked;
        EXPECT_NEAR(dense(to_index(i), to_index(j)), expected, 1e-6 * scale)
            << "seed " << seed << ", row " << i << ", column " << j;
      }
    }
  }
  EXPECT_GT(n_checked, 500);  // of 60·3·4
}

}  // namespace
}  // namespace daedal::kernel
