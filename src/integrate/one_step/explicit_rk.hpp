// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one loop of all explicit Runge-Kutta methods; a method is a tableau (explicit_tableau.hpp).
/// Cost of a step: `stages` right-hand sides (the first is the last of the step before), less the
/// last one where the error alone rejects it; one per extra stage of the dense output, if
/// it is read. No allocation.

#include <array>
#include <memory>
#include <vector>

#include "integrate/one_step/explicit_tableau.hpp"
#include "integrate/one_step/one_step.hpp"
#include "integrate/one_step/stage_products.hpp"

namespace daedal::integration {

/// Where dense output is looked at, away from the stages.
inline constexpr double look_inside_at = 0.45;
/// The error of a step from the norms of its rows; `stretch` is what those of the first are
/// multiplied by (ErrorEstimate::stretched).
double combined_error(const Tableau& tableau, double h, const std::array<double, 2>& rows,
                      double& stretch);

class ExplicitRungeKutta final : public OneStepScheme {
 public:
  ExplicitRungeKutta(const ExplicitSystem& system, const Tableau& tableau);

  [[nodiscard]] int order() const override { return tableau_.order; }
  [[nodiscard]] bool has_error_estimate() const override {
    return tableau_.estimate != ErrorEstimate::none;
  }
  [[nodiscard]] StepControl control() const override { return tableau_.control; }
  double initial_step(const StepTask& task, Run& run) override;
  Attempt attempt(const StepTask& task, Run& run) override;
  [[nodiscard]] std::span<const double> x_new() const override { return x_new_; }
  [[nodiscard]] std::span<const double> xp_new() const override;
  void accept(Run& run) override;
  void complete_dense(Run& run) override;
  [[nodiscard]] DensePolynomial& dense() override { return dense_; }
  [[nodiscard]] const DensePolynomial& dense() const override { return dense_; }
  bool local_error(std::span<double> error) override;
  [[nodiscard]] double sharpest(double) const override { return 1e-13; }
  [[nodiscard]] double defect_inside(std::span<const double> weights, Run& run) override;
  [[nodiscard]] double stiffness(std::span<const double> weights) override;
  void reset() override {}
  void count(Statistics& statistics) const override;
  /// c_j = h Σ_i k_i P_ij of the dense output, column j - 1.
  [[nodiscard]] const Matrix& dense_weights() const { return dense_weights_; }

 private:
  [[nodiscard]] std::span<double> slope(int stage);
  /// The state of stage i in stage_.
  void form_stage(int i);
  /// Evaluates slope i at stage_, whose dependent coordinates it completes.
  Evaluation evaluate_stage(int i, double t, Run& run);
  /// Evaluates stages first … last; the state of the last one stays in stage_.
  Evaluation evaluate_stages(int first, int last, Run& run);
  Evaluation evaluate_first(const StepTask& task, Run& run);
  void fill(DensePolynomial& dense, Run& run);
  [[nodiscard]] double error_norm(std::span<const double> weights);
  [[nodiscard]] double error_row(std::size_t row, std::span<const double> weights);

  const ExplicitSystem& system_;
  using Row = std::vector<StageTerm>;
  /// Σ weight·k of a row, times `scale`, in `out`.
  void sum_row(const Row& row, double scale, double* out) const;

  const Tableau& tableau_;
  std::vector<Row> stage_rows_;        ///< of tableau_.a
  std::array<Row, 2> error_rows_;      ///< of tableau_.error
  Row stiff_row_;                      ///< the end of the step less the stage before it
  std::vector<Row> hermite_, smooth_;  ///< weights of the dense output, by powers
  bool error_needs_end_ = false;       ///< the error estimate reads x' at the end of the step
  Matrix dense_weights_;               ///< see dense_weights()
  Matrix slopes_;                      ///< k_i, one column each
  Vector x_;
  Vector stage_;
  Vector error_;
  std::vector<double> x_new_;
  std::vector<double> slope_inside_;
  DensePolynomial dense_;
  DensePolynomial tried_;  ///< of an attempt that was looked into
  double t_ = 0.0;
  double h_ = 0.0;
  double stretch_ = 1.0;    ///< of the estimate, see ErrorEstimate::stretched
  bool has_tried_ = false;  ///< tried_ is that of the last attempt
  Index evaluations_ = 0;
};

}  // namespace daedal::integration
