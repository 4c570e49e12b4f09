// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Consistent initial values of a general DAE of any index, and its index, from rough guesses.
///
/// For k = 0, 1, ... the initialiser finds a point on F_k = 0 in (x, x', w): fixed values held,
/// guesses moved least, derivatives free (Campbell, Moore 4). The ranks of the array there tell
/// whether k is the index. The point of the last level satisfies the constraints on all levels.
///
/// What cannot be is refused by name: wishes that contradict (inconsistent-start), an index beyond
/// the limit (index-too-high), a missing equation (no-unique-solution), a singular point
/// (rank-change).

#include <span>
#include <string>
#include <vector>

#include "analysis/array/derivative_array.hpp"
#include "analysis/array/numerical_index.hpp"
#include "formulation/frame/start_problem.hpp"
#include "formulation/frame/written_equations_at.hpp"

namespace daedal::formulation {

/// A consistent point of the array, or why there is none.
struct ArrayStart {
  Status status = Status::success;
  std::string message;
  analysis::NumericalIndex index;
  analysis::InitialValues values;
  double scale = 1.0;
  std::vector<double> series;  ///< X_0..X_(index+1), in this scale
};

/// An instant of a run in the scale 1, still without a series.
[[nodiscard]] analysis::ArrayPoint array_point(double t, const ModelRun& run);

class ArrayInitializer {
 public:
  /// Throws ModelError{unsupported} for parameters that initial equations have to find. View and
  /// array must outlive the initialiser.
  ArrayInitializer(const GeneralView& view, const analysis::DerivativeArray& array);

  /// The start values of the model. Where none is given and an equation defines the variable, the
  /// equation gives the first guess.
  [[nodiscard]] StartWishes wishes(double t, ModelRun& run) const;
  /// Makes a state consistent after an event; run.reinitialized are held. Variables in constraints
  /// that the state meets, from the visible ones to the first level that it does not, stay as they
  /// are: positions do not jump when a velocity is given anew.
  [[nodiscard]] ArrayStart restore(double t, std::span<const double> x, ModelRun& run) const;

  /// At `t`, with the modes and discrete values of `run`.
  [[nodiscard]] ArrayStart find(double t, ModelRun& run, const StartWishes& wishes,
                                bool with_initial_equations) const;
  /// Notices of what was completed and moved.
  void add_notices(const ArrayStart& found, const StartWishes& wishes, Start& start) const;

 private:
  class Constraints;
  void find_definitions();
  /// One for an equation and one for a variable, none for a value that is given for the run.
  [[nodiscard]] std::vector<std::size_t> choose_definitions(const ModelRun& run) const;
  void follow_definitions(double t, ModelRun& run, StartWishes& wishes) const;
  [[nodiscard]] StartWishes wishes(std::span<const double> x, const ModelRun& run) const;
  void hold_met_levels(double t, ModelRun& run, StartWishes& wishes) const;
  void refuse(const analysis::ArrayPoint& point, ArrayStart& start) const;
  [[nodiscard]] std::string undetermined(const analysis::ArrayPoint& point, int level) const;

  const GeneralView& view_;
  const analysis::DerivativeArray& array_;
  StartValues start_values_;
  /// Equations `v = expression` for a variable without a start value, by either side.
  struct Definition {
    std::size_t equation;
    std::size_t variable;
  };
  std::vector<Definition> definitions_;
  kernel::Program definition_values_;  ///< of the expressions
  InitialPart initial_;
};

}  // namespace daedal::formulation
