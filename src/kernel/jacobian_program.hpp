// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sparse Jacobians as programs: the pattern is known beforehand, the nonzeros come from one
/// evaluation that shares subexpressions between them and, if wished, with the residuals.
///
/// The leaves come in groups of equally many columns. An implicit system F(t, x, x') = 0 has two,
/// the unknowns and their derivatives; a model with derivatives up to order m has m + 1. All
/// groups share one pattern, the union of theirs, so that F_x + c·F_x' is a sum of value arrays.

#include <daedal/sparsity.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "expr/pool.hpp"
#include "kernel/program.hpp"

namespace daedal::kernel {

struct JacobianRequest {
  std::span<const NodeId> roots;  ///< rows
  /// Columns of each group; no_node where a group has no leaf for a column.
  std::vector<std::span<const NodeId>> groups;
  std::span<const Input> inputs;
  bool with_values = false;  ///< compute the roots themselves in the same program
  /// The entries of the only group where they are known, by column, then row.
  std::span<const JacobianEntry> known{};
};

struct JacobianWorkspace {
  Workspace registers;
  std::vector<double> outputs;
};

class JacobianProgram {
 public:
  JacobianProgram() = default;

  /// The derivatives become nodes of `pool`, so it must not be frozen: take a child of the
  /// model's.
  static JacobianProgram compile(Pool& pool, const JacobianRequest& request);

  /// The union of the groups' patterns.
  [[nodiscard]] const SparsityPattern& pattern() const { return pattern_; }

  /// Outputs: the roots if they were asked for, then the nonzeros of each group, by column, then
  /// row. Taylor series of the Jacobian come from a TaylorEvaluator of program().
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] Index first_output(std::size_t group) const { return first_output_[group]; }
  /// Where the nonzeros of a group stand in the pattern: output first_output(group) + i is entry
  /// positions(group)[i].
  [[nodiscard]] std::span<const Index> positions(std::size_t group) const {
    return positions_[group];
  }

  [[nodiscard]] JacobianWorkspace make_workspace() const;
  /// Fills one value array per group, each on the whole pattern; an empty one is left out.
  /// `values` takes the roots, if they were asked for.
  void evaluate(std::span<const double* const> blocks, std::span<const std::span<double>> nonzeros,
                JacobianWorkspace& workspace, std::span<double> values = {}) const;

 private:
  SparsityPattern pattern_;
  Program program_;
  std::vector<Index> first_output_;
  std::vector<std::vector<Index>> positions_;
};

}  // namespace daedal::kernel
