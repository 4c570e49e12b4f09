// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The signature matrix of a DAE (Pryce 2001): σ_ij is the order of the highest derivative of
/// unknown j in equation i, and -∞ (no entry) where the unknown does not occur.

#include <span>
#include <vector>

#include "structure/incidence.hpp"

namespace daedal::structure {

struct SignatureEntry {
  Index column = 0;
  Index order = 0;
  bool operator==(const SignatureEntry&) const = default;
};

class Signature {
 public:
  explicit Signature(Index n_columns = 0) : incidence_(n_columns) {}

  /// Adds an equation. Of a column given more than once the highest order counts. Throws
  /// Error{internal} for a column that does not exist and for a negative order.
  void add_row(std::span<const SignatureEntry> entries);

  [[nodiscard]] Index n_rows() const { return incidence_.n_rows(); }
  [[nodiscard]] Index n_columns() const { return incidence_.n_columns(); }
  [[nodiscard]] bool is_square() const { return n_rows() == n_columns(); }
  /// Where the unknowns occur, in whatever order of derivative.
  [[nodiscard]] const Incidence& incidence() const { return incidence_; }
  /// The orders that belong to incidence().row(i).
  [[nodiscard]] std::span<const Index> orders(Index i) const {
    return std::span(orders_).subspan(to_size(incidence_.row_start(i)), incidence_.row(i).size());
  }
  /// σ_ij, or -1 for -∞.
  [[nodiscard]] Index order(Index i, Index j) const;

 private:
  Incidence incidence_;
  std::vector<Index> orders_;
};

}  // namespace daedal::structure
