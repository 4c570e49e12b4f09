// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/manifold_newton.hpp"

namespace daedal::formulation {

double relative_size(std::span<const double> delta, std::span<const double> value) {
  double size = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < delta.size(); ++i) {
    size = std::max(size, std::abs(delta[i]));
    scale = std::max(scale, std::abs(value[i]));
  }
  return scale == 0.0 ? size : size / scale;
}

SparsityPattern diagonal_pattern(Index n) {
  SparsityPattern pattern{n, n, {}, {}};
  for (Index i = 0; i <= n; ++i) pattern.column_start.push_back(i);
  for (Index i = 0; i < n; ++i) pattern.row.push_back(i);
  return pattern;
}

}  // namespace daedal::formulation
