// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Adams-Bashforth-Moulton of order 5 with a constant step in the form PECE (the setting of
/// Campbell and Moore): predict by AB5, evaluate, correct by AM5 of four steps, evaluate. It starts
/// with steps of DOP853, or with given values, and keeps its history when the equations change.

#include "integrate/multistep/fixed_multistep.hpp"

namespace daedal::integration {

class AdamsPece final : public FixedMultistep {
 public:
  AdamsPece(const ExplicitSystem& system, const StepOptions& options);
  void count(Statistics& statistics) const override;

 private:
  StepReport step_by_formula(double t, double h, Run& run) override;
  void renew_slope(double t, Run& run) override;
  void forget_matrices() override {}
  Evaluation evaluate(double t, Run& run);
  StepReport failed(Evaluation evaluation, double t, const Run& run) const;
  void set_dense(double t, double h);

  const ExplicitSystem& explicit_;
  Matrix dense_weights_;  ///< ∫ℓ_i of the nodes 1, 0, …, -3, by powers of θ from 1
  Vector predicted_slope_;
  Index evaluations_ = 0;
};

}  // namespace daedal::integration
