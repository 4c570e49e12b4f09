// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Steps of least weighted move for J δ = −r, the linear algebra of the initialiser.
///
/// Columns are of three kinds: held (left out), guesses (moves cost) and free (moves cost
/// nothing). All solvers work on the scaled matrix Ĵ = R J S, where S holds nominal/confidence
/// and R makes the greatest entry of every row 1.

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <vector>

#include "analysis/initial/initializer.hpp"
#include "core/types.hpp"

namespace daedal::analysis {

/// The scales S (columns) and R (rows) of one Jacobian.
struct StepScales {
  std::vector<double> column;
  std::vector<double> row;
};

class MoveStep {
 public:
  virtual ~MoveStep() = default;
  /// Takes the Jacobian at the current point; false when its factors cannot be used.
  virtual bool factor(std::span<const double> jacobian, const StepScales& scales) = 0;
  /// δ of least move with J δ = −r in the least-squares sense.
  virtual void normal(std::span<const double> r, std::span<double> delta) const = 0;
  /// The move along J p = 0 that brings the guesses nearest to where they came from; `distance`
  /// is u − value for every unknown.
  virtual void tangent(std::span<const double> distance, std::span<double> p) const = 0;
};

/// As many equations as free unknowns, or `with_guesses` as free unknowns and guesses together: one
/// sparse or dense LU. Null when the numbers do not match.
std::unique_ptr<MoveStep> make_square_step(const SparsityPattern& pattern,
                                           std::span<const InitialUnknown> unknowns,
                                           bool with_guesses);
/// What the rank of the free columns is decided in.
enum class Units {
  given,     ///< nominal values, and the largest entries of equations
  balanced,  ///< none, where more rank is clear without them
};
/// Rank-revealing, for any shape: singular values of the free columns, then of what they leave.
std::unique_ptr<MoveStep> make_dense_step(const SparsityPattern& pattern,
                                          std::span<const InitialUnknown> unknowns,
                                          Units units = Units::given);
/// The regularised saddle-point system [D Ĵᵀ; Ĵ −εI] by sparse LU, for large sets.
std::unique_ptr<MoveStep> make_sparse_step(const SparsityPattern& pattern,
                                           std::span<const InitialUnknown> unknowns);

}  // namespace daedal::analysis
