// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One step that is looked into, as the parts of a look see it: the suspects among the watched
/// functions, with what they compare at any instant of the step, and bounds of them between two
/// instants.

#include <cmath>
#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "integrate/stepper.hpp"
#include "solve/watch/step_bounds.hpp"
#include "solve/watch/step_sampler.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

inline int sign(double value) {
  return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
}

/// An instant of the step. Vectors other than those of the sample are indexed by suspect.
struct Instant : Sample {
  std::vector<double> differences;  ///< NaN where the variables have no values
  /// Whether the difference is zero up to the rounding errors of the variables; only at the ends of
  /// the step.
  std::vector<bool> is_zero;
};

class SampledStep {
 public:
  /// Differences of functions and of variables below this share of their range over the step are
  /// rounding errors.
  static constexpr double rounding_share = 1e-9;
  /// The shortest part of a step that is looked at, as a share of the step. Functions of time alone
  /// are followed further, for time is known exactly.
  static constexpr double shortest_share = 0x1p-26;
  /// An instant nearer to an end of the step than this share of the step is taken for that end.
  static constexpr double end_share = 1e-7;

  /// What outlives the look.
  struct Tools {
    const WatchedFunctions& functions;
    StepBounds& bounds;
    StepSampler& sampler;
  };
  /// `suspects` are numbers of watched functions, which must outlive this object; below, a suspect
  /// is a position in this list. The step between the samples is the last one of the stepper, or
  /// the part of it before an event.
  SampledStep(const Tools& tools, std::span<const std::size_t> suspects, const Sample& begin,
              const Sample& end, const integration::Stepper& stepper, Run& run);

  [[nodiscard]] const Instant& begin() const { return begin_; }
  [[nodiscard]] const Instant& end() const { return end_; }
  [[nodiscard]] double length() const { return end_.t - begin_.t; }  ///< with the sign of time
  /// Whether the first instant comes before the second in the direction of the step.
  [[nodiscard]] bool is_earlier(double a, double b) const { return length() > 0.0 ? a < b : b < a; }
  [[nodiscard]] const integration::Stepper& stepper() const { return stepper_; }
  [[nodiscard]] Run& run() { return run_; }
  [[nodiscard]] const OutputMap& map() const { return tools_.sampler.map(); }
  [[nodiscard]] const WatchedFunctions& functions() const { return tools_.functions; }

  [[nodiscard]] std::size_t n_suspects() const { return numbers_.size(); }
  [[nodiscard]] std::size_t number(std::size_t suspect) const { return numbers_[suspect]; }
  [[nodiscard]] const Watched& function(std::size_t suspect) const {
    return functions().watched()[numbers_[suspect]];
  }
  /// The number of expressions that bounds of the suspects need.
  [[nodiscard]] std::size_t n_needed() const { return needed_.size(); }

  /// The step at an instant. Afterwards the bounds are those of this instant.
  [[nodiscard]] Instant at(double t);
  /// What the run computes at an instant (StepSampler::row).
  [[nodiscard]] std::vector<double> row(double t) { return tools_.sampler.row(t, stepper_, run_); }
  /// Whether variables that have values at both ends had none at an instant looked at.
  [[nodiscard]] bool has_gap() const { return has_gap_; }
  /// The greatest magnitude of each watched function at the ends of the step.
  [[nodiscard]] std::span<const double> magnitudes_at_ends() const { return magnitudes_at_ends_; }

  /// Sets the bounds to those between two instants.
  void bound(const Sample& a, const Sample& b);
  /// Sets the bounds to those at one instant with margins of the variables (StepBounds::set_at).
  template <class Margin>
  void bound_at(const Sample& at, const Margin& margin_of, double margin_of_time = 0.0) {
    tools_.bounds.set_at(at, margin_of, margin_of_time);
    tools_.bounds.evaluate(needed_);
  }
  /// Changes the bounds: an input has the given ones instead.
  void bound_input(std::size_t place, const kernel::Interval& range) {
    tools_.bounds.set_input(place, range);
    tools_.bounds.evaluate(needed_);
  }
  [[nodiscard]] const StepBounds& bounds() const { return tools_.bounds; }
  [[nodiscard]] kernel::Interval difference(std::size_t suspect) const {
    return function(suspect).difference(bounds().all());
  }
  [[nodiscard]] bool is_open(std::size_t suspect) const {
    return functions().is_open(function(suspect), bounds().all());
  }
  [[nodiscard]] bool is_chosen(std::size_t suspect) const {
    return functions().is_chosen(number(suspect), bounds().all());
  }

 private:
  void note_differences(Instant& instant);
  void note_zeros(Instant& end);
  [[nodiscard]] bool is_gap(const Sample& sample) const;

  Tools tools_;
  std::span<const std::size_t> numbers_;
  std::vector<std::size_t> needed_;
  Instant begin_, end_;
  const integration::Stepper& stepper_;
  Run& run_;
  std::vector<double> magnitudes_at_ends_;
  bool has_gap_ = false;
};

}  // namespace daedal::solve_detail
