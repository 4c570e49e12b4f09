// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The iterates of a sequential regularisation as one stacked system (x₁, ..., x_S), block
/// triangular: `srm`, and with one iteration from zero `penalty`.

#include <daedal/system.hpp>
#include <memory>
#include <string>
#include <vector>

#include "formulation/srm/srm_context.hpp"

namespace daedal::formulation {

class SrmOde final : public ContextSystem<ExplicitSystem> {
 public:
  explicit SrmOde(std::shared_ptr<const SrmContext> context);

  [[nodiscard]] std::int64_t size() const override {
    return context_->n_states() * context_->settings().iterations;
  }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return context_->make_run(); }
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
  [[nodiscard]] const ModelContext& model() const override { return *context_; }

  std::shared_ptr<const SrmContext> context_;
  std::vector<double> nominals_;
};

class SrmFormulation final : public ContextFormulation {
 public:
  SrmFormulation(const Request& request, HessenbergView view, const SrmSettings& settings);

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }
  Start start(double t0, Run& run) const override;
  /// By: what the constraints take from each derivative. It stays bounded where y does not.
  [[nodiscard]] std::span<const std::string> extra_names() const override { return extra_names_; }
  [[nodiscard]] bool may_lack_values() const override { return true; }
  void extra_values(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                    std::span<double> values) const override;
  [[nodiscard]] int n_levels() const override { return context_->hessenberg().order(); }
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override;

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }

  std::shared_ptr<const SrmContext> context_;
  SrmOde system_;
  std::vector<std::string> extra_names_;
};

/// "By(x)" for every derivative that the multipliers act on.
std::vector<std::string> multiplier_term_names(const HessenbergView& view);
/// Picks those entries of M⁻¹By.
void copy_multiplier_terms(const HessenbergView& view, std::span<const double> by,
                           std::span<double> values);

MethodInfo srm_method();
MethodInfo penalty_method();
MethodInfo park_chiou_method();

}  // namespace daedal::formulation
