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

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/array/derivative_array.hpp"
#include "analysis/array/numerical_index.hpp"
#include "analysis/initial/initializer.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/model_run.hpp"
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

class ArrayInitializer {
 public:
  /// `starts` count as fixed. Throws ModelError{unknown_name} for a variable that does not exist,
  /// ModelError{unsupported} for parameters that initial equations have to find. View and array
  /// must outlive the initialiser.
  ArrayInitializer(const GeneralView& view, const analysis::DerivativeArray& array,
                   const Overrides& starts);

  struct Wishes {
    std::vector<analysis::InitialUnknown> unknowns;  ///< one per variable
    std::vector<bool> is_given;                      ///< a start value was given
  };
  /// Those of the model. Where no start value is given and an equation defines the variable, it
  /// gives the first guess.
  [[nodiscard]] Wishes wishes(double t, ModelRun& run) const;
  /// Makes a state consistent after an event; run.reinitialized are held. Variables in constraints
  /// that the state meets, from the visible ones to the first level that it does not, stay as they
  /// are: positions do not jump when a velocity is given anew.
  [[nodiscard]] ArrayStart restore(double t, std::span<const double> x, ModelRun& run) const;

  /// At `t`, with the modes and discrete values of `run`.
  [[nodiscard]] ArrayStart find(double t, ModelRun& run, const Wishes& wishes,
                                bool with_initial_equations) const;
  /// Notices of what was completed and moved.
  void add_notices(const ArrayStart& found, const Wishes& wishes, Start& start) const;

 private:
  class Constraints;
  void find_definitions();
  void follow_definitions(double t, ModelRun& run, Wishes& wishes) const;
  [[nodiscard]] Wishes wishes(std::span<const double> x, const ModelRun& run) const;
  void hold_met_levels(double t, ModelRun& run, Wishes& wishes) const;
  [[nodiscard]] analysis::ArrayPoint point(double t, ModelRun& run) const;
  void refuse(const analysis::ArrayPoint& point, ArrayStart& start) const;
  [[nodiscard]] std::string undetermined(const analysis::ArrayPoint& point, int level) const;

  const GeneralView& view_;
  const analysis::DerivativeArray& array_;
  std::vector<std::optional<double>> overrides_;
  kernel::Program start_values_;
  /// Variables that an equation defines, `v = expression`, and the program of the expressions.
  std::vector<std::size_t> defined_;
  kernel::Program definitions_;
  InitialPart initial_;
};

}  // namespace daedal::formulation
