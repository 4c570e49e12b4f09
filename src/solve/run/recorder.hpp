// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Fills a Solution from what the driver reports.

#include <daedal/solution.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "integrate/driver/driver.hpp"
#include "solve/checks/growth_estimate.hpp"
#include "solve/checks/impasse_diagnosis.hpp"
#include "solve/checks/residual_check.hpp"
#include "solve/checks/row_checks.hpp"
#include "solve/feed.hpp"
#include "solve/run/dense.hpp"
#include "solve/run/output_map.hpp"
#include "solve/watch/delayed_signals.hpp"

namespace daedal::solve_detail {

class Recorder final : public integration::Observer {
 public:
  /// What looks at the steps, and at the first row; the check may be null.
  struct Lookers {
    ResidualCheck* check = nullptr;
    GrowthEstimate& growth;
    const Model& model;  ///< the simplified one
    /// The time of the first row, where it is not that of its values (StartPoint).
    std::optional<double> row_time = std::nullopt;
    RowChecks* rows = nullptr;  ///< where the solution does not keep what they need
    Feed* feed = nullptr;       ///< the user's observer
    bool keep_rows = true;
    bool has_step_rows = false;  ///< see SolveOptions
  };
  /// `dense` may be null. Goes on after what `solution` already holds.
  Recorder(std::shared_ptr<const OutputMap> map, std::shared_ptr<Solution::Dense> dense,
           const Lookers& lookers, Solution& solution);

  /// The last accepted steps, for the diagnosis of a run that failed.
  [[nodiscard]] const SolutionEnd& end() const { return end_; }

  /// The first output without a finite value.
  struct BadValue {
    double t = 0.0;
    std::string name;
  };
  [[nodiscard]] const std::optional<BadValue>& bad_value() const { return bad_value_; }

  void on_output(double t, std::span<const double> x, std::span<const double> xp,
                 Run& run) override;
  bool on_output_before(double t, const integration::Ray& at, Run& run) override;
  void on_step(const integration::StepReport& report, const integration::Stepper& stepper,
               Run& run) override;
  void on_step_end(const integration::Ray& end, double t0, Run& run) override;
  void on_event(double t, std::span<const std::int64_t> fired, const Change& change,
                Run& run) override;

 private:
  /// In all_; its end where every variable has a finite value, or need not have one.
  [[nodiscard]] std::vector<double>::const_iterator first_without_value() const;
  /// Makes a row of what has been evaluated.
  void record(double row_time, const integration::Ray& at, Run& run);

  std::shared_ptr<const OutputMap> map_;
  Solution& solution_;
  OutputMap::Workspace workspace_;
  std::vector<double> all_, row_;  ///< values of all names, and of the columns
  std::vector<double> residuals_;  ///< of the constraint levels
  std::shared_ptr<Solution::Dense> dense_;
  Lookers lookers_;
  DelayedSignals delayed_;
  SolutionEnd end_;
  std::optional<BadValue> bad_value_;
  std::string event_;        ///< that is to be shown with the values after it
  int order_ = 0;            ///< of the last step
  bool is_step_end_ = true;  ///< the next output is no row between steps
  bool is_repeated_;         ///< the next output is the point at which the last leg ended
};

}  // namespace daedal::solve_detail
