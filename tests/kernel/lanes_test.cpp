// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <random>

#include "kernel/fixture.hpp"
#include "kernel/lanes/backends.hpp"
#include "kernel/program.hpp"
#include "support/random_graph.hpp"

namespace daedal::kernel {
namespace {

using test::GraphOptions;
using test::RandomGraph;
using test::Variables;

constexpr std::size_t n_lanes = Program::n_lanes;

/// Every instruction set that this machine can run.
class Lanes : public testing::TestWithParam<const Backend*> {
 protected:
  /// Values of `outputs` for eight points at once; x[i][lane], result[i][lane].
  using Points = std::vector<std::array<double, n_lanes>>;
  static Points evaluate(const Program& program, const Points& x) {
    LaneWorkspace workspace = program.make_lane_workspace(GetParam()->name);
    Points out(to_size(program.n_outputs()));
    const double* block = x.empty() ? nullptr : x.front().data();
    program.evaluate_lanes({&block, 1}, {out.front().data(), n_lanes * out.size()}, workspace);
    return out;
  }

  static Points random_points(std::size_t n, double low, double high, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    Points x(n);
    for (auto& lanes : x) {
      for (double& value : lanes) value = uniform(random);
    }
    return x;
  }

  static std::vector<double> lane(const Points& x, std::size_t l) {
    std::vector<double> result;
    for (const auto& lanes : x) result.push_back(lanes[l]);
    return result;
  }
};

std::string name_of(const testing::TestParamInfo<const Backend*>& info) {
  return info.param->name;
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Lanes,
                         testing::ValuesIn(available_lane_backends().begin(),
                                           available_lane_backends().end()),
                         name_of);

/// Distance in units in the last place; 0 for two NaNs.
double ulps(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0.0;
  const double unit = std::nextafter(std::abs(expected), infinity) - std::abs(expected);
  return std::abs(actual - expected) / unit;
}

TEST_P(Lanes, ArithmeticAndLogicHaveTheBitsOfTheScalarInterpreter) {
  Variables v(4);
  auto& p = v.pool;
  const auto [a, b, c, d] = std::array{v.ids[0], v.ids[1], v.ids[2], v.ids[3]};
  const NodeId positive = p.unary(Op::abs, a);
  const std::vector<NodeId> outputs{
      p.neg(a),
      p.add(a, b),
      p.sub(a, b),
      p.mul(a, b),
      p.div(a, b),
      p.add(p.mul(a, c), d),
      p.sub(p.mul(b, c), d),
      p.sub(d, p.mul(a, d)),
      p.add(p.mul(a, a), p.mul(c, d)),
      p.sub(p.mul(b, b), p.mul(b, d)),
      p.add(p.add(a, c), d),
      p.mul(p.mul(a, c), d),
      p.power(c, 7),
      p.unary(Op::sqrt, positive),
      positive,
      p.unary(Op::sign, b),
      p.unary(Op::floor, c),
      p.binary(Op::min, a, b),
      p.binary(Op::max, a, b),
      p.immediate_relation(Op::less, a, b),
      p.immediate_relation(Op::less_equal, a, b),
      p.immediate_relation(Op::equal, a, b),
      p.immediate_relation(Op::not_equal, a, b),
      p.binary(Op::logical_and, p.immediate_relation(Op::less, a, b),
               p.immediate_relation(Op::less, c, d)),
      p.binary(Op::logical_or, p.immediate_relation(Op::less, a, c),
               p.immediate_relation(Op::less, b, d)),
      p.unary(Op::logical_not, p.immediate_relation(Op::less, b, c)),
      p.if_else(p.immediate_relation(Op::less, b, c), a, d),
  };
  const Program program = v.compile(outputs);
  Points x = random_points(4, -3.0, 3.0, 5);
  // Lanes with equal operands, signed zeros, infinities, NaN.
  x[0][1] = x[1][1];
  x[0][2] = -0.0;
  x[1][3] = infinity;
  x[0][4] = std::numeric_limits<double>::quiet_NaN();
  x[1][5] = std::numeric_limits<double>::quiet_NaN();
  const Points actual = evaluate(program, x);
  for (std::size_t l = 0; l < n_lanes; ++l) {
    const auto expected = v.evaluate(outputs, lane(x, l));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(actual[i][l])) << "output " << i << ", lane " << l;
      } else {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(actual[i][l]),
                  std::bit_cast<std::uint64_t>(expected[i]))
            << "output " << i << ", lane " << l;
      }
    }
  }
}

TEST_P(Lanes, ElementaryFunctionsHaveTheBitsOfTheScalarInterpreter) {
  Variables v(2);
  auto& p = v.pool;
  std::vector<NodeId> outputs;
  for (const Op op : {Op::exp, Op::log, Op::sin, Op::cos, Op::tan, Op::asin, Op::acos, Op::atan,
                      Op::sinh, Op::cosh, Op::tanh}) {
    outputs.push_back(p.unary(op, v.ids[0]));
  }
  outputs.push_back(p.binary(Op::atan2, v.ids[1], v.ids[0]));
  outputs.push_back(p.binary(Op::pow, v.ids[0], v.ids[1]));
  const Program program = v.compile(outputs);
  for (unsigned seed = 0; seed < 300; ++seed) {
    // Inside the domain of asin and log; every third time a wide range for the others.
    const double range = seed % 3 == 0 ? 300.0 : 1.0;
    const Points x = random_points(2, 1e-3 * range, range, seed);
    const Points actual = evaluate(program, x);
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const auto expected = v.evaluate(outputs, lane(x, l));
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(ulps(actual[i][l], expected[i]), 0.0)
            << "output " << i << " at " << x[0][l] << ", " << x[1][l];
      }
    }
  }
}

TEST_P(Lanes, FollowElementaryFunctionsOutsideTheirDomain) {
  Variables v(1);
  auto& p = v.pool;
  const std::array outputs{p.unary(Op::log, v.ids[0]), p.unary(Op::asin, v.ids[0]),
                           p.unary(Op::exp, v.ids[0]), p.unary(Op::sin, v.ids[0]),
                           p.unary(Op::sqrt, v.ids[0])};
  const Program program = v.compile(outputs);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Points x{{-2.0, 0.0, infinity, -infinity, nan, 1e308, -1e308, 1e22}};
  const Points actual = evaluate(program, x);
  for (std::size_t l = 0; l < n_lanes; ++l) {
    const auto expected = v.evaluate(outputs, lane(x, l));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(ulps(actual[i][l], expected[i]), 0.0) << "output " << i << " at " << x[0][l];
    }
  }
}

TEST_P(Lanes, AgreeWithTheScalarInterpreterOnRandomGraphs) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Variables v(5);
    RandomGraph graph(v.pool, v.ids, seed, GraphOptions{.n_steps = 40});
    const std::vector<NodeId> roots = graph.roots(6);
    const Program program = v.compile(roots);
    const Points x = random_points(5, -2.0, 2.0, seed);
    const Points actual = evaluate(program, x);
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const auto expected = v.evaluate(roots, lane(x, l));
      for (std::size_t i = 0; i < roots.size(); ++i) {
        // A few units in the last place of each function, carried through 40 operations.
        EXPECT_NEAR(actual[i][l], expected[i], 1e-9 * (1.0 + std::abs(expected[i])))
            << "seed " << seed << ", output " << i << ", lane " << l;
      }
    }
  }
}

TEST_P(Lanes, ServeProgramsWithMoreRegistersThanShortInstructionsReach) {
  // 9000 inputs that are outputs as well: 8 lanes of each are beyond 2^16 doubles.
  constexpr std::size_t n = 9000;
  Variables v(n);
  RandomGraph graph(v.pool, v.ids, 2, GraphOptions{.n_steps = 2000});
  std::vector<NodeId> roots = graph.roots(20);
  const std::size_t n_computed = roots.size();
  roots.insert(roots.end(), v.ids.begin(), v.ids.end());
  const Program program = v.compile(roots);
  const Points x = random_points(n, -2.0, 2.0, 1);
  const Points actual = evaluate(program, x);
  for (const std::size_t l : {0U, 7U}) {
    const auto expected = test::folded_values(v.pool, roots, lane(x, l));
    for (std::size_t i = 0; i < n_computed; ++i) {
      EXPECT_NEAR(actual[i][l], expected[i], 1e-9 * (1.0 + std::abs(expected[i]))) << i;
    }
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(actual[n_computed + i][l], x[i][l]);
  }
}

TEST(LaneProgram, RefusesAnInstructionSetThatTheMachineHasNot) {
  EXPECT_THROW((void)Program().make_lane_workspace("avx4096"), Error);
}

TEST(LaneProgram, RefusesTheWorkspaceOfAnotherProgram) {
  Variables v(1);
  const Program program = v.compile(v.ids);
  LaneWorkspace other = Program().make_lane_workspace();
  const std::array<double, n_lanes> x{};
  std::array<double, n_lanes> out{};
  const double* block = x.data();
  EXPECT_THROW(program.evaluate_lanes({&block, 1}, out, other), Error);
}

}  // namespace
}  // namespace daedal::kernel
