// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Decides for which of the watched functions a step must be looked into: for those that may do
/// more within the bounds of the step than a gentle curve does, unless earlier looks have shown
/// that nothing comes of it.

#include <span>
#include <vector>

#include "solve/watch/step_bounds.hpp"
#include "solve/watch/value_bounds.hpp"
#include "solve/watch/watch_options.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

class Suspects {
 public:
  /// `functions` must outlive this object.
  Suspects(const WatchedFunctions& functions, const StepBounds& bounds,
           const WatchOptions& options);

  /// How many times too far the arguments of exponentials may go where the scheme sees enough of
  /// its steps (WatchedFunctions::is_calm).
  void allow(double strain_of_exponentials) { strain_of_exponentials_ = strain_of_exponentials; }
  [[nodiscard]] double strain_of_exponentials() const { return strain_of_exponentials_; }
  /// Updates what is known of each function from the step between two samples. `bounds` are set
  /// between these; afterwards they are those of all expressions. To be called before find() for
  /// each step that is looked at.
  void note_step(const Sample& begin, const Sample& end, StepBounds& bounds);
  /// The functions to look at within the bounds, in no particular order.
  [[nodiscard]] std::vector<std::size_t> find(const StepBounds& bounds) const;
  /// Whether a function is calm within the bounds, and cannot leave its domain there.
  [[nodiscard]] bool is_calm(std::size_t number, const StepBounds& bounds) const;
  /// The excess over a bound that may be an error within the tolerance.
  [[nodiscard]] double slack(std::size_t number) const;
  /// Whether there are bounds of what is solved for within the equations, and whether this may come
  /// to one in the next few steps: its rates there are unknown.
  [[nodiscard]] bool has_implicit_bounds() const { return !implicit_bounds_.empty(); }
  [[nodiscard]] bool is_near_bound() const { return is_near_bound_; }
  /// A bound was looked at in a step.
  void note_peak(std::size_t number, const BoundChecks::Peak& peak);
  /// Whether there are any of these.
  [[nodiscard]] bool has_any(const StepBounds& bounds) const;

  /// The function was next to a zero in too many parts of a step, and nothing came of it.
  void note_futile_look(std::size_t number) { ++n_futile_[number]; }
  /// It could not be told whether the function leaves its domain.
  void note_touch(std::size_t number) { ++n_touches_[number]; }
  /// The user is told that the function has no value somewhere.
  void note_undefined(std::size_t number) { is_undefined_[number] = true; }
  [[nodiscard]] bool is_known_undefined(std::size_t number) const { return is_undefined_[number]; }

 private:
  /// A bound of what is solved for within the equations.
  struct ImplicitBound {
    std::size_t number = 0;
    double at_begin = 0.0, at_end = 0.0;  ///< the excess at the ends of the step
    double slope = 0.0;                   ///< between them
  };
  void find_rests(const Sample& begin, const Sample& end, StepBounds& bounds);
  void find_rises(const Sample& begin, const Sample& end, StepBounds& bounds);
  [[nodiscard]] bool is_within_bound(std::size_t number, const StepBounds& bounds) const;
  /// Whether it is no more than a gentle curve, or no more than its bound.
  [[nodiscard]] bool is_gentle(std::size_t number, const StepBounds& bounds) const;
  [[nodiscard]] bool is_suspect(std::size_t number, const StepBounds& bounds) const;
  [[nodiscard]] bool is_beyond_domain(std::size_t number, const StepBounds& bounds) const;
  [[nodiscard]] bool is_next_to_nothing(std::size_t number, const StepBounds& bounds) const;

  const WatchedFunctions* functions_;
  double rtol_;
  double strain_of_exponentials_ = 1.0;
  BoundChecks* checks_;           ///< may be null
  std::vector<double> greatest_;  ///< magnitude of each leaf of the bounds so far
  std::vector<double> peak_;      ///< greatest magnitude of the difference of each function so far
  std::vector<bool> rests_;       ///< by function, see find_rests()
  std::vector<int> n_futile_;     ///< by function
  std::vector<int> n_touches_;    ///< by function
  std::vector<bool> is_undefined_;  ///< by function
  std::vector<ImplicitBound> implicit_bounds_;
  bool is_near_bound_ = false;
  std::vector<double> rises_;  ///< by function: what the excess may come to in the step
  std::vector<std::size_t> of_implicit_bounds_;  ///< places of what they need
};

}  // namespace daedal::solve_detail
