// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The rows of one process as programs in its own columns and its ghosts.

#include <array>
#include <daedal/rows.hpp>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/model_run.hpp"
#include "kernel/jacobian_program.hpp"
#include "solve/rows/row_table.hpp"

namespace daedal::solve_detail {

class CompiledRows final : public RowPart {
 public:
  /// `table` and `parameters` must outlive the rows.
  CompiledRows(const RowTable& table, std::span<const Index> rows,
               std::span<const double> parameters);

  [[nodiscard]] std::span<const Index> columns() const override { return columns_; }
  [[nodiscard]] std::span<const Index> row_start() const override { return row_start_; }
  [[nodiscard]] std::span<const Index> column() const override { return column_; }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp,
                      std::span<double> values) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp,
                      std::span<double> f_x, std::span<double> f_xp) override;
  [[nodiscard]] const std::string& failure() const override { return failure_; }

 private:
  void sort_by_rows();
  [[nodiscard]] std::span<const double* const> blocks(const double& t, std::span<const double> x,
                                                      std::span<const double> xp);
  Evaluation fail(Index row, const char* what, double t);

  const RowTable& table_;
  std::span<const double> parameters_;
  std::vector<Index> columns_;
  std::size_t n_rows_;
  std::vector<Index> row_start_, column_;
  std::vector<Index> by_columns_;  ///< where the entries stand in the pattern of the program
  kernel::Program residual_;
  kernel::JacobianProgram jacobian_;
  kernel::Workspace registers_;
  kernel::JacobianWorkspace workspace_;
  std::vector<double> entries_x_, entries_xp_;
  std::array<const double*, formulation::n_blocks> pointers_{};
  std::array<double, 2> phase_{};  ///< neither initial() nor terminal()
  std::string failure_;
};

}  // namespace daedal::solve_detail
