// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The blocks of a DAE for its Taylor series: J. D. Pryce, "A simple structural analysis method for
/// DAEs", BIT 41 (2001); N. S. Nedialkov, J. D. Pryce, "Solving differential-algebraic equations by
/// Taylor series", BIT 45 (2005), 47 (2007), JNAIAM 3 (2008).
///
/// Equations and unknowns are brought to block triangular form by where unknowns occur, in whatever
/// order of derivative. Each block is a DAE of its own in its unknowns, driven by the series of
/// those before it, with offsets c_i, d_j of its own: a chain of 100 pendula of index 201 is 100
/// blocks of index 3. What grows with the index is the number of coefficients that the first blocks
/// must have for the last ones, no factor and no derivative order.

#include <daedal/sparsity.hpp>
#include <string>
#include <vector>

#include "analysis/structural_report.hpp"
#include "kernel/program.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

/// A derivative of an unknown that occurs in the equations of a block.
struct TaylorLeaf {
  NodeId node = no_node;
  Index unknown = 0;
  int order = 0;
  Index own = -1;  ///< the unknown's number in the block, -1 where it is of an earlier one
};

struct TaylorBlock {
  std::vector<Index> rows;      ///< of the signature matrix
  std::vector<Index> unknowns;  ///< at the same places those they are matched to
  std::vector<int> c, d;        ///< offsets of the rows and of the unknowns
  int max_c = 0;
  std::vector<TaylorLeaf> leaves;  ///< values of the programs' block_values
  kernel::Program residuals;
  SparsityPattern pattern;     ///< of the system Jacobian ∂f_i/∂x_j^(d_j − c_i)
  kernel::Program jacobian;    ///< its nonzeros
  bool is_diagonal = true;     ///< every row has its matched unknown alone
  bool is_quasilinear = true;  ///< the system Jacobian is free of the highest derivatives
  /// Stages beyond the order of the series that later blocks and the places of the state need.
  int extra_stages = 0;
};

/// A number of the integrator's state: x_j^(order).
struct TaylorPlace {
  Index unknown = 0;
  int order = 0;
  Index variable = -1;    ///< of the model, where there is one
  bool is_state = false;  ///< below d_j: part of what a solution is continued from
};

class TaylorStructure {
 public:
  /// Throws ModelError{structurally_singular}. `view` must outlive the structure.
  explicit TaylorStructure(const GeneralView& view);

  [[nodiscard]] const analysis::StructuralModel& model() const { return model_; }
  [[nodiscard]] std::span<const TaylorBlock> blocks() const { return blocks_; }
  [[nodiscard]] std::span<const TaylorPlace> places() const { return places_; }
  [[nodiscard]] Index n_unknowns() const { return to_index(model_.unknowns.size()); }
  [[nodiscard]] Index first_place(Index unknown) const { return first_place_[to_size(unknown)]; }
  [[nodiscard]] int n_places(Index unknown) const { return n_places_[to_size(unknown)]; }
  [[nodiscard]] Index block_of(Index unknown) const { return block_of_[to_size(unknown)]; }
  [[nodiscard]] Index place_of(Index variable) const;

  [[nodiscard]] std::string equation_name(Index row, int level) const;
  [[nodiscard]] std::string unknown_name(Index unknown, int order) const;

  /// Leaves of expressions over this model, `own` for the given block (−1: none).
  [[nodiscard]] std::vector<TaylorLeaf> leaves_of(const Pool& pool, std::span<const NodeId> roots,
                                                  Index block) const;
  /// The inputs of programs of `roots`: blocks as in model_run.hpp, with leaves as values.
  [[nodiscard]] static std::vector<kernel::Input> inputs(const Pool& pool,
                                                         std::span<const NodeId> roots,
                                                         std::span<const TaylorLeaf> leaves);

 private:
  void make_blocks(const structure::Matching& transversal);
  void compile(TaylorBlock& block) const;
  void make_places();
  void count_stages();

  const GeneralView& view_;
  analysis::StructuralModel model_;
  std::vector<TaylorBlock> blocks_;
  std::vector<Index> block_of_;
  std::vector<Index> own_;  ///< number in its block
  std::vector<int> d_;
  std::vector<TaylorPlace> places_;
  std::vector<Index> first_place_;
  std::vector<int> n_places_;
};

}  // namespace daedal::formulation
