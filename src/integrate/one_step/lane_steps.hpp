// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The stages of an explicit Runge-Kutta method for eight runs at once, each with its own time and
/// step. Every run has a controller of its own (one_step_stepper.hpp), whose scheme is a
/// LaneScheme:
///
///     for every lane:  lanes.set(lane, {t, h, x, x'});
///     lanes.attempt();
///     for every lane:  stepper.try_step(limit);
///
/// What an attempt of the scheme comes to has the bits of ExplicitRungeKutta. Where a lane meets
/// something that only the latter can deal with, has_failed() tells so, and the run must be made by
/// it from the start.

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "integrate/one_step/explicit_rk.hpp"
#include "system/lane_source.hpp"

namespace daedal::integration {

class LaneSteps {
 public:
  /// Both outlive it.
  LaneSteps(const ExplicitSystem& system, LaneSystem& lanes, const Tableau& tableau);

  /// A run enters the lane.
  void take(std::size_t lane, Run& run);
  void accept(std::size_t lane) { lanes_.accept(lane, *runs_[lane]); }
  /// The next attempt of a lane; all others keep what they had.
  struct Step {
    double t = 0.0;
    double h = 0.0;
    std::span<const double> x, xp;
  };
  void set(std::size_t lane, const Step& step);
  void attempt();

  /// The end of an accepted step that is to be moved onto the manifold.
  struct End {
    double t = 0.0;
    std::span<const double> x, weights;
  };
  void set_end(std::size_t lane, const End& end);
  /// All that were set since the last call.
  void project();
  /// x and x' of one of them; false where it has not come to an end.
  bool read_end(std::size_t lane, std::span<double> x, std::span<double> xp) const;

 private:
  friend class LaneScheme;
  using PerLane = std::array<double, lane_count>;
  /// What some lanes ask for after an attempt is computed once, for all of them.
  struct Part {
    bool is_known = false;
    LaneSet good = 0;      ///< lanes where all evaluations had a value
    PerLane conditioning;  ///< the least of them
    void begin() {
      is_known = true;
      good = all_lanes;
      conditioning.fill(infinity);
    }
  };
  [[nodiscard]] double* slope(int stage) { return slopes_.data() + to_size(stage) * stride_; }
  void form_stage(int i, std::vector<double>& out);
  void evaluate_stage(int i, const std::vector<double>& x, Part& part);
  void sum_errors();
  /// The slope at the end of the step.
  const Part& end();
  /// The stages and the polynomials of the dense output.
  const Part& dense();
  void sum(std::span<const Coefficient> row, std::vector<double>& out);
  void apply(const double* start, const double* h, bool in_pairs, double* out);

  LaneSystem& lanes_;
  const Tableau& tableau_;
  ExplicitRungeKutta single_;  ///< for what is done once in a run
  std::size_t n_, stride_;     ///< unknowns, and numbers of all lanes
  std::vector<std::span<const Coefficient>> rows_;
  std::array<std::vector<Coefficient>, 2> error_rows_;
  std::vector<Coefficient> stiff_row_;
  bool error_needs_end_ = false;
  PerLane t_{}, h_{};
  std::vector<double> x_, slopes_, stage_, x_new_, polynomials_;
  std::array<Run*, lane_count> runs_{};
  PerLane end_t_{};
  std::vector<double> end_x_, end_xp_, end_weights_;
  LaneSet ends_ = 0, end_good_ = 0;  ///< set, and of the last call those that have come to an end
  std::array<std::vector<double>, 2> errors_, stiff_;  ///< see error_norm() and stiffness()
  std::vector<LaneTerm> terms_;
  Part stages_, end_, dense_;
};

/// One lane of an attempt, for the controller of its run.
class LaneScheme final : public OneStepScheme {
 public:
  LaneScheme(const ExplicitSystem& system, LaneSteps& steps, std::size_t lane);

  [[nodiscard]] bool has_failed() const { return has_failed_; }

  [[nodiscard]] int order() const override { return steps_.tableau_.order; }
  [[nodiscard]] bool has_error_estimate() const override { return true; }
  [[nodiscard]] StepControl control() const override { return steps_.tableau_.control; }
  double initial_step(const StepTask& task, Run& run) override {
    return steps_.single_.initial_step(task, run);
  }
  Attempt attempt(const StepTask& task, Run& run) override;
  [[nodiscard]] std::span<const double> x_new() const override { return x_new_; }
  [[nodiscard]] std::span<const double> xp_new() const override { return xp_new_; }
  void accept(Run& run) override;
  void complete_dense(Run& run) override;
  [[nodiscard]] DensePolynomial& dense() override { return dense_; }
  [[nodiscard]] const DensePolynomial& dense() const override { return dense_; }
  bool local_error(std::span<double> error) override;
  [[nodiscard]] double sharpest(double rtol) const override {
    return steps_.single_.sharpest(rtol);
  }
  [[nodiscard]] double defect_inside(std::span<const double> weights, Run& run) override;
  [[nodiscard]] double stiffness(std::span<const double> weights) override;
  void reset() override {}
  void count(Statistics&) const override {}

 private:
  [[nodiscard]] bool take(const LaneSteps::Part& part, Run& run);
  [[nodiscard]] double norm(const std::vector<double>& values,
                            std::span<const double> weights) const;
  [[nodiscard]] double error_norm(std::span<const double> weights);

  const ExplicitSystem& system_;
  LaneSteps& steps_;
  std::size_t lane_;
  std::vector<double> x_new_, xp_new_, inside_, slope_inside_;
  DensePolynomial dense_;
  double h_ = 0.0;
  double stretch_ = 1.0;
  bool is_complete_ = false;  ///< dense_ is that of the last attempt
  bool has_failed_ = false;
};

}  // namespace daedal::integration
