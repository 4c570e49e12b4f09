// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One member of an ensemble in a lane. It goes the way of the driver (integrate/driver/driver.hpp)
/// and of a segment (solve/run/run_segment.hpp) as long as nothing happens on it but steps: the
/// same controller, the same projections, the same checks. Where anything else would be due it
/// leaves the lane, and the run is made by them from its start.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "integrate/one_step/lane_steps.hpp"
#include "integrate/one_step/one_step_stepper.hpp"
#include "solve/run/dense.hpp"
#include "solve/run/run_segment.hpp"

namespace daedal::solve_detail {

class LaneMember {
 public:
  struct Place {
    integration::LaneSteps& steps;
    std::size_t lane;
  };
  /// Whether runs like this one can go in lanes at all.
  [[nodiscard]] static bool fits(const PreparedRun& run, const RunContext& context);

  /// A run that fits and has started.
  LaneMember(PreparedRun run, std::unique_ptr<const RunContext> context,
             std::shared_ptr<const OutputMap> map, const Place& place, bool is_dense);
  LaneMember(const LaneMember&) = delete;
  LaneMember& operator=(const LaneMember&) = delete;

  enum class State {
    under_way,
    done,
    has_left,
    is_long,  ///< to be begun again by the candidate of sharper()
  };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] Candidate sharper() const;
  /// The context of a run that has ended; it can be taken once.
  [[nodiscard]] std::unique_ptr<const RunContext> take_context() { return std::move(context_); }
  /// The step that is to be tried next goes to its lane.
  void propose();
  /// When all lanes have tried theirs.
  void judge();
  /// When the ends of all steps are on their manifolds.
  void complete();

  /// At the end of a run that is done.
  [[nodiscard]] std::span<const double> values() const { return row_; }
  void values_at(double t, std::span<double> row) const;

 private:
  LaneMember(PreparedRun&& run, std::unique_ptr<const RunContext>&& context,
             std::shared_ptr<const OutputMap>&& map, const Place& place, bool is_dense,
             std::unique_ptr<integration::LaneScheme> scheme);
  void look_ahead();
  void conclude();
  void read_values();
  void leave() { state_ = State::has_left; }

  PreparedRun run_;
  std::unique_ptr<const RunContext> context_;
  std::shared_ptr<const OutputMap> map_;
  Place place_;
  const ExplicitSystem& system_;
  integration::DriverOptions options_;
  integration::ErrorWeights weights_;  ///< of projections
  integration::LaneScheme* scheme_;    ///< of the stepper
  integration::OneStepStepper stepper_;
  std::optional<ResidualCheck> check_;
  /// The growth of perturbations. From the first step on, one perturbation is followed instead of
  /// computing eigenvalues.
  std::optional<Tangent> growth_;
  std::optional<StepWatch> watch_;
  std::optional<CarriedError> carried_;
  std::shared_ptr<Solution::Dense> dense_;
  OutputMap::Workspace workspace_;
  std::vector<double> all_, row_;  ///< values of all names, and of the columns
  double t_;
  std::vector<double> x_, xp_, projection_weights_;
  std::optional<integration::StepReport> step_;  ///< accepted, and not yet completed
  std::int64_t n_steps_ = 0;
  double time_of_look_ = 0.0;
  double projected_steps_ = 0.0, step_room_ = 0.0;  ///< with is_long
  State state_ = State::under_way;
};

}  // namespace daedal::solve_detail
