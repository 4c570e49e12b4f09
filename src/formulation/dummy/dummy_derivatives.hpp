// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `dummy-derivatives`: the structural road through any index (Mattsson, Söderlind; Poell, Hafner
/// 5.3). The Σ-method says how often each equation is to be differentiated; all constraints, hidden
/// ones too, hold exactly, and which variables are integrated is re-selected on the way. See
/// differentiated.hpp, dummy_selection.hpp and dummy_derivatives_context.hpp.

#include <memory>
#include <string>
#include <vector>

#include "formulation/dummy/start.hpp"
#include "formulation/dummy/system.hpp"
#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

class DummyDerivativesFormulation final : public Formulation {
 public:
  explicit DummyDerivativesFormulation(const Request& request);

  [[nodiscard]] const ImplicitSystem* implicit_system() const override {
    return ode_ ? nullptr : &system_;
  }
  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return ode_.get(); }
  [[nodiscard]] const DummyContext& context() const { return context_; }
  Start start(double t0, Run& run) const override;
  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }
  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override;
  [[nodiscard]] std::string describe_event(std::span<const std::int64_t> fired,
                                           const Change& change, const Run& run) const override;
  [[nodiscard]] int n_levels() const override { return n_levels_; }
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override;

 private:
  DummyContext context_;
  DummyDerivativesSystem system_;
  std::unique_ptr<DummyDerivativesOde> ode_;  ///< where the integrator is explicit
  DummyStart start_;
  int n_levels_ = 0;
  std::vector<std::string> names_;
};

MethodInfo dummy_derivatives_method();

}  // namespace daedal::formulation
