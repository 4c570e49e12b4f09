// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Points at which a slope is infinite. A monotone y(t) such as the cube root at 0 stops every step
/// before it, and so does a fold, at which the solution ends. Up to that point the two cannot be
/// told apart, but only the former has a solution beyond it, with which the run continues.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "solve/run/prepared_run.hpp"
#include "solve/run/run_segment.hpp"

namespace daedal::solve_detail {

class Passages {
 public:
  /// The run beyond the point at which `end` stopped; nothing where no solution was found there
  /// that continues the one before it.
  std::optional<PreparedRun> beyond(const Candidate& candidate, const SegmentEnd& end,
                                    const RunContext& context, const Solution& solution);

  /// A segment that began beyond a point and ended at time t. Where it stopped at once, nothing
  /// lies beyond after all: the solution is set back, and what is returned is how the run stood
  /// before the point.
  struct Before {
    SegmentEnd end;
    Candidate candidate;
  };
  std::optional<Before> come_back(double t, Solution& solution);
  /// A segment beyond a point is on its way, and may have to be taken back.
  [[nodiscard]] bool is_trying() const { return passage_.has_value(); }

 private:
  struct Passage {
    Before before;
    Status status;
    std::string message;
    double resumed_at;
    double least_way;  ///< that a run beyond has to go
    std::size_t n_rows, n_events, n_notices, n_warnings;
    double last_time;              ///< of the last row
    std::vector<double> last_row;  ///< which runs that keep no others have replaced since
  };
  std::optional<Passage> passage_;
  int n_attempts_ = 0;
  double last_ = std::numeric_limits<double>::quiet_NaN();
  std::size_t next_reach_ = 0;  ///< of the distances that are tried
};

}  // namespace daedal::solve_detail
