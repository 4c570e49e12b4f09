// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/table_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::modelica {

namespace {

double sign(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

/// Akima's slopes at the points: weighted means of the chords beside them, the chords continued
/// beyond the ends by a parabola. The modified weights add half of |m_i + m_{i+1}|, which keeps
/// flat parts flat.
std::vector<double> akima_slopes(const std::vector<double>& chords, bool modified) {
  const std::size_t n = chords.size() + 1;
  std::vector<double> m(n + 3);  // m[i + 2] is the chord number i
  std::copy(chords.begin(), chords.end(), m.begin() + 2);
  const auto chord = [&](std::size_t i) { return chords[std::min(i, chords.size() - 1)]; };
  m[1] = 2.0 * chord(0) - chord(1);
  m[0] = 2.0 * m[1] - chord(0);
  m[n + 1] = 2.0 * m[n] - m[n - 1];
  m[n + 2] = 2.0 * m[n + 1] - m[n];
  std::vector<double> slopes(n);
  for (std::size_t i = 0; i < n; ++i) {
    double left = std::abs(m[i + 3] - m[i + 2]);
    double right = std::abs(m[i + 1] - m[i]);
    if (modified) {
      left += 0.5 * std::abs(m[i + 3] + m[i + 2]);
      right += 0.5 * std::abs(m[i + 1] + m[i]);
    }
    const double sum = left + right;
    slopes[i] = sum > 0.0 ? (left * m[i + 1] + right * m[i + 2]) / sum
                          : (modified ? 0.0 : 0.5 * (m[i + 1] + m[i + 2]));
  }
  return slopes;
}

/// Slopes that keep the interpolant monotone where the data are.
std::vector<double> monotone_slopes(std::span<const double> u, const std::vector<double>& chords,
                                    Smoothness smoothness) {
  const std::size_t n = u.size();
  std::vector<double> slopes(n);
  slopes[0] = chords[0];
  slopes[n - 1] = chords[n - 2];
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = chords[i - 1];
    const double after = chords[i];
    if (before * after <= 0.0) continue;
    const double h0 = u[i] - u[i - 1];
    const double h1 = u[i + 1] - u[i];
    if (smoothness == Smoothness::fritsch_butland) {
      const double w0 = 2.0 * h1 + h0;
      const double w1 = h1 + 2.0 * h0;
      slopes[i] = (w0 + w1) / (w0 / before + w1 / after);
    } else {
      const double parabola = (before * h1 + after * h0) / (h0 + h1);
      slopes[i] = (sign(before) + sign(after)) *
                  std::min({std::abs(before), std::abs(after), 0.5 * std::abs(parabola)});
    }
  }
  return slopes;
}

}  // namespace

std::vector<Piece> cubics(std::span<const double> u, std::span<const double> y,
                          std::span<const double> slopes) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double h = u[i + 1] - u[i];
    const double chord = (y[i + 1] - y[i]) / h;
    pieces.push_back({u[i],
                      {y[i], slopes[i], (3.0 * chord - 2.0 * slopes[i] - slopes[i + 1]) / h,
                       (slopes[i] + slopes[i + 1] - 2.0 * chord) / (h * h)}});
  }
  return pieces;
}

std::vector<double> spline_slopes(std::span<const double> u, std::span<const double> y) {
  const std::size_t n = u.size();
  if (n == 1) return {0.0};
  std::vector<double> h, chord;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h.push_back(u[i + 1] - u[i]);
    chord.push_back((y[i + 1] - y[i]) / h[i]);
  }
  if (n == 2) return {chord[0], chord[0]};
  // Rows below·s[i-1] + diagonal·s[i] + above·s[i+1] = right.
  std::vector<double> below(n), diagonal(n), above(n), slopes(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = h[i];
    diagonal[i] = 2.0 * (h[i - 1] + h[i]);
    above[i] = h[i - 1];
    slopes[i] = 3.0 * (h[i] * chord[i - 1] + h[i - 1] * chord[i]);
  }
  const auto end = [&](std::size_t i, double near, double far, double near_chord, double far_chord,
                       double& beside) {
    const double both = near + far;
    diagonal[i] = n == 3 ? 1.0 : far;
    beside = n == 3 ? 1.0 : both;
    slopes[i] = n == 3 ? 2.0 * near_chord
                       : ((near + 2.0 * both) * far * near_chord + near * near * far_chord) / both;
  };
  end(0, h[0], h[1], chord[0], chord[1], above[0]);
  end(n - 1, h[n - 2], h[n - 3], chord[n - 2], chord[n - 3], below[n - 1]);
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    slopes[i] -= factor * slopes[i - 1];
  }
  slopes[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;)
    slopes[i] = (slopes[i] - above[i] * slopes[i + 1]) / diagonal[i];
  return slopes;
}

std::string doubt_of_spline(std::span<const double> u, std::span<const double> y,
                            std::span<const double> slopes) {
  // Intervals shorter than this share of a neighbour leave a chord a third of its digits.
  constexpr double shortest = 1e-9;
  // Curves through points of a smooth function leave the range of the values by less than one such
  // range. Those that leave it by more than this are not smooth.
  constexpr double furthest = 10.0;
  const auto [least, greatest] = std::ranges::minmax(y);
  const auto length = [&](std::size_t i) { return u[i + 1] - u[i]; };
  const std::size_t n = u.size() - 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double beside = std::max(i > 0 ? length(i - 1) : 0.0, i + 1 < n ? length(i + 1) : 0.0);
    if (length(i) < shortest * beside) {
      return fmt::format("has points at {:.17g} and {:.17g}, too close together for a smooth curve",
                         u[i], u[i + 1]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    // A cubic lies between the values at its ends and those a third of the way along its slopes.
    const double beyond = length(i) / 3.0 * std::max(std::abs(slopes[i]), std::abs(slopes[i + 1]));
    if (beyond <= furthest * (greatest - least)) continue;
    return fmt::format(
        "is no smooth curve: between {:.12g} and {:.12g} it would go {:.2g} times as "
        "far as the values differ, because points nearby are close together and "
        "their values are not",
        u[i], u[i + 1], beyond / (greatest - least));
  }
  return {};
}

std::vector<Piece> interpolate(std::span<const double> u, std::span<const double> y,
                               Smoothness smoothness) {
  if (u.size() == 1) return {{u[0], {y[0]}}};
  std::vector<double> chords;
  for (std::size_t i = 0; i + 1 < u.size(); ++i)
    chords.push_back((y[i + 1] - y[i]) / (u[i + 1] - u[i]));
  std::vector<Piece> pieces;
  const bool is_cubic = smoothness != Smoothness::linear && smoothness != Smoothness::constant;
  std::vector<double> slopes;
  if (is_cubic && u.size() > 2) {
    const bool is_akima =
        smoothness == Smoothness::akima || smoothness == Smoothness::modified_akima;
    slopes = is_akima ? akima_slopes(chords, smoothness == Smoothness::modified_akima)
                      : monotone_slopes(u, chords, smoothness);
  }
  if (!slopes.empty()) return cubics(u, y, slopes);
  for (std::size_t i = 0; i < chords.size(); ++i) {
    pieces.push_back({u[i], {y[i], smoothness == Smoothness::constant ? 0.0 : chords[i]}});
  }
  return pieces;
}

double slope(const Piece& piece, double d) {
  const auto& c = piece.coefficients;
  return c[1] + d * (2.0 * c[2] + 3.0 * d * c[3]);
}

}  // namespace daedal::modelica
