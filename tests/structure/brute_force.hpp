// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Structural questions answered by trying everything, for small systems.

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "structure/signature.hpp"

namespace daedal::structure::test {

/// A random signature with at most `max_order`; each entry is there with the given probability.
inline Signature random_signature(std::mt19937& random, Index n_rows, Index n_columns,
                                  double density, Index max_order) {
  Signature signature(n_columns);
  for (Index i = 0; i < n_rows; ++i) {
    std::vector<SignatureEntry> entries;
    for (Index j = 0; j < n_columns; ++j) {
      if (std::uniform_real_distribution<double>(0.0, 1.0)(random) >= density) continue;
      const auto order = static_cast<Index>(random() % static_cast<unsigned>(max_order + 1));
      entries.push_back({j, order});
    }
    signature.add_row(entries);
  }
  return signature;
}

/// The greatest sum of orders over all permutations; nothing if there is no transversal.
inline std::optional<Index> best_value(const Signature& signature) {
  std::vector<Index> columns(to_size(signature.n_rows()));
  std::iota(columns.begin(), columns.end(), 0);
  std::optional<Index> best;
  do {
    Index value = 0;
    bool is_transversal = true;
    for (Index i = 0; i < signature.n_rows(); ++i) {
      const Index order = signature.order(i, columns[to_size(i)]);
      is_transversal = is_transversal && order >= 0;
      value += order;
    }
    if (is_transversal) best = std::max(best.value_or(value), value);
  } while (std::next_permutation(columns.begin(), columns.end()));
  return best;
}

/// The columns of the rows in `set`, both as bits.
inline unsigned neighbours(const Incidence& incidence, unsigned set) {
  unsigned result = 0;
  for (Index i = 0; i < incidence.n_rows(); ++i) {
    if ((set >> i & 1U) == 0) continue;
    for (const Index j : incidence.row(i)) result |= 1U << j;
  }
  return result;
}

inline int count(unsigned set) {
  int n = 0;
  for (; set != 0; set &= set - 1) ++n;
  return n;
}

/// Hall's theorem: rows that have fewer columns than there are rows cannot all be matched.
inline bool violates_hall(const Incidence& incidence, unsigned set) {
  return count(neighbours(incidence, set)) < count(set);
}

/// The size of a maximum matching by König's and Ore's formula: n - max over sets (|R| - |N(R)|).
inline Index matching_size(const Incidence& incidence) {
  int deficiency = 0;
  for (unsigned set = 0; set < 1U << incidence.n_rows(); ++set) {
    deficiency = std::max(deficiency, count(set) - count(neighbours(incidence, set)));
  }
  return incidence.n_rows() - deficiency;
}

}  // namespace daedal::structure::test
