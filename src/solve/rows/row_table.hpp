// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which equation each row of a shared system is, and which column each variable. Nothing here is
/// compiled: every process has the whole table, and makes the residuals of its own rows alone.

#include <daedal/system.hpp>
#include <span>
#include <string>
#include <vector>

#include "analysis/structural_report.hpp"
#include "core/types.hpp"
#include "model/leaves.hpp"
#include "model/views/general_view.hpp"

namespace daedal::solve_detail {

class RowTable {
 public:
  /// The equations as they are written, each in the row of the variable that it is matched with.
  /// Throws ModelError{structurally_singular}.
  explicit RowTable(GeneralView view);
  /// The differentiated equations of the report, in the places of their unknowns
  /// (formulation/dummy/sigma_system.hpp). Which of them stand in which row is chosen later.
  RowTable(GeneralView view, const analysis::StructuralReport& report);

  /// Per place its equation of the differentiated system; -1: der(x) = x'. Rows that are written
  /// have no choice.
  void choose(std::span<const Index> equation_at);

  [[nodiscard]] const GeneralView& view() const { return view_; }
  [[nodiscard]] Index size() const { return to_index(kinds_.size()); }
  [[nodiscard]] bool is_reduced() const { return !places_.empty(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const { return kinds_; }
  [[nodiscard]] std::span<const double> nominals() const { return nominals_; }
  /// The column of a variable of the view's model.
  [[nodiscard]] Index column_of(Index variable) const {
    return is_reduced() ? places_[to_size(variable)] : variable;
  }
  [[nodiscard]] std::string unknown_name(Index column) const;
  [[nodiscard]] std::string row_name(Index row) const;
  /// See RowSystem.
  void columns_of(Index row, std::vector<Index>& columns);

  /// The residuals of some rows, in a child of the view's pool. Whatever a column is called there,
  /// in what is returned it is the variable with its number, and x' the first derivative of that.
  [[nodiscard]] std::vector<NodeId> residuals(Pool& pool, std::span<const Index> rows) const;

 private:
  struct Source {
    std::int32_t equation = -1;  ///< of the view
    std::int32_t level = 0;      ///< times differentiated
  };
  [[nodiscard]] std::vector<NodeId> differentiated(Pool& pool, std::span<const Index> rows) const;

  GeneralView view_;
  std::vector<Source> sources_;  ///< of each row
  std::vector<UnknownKind> kinds_;
  std::vector<double> nominals_;
  std::vector<Index> places_;          ///< of each variable; empty: equations as written
  std::vector<Source> equations_;      ///< of the differentiated system
  std::vector<std::string> unknowns_;  ///< names of places that are no variables, else empty
  LeafWalker walker_;
};

}  // namespace daedal::solve_detail
