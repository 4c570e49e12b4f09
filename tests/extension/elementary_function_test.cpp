// SPDX-License-Identifier: BSD-3-Clause
// The layers expr and kernel, built with one row more in the table of elementary functions: the
// inverse hyperbolic tangent (see the row in tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/print.hpp"
#include "kernel/program.hpp"
#include "kernel/taylor.hpp"

namespace daedal {
namespace {

class NewFunction : public testing::Test {
 protected:
  [[nodiscard]] kernel::Program compile(NodeId root) {
    const std::array inputs{kernel::Input{x_.id(), 0, 0}};
    return kernel::Program::compile(pool_, std::span(&root, 1), inputs);
  }
  [[nodiscard]] double evaluate(NodeId root, double x) {
    const kernel::Program program = compile(root);
    kernel::Workspace workspace = program.make_workspace();
    const double* block = &x;
    double value = 0.0;
    program.evaluate({&block, 1}, {&value, 1}, workspace);
    return value;
  }

  Pool pool_;
  Expr x_{pool_, pool_.variable(0)};
  Expr f_ = atanh(x_);
};

TEST_F(NewFunction, HasTheValueOfItsDefinition) {
  // artanh x = ½ ln((1 + x)/(1 − x)), within a few roundings of the logarithm.
  EXPECT_NEAR(evaluate(f_.id(), 0.6), std::log(2.0), 1e-15);
  EXPECT_NEAR(atanh(Expr(0.6)).value(), std::log(2.0), 1e-15);
}

TEST_F(NewFunction, HasTheDerivativeOfItsRow) {
  const NodeId slope = gradient(pool_, f_.id(), std::array{x_.id()}).front();
  EXPECT_DOUBLE_EQ(evaluate(slope, 0.6), 1.0 / 0.64);
}

TEST_F(NewFunction, IsOdd) {
  EXPECT_EQ(atanh(-x_).id(), (-f_).id());
}

TEST_F(NewFunction, IsPrintedByItsName) {
  const auto name_of = [](Op, SymbolId) { return std::string("x"); };
  EXPECT_EQ(to_string(pool_, f_.id(), name_of), "atanh(x)");
}

TEST_F(NewFunction, HasItsTaylorSeries) {
  // artanh τ = τ + τ³/3 + τ⁵/5 + ...
  constexpr int order = 9;
  kernel::TaylorEvaluator evaluator(compile(f_.id()), order);
  const std::array line{0.0, 1.0};
  const kernel::SeriesBlock block{line.data(), 1, 2};
  std::vector<double> series(order + 1);
  evaluator.evaluate(order, {&block, 1}, series);
  for (int k = 0; k <= order; ++k) {
    EXPECT_NEAR(series[static_cast<std::size_t>(k)], k % 2 == 0 ? 0.0 : 1.0 / k, 1e-15) << k;
  }
}

TEST_F(NewFunction, IsEvaluatedInLanes) {
  const kernel::Program program = compile(f_.id());
  kernel::LaneWorkspace workspace = program.make_lane_workspace();
  std::array<double, kernel::Program::n_lanes> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1 * static_cast<double>(i);
  const double* block = x.data();
  std::array<double, kernel::Program::n_lanes> values{};
  program.evaluate_lanes({&block, 1}, values, workspace);
  // The bits of libm: the promise of evaluate_lanes.
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(values[i], std::atanh(x[i]));
}

}  // namespace
}  // namespace daedal
