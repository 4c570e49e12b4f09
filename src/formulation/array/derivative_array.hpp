// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The methods on derivative arrays: `derivative-array` and `least-squares-completion`.

#include <memory>
#include <string>
#include <vector>

#include "formulation/array/system.hpp"
#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

class ArrayFormulation final : public Formulation {
 public:
  ArrayFormulation(const Request& request, const ArraySettings& settings);

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }
  Start start(double t0, Run& run) const override;
  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }
  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override;
  [[nodiscard]] std::string describe_event(std::span<const std::int64_t> fired,
                                           const Change& change, const Run& run) const override;
  [[nodiscard]] int n_levels() const override { return 1; }
  [[nodiscard]] int n_levels_of(const Run& run) const override;
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override;

 private:
  ArraySystem system_;
  std::vector<std::string> names_;
};

/// The parameters that both methods have: max_index, epsilon.
ArraySettings read_array_settings(const Request& request, ArrayForm form);

struct StateView {
  std::span<const double> x;
  std::span<const double> xp;
};
/// Outputs of a formulation whose unknowns are those of the general view.
void copy_to_model(const GeneralView& view, const StateView& state, const Run& run,
                   std::span<double> values, std::span<double> derivatives);

MethodInfo derivative_array_method();
MethodInfo derivative_array_implicit_method();
MethodInfo least_squares_completion_method();

}  // namespace daedal::formulation
