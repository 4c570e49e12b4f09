// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The equations of one block with their derivatives up to the offsets, and the initial equations
/// that concern it, as a constraint set for the initialiser: unknowns are the derivatives
/// x_j^(0) ... x_j^(d_j).

#include <span>
#include <string>
#include <vector>

#include "analysis/initial/initializer.hpp"
#include "formulation/taylor/expansion.hpp"
#include "kernel/taylor.hpp"

namespace daedal::formulation {

/// What the start of a block needs beyond its series.
struct BlockStart {
  std::vector<Index> initial;      ///< numbers of the initial equations
  std::vector<TaylorLeaf> leaves;  ///< of the initial equations
  kernel::Program initial_residuals, initial_jacobian;
  /// The entries of initial_jacobian: by initial equation and leaf.
  struct Entry {
    Index row = 0;
    std::size_t leaf = 0;
  };
  std::vector<Entry> initial_entries;
  /// ∂f_i/∂leaf of all leaves of the block's own unknowns.
  kernel::Program jacobian;
  std::vector<Entry> entries;
};

/// The part of every block in the start of a run. Throws ModelError{not_recognized} for initial
/// equations that the series do not reach.
[[nodiscard]] std::vector<BlockStart> make_block_starts(const GeneralView& view,
                                                        const TaylorStructure& structure);

class BlockConstraints final : public analysis::ConstraintSet {
 public:
  /// `with_initial`: the initial equations too. All that is given outlives the set; `expansion`
  /// has been entered.
  BlockConstraints(const TaylorStructure& structure, const BlockStart& start,
                   BlockExpansion& expansion, SeriesState& state, ModelRun& run, bool with_initial);

  [[nodiscard]] Index n_unknowns() const override { return pattern_.columns; }
  [[nodiscard]] Index n_equations() const override { return pattern_.rows; }
  Index residual(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Index jacobian(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] std::string unknown_name(Index unknown) const override;
  [[nodiscard]] std::string equation_name(Index equation) const override;

  /// Number of x_j^(order), j in the block.
  [[nodiscard]] Index column(Index own, int order) const {
    return first_column_[to_size(own)] + order;
  }
  /// Derivatives get the nominal values that they have in the time in which the equations weigh
  /// them as much as what is differentiated: ranks and moves do not depend on the unit of time.
  void scale_derivatives(std::span<analysis::InitialUnknown> unknowns);
  /// That unit of time; 1 before.
  [[nodiscard]] double unit() const { return unit_; }
  /// Puts unknowns into the series.
  void unpack(std::span<const double> u);

 private:
  /// One product that an entry of the Jacobian sums up.
  struct Term {
    Index position;     ///< in the pattern
    std::size_t entry;  ///< of start.entries, or beyond them of start.initial_entries
    int degree;         ///< of its series
    double factor;
  };
  void build();
  [[nodiscard]] double time_scale(std::span<const analysis::InitialUnknown> unknowns);
  std::span<const double> initial_leaves();

  const TaylorStructure& structure_;
  const TaylorBlock& block_;
  const BlockStart& start_;
  BlockExpansion& expansion_;
  SeriesState& state_;
  ModelRun& run_;
  std::size_t n_initial_;
  std::vector<Index> first_column_, first_row_;
  SparsityPattern pattern_;
  std::vector<Term> terms_;
  kernel::TaylorEvaluator evaluator_;
  Evaluator initial_residuals_, initial_jacobian_;
  std::vector<double> series_, leaf_series_, initial_values_;
  double unit_ = 1.0;
};

}  // namespace daedal::formulation
