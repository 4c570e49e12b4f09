// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Consistent initial values of the equations as they are written, for every formulation that can
/// use them.

#include "formulation/frame/start_problem.hpp"
#include "formulation/frame/written_equations.hpp"
#include "formulation/frame/written_equations_at.hpp"

namespace daedal::formulation {

class GeneralStart {
 public:
  /// `system` must outlive the start.
  explicit GeneralStart(const WrittenEquations& system);
  /// Fills x, x', modes and discrete values. With `check_index`, an index above 1 and a singular
  /// pencil are refused.
  [[nodiscard]] Start find(double t0, ModelRun& run, bool check_index) const;

  /// The states where they are all fixed and nothing else is asked of the start; empty elsewhere.
  [[nodiscard]] std::vector<double> fixed_states(ModelRun& run) const;

 private:
  [[nodiscard]] StartWishes wishes(ModelRun& run, const SystemConstraints& constraints) const;
  [[nodiscard]] bool is_passage(double t0, ModelRun& run, const Start& start) const;
  void refuse_index(double t0, ModelRun& run, Start& start) const;

  const WrittenEquations& system_;
  StartValues start_values_;
  InitialPart initial_;
};

}  // namespace daedal::formulation
