// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The part of a run that one method takes. A run is one segment as a rule; where the method finds
/// that the model is stiff, or that a singular position lies ahead, the segment ends and the
/// successor's begins (simulation.cpp). What they record is one solution.

#include <daedal/solution.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "integrate/driver/driver.hpp"
#include "solve/checks/carried_error.hpp"
#include "solve/checks/residual_check.hpp"
#include "solve/run/output_map.hpp"
#include "solve/run/prepared_run.hpp"
#include "solve/run/recorder.hpp"
#include "solve/run/run_record.hpp"
#include "solve/watch/step_watch.hpp"

namespace daedal::solve_detail {

/// Where a segment ended, and why another one follows.
struct SegmentEnd {
  enum class Reason { none, stiff, singular, length, failed, passage };
  Reason reason = Reason::none;
  double t = 0.0;
  double projected_steps = 0.0;    ///< with length, or failed because there are too many
  double step_room = 0.0;          ///< with length: how many times as many there may be
  double last_step = 0.0;          ///< with stiff
  std::vector<double> values;      ///< of the model's variables there
  std::vector<double> parameters;  ///< with those that the start has found
  std::vector<double> rates{};     ///< with passage: derivatives of the variables
  double singular_time = 0.0;      ///< with passage: where a slope becomes infinite
  bool follows_small = false;      ///< with failed: tolerances followed the scales of variables
};

/// A run of more steps is slow enough for another method to be tried in its place.
inline constexpr double most_steps_left = 1e5;
/// After so many steps it is looked at how many are left, and whether they are beyond all hope.
inline constexpr std::int64_t steps_per_look = 500;
inline constexpr std::int64_t steps_per_settled_look = 2000;

/// What looks at a run on its way; nothing where there is nothing to look at.
std::optional<ResidualCheck> make_check(const PreparedRun& run, const SolveOptions& options);
std::optional<StepWatch> make_watch(const PreparedRun& run, const RunContext& context,
                                    const std::shared_ptr<const OutputMap>& map);
/// The options of the driver for a run.
integration::DriverOptions driver_options(const PreparedRun& run, const RunContext& context);

/// The run ended for a limit that another one may do without.
[[nodiscard]] inline bool is_limit(Status status) {
  return status == Status::cancelled || status == Status::time_limit_reached ||
         status == Status::max_steps_reached;
}

class RunSegment {
 public:
  /// A run whose start was found. Everything given outlives the segment.
  RunSegment(PreparedRun run, const RunContext& context, Solution& solution);
  RunSegment(const RunSegment&) = delete;
  RunSegment& operator=(const RunSegment&) = delete;

  /// One step of the driver; false when there is none any more.
  bool advance();
  void aim_at(double t) { drive_.aim_at(t); }
  /// Gives the parameters of the run new values, as an event.
  void set_parameters(const std::vector<double>& values, const std::string& what);
  [[nodiscard]] const std::vector<double>& parameters() const;
  /// Where it ended because the model is stiff: goes on with the implicit integrator of its
  /// candidate, if that is worth it. False where another segment has to.
  bool go_on_implicitly(RunRecord& record);
  /// To be called once, when no step is left: completes the solution.
  SegmentEnd finish();

  /// Where the segment stands, for one that goes on from there.
  [[nodiscard]] SegmentEnd place() const;
  [[nodiscard]] bool is_over() const { return drive_.is_over(); }
  /// Its last steps did not leave a surface at which the equations jump.
  [[nodiscard]] bool is_crawling() const { return is_crawling_; }
  /// Bands around the surfaces on which the segment stands, at which the equations jump.
  [[nodiscard]] std::vector<Band> bands() const;
  /// The greatest magnitudes of the variables of the simplified model so far.
  [[nodiscard]] std::vector<double> largest_values() const;

  [[nodiscard]] const PreparedRun& run() const { return run_; }
  [[nodiscard]] const GrowthEstimate& growth() const { return *growth_; }
  [[nodiscard]] double time() const { return drive_.time(); }
  /// The columns of the solution at time(), and all values, which it returns.
  std::vector<double> values(std::span<double> columns) const;
  /// The value of any variable there; throws OptionError.
  [[nodiscard]] double value(std::string_view name) const;

 private:
  void stop_where_stuck();
  [[nodiscard]] bool is_slow();
  [[nodiscard]] JumpPlace jump_place() const;
  [[nodiscard]] bool has_successor_when_stiff() const {
    return run_.candidate.when_stiff || run_.candidate.is_for_speed;
  }
  [[nodiscard]] integration::DriverOptions driver_options();
  void follow_errors();
  void conclude(const integration::DriveOutcome& outcome);
  void read_end(const integration::DriveOutcome& outcome, SegmentEnd& end) const;

  PreparedRun run_;
  const RunContext& context_;
  Solution& solution_;
  std::optional<ResidualCheck> check_;
  std::optional<GrowthEstimate> growth_;
  double singular_time_ = 0.0;
  std::shared_ptr<const OutputMap> map_;
  Recorder recorder_;
  std::optional<StepWatch> watch_;
  std::unique_ptr<integration::Stepper> stepper_;
  std::optional<CarriedError> carried_;
  std::int64_t n_advances_ = 0;
  double time_of_look_ = 0.0;
  bool gives_up_sharpness_ = false;
  bool gives_up_scales_ = false;  ///< of small variables, for which there are too many steps
  std::vector<Band> near_at_look_;
  bool is_crawling_ = false;
  integration::Drive drive_;
};

}  // namespace daedal::solve_detail
