// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Which derivatives are dummies: S. E. Mattsson and G. Söderlind, "Index reduction in
/// differential-algebraic equations using dummy derivatives", SIAM J. Sci. Comput. 14 (1993)
/// 677-692; Poell, Hafner 5.3.
///
/// Differentiating equation i c_i times gives Σ c_i equations too many. For each of them one
/// relation der(x_j^(l)) = x_j^(l+1) is given up: x_j^(l) is then solved from the constraint that
/// takes its place, and x_j^(l+1) is a *dummy derivative*, an algebraic unknown. The choice is made
/// block by block of the system Jacobian J_ij = ∂f_i^(c_i)/∂x_j^(d_j), in stages s = 1, 2, ...:
///
///     rows        the equations with c_i >= s
///     candidates  all columns of the block (s = 1), those chosen in stage s − 1 (s > 1)
///     choice      as many columns as rows, by elimination with complete pivoting
///     meaning     f_i^(c_i − s) replaces the relation der(x_j^(d_j − s)) = x_j^(d_j − s + 1)
///
/// A choice is good while its smallest pivot is. It is left early, when another one is clearly
/// better. What StateSelect.always and never order is obeyed or refused, by name.

#include <span>
#include <string>
#include <vector>

#include "formulation/dummy/candidate_blocks.hpp"
#include "formulation/dummy/sigma_system.hpp"
#include "linalg/sparse/independent_columns.hpp"

namespace daedal::formulation {

/// Scratch of one run.
struct SelectionWork {
  linalg::ColumnPivoting pivoting;
  std::vector<double> sizes;  ///< per unknown: the greatest |x_j| so far
  std::vector<double> scaled, greatest;
  std::vector<Index> slot;                 ///< of a column among the candidates, or -1
  std::vector<std::vector<Index>> chosen;  ///< per stage
  std::vector<int> signs;                  ///< per stage
  bool ignores_orders = false;
};

/// The choice of a run.
struct Selection {
  /// Per block and stage: columns of the block, by their places in it, ascending.
  std::vector<std::vector<std::vector<Index>>> columns;
  std::vector<std::vector<int>> signs;  ///< of the determinants of the chosen columns
  std::vector<Index> place_of;          ///< per equation: the place whose row it takes
  std::vector<Index> equation_at;       ///< per place: the equation in its row; -1: der(x) = x'
  Index n_watched = 0;                  ///< calls of DummySelector::watch
  /// Per block: how good its choice is, and was when others were last compared with it.
  struct Quality {
    double now = 0.0;             ///< its smallest pivot
    bool is_known = false;        ///< at the values at hand
    bool is_approximate = false;  ///< within a factor of 2
    double compared = infinity;
    Index n_looks = 0;  ///< since then
  };
  std::vector<Quality> quality;
  SelectionWork work;
};

class DummySelector {
 public:
  explicit DummySelector(const DifferentiatedSystem& system);

  /// The places that an equation can take the row of.
  [[nodiscard]] std::vector<Index> possible_places(Index equation) const;
  /// Whether the solutions of a constraint, of this equation, are told apart at every step by the
  /// sign of a determinant.
  [[nodiscard]] bool tells_apart(Index equation) const;
  /// Whether there is anything to choose.
  [[nodiscard]] bool has_choice() const { return !watched_.empty(); }

  /// Outputs: the values of the system Jacobian that the functions below read.
  [[nodiscard]] const kernel::Program& program() const { return jacobian_.program; }

  /// Equations and unknowns of a block whose Jacobian is singular.
  struct SingularBlock {
    std::vector<Index> equations;  ///< numbers of differentiated equations
    std::vector<Index> places;
    Index dependent = -1;  ///< the equation that says nothing new
    Index number = -1;     ///< of the block
  };
  [[nodiscard]] std::vector<SingularBlock> singular_blocks(std::span<const double> values,
                                                           SelectionWork& work) const;

  /// Whether no derivative depends on what a singular block leaves undetermined: nothing that is
  /// differentiated further can determine it either, and the states move on without it.
  [[nodiscard]] bool is_idle(const SingularBlock& singular, std::span<const double> values,
                             SelectionWork& work) const;

  enum class Verdict {
    keep,
    changed,
    singular,  ///< no choice is left: constraints became dependent
    refused,   ///< no choice is left that obeys stateSelect
    passed,    ///< the fixed choice has become singular
  };
  struct Outcome {
    Verdict verdict = Verdict::keep;
    Index block = -1;  ///< the one concerned
  };
  /// Takes note of the sizes of all unknowns: those without a nominal value are weighed by them.
  void note_sizes(std::span<const double> places, SelectionWork& work) const;
  /// Makes the best choice, by pivots: changed, singular or refused.
  Outcome choose(std::span<const double> values, Selection& selection) const;

  struct Settings {
    /// Poell, Hafner's pendulum (RK4, h = .01, 10 s): position error 1e-4 at 0.5, 2e-5 at 0.7,
    /// 7e-6 at 0.85, 1.5e-6 at 0.99; a little below 1, so that equal choices do not alternate.
    double switch_ratio = 0.9;
    bool is_fixed = false;
  };
  /// Renews the choice of every block that another one is clearly better for.
  Outcome watch(std::span<const double> values, const Settings& settings,
                Selection& selection) const;
  /// A block whose chosen determinants have other signs than those stored, or -1: the choice was
  /// singular in between.
  [[nodiscard]] Index sign_change(std::span<const double> values, Selection& selection) const;
  void store_signs(Index block, std::span<const double> values, Selection& selection) const;
  [[nodiscard]] bool has_signs_of(Index block, std::span<const double> values,
                                  Selection& selection) const;
  /// The smallest pivot of the block's best choice, rows as they are: 0 where its constraints are
  /// dependent or have no derivative at all.
  [[nodiscard]] double strength(Index block, std::span<const double> values,
                                SelectionWork& work) const;

  /// A description of the block's constraints for messages.
  [[nodiscard]] std::string block_name(Index block) const;
  /// A description of the chosen dummies of a block for messages.
  [[nodiscard]] std::string dummy_names(Index block, const Selection& selection) const;
  [[nodiscard]] bool has_orders(Index block) const { return blocks_[to_size(block)].has_orders; }
  /// A description of what stateSelect demands in a block: "always for 'x', never for 'y'".
  [[nodiscard]] std::string orders(Index block) const;
  /// Orders that no choice can obey: variables that are never differentiated (always), and states
  /// that no constraint determines (never).
  [[nodiscard]] std::vector<std::string> impossible_orders() const;

 private:
  /// The unit of a column of the block.
  [[nodiscard]] static double unit(const SelectionBlock& block, std::size_t column,
                                   const SelectionWork& work);
  /// With rows scaled to greatest entry 1, or as they are; into work.scaled.
  static void scale(const SelectionBlock& block, std::span<const double> values,
                    SelectionWork& work, bool with_rows = true);
  /// The rows of a stage in the given columns, ready for elimination.
  static void fill(const SelectionBlock& block, std::size_t stage, std::span<const Index> columns,
                   SelectionWork& work);
  /// The smallest pivot of the best choice, which is left in work.chosen.
  static double best(const SelectionBlock& block, SelectionWork& work);
  /// The best quality; where the block is singular in units of its nominal values, with rows and
  /// columns scaled to the same size: reluctances of 1e6 do not make a block singular.
  [[nodiscard]] static double best_in_any_unit(const SelectionBlock& block, SelectionWork& work);
  /// The quality of a given choice; signs are left in work.signs. The second one is kept in
  /// selection.quality.
  static double quality(const SelectionBlock& block, const std::vector<std::vector<Index>>& columns,
                        SelectionWork& work);
  double measure(Index block, Selection& selection) const;
  /// Whether others are to be compared with the choice of a block again.
  static bool is_due(Selection::Quality& quality);
  /// Why there is no choice: singular or refused.
  static Verdict why_none(const SelectionBlock& block, SelectionWork& work);
  /// The selection that obeys stateSelect is far worse than one that does not.
  static bool is_exhausted(const SelectionBlock& block, double pivot, SelectionWork& work);
  /// work.chosen becomes part of the selection.
  void apply(Index block, Selection& selection) const;
  void apply_stage(const SelectionBlock& block, std::size_t stage, Selection& selection) const;

  const DifferentiatedSystem& system_;
  SparseProgram jacobian_;
  std::vector<SelectionBlock> blocks_;
  std::vector<Index> watched_;                       ///< blocks with a choice
  std::vector<std::vector<Index>> unknowns_of_row_;  ///< those of its block that J has entries for
  std::vector<Index> block_of_row_;
};

}  // namespace daedal::formulation
