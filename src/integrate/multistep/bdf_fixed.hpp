// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// BDF of order 1 to 6 with a constant step, for studies of formulations:
///
///     F(t_n, x_n, (1/h) Σ_{m=1..k} (1/m) ∇^m x_n) = 0.
///
/// It starts with steps of the five-stage Radau IIA method (order 9, dense output of order 5, so
/// that the start spoils neither). An overdetermined system, which Radau does not take, starts with
/// the orders 1, 2, … instead, unless its starting values are given. Newton iterates to round-off.

#include <vector>

#include "integrate/multistep/corrector.hpp"
#include "integrate/multistep/fixed_multistep.hpp"
#include "integrate/one_step/as_implicit.hpp"
#include "integrate/weights.hpp"

namespace daedal::integration {

struct BdfSettings {
  int order = 2;
  linalg::Corrector corrector = linalg::Corrector::state_space_form;  ///< of overdetermined systems
};

class FixedBdf final : public FixedMultistep {
 public:
  FixedBdf(const ImplicitSystem& system, const BdfSettings& settings, const StepOptions& options);
  /// For an explicit system; owns its adapter.
  FixedBdf(std::unique_ptr<AsImplicit> system, const BdfSettings& settings,
           const StepOptions& options);
  void count(Statistics& statistics) const override;

 private:
  /// The formula of one order.
  struct Row {
    std::vector<double> alpha;  ///< h x'_n = Σ_j alpha_j x_{n-j}
    Matrix dense;               ///< of the nodes 1, 0, -1, …, by powers of θ
  };
  StepReport step_by_formula(double t, double h, Run& run) override;
  void renew_slope(double, Run&) override {}
  void forget_matrices() override { corrector_.forget_matrix(); }
  StepReport correct(double t, double c, Run& run);
  void set_dense(const Row& row, double t, double h);

  std::unique_ptr<AsImplicit> adapter_;
  const ImplicitSystem& implicit_;
  std::vector<Row> rows_;
  Corrector corrector_;
  ErrorWeights loose_;
  ErrorWeights tight_;
  std::vector<double> weights_;
  std::vector<double> predicted_;
  std::vector<double> predicted_slope_;
  std::vector<double> correction_;
};

}  // namespace daedal::integration
