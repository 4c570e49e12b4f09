// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// In which order the places of a differentiated system follow from its states (J. D. Pryce's
/// solution scheme, with the blocks of Mattsson and Söderlind). In stage s = max c, ..., 1, 0 the
/// equations f_i^(c_i − s) of a block of the system Jacobian are solved for places x_j^(d_j − s);
/// stage 0 gives the highest derivatives.
///
///     equations one by one, each affine in what it determines    one program for all their values
///     a block affine in its unknowns                             one factorisation
///     any other block                                            Newton's method
///
/// A block with as many candidates as equations is torn first (torn_block.hpp); otherwise the
/// selection says which candidates it is solved for and which are states.

#include <span>
#include <vector>

#include "formulation/dummy/sigma_system.hpp"

namespace daedal::formulation {

struct SolutionStep {
  enum class Kind { sequence, affine, iterated };
  Kind kind = Kind::sequence;
  Index block = -1;  ///< of the structure; not of sequences
  Index stage = 0;
  bool has_choice = false;       ///< more candidates than equations
  std::vector<Index> equations;  ///< of the differentiated system
  std::vector<Index> places;     ///< sequence: one per equation; block: tears or candidates
  std::vector<Index> followers;  ///< places of a torn block that follow from the tears
  Index n_residuals = 0;
  kernel::Program values;  ///< of the sequence, or residuals and followers
  kernel::Program full;    ///< residuals and entries
  struct Entry {
    Index row = 0;
    Index column = 0;  ///< among `places`
  };
  std::vector<Entry> entries;  ///< of ∂residuals/∂places, by column, then row
};

struct SolutionData {
  std::span<const double> nominals;    ///< of all places
  std::span<const double> parameters;  ///< of the model
};

[[nodiscard]] std::vector<SolutionStep> solution_steps(const DifferentiatedSystem& system,
                                                       const SolutionData& data);

}  // namespace daedal::formulation
