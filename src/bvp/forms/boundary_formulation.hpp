// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The way back from the unknowns of a boundary value problem to the model's variables.

#include <daedal/system.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bvp/forms/boundary_model.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/written_equations.hpp"

namespace daedal::solve_detail {

class BoundaryFormulation final : public formulation::Formulation {
 public:
  /// `n_given`: variables of the model that the form was made from.
  BoundaryFormulation(BoundaryForm form, std::vector<double> parameters,
                      std::vector<std::string> names);

  [[nodiscard]] const formulation::DirectSystem& direct() const { return system_; }
  [[nodiscard]] const BoundaryForm& form() const { return form_; }
  [[nodiscard]] const ImplicitSystem* implicit_system() const override { return &system_; }
  /// There is no start to find: both ends are.
  formulation::Start start(double t0, Run& run) const override;
  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }
  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override;
  [[nodiscard]] int n_levels() const override { return n_levels_; }
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             int level, Run& run) const override;

  /// Whether F, its constraints differentiated once, determines x' and the algebraic unknowns at a
  /// point: index 1 without constraints, 2 with them.
  [[nodiscard]] bool is_regular(double t, std::span<const double> x, std::span<const double> xp,
                                Run& run) const;

 private:
  BoundaryForm form_;
  formulation::DirectSystem system_;
  std::vector<std::string> names_;
  int n_levels_ = 0;
  kernel::Program outputs_;
};

}  // namespace daedal::solve_detail
