// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A formulation turns a view of a model into a system that an integrator can step, and maps the
/// integrator's state back to the model's variables.

#include <daedal/run_control.hpp>
#include <daedal/system.hpp>
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

class Formulation {
 public:
  virtual ~Formulation() = default;
  /// Exactly one of the two is not null.
  [[nodiscard]] virtual const ImplicitSystem* implicit_system() const { return nullptr; }
  [[nodiscard]] virtual const ExplicitSystem* explicit_system() const { return nullptr; }
  [[nodiscard]] const System& system() const;

  /// Singular positions of the constraints are looked for and reported on the way.
  [[nodiscard]] virtual bool watches_singularities() const { return false; }

  /// Multipliers have no value where the constraints are singular: such a NaN is a result.
  [[nodiscard]] virtual bool may_lack_values() const { return false; }

  /// Initialises `run` (modes, discrete values) and the unknowns.
  virtual Start start(double t0, Run& run) const = 0;

  /// Values of every output variable of the model: continuous variables, then discrete ones, in
  /// the order of `output_names`.
  [[nodiscard]] virtual std::span<const std::string> output_names() const = 0;
  /// `derivatives` receives the first time derivatives of the continuous variables (NaN where the
  /// formulation has none); it may be empty.
  virtual void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                        std::span<double> values, std::span<double> derivatives) const = 0;

  /// What the method knows beyond the model's variables: By of the sequential regularisation.
  [[nodiscard]] virtual std::span<const std::string> extra_names() const { return {}; }
  /// One value per extra name.
  virtual void extra_values(double t, std::span<const double> x, std::span<const double> xp,
                            Run& run, std::span<double> values) const;

  /// One line for the event log: which relation or sampler fired, or the change's message.
  [[nodiscard]] virtual std::string describe_event(std::span<const std::int64_t> fired,
                                                   const Change& change, const Run& run) const;

  /// After a failure at (t, x): a sentence about a singular position of the constraints near it,
  /// empty when there is none or nothing is known.
  [[nodiscard]] virtual std::string describe_singularity(double, std::span<const double>,
                                                         Run&) const {
    return {};
  }

  /// Constraint levels that this model has (0 = as written, 1 = differentiated once, ...).
  [[nodiscard]] virtual int n_levels() const { return 0; }
  /// The same for methods that know them only from the numbers of a run that has started.
  [[nodiscard]] virtual int n_levels_of(const Run&) const { return n_levels(); }
  /// The greatest residual of one level.
  virtual double constraint_residual(double t, std::span<const double> x,
                                     std::span<const double> xp, int level, Run& run) const;
};

}  // namespace daedal::formulation
