// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// C. C. Pantelides, "The consistent initialization of differential-algebraic systems", SIAM J.
/// Sci. Stat. Comput. 9 (1988) 213-231: which equations must be differentiated how often before
/// every equation can be matched to a highest derivative.
///
/// It gives the canonical offsets of the Σ-method (Pryce 2001, section 5.3) by another road, and so
/// checks them. It raises the offsets one by one: its cost grows with the index.

#include <algorithm>
#include <optional>
#include <vector>

#include "structure/assignment.hpp"

namespace daedal::structure::test {

struct PantelidesResult {
  /// c: how often each equation is differentiated; d: the highest order of each unknown then.
  Offsets offsets;
  /// Every differentiated equation with the highest derivative it is matched to.
  Matching matching;
};

/// The paper's algorithm 4.1. Its bipartite graph grows by nodes for differentiated equations and
/// unknowns; only the newest node of each is ever searched (older unknowns are deleted from the
/// graph, older equations keep their partners), so that the node numbers are kept here as (i, c_i)
/// and (j, d_j). An entry is in the graph if unknown j occurs in equation i, differentiated c_i
/// times, with its highest derivative: σ_ij + c_i = d_j.
class PantelidesSearch {
 public:
  explicit PantelidesSearch(const Signature& signature)
      : signature_(signature),
        is_colored_row_(to_size(signature.n_rows())),
        is_colored_column_(to_size(signature.n_columns())),
        next_(to_size(signature.n_rows())) {
    result_.matching = empty_matching(signature.n_rows(), signature.n_columns());
    result_.offsets.c.assign(to_size(signature.n_rows()), 0);
    result_.offsets.d.assign(to_size(signature.n_columns()), 0);
    for (Index i = 0; i < signature.n_rows(); ++i) {
      const auto columns = signature.incidence().row(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        Index& d = result_.offsets.d[columns[k]];
        d = std::max(d, signature.orders(i)[k]);
      }
    }
  }

  PantelidesResult run() {
    for (Index i = 0; i < signature_.n_rows(); ++i) {
      while (!augment_path(i)) differentiate_colored();
    }
    return std::move(result_);
  }

 private:
  /// AUGMENTPATH: a path from equation `root` to an unmatched unknown; colours what it visits.
  /// Depth first without recursion; `path_` is the way to the equation under way.
  bool augment_path(Index root) {
    forget_colors();
    enter(root);
    while (!path_.empty()) {
      const Index i = path_.back();
      const auto columns = signature_.incidence().row(i);
      std::size_t& k = next_[i];
      if (k == columns.size()) {
        path_.pop_back();
        continue;
      }
      const Index j = columns[k++];
      if (is_colored_column_[j] || !is_in_graph(i, k - 1)) continue;
      const Index owner = result_.matching.row_of_column[j];
      if (owner == unmatched) {
        assign_along_path();
        return true;
      }
      is_colored_column_[j] = true;
      colored_columns_.push_back(j);
      if (!is_colored_row_[owner]) enter(owner);
    }
    return false;
  }

  void enter(Index i) {
    is_colored_row_[i] = true;
    colored_rows_.push_back(i);
    next_[i] = 0;
    path_.push_back(i);
  }

  [[nodiscard]] bool is_in_graph(Index i, std::size_t k) const {
    const Index j = signature_.incidence().row(i)[k];
    return signature_.orders(i)[k] + result_.offsets.c[i] == result_.offsets.d[j];
  }

  void assign_along_path() {
    for (const Index i : path_) {
      const Index j = signature_.incidence().row(i)[next_[i] - 1];
      result_.matching.column_of_row[i] = j;
      result_.matching.row_of_column[j] = i;
    }
    ++result_.matching.size;
    path_.clear();
  }

  /// Step 3b-5: every coloured unknown gets a derivative, every coloured equation is
  /// differentiated, and ASSIGN of the derivative is the derivative of ASSIGN.
  void differentiate_colored() {
    for (const Index j : colored_columns_) ++result_.offsets.d[j];
    for (const Index i : colored_rows_) ++result_.offsets.c[i];
  }

  void forget_colors() {
    for (const Index j : colored_columns_) is_colored_column_[j] = false;
    for (const Index i : colored_rows_) is_colored_row_[i] = false;
    colored_columns_.clear();
    colored_rows_.clear();
  }

  const Signature& signature_;
  PantelidesResult result_;
  std::vector<bool> is_colored_row_;
  std::vector<bool> is_colored_column_;
  std::vector<Index> colored_rows_;
  std::vector<Index> colored_columns_;
  std::vector<std::size_t> next_;
  std::vector<Index> path_;
};

/// Nothing for a signature that is not square or has no transversal: Pantelides' algorithm would
/// not end there.
inline std::optional<PantelidesResult> pantelides(const Signature& signature) {
  if (!signature.is_square() || !maximum_matching(signature.incidence()).is_perfect()) return {};
  return PantelidesSearch(signature).run();
}

}  // namespace daedal::structure::test
