// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Interpolation on a few given nodes, for the dense output of multistep methods.

#include <span>

#include "core/types.hpp"

namespace daedal::integration {

/// The Lagrange polynomials of the nodes by powers: ℓ_i(θ) = Σ_j result(i, j) θ^j.
inline Matrix lagrange_monomials(std::span<const double> nodes) {
  const auto n = to_index(nodes.size());
  Matrix result = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    result(i, 0) = 1.0;
    Index degree = 0;
    for (Index k = 0; k < n; ++k) {
      if (k == i) continue;
      const double node = nodes[to_size(k)];
      const double scale = 1.0 / (nodes[to_size(i)] - node);
      for (Index j = ++degree; j >= 0; --j) {
        const double lower = j > 0 ? result(i, j - 1) : 0.0;
        result(i, j) = (lower - node * result(i, j)) * scale;
      }
    }
  }
  return result;
}

}  // namespace daedal::integration
