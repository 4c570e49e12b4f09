// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One column of a table over strictly increasing points, as pieces
///
///     y = c0 + c1·d + c2·d² + c3·d³,   d = u − u_k,   u_k ≤ u < u_{k+1},
///
/// for the ways of interpolation that the tables of the Modelica Standard Library have.

#include <array>
#include <span>
#include <string>
#include <vector>

namespace daedal::modelica {

/// In the order of the library's enumerations.
enum class Smoothness {
  linear = 1,
  akima,  ///< Akima, J. ACM 17 (1970) 589
  constant,
  fritsch_butland,  ///< monotone: Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300
  steffen,          ///< monotone: Steffen, Astron. Astrophys. 239 (1990) 443
  modified_akima,
};
enum class Extrapolation { hold = 1, last_two_points, periodic, forbidden };
enum class TimeEvents { always = 1, at_discontinuities, never };

struct Piece {
  double begin = 0.0;
  std::array<double, 4> coefficients{};
};

/// The pieces between the points; with one point a single constant one.
std::vector<Piece> interpolate(std::span<const double> u, std::span<const double> y,
                               Smoothness smoothness);
/// Cubics with the given values and slopes at the points.
std::vector<Piece> cubics(std::span<const double> u, std::span<const double> y,
                          std::span<const double> slopes);
/// The slopes of the cubic spline that has no knot beside its ends: its second derivative is
/// continuous, and cubics come out exactly (de Boor, A Practical Guide to Splines, chapter IV).
std::vector<double> spline_slopes(std::span<const double> u, std::span<const double> y);
/// Why a spline through the points cannot be used: two of them lie so close together that the curve
/// leaves the values far behind, or that rounding errors decide its slope. Empty where it is.
std::string doubt_of_spline(std::span<const double> u, std::span<const double> y,
                            std::span<const double> slopes);
/// The derivative of a piece at the distance d from its beginning.
double slope(const Piece& piece, double d);

}  // namespace daedal::modelica
