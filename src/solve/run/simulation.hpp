// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One run from its first choice of a method to its solution: a sequence of segments, each by one
/// method, with the hand-overs between them.

#include <atomic>
#include <daedal/problem.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "solve/run/checkpoint.hpp"
#include "solve/run/passages.hpp"
#include "solve/run/run_segment.hpp"
#include "solve/run/turns.hpp"

namespace daedal {

class Simulation::Impl {
 public:
  /// Finds the method and its start values. Throws Error when no method fits. A run that confirms
  /// another one is not confirmed itself.
  Impl(std::shared_ptr<const solve_detail::Preparation> preparation,
       solve_detail::RunContext context, bool is_confirmation = false);

  /// Goes on from a checkpoint of the same problem.
  Impl(std::shared_ptr<const solve_detail::Preparation> preparation,
       solve_detail::RunContext context, solve_detail::Checkpoint checkpoint);

  // Of a Simulation; each waits for its turn.
  bool step();
  bool advance(double t);
  void set_input(const std::string& name, double value);
  void set_parameter(const std::string& name, double value);
  [[nodiscard]] std::string save();
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] double time() const;
  [[nodiscard]] std::vector<double> values();
  [[nodiscard]] double value(std::string_view name);
  [[nodiscard]] const Solution& solution();
  [[nodiscard]] Solution copy_solution();
  [[nodiscard]] Solution take_solution();

  /// The preparation was made for the values of this run alone.
  void mark_exact() { is_exact_ = true; }
  [[nodiscard]] const TimeSpan& span() const { return context_.span; }
  /// The model was recognised at other values of its parameters than those of the run, and either
  /// that does not hold for them or no start was found.
  [[nodiscard]] bool is_doubtful() const { return is_doubtful_; }

 private:
  using PreparedRun = solve_detail::PreparedRun;
  using StartPoint = solve_detail::StartPoint;
  using SegmentEnd = solve_detail::SegmentEnd;

  /// What is asked of a successor.
  struct Handover {
    solve_detail::Successor successor;
    std::string found;  ///< the beginning of a sentence that says why
    bool resumes = false;
    double last_step = 0.0;  ///< of the method before, where its successor resumes
    StartPoint from;
    /// Where the successor fails.
    std::optional<solve_detail::Successor> fallback = std::nullopt;
  };

  /// What was set and has not happened yet.
  struct Setting {
    Overrides parameters;        ///< of the model
    std::vector<double> values;  ///< of the run
    std::string what;
  };
  void begin_watching();
  bool take_step();
  /// Steps end at this time, too, as long as it lies ahead.
  void aim_at(double t);
  /// Throws OptionError while a step is on its way: in a callback of the run itself.
  void refuse_in_step(const char* what) const;
  /// Makes the event of what was set since the last one.
  void apply();
  [[nodiscard]] Setting& setting();
  void refuse_unfit(const Setting& set, const std::string& name) const;
  /// Ends a run whose user's code has thrown.
  void abandon();

  [[nodiscard]] PreparedRun choose();
  void begin(PreparedRun run);
  void end_segment();
  /// Goes on along the surface on which the segment is stuck; false where it is not.
  bool slide();
  /// Begins again by a method that finds the index from numbers, where the segment ended at an
  /// event whose equations may have another one; false where it did not.
  bool take_any_index(const SegmentEnd& end);
  /// Begins again with the scales of small variables that the segment has found without them; false
  /// where there are none.
  bool follow_scales_found();
  void go_back_to_no_scales();
  /// The model as read, with the bands and the scales of the variables that are known by now.
  void read_anew(const std::vector<double>& scales);
  /// To the segment beyond a point at which a slope is infinite, or to the end.
  void pass(const solve_detail::Candidate& candidate, const SegmentEnd& end);
  [[nodiscard]] StartPoint start_of_run() const;
  [[nodiscard]] StartPoint resumption(SegmentEnd end) const;
  /// The next segment starts where the run did. What was computed is set aside, for the case that
  /// no later one comes as far.
  void start_again();
  [[nodiscard]] PreparedRun successor_of(const PreparedRun& run, SegmentEnd end);
  [[nodiscard]] PreparedRun sharper(const PreparedRun& run, const SegmentEnd& end);
  [[nodiscard]] PreparedRun after_failure(const PreparedRun& run, const SegmentEnd& end);
  [[nodiscard]] PreparedRun without_series();
  [[nodiscard]] PreparedRun hand_over(const PreparedRun& run, const Handover& handover);
  /// The run from a checkpoint on, ready to begin.
  [[nodiscard]] PreparedRun continuation(const solve_detail::Checkpoint& checkpoint);
  [[nodiscard]] solve_detail::Candidate candidate_of(
      const solve_detail::Checkpoint& checkpoint) const;
  /// A start at other values than those at which its model was recognised, where that matters.
  [[nodiscard]] PreparedRun prepare_exactly(const solve_detail::Candidate& candidate,
                                            const StartPoint& from, bool resumes);
  void make_dense();
  void finish();
  void tell_rows();
  void add_growth(const solve_detail::GrowthEstimate& growth);
  /// Where a segment stands, without what was computed.
  [[nodiscard]] solve_detail::Checkpoint checkpoint_at(const solve_detail::RunSegment& segment);
  [[nodiscard]] Solution computed_before_stop() const;
  /// Where errors can have grown to the size of the result, or fixed steps may be too long for it:
  /// the same run once more with a sharper tolerance or half the step, and a warning where the two
  /// have no digit in common.
  void tell_lost_digits();
  void take_back_length_warning();
  [[nodiscard]] Solution other_run(double sharper) const;
  void keep_the_longest();

  std::shared_ptr<const solve_detail::Preparation> preparation_;
  solve_detail::RunContext context_;
  Solution solution_;
  std::unique_ptr<solve_detail::RunSegment> segment_;  ///< null when the run is over
  bool is_doubtful_ = false;
  bool is_confirmation_;
  solve_detail::Passages passages_;
  /// Of a run that seemed too long when its tolerance was sharpened by the factor.
  struct LengthDoubt {
    std::string warning;
    double factor = 1.0;
  };
  LengthDoubt length_doubt_;
  /// Of a run that was cancelled or used up what it was allowed: where it can go on.
  struct Stop {
    std::unique_ptr<solve_detail::RunSegment> segment;  ///< null: there is none
    std::size_t n_warnings = 0, n_notices = 0;          ///< before those of the end
    bool is_set_aside = false;                          ///< what it computed (keep_the_longest())
  };
  Stop stop_;
  mutable solve_detail::Turns turns_;
  std::atomic<bool> is_advancing_ = false;  ///< also between the steps of advance()
  bool is_stepping_ = false;                ///< seen by who has the turn
  double log_growth_ = 0.0;                 ///< of perturbations, over all segments
  double neglected_ = 0.0;                  ///< by fixed steps (GrowthEstimate)
  bool is_exact_ = false;
  std::optional<Setting> setting_;
  bool is_changed_ = false;  ///< something was set on the way: no run from the start is the same
  double target_ = std::numeric_limits<double>::quiet_NaN();
  std::optional<solve_detail::Feed> feed_;
  std::optional<solve_detail::RowChecks> row_checks_;
  std::int64_t recognitions_before_ = 0, compilations_before_ = 0;  ///< counts of this thread
  /// Made for this run alone, where what was recognised before does not hold for its values.
  std::vector<std::unique_ptr<const solve_detail::PreparedModel>> own_models_;
  std::vector<std::unique_ptr<const solve_detail::Reading>> own_readings_;
  std::vector<Band> bands_;  ///< around the surfaces along which it slides
  /// A run without the scales of small variables, which the one under way has from it.
  std::optional<Solution> without_scales_;
};

}  // namespace daedal
