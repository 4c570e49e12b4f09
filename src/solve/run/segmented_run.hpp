// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One run from its first choice of a method to its solution: a sequence of segments, each by one
/// method, with the hand-overs between them.

#include <daedal/problem.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solve/run/checkpoint.hpp"
#include "solve/run/handovers.hpp"
#include "solve/run/passages.hpp"
#include "solve/run/run_record.hpp"
#include "solve/run/run_segment.hpp"

namespace daedal::solve_detail {

class SegmentedRun {
 public:
  /// Finds the method and its start values. Throws Error when no method fits.
  SegmentedRun(std::shared_ptr<const Preparation> preparation, RunContext context);
  /// Goes on from a checkpoint of the same problem.
  SegmentedRun(std::shared_ptr<const Preparation> preparation, RunContext context,
               Checkpoint checkpoint);

  /// The preparation was made for the values of this run alone.
  void mark_exact() { is_exact_ = true; }
  /// The model was recognised at other values of its parameters than those of the run, and either
  /// that does not hold for them or no start was found.
  [[nodiscard]] bool is_doubtful() const { return is_doubtful_; }
  [[nodiscard]] const Preparation& preparation() const { return *preparation_; }
  [[nodiscard]] const RunContext& context() const { return context_; }

  /// One step, or the change from one segment to the next, or the end. The run must not be over.
  void advance();
  /// Ends a run whose user's code has thrown.
  void abandon();
  /// Steps end at this time, too, as long as it lies ahead.
  void aim_at(double t);
  /// From here on the model has other values of its parameters: `parameters` of the model, `values`
  /// of the run.
  void set_parameters(const Overrides& parameters, const std::vector<double>& values,
                      const std::string& what);
  /// A checkpoint; throws OptionError where there can be none.
  [[nodiscard]] std::string save();

  /// Null when the run is over.
  [[nodiscard]] const RunSegment* segment() const { return segment_.get(); }
  [[nodiscard]] RunSegment* segment() { return segment_.get(); }
  [[nodiscard]] double time() const;
  [[nodiscard]] Solution& solution() { return record_.solution; }

 private:
  [[nodiscard]] PreparedRun choose();
  /// Where a start was not found, by way of exponentials that are less steep; false where that does
  /// not lead to one.
  bool start_gradually(PreparedRun& run);
  void begin(PreparedRun run);
  void end_segment();
  void finish();

  /// Goes on along the surface on which the segment is stuck; false where it is not.
  bool slide();
  /// Begins again as if there were no surfaces, where the run has failed before it came to the one
  /// along which it was to slide; false where it has not.
  bool give_up_sliding();
  /// Begins again by a method that finds the index from numbers, where the segment ended at an
  /// event whose equations may have another one; false where it did not.
  bool take_any_index(const SegmentEnd& end);
  [[nodiscard]] bool is_at_event(double t) const;
  /// Begins again with the scales of small variables that the segment has found without them; false
  /// where there are none.
  bool follow_scales_found();
  void forget_bands();
  /// The model as read, with the bands and the scales of the variables that are known by now.
  void read_anew(const std::vector<double>& scales);
  /// To the segment beyond a point at which a slope is infinite, or to the end.
  void pass(const Candidate& candidate, const SegmentEnd& end);

  [[nodiscard]] StartPoint start_of_run() const;
  [[nodiscard]] PreparedRun prepare_sliding(const Candidate& candidate, const StartPoint& from,
                                            bool resumes);

  /// The run from a checkpoint on, ready to begin.
  [[nodiscard]] Expected<PreparedRun> continuation(const Checkpoint& checkpoint);
  [[nodiscard]] Candidate candidate_of(const Checkpoint& checkpoint) const;
  /// Where a segment stands, without what was computed.
  [[nodiscard]] Checkpoint checkpoint_at(const RunSegment& segment) const;

  std::shared_ptr<const Preparation> preparation_;
  RunContext context_;
  RunRecord record_;
  Handovers handovers_;
  std::unique_ptr<RunSegment> segment_;  ///< null when the run is over
  std::unique_ptr<RunSegment> stopped_;  ///< by a limit: from there the run can go on
  bool is_doubtful_ = false;
  bool is_exact_ = false;
  bool is_changed_ = false;  ///< something was set on the way: no run from the start is the same
  std::optional<Candidate> last_from_start_;  ///< of the model as it was read
  double target_ = std::numeric_limits<double>::quiet_NaN();
  Passages passages_;
  std::vector<std::unique_ptr<const Reading>> own_readings_;
  /// The model of the reading with guesses from which a start is found, and whether it is taken.
  std::unique_ptr<const PreparedModel> guided_;
  bool is_guided_ = false;
  std::vector<Band> bands_;  ///< around the surfaces along which it slides
  bool has_slid_ = false;
  /// The last segment that crawled before it slid, and where it ended.
  struct BeforeSliding {
    Candidate candidate;
    double t;
  };
  std::optional<BeforeSliding> before_sliding_;
  /// A run without the scales of small variables, which the one under way has from it.
  std::optional<Solution> without_scales_;
};

}  // namespace daedal::solve_detail
