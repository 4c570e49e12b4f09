// SPDX-License-Identifier: BSD-3-Clause
// The scalar interpreter, which has tests of its own, against machine code: the same bits.
#include "kernel/native/native_code.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <daedal/native.hpp>
#include <limits>
#include <random>
#include <thread>

#include "kernel/fixture.hpp"
#include "kernel/jacobian_program.hpp"
#include "kernel/program.hpp"
#include "support/random_graph.hpp"

namespace daedal::kernel {
namespace {

using test::GraphOptions;
using test::RandomGraph;
using test::Variables;

const double nan = std::numeric_limits<double>::quiet_NaN();

class Native : public testing::Test {
 protected:
  void SetUp() override {
    if (!native_code()) GTEST_SKIP() << "This machine runs the interpreter alone.";
  }
};

std::vector<double> run(const NativeCode& native, const Program& program,
                        std::span<const double* const> blocks) {
  std::vector<double> registers(to_size(program.n_registers()), nan);
  const auto& constants = program.code()->constants;
  std::copy(constants.begin(), constants.end(), registers.begin());
  std::vector<double> out(to_size(program.n_outputs()), nan);
  native.run(blocks.data(), out.data(), registers.data());
  return out;
}

std::vector<double> run_interpreter(const Program& program, std::span<const double* const> blocks) {
  Workspace workspace = program.make_workspace();
  std::vector<double> out(to_size(program.n_outputs()), nan);
  program.evaluate(blocks, out, workspace);
  return out;
}

testing::AssertionResult same_bits(double x, double y) {
  if (std::isnan(x) && std::isnan(y)) return testing::AssertionSuccess();
  if (std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << x << " is not " << y;
}

void expect_same_bits(const Program& program, std::span<const double* const> blocks) {
  const auto native = NativeCode::make(*program.code());
  ASSERT_NE(native, nullptr);
  const std::vector<double> expected = run_interpreter(program, blocks);
  const std::vector<double> found = run(*native, program, blocks);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(same_bits(found[i], expected[i])) << "output " << i;
  }
}

void expect_same_bits(const Program& program, const std::vector<double>& x) {
  const double* block = x.data();
  expect_same_bits(program, {&block, 1});
}

/// Every operation of expressions, and every pattern that becomes one instruction.
std::vector<NodeId> every_operation(Pool& p, NodeId a, NodeId b, NodeId c, NodeId d) {
  std::vector<NodeId> all{
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
      p.power(c, -3),
      p.binary(Op::pow, a, b),
      p.binary(Op::pow, b, a),
      p.binary(Op::atan2, a, b),
      p.binary(Op::atan2, c, c),
      p.binary(Op::min, a, b),
      p.binary(Op::max, a, b),
      p.binary(Op::logical_and, a, b),
      p.binary(Op::logical_or, a, b),
      p.unary(Op::logical_not, a),
      p.if_else(a, c, d),
      p.if_else(p.immediate_relation(Op::less, b, c), a, p.neg(a)),
  };
  for (const Op op :
       {Op::less, Op::less_equal, Op::greater, Op::greater_equal, Op::equal, Op::not_equal}) {
    all.push_back(p.immediate_relation(op, a, b));
  }
#define DAEDAL_UNARY(name, ...) all.push_back(p.unary(Op::name, a));
  DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_UNARY)
#undef DAEDAL_UNARY
  return all;
}

TEST_F(Native, HasTheBitsOfTheInterpreterForEveryOperationAndKindOfNumber) {
  const std::array special{0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           0.5,
                           2.5,
                           -3.7,
                           1e-310,
                           1e300,
                           1e22,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           nan};
  Variables v(4);
  const auto outputs = every_operation(v.pool, v.ids[0], v.ids[1], v.ids[2], v.ids[3]);
  const Program together = v.compile(outputs);
  for (const NodeId output : outputs) {
    const Program alone = v.compile({&output, 1});
    for (const double x : special) {
      for (const double y : special) expect_same_bits(alone, {x, y, 0.75, y});
    }
  }
  for (const double x : special) {
    for (const double y : special) expect_same_bits(together, {x, y, -1.25, x});
  }
}

TEST_F(Native, HasTheBitsOfTheInterpreterOnRandomPrograms) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Variables v(5);
    const int n_steps = 5 + static_cast<int>(seed % 200);
    RandomGraph graph(v.pool, v.ids, seed, GraphOptions{.n_steps = n_steps, .smooth = false});
    const Program program = v.compile(graph.roots(1 + static_cast<int>(seed % 7)));
    std::vector<double> x(5);
    for (double& value : x) value = uniform(random);
    if (seed % 10 == 0) x[seed % 5] = nan;
    expect_same_bits(program, x);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST_F(Native, HasTheBitsOfTheInterpreterInJacobians) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Variables v(6);
    RandomGraph graph(v.pool, v.ids, seed, GraphOptions{.n_steps = 60});
    const std::vector<NodeId> roots = graph.roots(5);
    const JacobianProgram jacobian = JacobianProgram::compile(
        v.pool, {.roots = roots, .groups = {v.ids}, .inputs = v.inputs, .with_values = true});
    expect_same_bits(jacobian.program(), {0.3, -1.1, 0.7, 1.9, -0.2, 0.05});
  }
}

TEST_F(Native, KeepsMoreValuesThanTheProcessorHasRegisters) {
  // All of 60 products are needed at the end, with a function between that leaves no register.
  Variables v(60);
  auto& p = v.pool;
  std::vector<NodeId> products;
  for (std::size_t i = 0; i < v.ids.size(); ++i) {
    products.push_back(p.mul(v.ids[i], v.ids[(7 * i + 3) % v.ids.size()]));
  }
  NodeId sum = p.unary(Op::exp, products[0]);
  std::vector<NodeId> outputs;
  for (std::size_t round = 1; round < 4; ++round) {
    for (std::size_t i = 0; i < products.size(); ++i) {
      sum = p.add(p.mul(sum, products[(round * i) % products.size()]), products[i]);
      if (i % 13 == 0) outputs.push_back(sum);
    }
    sum = p.unary(Op::atan, sum);
  }
  outputs.push_back(sum);
  std::vector<double> x;
  for (std::size_t i = 0; i < v.ids.size(); ++i) x.push_back(0.3 + 0.01 * static_cast<double>(i));
  expect_same_bits(v.compile(outputs), x);
}

TEST_F(Native, TakesAnyNumberOfSinesAndCosinesAtOnce) {
  for (int n = 1; n <= 19; ++n) {
    Variables v(n);
    std::vector<NodeId> outputs;
    std::vector<double> x;
    for (int i = 0; i < n; ++i) {
      const NodeId sine = v.pool.unary(Op::sin, v.ids[static_cast<std::size_t>(i)]);
      outputs.push_back(sine);
      outputs.push_back(v.pool.unary(Op::cos, v.ids[static_cast<std::size_t>(i)]));
      // The argument of one that follows is a result.
      outputs.push_back(v.pool.unary(Op::sin, sine));
      outputs.push_back(v.pool.unary(Op::cos, sine));
      x.push_back(0.37 * i - 2.0);
    }
    expect_same_bits(v.compile(outputs), x);
    // Large arguments go another way, and leave the bits of the others.
    x[static_cast<std::size_t>(n / 2)] = 1e9;
    expect_same_bits(v.compile(outputs), x);
    x[0] = nan;
    expect_same_bits(v.compile(outputs), x);
  }
}

TEST_F(Native, ReadsManyBlocks) {
  constexpr int n = 20;
  for (const bool with_call : {false, true}) {
    Pool pool;
    std::vector<Input> inputs;
    std::vector<NodeId> outputs;
    std::vector<double> x;
    NodeId sum = pool.constant(0.25);
    for (int i = 0; i < n; ++i) {
      const NodeId leaf = pool.variable(i);
      inputs.push_back({leaf, i, 3});
      sum = pool.add(pool.mul(sum, leaf), pool.constant(0.5 + i));
      if (with_call && i % 5 == 0) sum = pool.unary(Op::tanh, sum);
      outputs.push_back(sum);
      x.insert(x.end(), {nan, nan, nan, 0.1 * i + 0.3});
    }
    std::vector<const double*> blocks;
    for (std::size_t i = 0; i < n; ++i) blocks.push_back(x.data() + 4 * i);
    expect_same_bits(Program::compile(pool, outputs, inputs), blocks);
  }
}

TEST_F(Native, CopiesInputsConstantsAndOutputsThatAreOutputsAgain) {
  Variables v(2);
  const NodeId product = v.pool.mul(v.ids[0], v.ids[1]);
  const std::array outputs{product, v.ids[1], v.pool.constant(4.5), product, v.ids[0], product};
  expect_same_bits(v.compile(outputs), {1.5, -2.25});
}

TEST_F(Native, MayWriteItsResultsOverItsInputs) {
  Variables v(3);
  auto& p = v.pool;
  const std::array outputs{p.add(v.ids[1], v.ids[2]), p.add(v.ids[0], v.ids[2]),
                           p.add(v.ids[0], v.ids[1])};
  const Program program = v.compile(outputs);
  const auto native = NativeCode::make(*program.code());
  for (const std::size_t at : {0U, 1U, 2U, 3U}) {
    std::vector<double> x{1.0, 20.0, 300.0, 0.0, 0.0, 0.0};
    std::vector<double> registers(to_size(program.n_registers()));
    const double* block = x.data();
    native->run(&block, x.data() + at, registers.data());
    EXPECT_EQ(std::vector(x.begin() + static_cast<std::ptrdiff_t>(at),
                          x.begin() + static_cast<std::ptrdiff_t>(at) + 3),
              (std::vector{320.0, 301.0, 21.0}));
  }
}

TEST_F(Native, TakesTheProgramWithoutOutputs) {
  expect_same_bits(Program(), std::vector<double>{});
}

TEST_F(Native, TakesOverFromTheInterpreterWithoutAChangeInAnyBit) {
  Variables v(4);
  RandomGraph graph(v.pool, v.ids, 3, GraphOptions{.n_steps = 400});
  const std::vector<NodeId> roots = graph.roots(6);
  const Program program = v.compile(roots);
  // Threads share the program; each has its own workspace.
  const auto evaluate = [&](unsigned seed) {
    Workspace workspace = program.make_workspace();
    std::vector<double> out(roots.size());
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-2.0, 2.0);
    std::vector<double> all;
    for (int i = 0; i < 3000; ++i) {
      const std::array x{uniform(random), uniform(random), uniform(random), uniform(random)};
      const double* block = x.data();
      program.evaluate({&block, 1}, out, workspace);
      all.insert(all.end(), out.begin(), out.end());
    }
    return all;
  };
  const std::vector<double> first = evaluate(1);
  EXPECT_NE(program.code()->tier->native(), nullptr);
  EXPECT_EQ(evaluate(1), first);

  const Program again = v.compile(roots);
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& all : found) {
      threads.emplace_back([&] {
        Workspace workspace = again.make_workspace();
        std::vector<double> out(roots.size());
        std::mt19937 random(1);
        std::uniform_real_distribution<double> uniform(-2.0, 2.0);
        for (int i = 0; i < 3000; ++i) {
          const std::array x{uniform(random), uniform(random), uniform(random), uniform(random)};
          const double* block = x.data();
          again.evaluate({&block, 1}, out, workspace);
          all.insert(all.end(), out.begin(), out.end());
        }
      });
    }
  }
  for (const auto& all : found) EXPECT_EQ(all, first);
}

TEST_F(Native, IsLeftOutWhereItIsNotAllowed) {
  set_native_code(false);
  EXPECT_FALSE(native_code());
  Variables v(2);
  const NodeId product = v.pool.mul(v.ids[0], v.ids[1]);
  const Program program = v.compile({&product, 1});
  set_native_code(true);
  EXPECT_TRUE(native_code());
  Workspace workspace = program.make_workspace();
  const std::array x{2.0, 3.0};
  const double* block = x.data();
  double out = 0.0;
  for (int i = 0; i < 100'000; ++i) program.evaluate({&block, 1}, {&out, 1}, workspace);
  EXPECT_EQ(out, 6.0);
  EXPECT_EQ(program.code()->tier->native(), nullptr);
}

}  // namespace
}  // namespace daedal::kernel
