// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/derivative_array.hpp"

#include <gtest/gtest.h>

#include <daedal/model.hpp>
#include <random>

namespace daedal::analysis {
namespace {

/// A fully implicit, nonlinear, time-dependent model: every block of the array is occupied.
Model implicit_model() {
  ModelBuilder b("Implicit");
  const Expr k = b.parameter("k", 0.7);
  const Expr x = b.variable("x");
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) * y + sin(der(z)) == k * x * z + b.time());
  b.equation(der(y) + exp(x) * der(x) == y * y - cos(b.time() * z));
  b.equation(x * x + y * z == sqrt(2 + z * z) + b.time());
  return b.build();
}

class RandomSeries : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    series_.resize(to_size(array_.n_unknowns() * (GetParam() + 2)));
    for (double& value : series_) value = uniform(random);
    point_ = {.t = 0.3,
              .scale = 0.25,
              .series = series_,
              .parameters = parameters_,
              .modes = {},
              .discretes = {}};
  }

  const GeneralView view_ = general_view(implicit_model());
  const DerivativeArray array_{view_, 6};
  std::vector<double> parameters_{0.7};
  std::vector<double> series_;
  ArrayPoint point_;
};

TEST_P(RandomSeries, TheToeplitzJacobianAgreesWithFiniteDifferences) {
  const int level = GetParam();
  auto workspace = array_.make_workspace();
  const Index rows = array_.n_equations() * (level + 1);
  const Index columns = array_.n_unknowns() * (level + 2);
  std::vector<double> r(to_size(rows));
  ASSERT_TRUE(array_.linearize(point_, level, r, workspace));
  Matrix jacobian(rows, columns);
  array_.assemble(level, workspace, jacobian);

  // Central differences of fourth order; the array is of moderate size on these data, so that
  // their own error is below 1e-9.
  const double step = 1e-3;
  std::vector<double> values(to_size(rows));
  for (Index j = 0; j < columns; ++j) {
    Vector difference = Vector::Zero(rows);
    for (const auto& [offset, weight] :
         {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
      const double kept = series_[to_size(j)];
      series_[to_size(j)] = kept + offset * step;
      ASSERT_TRUE(array_.residual(point_, level, values, workspace));
      series_[to_size(j)] = kept;
      difference += weight / (12.0 * step) * as_vector(std::span<const double>(values));
    }
    const double scale = 1.0 + jacobian.col(j).cwiseAbs().maxCoeff();
    EXPECT_LE((difference - jacobian.col(j)).cwiseAbs().maxCoeff() / scale, 1e-8) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, RandomSeries, ::testing::Values(0, 1, 3, 6));

TEST(DerivativeArray, CoefficientsAreTheTotalDerivativesOfTheModel) {
  // r = x' − x², x = e^(2t): x' = 2x, so r = 2e^(2t) − e^(4t), r_i h^i = h^i (2·2^i − 4^i)/i! at 0.
  ModelBuilder b("Square");
  const Expr x = b.variable("x");
  b.equation(der(x) == x * x);
  const GeneralView view = general_view(b.build());
  const DerivativeArray array(view, 4);
  const double h = 0.5;
  std::vector<double> series(6);
  double factor = 1.0;
  for (std::size_t j = 0; j < series.size(); ++j) {
    series[j] = factor;
    factor *= 2.0 * h / static_cast<double>(j + 1);
  }
  auto workspace = array.make_workspace();
  std::vector<double> r(5);
  ASSERT_TRUE(array.residual(
      {.t = 0.0, .scale = h, .series = series, .parameters = {}, .modes = {}, .discretes = {}}, 4,
      r, workspace));
  double h_power = 1.0;
  for (int i = 0; i <= 4; ++i) {
    const double exact = h_power * (2.0 * std::pow(2.0, i) - std::pow(4.0, i));
    EXPECT_NEAR(r[static_cast<std::size_t>(i)], exact, 1e-14) << i;
    h_power *= h / (i + 1);
  }
}

TEST(DerivativeArray, SaysWhenAValueIsNotFinite) {
  ModelBuilder b("Root");
  const Expr x = b.variable("x");
  b.equation(der(x) == sqrt(x));
  const GeneralView view = general_view(b.build());
  const DerivativeArray array(view, 1);
  auto workspace = array.make_workspace();
  std::vector<double> series{-1.0, 0.0, 0.0};
  std::vector<double> r(2);
  EXPECT_FALSE(array.residual(
      {.t = 0.0, .scale = 1.0, .series = series, .parameters = {}, .modes = {}, .discretes = {}}, 1,
      r, workspace));
}

}  // namespace
}  // namespace daedal::analysis
