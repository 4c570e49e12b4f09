// SPDX-License-Identifier: BSD-3-Clause
// Stage by stage against the series of a whole, which has other rules and its own tests against
// closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernel/staged_series.hpp"
#include "kernel/taylor_support.hpp"

namespace daedal::kernel {
namespace {

using test::expand;
using test::expect_series;
using test::order;
using test::Series;
using test::Variables;

/// Series inside the domain of every function, leading coefficients in (0.4, 0.8), and far enough
/// from its borders and from 0 that no rule amplifies round-off much.
std::vector<Series> random_series(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> leading(0.4, 0.8);
  std::uniform_real_distribution<double> other(-1.0, 1.0);
  std::vector<Series> result(n, Series(order + 1));
  for (Series& series : result) {
    double size = 0.3;
    for (double& coefficient : series) {
      coefficient = size * other(random);
      size *= 0.5;
    }
    series[0] = leading(random);
  }
  return result;
}

/// All inputs known beforehand.
Series staged(const Variables& v, NodeId output, const std::vector<Series>& inputs,
              Convolution convolve) {
  StagedSeries series(
      v.compile(std::span(&output, 1)), [](int, Index) { return StagedSeries::known; },
      std::vector<int>{0}, order, convolve);
  for (const StagedSeries::Leaf& leaf : series.leaves())
    std::ranges::copy(inputs[to_size(leaf.offset)], series.series(leaf.slot));
  for (int s = 0; s <= order; ++s) series.stage(s);
  return {series.output(0), series.output(0) + order + 1};
}

/// The leading coefficient of every stage comes after the stage was computed without it.
Series corrected(const Variables& v, NodeId output, const std::vector<Series>& inputs,
                 Convolution convolve) {
  StagedSeries series(
      v.compile(std::span(&output, 1)), [](int, Index) { return 0; }, std::vector<int>{0}, order,
      convolve);
  std::vector<double> changes(series.leaves().size());
  for (int s = 0; s <= order; ++s) {
    for (std::size_t k = 0; k < changes.size(); ++k) {
      const StagedSeries::Leaf& leaf = series.leaves()[k];
      const Series& input = inputs[to_size(leaf.offset)];
      const double coefficient = to_size(s) < input.size() ? input[to_size(s)] : 0.0;
      series.series(leaf.slot)[s] = s == 0 ? coefficient : 0.0;
      changes[k] = coefficient;
    }
    series.stage(s);
    if (s == 0) continue;
    for (std::size_t k = 0; k < changes.size(); ++k)
      series.series(series.leaves()[k].slot)[s] = changes[k];
    series.correct(s);
  }
  return {series.output(0), series.output(0) + order + 1};
}

/// The same where outputs are not corrected: every coefficient of the output from a run of its own,
/// whose last stage is computed with all coefficients of the inputs.
Series left_out(const Variables& v, NodeId output, const std::vector<Series>& inputs,
                Convolution convolve) {
  Series result;
  for (int last = 0; last <= order; ++last) {
    StagedSeries series(
        v.compile(std::span(&output, 1)), [](int, Index) { return 0; }, std::vector<int>{0}, order,
        convolve);
    series.leave_outputs();
    const auto set_leading = [&](int s, bool is_known) {
      for (const StagedSeries::Leaf& leaf : series.leaves()) {
        const Series& input = inputs[to_size(leaf.offset)];
        series.series(leaf.slot)[s] =
            is_known && to_size(s) < input.size() ? input[to_size(s)] : 0.0;
      }
    };
    for (int s = 0; s <= last; ++s) {
      const bool is_known = s == 0 || s == last;
      set_leading(s, is_known);
      series.stage(s);
      if (is_known) continue;
      set_leading(s, true);
      series.correct(s);
    }
    result.push_back(series.output(0)[last]);
  }
  return result;
}

void expect_all(const Variables& v, NodeId output, const std::vector<Series>& inputs) {
  const Series expected = expand(v, output, inputs);
  for (const Convolution convolve : available_convolutions()) {
    expect_series(staged(v, output, inputs, convolve), expected);
    expect_series(corrected(v, output, inputs, convolve), expected);
    expect_series(left_out(v, output, inputs, convolve), expected);
  }
}

TEST(StagedSeries, EveryElementaryFunctionHasTheSeriesOfAWhole) {
#define DAEDAL_OP(name, ...) Op::name,
  constexpr Op functions[] = {DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_OP)};
#undef DAEDAL_OP
  for (const Op op : functions) {
    SCOPED_TRACE(static_cast<int>(op));
    Variables v(1);
    expect_all(v, v.pool.unary(op, v.ids[0]), random_series(1, 1));
  }
}

TEST(StagedSeries, EveryOperationOfTwoHasTheSeriesOfAWhole) {
  for (const Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::pow, Op::atan2, Op::min, Op::max}) {
    SCOPED_TRACE(static_cast<int>(op));
    Variables v(2);
    expect_all(v, v.pool.binary(op, v.ids[0], v.ids[1]), random_series(2, 2));
  }
}

TEST(StagedSeries, PowersAndTheirBorderCases) {
  for (const int n : {-3, -1, 2, 3, 7}) {
    Variables v(1);
    expect_all(v, v.pool.power(v.ids[0], n), random_series(1, 3));
  }
  for (const double p : {-0.5, 0.5, 1.5, -2.25}) {
    Variables v(1);
    expect_all(v, v.pool.binary(Op::pow, v.ids[0], v.pool.constant(p)), random_series(1, 4));
  }
  Variables v(1);
  auto through_zero = random_series(1, 5);
  through_zero[0][0] = 0.0;
  expect_all(v, v.pool.power(v.ids[0], 3), through_zero);
}

TEST(StagedSeries, PiecesAreChosenByTheFirstCoefficientThatDecides) {
  Variables v(1);
  expect_all(v, v.pool.unary(Op::abs, v.ids[0]), {{0.0, -2.0, 1.0}});
  const NodeId less = v.pool.immediate_relation(Op::less, v.ids[0], v.pool.constant(0.5));
  expect_all(v, v.pool.if_else(less, v.pool.mul(v.ids[0], v.ids[0]), v.ids[0]),
             {{0.25, 1.0, -1.0}});
}

TEST(StagedSeries, LongExpressionsHaveTheSeriesOfAWhole) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Variables v(3);
    std::vector<NodeId> nodes = v.ids;
    const auto any = [&] { return nodes[random() % nodes.size()]; };
    for (int k = 0; k < 12; ++k) {
      switch (random() % 6) {
        case 0:
          nodes.push_back(v.pool.add(any(), any()));
          break;
        case 1:
          nodes.push_back(v.pool.mul(any(), any()));
          break;
        case 2:
          nodes.push_back(
              v.pool.div(any(), v.pool.add(v.pool.constant(3.0), v.pool.power(any(), 2))));
          break;
        case 3:
          nodes.push_back(v.pool.unary(Op::sin, any()));
          break;
        case 4:
          nodes.push_back(
              v.pool.unary(Op::sqrt, v.pool.add(v.pool.constant(1.0), v.pool.power(any(), 2))));
          break;
        default:
          nodes.push_back(v.pool.unary(Op::tanh, v.pool.sub(any(), any())));
          break;
      }
    }
    expect_all(v, nodes.back(), random_series(3, 100 + seed));
  }
}

/// u = 1/(1 - τ/2) has the coefficients 2^-k, and its square (k + 1) 2^-k.
TEST(StagedSeries, LongSeriesAreSquaredToTheirLastCoefficient) {
  constexpr int last = 101;
  Variables v(1);
  const NodeId square = v.pool.mul(v.ids[0], v.ids[0]);
  for (const Convolution convolve : available_convolutions()) {
    StagedSeries series(
        v.compile(std::span(&square, 1)), [](int, Index) { return StagedSeries::known; },
        std::vector<int>{0}, last, convolve);
    for (int k = 0; k <= last; ++k) series.series(series.leaves()[0].slot)[k] = std::ldexp(1.0, -k);
    for (int s = 0; s <= last; ++s) series.stage(s);
    for (int k = 0; k <= last; ++k)
      EXPECT_EQ(series.output(0)[k], std::ldexp(k + 1.0, -k)) << k;  // sums of whole numbers
  }
}

TEST(StagedSeries, DerivativesLagBehindWhatTheyAreDerivativesOf) {
  // x·x' with x known two coefficients ahead of x'': x has the lead 2, x' the lead 1, and what
  // stage s completes is coefficient s + 1.
  Variables v(2);
  const NodeId product = v.pool.mul(v.ids[0], v.ids[1]);
  const Series x = random_series(1, 6).front();
  Series rate(order + 1);
  for (int k = 0; k < order; ++k) rate[to_size(k)] = (k + 1) * x[to_size(k) + 1];
  StagedSeries series(
      v.compile(std::span(&product, 1)), [](int, Index offset) { return offset == 0 ? 2 : 1; },
      std::vector<int>{1}, order - 2);
  std::vector<double> changes(2);
  for (int s = -1; s <= order - 2; ++s) {
    for (std::size_t k = 0; k < 2; ++k) {
      const StagedSeries::Leaf& leaf = series.leaves()[k];
      const Series& from = leaf.offset == 0 ? x : rate;
      double* const to = series.series(leaf.slot);
      for (int q = s == -1 ? 0 : s + leaf.lead; q <= s + leaf.lead; ++q) to[q] = from[to_size(q)];
      changes[k] = from[to_size(s + leaf.lead)];
      if (s >= 1) to[s + leaf.lead] = 0.0;
    }
    series.stage(s);
    if (s < 1) continue;
    for (std::size_t k = 0; k < 2; ++k)
      series.series(series.leaves()[k].slot)[s + series.leaves()[k].lead] = changes[k];
    series.correct(s);
  }
  const Series expected = expand(v, product, {x, rate});
  expect_series({series.output(0), series.output(0) + order},
                {expected.begin(), expected.end() - 1});
}

TEST(StagedSeries, SwitchesAreTheFunctionsThatEndAPiece) {
  Variables v(2);
  const NodeId both =
      v.pool.add(v.pool.unary(Op::abs, v.ids[0]), v.pool.binary(Op::max, v.ids[0], v.ids[1]));
  StagedSeries series(
      v.compile(std::span(&both, 1)), [](int, Index) { return StagedSeries::known; },
      std::vector<int>{0}, 1);
  for (const StagedSeries::Leaf& leaf : series.leaves()) {
    series.series(leaf.slot)[0] = leaf.offset == 0 ? 1.0 : 3.0;
    series.series(leaf.slot)[1] = leaf.offset == 0 ? -2.0 : 5.0;
  }
  series.stage(0);
  series.stage(1);
  ASSERT_EQ(series.n_switches(), 2);
  std::vector<Series> found;
  for (Index number = 0; number < 2; ++number) {
    Series out(3);
    series.switch_series(number, 1, out);
    found.push_back(out);
  }
  std::ranges::sort(found);
  EXPECT_EQ(found[0], (Series{-2.0, -7.0, 0.0}));
  EXPECT_EQ(found[1], (Series{1.0, -2.0, 0.0}));
}

}  // namespace
}  // namespace daedal::kernel
