// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/time_scales.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace daedal::analysis {

namespace {

/// Entries below this share of the greatest in their row say nothing about the time scale: most
/// are the round-off of a zero.
constexpr double negligible_entry = 1e-6;
/// Rows whose derivatives are all below this share are left out; powers of shorter time constants
/// would underflow.
constexpr double negligible_row = 1e-20;
/// Ratios of derivatives to values within this factor are of one time scale.
constexpr double alike = 1e3;
/// Time constants within this ratio of the natural scale are of one pace with it.
constexpr double one_pace = 1e-2;
/// Time constants in this ratio to the natural scale may leave singular values near the tolerance
/// in the best of scales: then ranks differ from scale to scale.
constexpr double distant_scales = 1e-5;
/// Shares of the way, in powers, from the natural scale to the shortest time constant.
constexpr std::array shares{0.25, 0.5, 0.75, 1.0};

/// [F_x  F_x'/h] at the point.
std::optional<Matrix> first_level(const DerivativeArray& array, const ArrayPoint& point) {
  auto workspace = array.make_workspace();
  std::vector<double> r(to_size(array.n_equations()));
  if (!array.linearize(point, 0, r, workspace)) return std::nullopt;
  Matrix jacobian(array.n_equations(), 2 * array.n_unknowns());
  array.assemble(0, workspace, jacobian);
  return jacobian;
}

/// Mean over one half of the entries, relative to the greatest of their rows; NaN without entries.
double mean_logarithm(const Matrix& jacobian, Index first, Index n) {
  double sum = 0.0;
  Index count = 0;
  for (Index i = 0; i < jacobian.rows(); ++i) {
    const double row_size = jacobian.row(i).cwiseAbs().maxCoeff();
    for (Index j = first; j < first + n; ++j) {
      if (std::abs(jacobian(i, j)) < negligible_entry * row_size || row_size == 0.0) continue;
      sum += std::log(std::abs(jacobian(i, j)) / row_size);
      ++count;
    }
  }
  return count == 0 ? NAN : sum / static_cast<double>(count);
}

/// The ratio of derivatives to values that most equations with both have, of several the one
/// nearest to 1; 1 where none has both.
double common_ratio(const Matrix& jacobian, Index n) {
  std::vector<double> logarithms;
  for (Index i = 0; i < jacobian.rows(); ++i) {
    const double values = jacobian.row(i).head(n).cwiseAbs().maxCoeff();
    const double ratio = jacobian.row(i).tail(n).cwiseAbs().maxCoeff() / values;
    if (ratio > 0.0 && std::isfinite(ratio)) logarithms.push_back(std::log(ratio));
  }
  double common = 0.0;
  std::ptrdiff_t most = 0;
  for (const double one : logarithms) {
    const std::ptrdiff_t n_alike = std::ranges::count_if(
        logarithms, [&](double other) { return std::abs(other - one) < std::log(alike); });
    if (n_alike < most || (n_alike == most && std::abs(one) >= std::abs(common))) continue;
    most = n_alike;
    common = one;
  }
  return std::exp(common);
}

/// In a unit of time that is far from the problem's, derivatives or values look like round-off:
/// they are looked at in another one.
double natural_ratio(Matrix jacobian, Index n) {
  const double unit = common_ratio(jacobian, n);
  jacobian.rightCols(n) /= unit;
  const double log_ratio = mean_logarithm(jacobian, n, n) - mean_logarithm(jacobian, 0, n);
  return std::isfinite(log_ratio) ? unit * std::exp(log_ratio) : NAN;
}

/// The least ratio of derivatives to values over the equations that have both.
double fastest_ratio(const Matrix& jacobian, Index n) {
  double least = infinity;
  for (Index i = 0; i < jacobian.rows(); ++i) {
    const double values = jacobian.row(i).head(n).cwiseAbs().maxCoeff();
    const double derivatives = jacobian.row(i).tail(n).cwiseAbs().maxCoeff();
    if (derivatives > negligible_row * values && values > 0.0) {
      least = std::min(least, derivatives / values);
    }
  }
  return least;
}

}  // namespace

double natural_scale(const DerivativeArray& array, const ArrayPoint& point) {
  const auto jacobian = first_level(array, point);
  const double ratio = jacobian ? natural_ratio(*jacobian, array.n_unknowns()) : NAN;
  return std::isnan(ratio) ? 1.0 : point.scale * ratio;
}

std::vector<double> candidate_scales(const DerivativeArray& array, const ArrayPoint& point) {
  const auto jacobian = first_level(array, point);
  if (!jacobian) return {1.0};
  const double natural = natural_ratio(*jacobian, array.n_unknowns());
  if (std::isnan(natural)) return {1.0};
  std::vector<double> scales{point.scale * natural};
  const double fastest = fastest_ratio(*jacobian, array.n_unknowns());
  if (fastest >= one_pace * natural) return scales;
  for (const double share : shares) {
    scales.push_back(point.scale * natural * std::pow(fastest / natural, share));
  }
  return scales;
}

bool are_distant(std::span<const double> scales) {
  return scales.back() < distant_scales * scales.front();
}

std::vector<double> rescaled(std::span<const double> series, Index n, double ratio) {
  std::vector<double> result(series.begin(), series.end());
  double factor = 1.0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (i > 0 && to_index(i) % n == 0) factor *= ratio;
    result[i] *= factor;
  }
  return result;
}

}  // namespace daedal::analysis
