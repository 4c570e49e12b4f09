// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The step from one segment of a run to the next: which method follows when one ends early, and
/// where it continues.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/expected.hpp"
#include "solve/run/prepared_run.hpp"
#include "solve/run/run_record.hpp"
#include "solve/run/run_segment.hpp"

namespace daedal::solve_detail {

/// What is asked of a successor.
struct Handover {
  Successor successor;
  std::string found;  ///< the beginning of a sentence that says why
  bool resumes = false;
  double last_step = 0.0;  ///< of the method before, where its successor resumes
  StartPoint from;
  /// Where the successor fails.
  std::optional<Successor> fallback = std::nullopt;
};

/// Everywhere `start` is where the run begins.
class Handovers {
 public:
  Handovers(const RunContext& context, RunRecord& record) : context_(context), record_(record) {}

  /// The run after a segment that ended for one of the reasons of SegmentEnd.
  [[nodiscard]] PreparedRun next(const PreparedRun& run, const SegmentEnd& end,
                                 const StartPoint& start);
  /// From the start: by the successor of a method that failed, or with the tolerance asked for.
  [[nodiscard]] PreparedRun after_failure(const PreparedRun& run, const SegmentEnd& end,
                                          const StartPoint& start);
  /// The successor, or else the same method once more, no longer asking whether it should go on.
  [[nodiscard]] PreparedRun hand_over(const PreparedRun& run, const Handover& handover);
  /// What would have been chosen if series were not the fastest.
  [[nodiscard]] PreparedRun without_series(const StartPoint& start);
  /// A start at other values than those at which its model was recognised, where that matters.
  [[nodiscard]] Expected<PreparedRun> prepare_exactly(const Candidate& candidate,
                                                      const StartPoint& from, bool resumes);
  /// From a place in the middle of the run.
  [[nodiscard]] StartPoint resumption(SegmentEnd end) const;

 private:
  [[nodiscard]] PreparedRun sharper(const PreparedRun& run, const SegmentEnd& end,
                                    const StartPoint& start);

  const RunContext& context_;
  RunRecord& record_;
  /// Made for this run alone, where what was recognised before does not hold for its values.
  std::vector<std::unique_ptr<const PreparedModel>> own_models_;
};

}  // namespace daedal::solve_detail
