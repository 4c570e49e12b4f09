// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `direct`: the equations as they are written, index at most 1. A model of higher index is
/// recognised at the start and refused by name.

#include <memory>

#include "formulation/frame/registry.hpp"
#include "formulation/frame/written_equations.hpp"
#include "formulation/frame/written_equations_at.hpp"

namespace daedal::formulation {

/// Consistent initial values of a general view, for every formulation that can use them.
class GeneralStart {
 public:
  /// `starts` count as fixed. Throws ModelError{unknown_name} for a variable that does not exist.
  GeneralStart(const DirectSystem& system, const Overrides& starts);

  /// Fills x, x', modes and discrete values. With `check_index`, an index above 1 and a singular
  /// pencil are refused.
  [[nodiscard]] Start find(double t0, ModelRun& run, bool check_index) const;

 private:
  struct Wishes {
    std::vector<analysis::InitialUnknown> unknowns;
    std::vector<bool> is_given;  ///< per variable: a start value was given
  };
  [[nodiscard]] Wishes wishes(ModelRun& run, const SystemConstraints& constraints) const;
  void refuse_index(double t0, ModelRun& run, Start& start) const;

  const DirectSystem& system_;
  std::vector<std::optional<double>> overrides_;
  kernel::Program start_values_;
  InitialPart initial_;
};

class DirectFormulation final : public Formulation {
 public:
  explicit DirectFormulation(const Request& request);

  [[nodiscard]] const ImplicitSystem* implicit_system() const override { return &system_; }
  Start start(double t0, Run& run) const override;
  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }
  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override;
  [[nodiscard]] std::string describe_event(std::span<const std::int64_t> fired,
                                           const Change& change, const Run& run) const override;
  [[nodiscard]] int n_levels() const override;
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override;

 private:
  DirectSystem system_;
  GeneralStart start_;
  std::vector<std::string> names_;
};

/// Names of the continuous variables of a given model, then of its discrete ones.
std::vector<std::string> output_names_of(const Model& model, Index n_continuous);

MethodInfo direct_method();

}  // namespace daedal::formulation
