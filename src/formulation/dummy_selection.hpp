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
/// better.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulation/differentiated.hpp"

namespace daedal::formulation {

/// The choice of a run.
struct Selection {
  /// Per block and stage: columns of the block, by their places in it.
  std::vector<std::vector<std::vector<Index>>> columns;
  std::vector<std::vector<int>> signs;  ///< of the determinants of the chosen columns
  std::vector<Index> place_of;          ///< per equation: the place whose row it takes
  std::vector<Index> equation_at;       ///< per place: the equation in its row; -1: der(x) = x'
  Index n_watched = 0;                  ///< calls of DummySelector::watch
};

class DummySelector {
 public:
  /// Throws ModelError{not_recognized} for a block too large to choose in: pivoting is dense.
  explicit DummySelector(const DifferentiatedSystem& system);

  /// The places that an equation can take the row of.
  [[nodiscard]] std::vector<Index> possible_places(Index equation) const;
  /// Whether there is anything to choose.
  [[nodiscard]] bool has_choice() const { return !watched_.empty(); }

  /// Outputs: the values of the system Jacobian that the functions below read.
  [[nodiscard]] const kernel::Program& program() const { return jacobian_.program; }

  /// Equations and unknowns of the first block whose Jacobian is singular, or nothing.
  struct SingularBlock {
    std::vector<Index> equations;  ///< numbers of differentiated equations
    std::vector<Index> places;
    Index dependent = -1;  ///< the equation that says nothing new
  };
  [[nodiscard]] std::vector<SingularBlock> singular_blocks(std::span<const double> values) const;

  /// The best choice, by pivots; nothing where a block is singular.
  [[nodiscard]] std::optional<Selection> choose(std::span<const double> values) const;

  enum class Verdict {
    keep,
    changed,
    singular,  ///< no choice is left: constraints became dependent
    passed,    ///< the fixed choice has become singular
  };
  struct Settings {
    /// Poell, Hafner's pendulum (RK4, h = .01, 10 s): position error 1e-4 at 0.5, 2e-5 at 0.7,
    /// 7e-6 at 0.85, 1.5e-6 at 0.99; a little below 1, so that equal choices do not alternate.
    double switch_ratio = 0.9;
    bool is_fixed = false;
  };
  struct Outcome {
    Verdict verdict = Verdict::keep;
    Index block = -1;  ///< the one concerned
  };
  /// Renews the choice of every block that another one is clearly better for.
  Outcome watch(std::span<const double> values, const Settings& settings,
                Selection& selection) const;
  /// A block whose chosen determinants have other signs than those stored, or -1: the choice was
  /// singular in between.
  [[nodiscard]] Index sign_change(std::span<const double> values, const Selection& selection) const;
  void store_signs(Index block, std::span<const double> values, Selection& selection) const;
  [[nodiscard]] bool has_signs_of(Index block, std::span<const double> values,
                                  const Selection& selection) const;
  /// The smallest pivot of the block's best choice, rows as they are: 0 where its constraints are
  /// dependent or have no derivative at all.
  [[nodiscard]] double strength(Index block, std::span<const double> values) const;
  /// The block's constraints in words.
  [[nodiscard]] std::string block_name(Index block) const;
  /// The chosen dummies of a block in words.
  [[nodiscard]] std::string dummy_names(Index block, const Selection& selection) const;
  /// Variables that StateSelect.never or always asks otherwise for.
  [[nodiscard]] std::vector<std::string> violations(const Selection& selection) const;

 private:
  struct Block {
    std::vector<Index> rows;     ///< of the signature matrix
    std::vector<Index> columns;  ///< unknowns
    Index n_stages = 0;          ///< greatest c_i
    Index interval = 1;          ///< steps between looks at the choice
    struct Entry {
      Index row, column;  ///< in the block
      Index value;        ///< in the program's outputs
    };
    std::vector<Entry> entries{};
  };
  struct Quality {
    double smallest_pivot = 0.0;
    std::vector<std::vector<Index>> columns;
  };
  [[nodiscard]] Matrix unscaled(const Block& block, std::span<const double> values) const;
  [[nodiscard]] Matrix scaled(const Block& block, std::span<const double> values) const;
  [[nodiscard]] std::vector<int> signs_of(Index block, std::span<const double> values,
                                          const std::vector<std::vector<Index>>& columns) const;
  [[nodiscard]] Matrix stage(const Block& block, const Matrix& a, Index s,
                             std::span<const Index> columns) const;
  [[nodiscard]] Quality best(const Block& block, const Matrix& a) const;
  [[nodiscard]] double quality(const Block& block, const Matrix& a,
                               const std::vector<std::vector<Index>>& columns) const;
  /// One block's choice becomes part of the selection.
  struct Choice {
    Index block = 0;
    const Matrix& scaled;
    const std::vector<std::vector<Index>>& columns;
  };
  void apply(const Choice& choice, Selection& selection) const;
  void apply_stage(const Choice& choice, Index s, Selection& selection) const;
  void add_blocks();
  [[nodiscard]] double weight(Index unknown, Index order) const;
  [[nodiscard]] Index level(const Block& block, Index row) const {
    return system_.report().offsets.c[to_size(block.rows[to_size(row)])];
  }

  const DifferentiatedSystem& system_;
  std::vector<Block> blocks_;
  std::vector<Index> watched_;                       ///< blocks with a choice
  std::vector<std::vector<Index>> unknowns_of_row_;  ///< those of its block that J has entries for
  SparseProgram jacobian_;
};

}  // namespace daedal::formulation
