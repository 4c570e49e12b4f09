// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// In which order the places of a differentiated system follow from its states. A selection gives
/// every equation a place of its own (selection.hpp): all that are no states are unknowns of as
/// many equations, whose strong components, in the order of their dependence, are the blocks.
///
///     equations one by one, each affine in what it determines    one program for all their values
///     a block affine in its unknowns                             one factorisation
///     any other block                                            Newton's method
///
/// Blocks are torn (torn_block.hpp). Those that the rates of the states need come first.

#include <span>
#include <vector>

#include "formulation/dummy/sigma_system.hpp"
#include "formulation/dummy/torn_block.hpp"

namespace daedal::formulation {

struct SolutionStep {
  enum class Kind { sequence, affine, iterated };
  Kind kind = Kind::sequence;
  std::vector<Index> equations;  ///< of the differentiated system
  std::vector<Index> places;     ///< sequence: one per equation; block: tears
  std::vector<Index> followers;  ///< places of a torn block that follow from the tears
  Index n_residuals = 0;
  kernel::Program values;  ///< of the sequence, or residuals and followers
  kernel::Program full;    ///< residuals and entries
  struct Entry {
    Index row = 0;
    Index column = 0;  ///< among `places`
  };
  std::vector<Entry> entries;  ///< of ∂residuals/∂places, by column, then row
  /// Divisors and arguments of logarithms that depend on the tears: they keep their signs on the
  /// way from one solution to the next, for none leads over a pole.
  kernel::Program signed_values;
};

struct SolutionData {
  std::span<const Index> place_of;     ///< per equation: the place that it determines
  std::span<const double> nominals;    ///< of all places
  std::span<const double> parameters;  ///< of the model
};

struct SolutionPlan {
  std::vector<SolutionStep> steps;
  std::size_t n_for_rates = 0;  ///< the first steps, which the rates of the states need
};

[[nodiscard]] SolutionPlan plan_solution(const DifferentiatedSystem& system,
                                         const PlaceExpressions& expressions,
                                         const SolutionData& data);

}  // namespace daedal::formulation
