// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Signatures of systems whose structure the literature knows.

#include <vector>

#include "structure/signature.hpp"

namespace daedal::structure::test {

/// P pendula in the plane, unknowns x_i, y_i, λ_i: x'' = -λx, y'' = -λy + g, and
/// x² + y² = L², where the length of each but the first depends on the λ of the one before.
inline Signature chained_pendula(Index n) {
  Signature signature(3 * n);
  for (Index p = 0; p < n; ++p) {
    const Index x = 3 * p;
    const Index y = x + 1;
    const Index lambda = x + 2;
    signature.add_row(std::vector<SignatureEntry>{{x, 2}, {lambda, 0}});
    signature.add_row(std::vector<SignatureEntry>{{y, 2}, {lambda, 0}});
    std::vector<SignatureEntry> rod = {{x, 0}, {y, 0}};
    if (p > 0) rod.push_back({lambda - 3, 0});
    signature.add_row(rod);
  }
  return signature;
}

/// M(q) q'' = f(q, q') - G(q)ᵀλ, 0 = g(q), with full M, f and G, as of Andrews' squeezer
/// (7 coordinates, 6 constraints).
inline Signature mechanism(Index n_coordinates, Index n_constraints) {
  Signature signature(n_coordinates + n_constraints);
  std::vector<SignatureEntry> force;
  std::vector<SignatureEntry> position;
  for (Index j = 0; j < n_coordinates; ++j) {
    force.push_back({j, 2});
    position.push_back({j, 0});
  }
  for (Index k = 0; k < n_constraints; ++k) force.push_back({n_coordinates + k, 0});
  for (Index i = 0; i < n_coordinates; ++i) signature.add_row(force);
  for (Index k = 0; k < n_constraints; ++k) signature.add_row(position);
  return signature;
}

/// x_i' = f(x_{i-1}, x_i, x_{i+1}), as of a heat equation on a grid.
inline Signature differential_chain(Index n) {
  Signature signature(n);
  for (Index i = 0; i < n; ++i) {
    std::vector<SignatureEntry> entries = {{i, 1}};
    if (i > 0) entries.push_back({i - 1, 0});
    if (i + 1 < n) entries.push_back({i + 1, 0});
    signature.add_row(entries);
  }
  return signature;
}

/// Equations i = 0..n-2 hold x_i and x_{i+1}, the last x_0 alone: a matching that starts with the
/// diagonal must be turned round along the whole chain.
inline Signature shifted_chain(Index n, Index order) {
  Signature signature(n);
  for (Index i = 0; i + 1 < n; ++i) {
    signature.add_row(std::vector<SignatureEntry>{{i, 0}, {i + 1, order}});
  }
  signature.add_row(std::vector<SignatureEntry>{{0, 0}});
  return signature;
}

}  // namespace daedal::structure::test
