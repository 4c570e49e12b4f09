// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Halves a step until each suspect is, in every part, one of these: a gentle curve, flat, on one
/// side of zero, or known to change its sign once. What is neither in the shortest part is left
/// unresolved. Collects what is found on the way.

#include <limits>
#include <span>
#include <vector>

#include "solve/watch/look/crossings.hpp"
#include "solve/watch/look/domain_exit.hpp"
#include "solve/watch/look/relation_sides.hpp"
#include "solve/watch/look/sampled_step.hpp"
#include "solve/watch/look_budget.hpp"
#include "solve/watch/suspects.hpp"
#include "solve/watch/watch_options.hpp"

namespace daedal::solve_detail {

class StepParts {
 public:
  struct Part {
    double begin = 0.0;
    double end = 0.0;
    bool is_active = false;  ///< a steep function changes in it
    double strain = 0.0;     ///< of these, and infinite at a kink
  };

  StepParts(SampledStep& step, const Suspects& suspects, const WatchOptions& options,
            LookBudget& budget);

  /// All parts up to end(), in their order.
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  /// Where the look ended: at the end of the step, or at an earlier instant when there are too many
  /// parts and the step is to be taken again up to there.
  [[nodiscard]] double end() const { return end_; }
  /// From here on the step was left as it is, because there are too many parts; NaN if nowhere.
  [[nodiscard]] double given_up() const { return given_up_; }

  /// Changes of sign of the differences of kinks and jumps.
  [[nodiscard]] std::span<const Bracket> sign_changes() const { return sign_changes_; }
  /// Instants at which floor() changes.
  [[nodiscard]] std::span<const double> floor_changes() const { return floor_changes_; }
  /// The shortest parts in which there may be a pole.
  [[nodiscard]] std::span<const Bracket> possible_poles() const { return possible_poles_; }
  [[nodiscard]] const RelationSides& sides() const { return sides_; }
  [[nodiscard]] DomainExit& exit() { return exit_; }

  /// Tells the suspects of later looks which functions this one did not resolve. To be called when
  /// the look has had no consequences.
  void report_unresolved(Suspects& suspects) const;
  /// Tells them of values beyond bounds up to an instant. To be called when the step is not taken
  /// again.
  void report_peaks(double until, Suspects& suspects) const;

 private:
  /// The shortest parts in which a suspect was not resolved.
  struct Unresolved {
    double from = std::numeric_limits<double>::quiet_NaN();  ///< begin of those near one place
    int n = 0;                                               ///< number of these
    int n_places = 0;      ///< places near which there are too many
    bool touches = false;  ///< of a domain: the suspect may only touch its border
  };
  struct Extent {
    const Instant& a;
    const Instant& b;
    double share;      ///< of the step
    bool is_shortest;  ///< the instants are next to each other in floating-point numbers
  };

  void divide(LookBudget& budget);
  [[nodiscard]] bool is_resolved(const Instant& a, const Instant& b, Part& part);
  [[nodiscard]] bool is_resolved(std::size_t suspect, const Extent& extent, Part& part);
  [[nodiscard]] bool is_steep_resolved(std::size_t suspect, const Extent& extent, Part& part);
  [[nodiscard]] bool is_domain_resolved(std::size_t suspect, const Extent& extent);
  [[nodiscard]] bool is_divisor_resolved(std::size_t suspect, const Extent& extent);
  [[nodiscard]] bool is_relation_resolved(std::size_t suspect, const Extent& extent);
  [[nodiscard]] bool is_kink_resolved(std::size_t suspect, const Extent& extent, Part& part);
  [[nodiscard]] bool is_bound_resolved(std::size_t suspect, const Extent& extent, const Part& part);
  /// Makes `middle_` the middle between two instants. The bounds are those between them.
  void look_at_middle(const Instant& a, const Instant& b);
  void note_bounds(const Instant& here);
  [[nodiscard]] bool is_last(std::size_t suspect, const Extent& extent) const;
  [[nodiscard]] bool is_given_up(std::size_t suspect, double end) const;
  [[nodiscard]] bool is_left_unresolved(std::size_t suspect, const Extent& extent);
  void note_pole(std::size_t suspect, const Extent& extent);

  SampledStep& step_;
  const Suspects& suspects_;
  double rtol_;
  bool can_repeat_;
  std::vector<double> greatest_;  ///< greatest_values()
  RelationSides sides_;
  DomainExit exit_;
  double gentle_strain_ = 1.0;  ///< WatchedFunctions::strain() of a gentle curve
  std::vector<Part> parts_;
  std::vector<Bracket> sign_changes_, possible_poles_;
  std::vector<double> floor_changes_;
  std::vector<Unresolved> unresolved_;    ///< by suspect
  std::vector<BoundChecks::Peak> peaks_;  ///< by suspect, of bounds
  /// Suspects that are bounds. Those of what is solved for within the equations are far as long as
  /// its values change by little beside what they lack.
  std::vector<std::size_t> near_bounds_, far_bounds_;
  Instant middle_;  ///< the last one
  double end_;
  double given_up_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace daedal::solve_detail
