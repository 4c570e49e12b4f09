// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Follows through a step on which side each suspect relation is. A step that a relation changes
/// in more than once is to be divided so that each change is the only one in its step, for events
/// are found by changes of sign between the ends of steps.

#include <span>
#include <vector>

#include "solve/watch/look/sampled_step.hpp"

namespace daedal::solve_detail {

class RelationSides {
 public:
  explicit RelationSides(SampledStep& step);

  /// Whether the relation compares what is the same by the equations, as abs(i) <= G*abs(v) does
  /// while i = G*v. The two sides then differ by rounding errors all over the step, and what these
  /// do is no event. Bounds cannot tell, because they do not take the equation into account.
  [[nodiscard]] bool is_tie(std::size_t suspect) const { return is_tie_[suspect]; }

  /// Takes the instants of the step in their order. Returns whether a relation has changed.
  bool note(const Instant& here);

  /// Instants within each stretch in which a relation is on one side, except for the first and the
  /// last stretch of the step.
  [[nodiscard]] std::span<const double> stops() const { return stops_; }

 private:
  /// Where the difference of a relation was farthest from zero since the relation changed.
  struct Farthest {
    double difference = 0.0;
    double t = 0.0;
    int n_changes = 0;
  };

  void find_ties();

  SampledStep& step_;
  std::vector<bool> is_tie_;        ///< by suspect
  std::vector<Farthest> farthest_;  ///< by suspect
  std::vector<double> stops_;
};

}  // namespace daedal::solve_detail
