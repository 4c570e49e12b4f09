// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What is known beforehand of the choice of dummy derivatives (dummy_selection.hpp): per block of
/// the system Jacobian its equations, unknowns and entries, and per stage which equations take part
/// and what `stateSelect` says of each candidate. StateSelect.always takes a candidate out,
/// StateSelect.never demands it; prefer and avoid are weights.

#include <vector>

#include "formulation/dummy/sigma_system.hpp"

namespace daedal::formulation {

struct SelectionStage {
  Index n_rows = 0;
  std::vector<Index> row;         ///< per equation of the block: its number in the stage, or -1
  std::vector<Index> place;       ///< per unknown: the place that is chosen with it, or -1
  std::vector<double> weight;     ///< per unknown: preference to be a dummy, not a state; 0: never
  std::vector<bool> is_demanded;  ///< per unknown: must not be a state
};

struct SelectionBlock {
  std::vector<Index> rows;     ///< of the signature matrix
  std::vector<Index> columns;  ///< unknowns
  struct Entry {
    Index row = 0;  ///< both in the block
    Index column = 0;
    Index value = 0;  ///< in the outputs of the system Jacobian's program
  };
  std::vector<Entry> entries;
  std::vector<double> nominals;        ///< of the unknowns
  std::vector<SelectionStage> stages;  ///< number s is stages[s − 1]
  bool has_choice = false;             ///< not all equations are differentiated equally often
  bool has_orders = false;             ///< StateSelect.always or never
  bool has_wishes = false;             ///< StateSelect.prefer
  Index interval = 1;                  ///< steps between looks at the choice
};

/// `pattern`: of ∂f_i^(c_i)/∂x_j^(d_j), rows of the signature matrix, columns by places.
[[nodiscard]] std::vector<SelectionBlock> selection_blocks(const DifferentiatedSystem& system,
                                                           const SparsityPattern& pattern);

}  // namespace daedal::formulation
