// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <vector>

#include "integrate/one_step/collocation_rule.hpp"
#include "integrate/one_step/lagrange.hpp"

namespace daedal::bvp {

namespace {

/// Order 10 at the mesh points with Gauss points.
constexpr int max_points = 5;

/// Lobatto points: 0, 1 and the roots of P'_(k−1), shifted to [0, 1].
std::vector<double> lobatto_points(int k) {
  const auto pair = [](double root) { return std::array{0.5 * (1.0 - root), 0.5 * (1.0 + root)}; };
  if (k == 2) return {0.0, 1.0};
  if (k == 3) return {0.0, 0.5, 1.0};
  const auto inner = pair(std::sqrt(k == 4 ? 1.0 / 5.0 : 3.0 / 7.0));
  if (k == 4) return {0.0, inner[0], inner[1], 1.0};
  return {0.0, inner[0], 0.5, inner[1], 1.0};
}

std::vector<double> points_of(Scheme scheme, int k) {
  if (scheme == Scheme::lobatto) return lobatto_points(k);
  const Vector& c =
      scheme == Scheme::gauss ? integration::gauss_legendre(k).c : integration::radau_iia(k).c;
  return {c.begin(), c.end()};
}

int order_of(Scheme scheme, int k) {
  if (scheme == Scheme::gauss) return 2 * k;
  return scheme == Scheme::radau ? 2 * k - 1 : 2 * k - 2;
}

double horner(const Vector& coefficients, double theta) {
  double sum = 0.0;
  for (Index m = coefficients.size() - 1; m >= 0; --m) sum = sum * theta + coefficients[m];
  return sum;
}

/// θ Π(θ − c_j) / Π(1 − c_j) by powers 1..k + 1.
Vector bubble_of(const std::vector<double>& c) {
  Vector p = Vector::Zero(to_index(c.size()) + 1);
  if (c.back() == 1.0) return p;
  p[0] = 1.0;
  Index degree = 0;
  for (const double point : c) {
    for (Index m = ++degree; m >= 0; --m) p[m] = (m > 0 ? p[m - 1] : 0.0) - point * p[m];
    p /= 1.0 - point;
  }
  return p;
}

/// Sets the error constants, by looking at many θ: three digits are plenty.
void set_errors(Points& points) {
  constexpr int n_samples = 400;
  double factorial = 1.0;
  for (int i = 2; i <= points.k; ++i) factorial *= i;
  double integral = 0.0;
  for (int s = 0; s <= n_samples; ++s) {
    const double theta = static_cast<double>(s) / n_samples;
    const double m = (theta - points.c.array()).prod();
    integral += m / n_samples;
    points.slope_error = std::max(points.slope_error, std::abs(m) / factorial);
    points.value_error = std::max(points.value_error, std::abs(integral) / factorial);
  }
}

Points make_points(Scheme scheme, int k) {
  const std::vector<double> c = points_of(scheme, k);
  Points points;
  points.scheme = scheme;
  points.k = k;
  points.order = order_of(scheme, k);
  points.uniform_order = std::min(k + 1, points.order);
  points.ends_at_one = c.back() == 1.0;
  points.c = as_vector(c);
  points.slopes = integration::lagrange_monomials(c);
  points.values = points.slopes;
  for (Index m = 0; m < k; ++m) points.values.col(m) /= static_cast<double>(m + 1);
  points.bubble = bubble_of(c);
  points.a.resize(k, k);
  std::vector<double> slope(to_size(k));
  std::vector<double> value(to_size(k));
  for (Index i = 0; i < k; ++i) {
    points.evaluate(points.c[i], slope, value);
    points.a.row(i) = as_vector(value);
  }
  points.evaluate(1.0, slope, value);
  points.b = as_vector(value);
  set_errors(points);
  return points;
}

}  // namespace

std::string_view to_string(Scheme scheme) {
  if (scheme == Scheme::gauss) return "gauss";
  return scheme == Scheme::radau ? "radau" : "lobatto";
}

void Points::evaluate(double theta, std::span<double> slope, std::span<double> value) const {
  for (Index j = 0; j < k; ++j) {
    double s = 0.0;
    double v = 0.0;
    for (Index m = k - 1; m >= 0; --m) {
      s = s * theta + slopes(j, m);
      v = v * theta + values(j, m);
    }
    slope[to_size(j)] = s;
    value[to_size(j)] = v * theta;
  }
}

double Points::bubble_value(double theta) const {
  return theta * horner(bubble, theta);
}

double Points::bubble_slope(double theta) const {
  double sum = 0.0;
  for (Index m = bubble.size() - 1; m >= 0; --m) {
    sum = sum * theta + static_cast<double>(m + 1) * bubble[m];
  }
  return sum;
}

const Points& collocation_points(Scheme scheme, int k) {
  const int least = scheme == Scheme::lobatto ? 2 : 1;
  if (k < least || k > max_points) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("There are {} to {} {} points, not {}.", least, max_points,
                                  to_string(scheme), k));
  }
  static const auto all = [] {
    std::array<std::array<Points, max_points>, 3> table;
    for (const Scheme s : {Scheme::gauss, Scheme::radau, Scheme::lobatto}) {
      for (int n = s == Scheme::lobatto ? 2 : 1; n <= max_points; ++n) {
        table.at(static_cast<std::size_t>(s)).at(to_size(n - 1)) = make_points(s, n);
      }
    }
    return table;
  }();
  return all.at(static_cast<std::size_t>(scheme)).at(to_size(k - 1));
}

}  // namespace daedal::bvp
