// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A formulation turns a view of a model into a system that an integrator can step, and maps the
/// integrator's state back to the model's variables. It is a value: copies share the system.

#include <daedal/run_control.hpp>
#include <daedal/system.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace daedal::formulation {

/// Consistent initial values, or why there are none.
struct Start {
  Status status = Status::success;
  std::string message;
  std::vector<std::string> notices;  ///< what was completed or moved, and by how much
  std::vector<double> x;
  std::vector<double> xp;
};

/// From the integrator's state to the variables of the model.
struct Outputs {
  std::vector<std::string> names;  ///< continuous variables, then discrete ones
  /// One value per name. `derivatives` receives the first time derivatives of the continuous
  /// variables (NaN where the formulation has none); it may be empty.
  std::function<void(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                     std::span<double> values, std::span<double> derivatives)>
      to_model;
  /// What the method computes beyond the model's variables: By of the sequential regularisation.
  std::vector<std::string> extra_names;
  /// One value per extra name; empty without them.
  std::function<void(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                     std::span<double> values)>
      extra_values;
  /// One line for the event log: which relation or sampler fired, or the change's message. Empty
  /// for problems without events.
  std::function<std::string(std::span<const std::int64_t> fired, const Change& change)>
      describe_event;
};

/// Constraint levels that a model has (0 = as written, 1 = differentiated once, ...).
struct Levels {
  int n = 0;
  /// For methods that find them only from the numbers of a run that has started; empty: n.
  std::function<int(const Run& run)> n_of;
  /// The greatest residual of one level.
  std::function<double(double t, std::span<const double> x, std::span<const double> xp, int level,
                       Run& run)>
      residual;
  /// The residuals of all levels at once, where that is cheaper; may be empty.
  std::function<void(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                     std::span<double> residuals)>
      residuals;

  [[nodiscard]] int count(const Run& run) const { return n_of ? n_of(run) : n; }
};

/// What is known of singular positions of the constraints.
struct Watch {
  bool is_on = false;  ///< they are looked for and reported on the way
  /// Multipliers have no value where the constraints are singular: such a NaN is a result.
  bool may_lack_values = false;
  /// After a failure at (t, x): a sentence about a singular position near it, empty when there is
  /// none. Empty where nothing is known.
  std::function<std::string(double t, std::span<const double> x, Run& run)> describe;
};

struct Formulation {
  /// Exactly one of the two is set.
  std::shared_ptr<const ImplicitSystem> implicit_system;
  std::shared_ptr<const ExplicitSystem> explicit_system;
  /// Initialises `run` (modes, discrete values) and the unknowns. Empty for boundary values.
  std::function<Start(double t0, Run& run)> find_start;
  /// The same without a search, for runs like one whose start has been found: where the start
  /// values meet all equations as they are, nothing else would be found. No success elsewhere, nor
  /// where something is to be told. May be empty.
  std::function<Start(double t0, Run& run)> take_start;
  Outputs outputs;
  Levels levels;
  Watch watch;
  std::vector<std::string> notices;  ///< about the choice of this formulation

  [[nodiscard]] const System& system() const;
  /// Consistent values with the notices of the formulation behind those of the search.
  Start start(double t0, Run& run) const;
};

}  // namespace daedal::formulation
