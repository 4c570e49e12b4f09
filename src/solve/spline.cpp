// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/function.hpp>
#include <daedal/table.hpp>
#include <memory>
#include <utility>

#include "core/types.hpp"
#include "modelica/library/table_data.hpp"

namespace daedal {

namespace {

void check_points(const std::string& what, const std::vector<double>& x,
                  const std::vector<double>& y) {
  const auto refuse = [&](const std::string& text) {
    throw OptionError(ErrorCode::invalid_value, fmt::format("The {} {}", what, text));
  };
  if (x.size() < 2 || x.size() != y.size()) {
    refuse(fmt::format("needs at least two points, and has {} of x, {} of y.", x.size(), y.size()));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) refuse("has a point that is not finite.");
    if (i > 0 && !(x[i] > x[i - 1])) refuse("needs points in ascending order.");
  }
}

/// The piece that holds at x, and how far it is from its beginning. Beyond the ends it is straight.
struct Place {
  modelica::Piece piece;
  double d;
};

Place place_of(const std::vector<modelica::Piece>& pieces, double end, double x) {
  const auto after = std::ranges::upper_bound(pieces, x, {}, &modelica::Piece::begin);
  modelica::Piece piece = after == pieces.begin() ? *after : *(after - 1);
  const double d = x - piece.begin;
  auto& c = piece.coefficients;
  if (d < 0.0) return {{piece.begin, {c[0], c[1]}}, d};
  if (x <= end) return {piece, d};
  const double l = end - piece.begin;
  return {{end, {c[0] + l * (c[1] + l * (c[2] + l * c[3])), modelica::slope(piece, l)}}, x - end};
}

/// The polynomials with so many of their derivatives.
Function curve(std::string name, std::vector<modelica::Piece> list, double end, int n_derivatives) {
  const auto pieces = std::make_shared<const std::vector<modelica::Piece>>(std::move(list));
  const auto f = [=](double u) {
    const auto [piece, d] = place_of(*pieces, end, u);
    const auto& c = piece.coefficients;
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
  };
  const auto df = [=](double u) {
    const auto [piece, d] = place_of(*pieces, end, u);
    return modelica::slope(piece, d);
  };
  const auto ddf = [=](double u) {
    const auto [piece, d] = place_of(*pieces, end, u);
    return 2.0 * piece.coefficients[2] + 6.0 * d * piece.coefficients[3];
  };
  std::vector<Function::Real> all{f, df, ddf};
  all.resize(to_size(n_derivatives) + 1);
  return {std::move(name), std::move(all)};
}

}  // namespace

Function spline(std::string name, std::vector<double> x, std::vector<double> y) {
  check_points(fmt::format("spline '{}'", name), x, y);
  const std::vector<double> slopes = modelica::spline_slopes(x, y);
  if (const std::string doubt = modelica::doubt_of_spline(x, y, slopes); !doubt.empty()) {
    throw OptionError(ErrorCode::invalid_value, fmt::format("The spline '{}' {}.", name, doubt));
  }
  return curve(std::move(name), modelica::cubics(x, y, slopes), x.back(), 2);
}

Function table(std::string name, std::vector<double> x, std::vector<double> y) {
  check_points(fmt::format("table '{}'", name), x, y);
  return curve(std::move(name), modelica::interpolate(x, y, modelica::Smoothness::linear), x.back(),
               1);
}

}  // namespace daedal
