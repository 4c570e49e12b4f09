// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Looks into accepted steps for what their ends do not show: a bump in time or in a state, a
/// condition that changes and changes back, a kink, an argument that leaves the domain of its
/// function for a while.
///
/// 1. Bounds of time and of the variables over a step give bounds of what the watched functions
///    depend on (step_bounds.hpp). Where all functions are calm within these, nothing is done, and
///    the next few steps are not looked at as long as they stay where everything is calm
///    (calm_box.hpp).
/// 2. Otherwise some functions are suspect (suspects.hpp), and the step is halved until each of
///    them is a gentle curve, flat, or known to change once in every part (look/step_parts.hpp).
/// 3. If a function has no value in the step, the run ends there (look/undefined_values.hpp).
/// 4. If the defect of the step's interpolant shows that the scheme has missed what changes, the
///    step is taken again with stops at the parts in which it changes (look/step_stops.hpp).
///
/// A budget limits the cost of all this beside that of the steps (look_budget.hpp).

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "integrate/driver/step_inspector.hpp"
#include "solve/run/output_map.hpp"
#include "solve/watch/calm_box.hpp"
#include "solve/watch/look/step_stops.hpp"
#include "solve/watch/look/undefined_values.hpp"
#include "solve/watch/look_budget.hpp"
#include "solve/watch/step_bounds.hpp"
#include "solve/watch/step_sampler.hpp"
#include "solve/watch/suspects.hpp"
#include "solve/watch/watch_options.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

class StepWatch final : public integration::StepInspector {
 public:
  /// `functions` must outlive this object.
  StepWatch(const WatchedFunctions& functions, const Model& model,
            std::shared_ptr<const OutputMap> map, const WatchOptions& options);

  /// The first place of the run at which an output has no value although the equations have one.
  [[nodiscard]] const std::optional<UndefinedValues::Place>& undefined_output() const {
    return undefined_values_.of_output();
  }

  const integration::Inspection* inspect(const integration::Ray& from, const integration::Ray& to,
                                         const integration::Stepper& stepper, Run& run) override;

 private:
  [[nodiscard]] bool is_end_of_last_look(const integration::Ray& from) const;
  [[nodiscard]] bool is_safe(const integration::Ray& from, const integration::Ray& to,
                             bool has_changed, Run& run);
  [[nodiscard]] bool is_safe_ahead(double length);
  [[nodiscard]] bool look_into(const integration::Stepper& stepper, Run& run);
  void set_stops(StepStops::Choice choice, Run& run);
  void warn_of_unseen_steps(double t, Run& run);

  const WatchedFunctions* functions_;
  WatchOptions options_;
  StepBounds bounds_;
  StepSampler sampler_;
  Suspects suspects_;
  CalmBox box_;
  LookBudget budget_;
  UndefinedValues undefined_values_;
  StepStops stops_;
  /// Unknowns of equations to be solved may pass poles between two steps, whatever their rates
  /// were: no step goes unseen.
  bool may_leap_ = false;
  double gap_ = 1.0;  ///< of the last step (Stepper::widest_gap)

  Sample begin_, end_;                ///< of the last step that was looked at
  std::vector<double> end_x_;         ///< the state at its end
  std::vector<std::size_t> numbers_;  ///< of the functions that are suspect in it
  /// All functions are calm up to this instant, judged from the last step that was looked at.
  double safe_until_ = std::numeric_limits<double>::quiet_NaN();
  integration::Inspection inspection_;
  bool has_warned_of_unseen_steps_ = false;
  bool has_warned_of_fixed_step_ = false;
};

}  // namespace daedal::solve_detail
