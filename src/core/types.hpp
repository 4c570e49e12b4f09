// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The numeric vocabulary of the implementation.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace daedal {

/// Equal to SUNDIALS' sunindextype and SuiteSparse's long type here: no copies between them.
using Index = std::int64_t;

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ConstVectorView = Eigen::Map<const Vector>;
using VectorView = Eigen::Map<Vector>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// The distance from 1 to the next double, 2⁻⁵².
inline constexpr double round_off = std::numeric_limits<double>::epsilon();

inline ConstVectorView as_vector(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline VectorView as_vector(std::span<double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline ConstVectorView as_vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline VectorView as_vector(std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline std::size_t to_size(Index i) {
  return static_cast<std::size_t>(i);
}
inline Index to_index(std::size_t i) {
  return static_cast<Index>(i);
}

/// Are all of them numbers? 0·v is 0 for those and NaN for others; four sums at once, since this
/// follows many evaluations.
inline bool is_finite(std::span<const double> values) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += 0.0 * values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += 0.0 * values[i];
  return sums[0] + sums[1] + sums[2] + sums[3] == 0.0;
}
/// The place of the first that is not finite, or -1.
inline Index first_not_finite(std::span<const double> values) {
  if (is_finite(values)) return -1;
  return std::ranges::find_if(values, [](double v) { return !std::isfinite(v); }) - values.begin();
}

}  // namespace daedal
