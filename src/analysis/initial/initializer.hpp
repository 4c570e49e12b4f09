// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one initialiser: among all values that satisfy the given equations it finds those that
/// move the start values least,
///
///     minimise  Σ (confidence_j · (u_j − value_j) / nominal_j)²   over the guesses
///     subject to  C(u) = 0,  held values unchanged.
///
/// Every road to consistent initial values (index 1, mechanical, derivative array, structural)
/// only supplies the constraint set. *Free* unknowns (derivatives, algebraic variables) cost
/// nothing to move: they give way before any guess does.
///
/// Newton's method on the free unknowns alone is tried first: where they are as many as the
/// equations it meets them without moving a guess, by one sparse factorisation an iteration; then
/// on free unknowns and guesses, where these together are as many. Otherwise damped Gauss-Newton
/// steps of least weighted norm (move_step.hpp), then steps along the constraints until the moves
/// are least. Where the equations are not finite at the start values, or nothing of this reaches
/// them, the search begins anew at a point found by carrying known values through the equations
/// (propagation.hpp), and at last where they were solved block by block (block_solution.hpp).

#include <daedal/status.hpp>
#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace daedal::analysis {

/// The equations 0 = C(u). Evaluations return the row that is not finite, or -1; the values of rows
/// that are finite are right all the same.
class ConstraintSet {
 public:
  virtual ~ConstraintSet() = default;
  [[nodiscard]] virtual Index n_unknowns() const = 0;
  [[nodiscard]] virtual Index n_equations() const = 0;
  virtual Index residual(std::span<const double> u, std::span<double> values) = 0;
  /// n_equations() rows, n_unknowns() columns.
  [[nodiscard]] virtual const SparsityPattern& pattern() const = 0;
  virtual Index jacobian(std::span<const double> u, std::span<double> values) = 0;
  [[nodiscard]] virtual std::string unknown_name(Index unknown) const = 0;
  [[nodiscard]] virtual std::string equation_name(Index equation) const = 0;
};

enum class Role {
  held,   ///< a fixed start value: never moved
  guess,  ///< a start value: moved only where the equations demand it
  free,   ///< nothing is wished: solved for
};

/// What is known of an unknown before the equations are asked.
struct InitialUnknown {
  double value = 0.0;
  Role role = Role::guess;
  double nominal = 1.0;
  double confidence = 1.0;  ///< of guesses: how dear a move is
};

/// What searches one after the other over sets of one shape share: the order of the blocks, and the
/// pivots of their matrices. After events the unknowns are solved for again and again.
struct InitializerMemory;
std::shared_ptr<InitializerMemory> make_initializer_memory();

struct InitializerOptions {
  double tolerance = 1e-10;  ///< of the last Newton step, relative to |u| + nominal
  int max_iterations = 60;
  StopSignal stop{};  ///< asked before every evaluation
  /// Where as many unknowns are to be found as there are equations: block by block in causal order
  /// first, each near its guesses, so that positions are found before forces.
  bool by_blocks = false;
  /// The guesses are points of a path: where no solution is near them, none is searched for.
  bool is_near = false;
  /// Default start values are replaced by what follows from given ones, where something does.
  bool derives_defaults = false;
  InitializerMemory* memory = nullptr;
  /// Where the search begins, unless it does at the guesses.
  std::span<const double> origin{};
};

struct Move {
  Index unknown = 0;
  std::string name;
  double from = 0.0;
  double to = 0.0;
};

struct InitialValues {
  /// Or inconsistent_start, non_finite_value, cancelled, time_limit_reached.
  Status status = Status::success;
  std::string message;                 ///< a full sentence when status is not success
  std::vector<double> values;          ///< the best found, also when they do not meet the equations
  std::vector<Move> moved;             ///< guesses that had to give way
  std::vector<std::string> equations;  ///< that cannot be met together, or are not finite
  std::vector<std::string> variables;  ///< whose fixed values contradict them
  /// The equation that is not finite at the start values, where the search therefore did not begin;
  /// or -1.
  Index left_domain = -1;
  int iterations = 0;
};

/// Never throws for numerical trouble.
InitialValues find_initial_values(ConstraintSet& constraints,
                                  std::span<const InitialUnknown> unknowns,
                                  const InitializerOptions& options = {});

}  // namespace daedal::analysis
