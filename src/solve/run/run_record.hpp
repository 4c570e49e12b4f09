// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a run has computed so far, over all its segments, and what it says at its end.

#include <cstdint>
#include <daedal/solution.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solve/checks/growth_estimate.hpp"
#include "solve/checks/row_checks.hpp"
#include "solve/run/checkpoint.hpp"
#include "solve/run/run_context.hpp"

namespace daedal::solve_detail {

class RunRecord {
 public:
  /// Enters its feed and its row checks into the context, which outlives the record.
  RunRecord(std::shared_ptr<const Preparation> preparation, RunContext& context);
  /// The record of a run that continues from a checkpoint; takes the solution out of it.
  RunRecord(std::shared_ptr<const Preparation> preparation, RunContext& context,
            Checkpoint& checkpoint);
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  Solution solution;  ///< segments add to it

  void note(std::string sentence) { solution.notices.push_back(std::move(sentence)); }
  /// What a start says of itself; a segment that begins where another did repeats nothing.
  void note_start(const std::vector<std::string>& sentences);
  /// A segment begins: rows that the solution does not keep are looked at as they come.
  void begin_rows();
  /// Says what those rows told.
  void tell_rows();
  void add_growth(const GrowthEstimate& growth);

  /// The next segment starts where the run did. What was computed is set aside, for the case that
  /// no later one comes as far.
  void start_again();
  void forget_set_aside() { set_aside_.reset(); }
  /// Tells the observer that everything after time t is void.
  void rewind(double t);
  /// Another solution takes the place of this one, and its rows are shown again.
  void replace(Solution other);
  /// Rows are all that anybody has seen, and they can be shown again.
  [[nodiscard]] bool can_be_replaced() const;
  /// Digits that a state has lost on the way down may be missed: it has grown again, or would have.
  [[nodiscard]] bool misses_digits() const;

  /// The run seems to take so many steps that a tolerance sharper by the factor is not enough.
  void doubt_length(double n_steps, double factor);
  /// A run that can go on later was stopped here.
  void remember_stop();
  /// Ends the record: the longest of the segments, and what is to be said about it.
  void finish();
  void finish_counts();

  /// As it stood when the run was stopped: what an end says is said at the end of the run.
  [[nodiscard]] Solution before_stop() const;
  /// Errors that can have grown to some share of the result, or come from steps that are fixed.
  [[nodiscard]] double doubt() const;
  [[nodiscard]] double log_growth() const { return log_growth_; }
  [[nodiscard]] double neglected() const { return neglected_; }

 private:
  RunRecord(std::shared_ptr<const Preparation> preparation, RunContext& context, Solution begun);
  void make_dense();
  void make_row_checks();
  void keep_the_longest();
  void take_back_length_warning();

  std::shared_ptr<const Preparation> preparation_;
  RunContext& context_;
  std::optional<Solution> set_aside_;  ///< the longest that was left behind for one from the start
  std::optional<Feed> feed_;
  std::optional<RowChecks> row_checks_;
  double log_growth_ = 0.0;   ///< of perturbations, over all segments
  bool has_decayed_ = false;  ///< see GrowthEstimate
  bool has_regrown_ = false;
  double neglected_ = 0.0;  ///< by fixed steps (GrowthEstimate)
  struct LengthDoubt {
    std::string warning;
    double factor = 1.0;
  };
  LengthDoubt length_doubt_;
  struct Stop {
    std::size_t n_warnings = 0, n_notices = 0;  ///< before those of the end
    bool is_set_aside = false;                  ///< what was computed
  };
  std::optional<Stop> stop_;
  std::int64_t recognitions_before_, compilations_before_;  ///< counts of this thread
};

}  // namespace daedal::solve_detail
