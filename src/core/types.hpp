// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The numeric vocabulary of the implementation.

#include <Eigen/Core>
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

}  // namespace daedal
