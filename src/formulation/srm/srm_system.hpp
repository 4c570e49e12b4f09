// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The iterates of a sequential regularisation as one stacked system (x₁, ..., x_S), block
/// triangular: `srm`, and with one iteration from zero `penalty`.

#include <daedal/system.hpp>
#include <memory>
#include <string>
#include <vector>

#include "formulation/frame/model_system.hpp"
#include "formulation/srm/srm_context.hpp"

namespace daedal::formulation {

class SrmOde final : public ModelSystem<ExplicitSystem, SrmRun> {
 public:
  explicit SrmOde(std::shared_ptr<const SrmContext> context);

  [[nodiscard]] std::int64_t size() const override {
    return context_->n_states() * context_->settings().iterations;
  }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] bool has_jacobian() const override { return true; }
  Evaluation jacobian(double t, std::span<const double> x, Run& run,
                      std::span<double> f_x) const override;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(SrmRun& run) const override { context_->prepare(run); }

  std::shared_ptr<const SrmContext> context_;
  std::vector<double> nominals_;
};

/// The extra outputs are By: what the constraints take from each derivative. It stays bounded where
/// y does not.
Formulation make_srm(const Request& request, ConstrainedView view, const SrmSettings& settings);

/// "By(x)" for every derivative that the multipliers act on.
std::vector<std::string> multiplier_term_names(const ConstrainedView& view);
/// Picks those entries of M⁻¹By.
void copy_multiplier_terms(const ConstrainedView& view, std::span<const double> by,
                           std::span<double> values);

Formulation make_park_chiou(const ParkChiou& method, const Request& request);

}  // namespace daedal::formulation
