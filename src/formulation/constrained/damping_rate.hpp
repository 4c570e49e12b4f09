// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The rate γ at which violations of constraints decay, chosen from the steps: γ = share/h. With
/// it the damping is resolved by every step and never stiff, whatever the time scale of the model,
/// and a violation is gone after some tens of steps. (Petzold, Ren, Maly take γ = 1/h.)
///
/// h is the length of the usual steps. Small ones, at the start, at events and near a singular
/// position, must not count: there the damping is divided by a vanishing GB, and a γ that grew with
/// them would make the next steps smaller still. So a length is forgotten over the time of twenty
/// such steps, and the first steps are not damped at all: start values are consistent.

#include <cstdint>

namespace daedal::formulation {

class StepRate {
 public:
  /// The begin of the run, or the end of an accepted step.
  void accept(double t);
  [[nodiscard]] double value() const { return value_; }

 private:
  double last_ = 0.0;
  double length_ = 0.0;
  double value_ = 0.0;
  std::int64_t n_accepted_ = 0;
};

}  // namespace daedal::formulation
