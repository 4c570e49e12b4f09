// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A form of a boundary value problem with its equations compiled, and the way back from its
/// unknowns to the model's variables.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bvp/forms/boundary_model.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/written_equations.hpp"

namespace daedal::solve_detail {

class BoundarySystem {
 public:
  BoundarySystem(BoundaryForm form, std::vector<double> parameters);

  [[nodiscard]] const formulation::WrittenEquations& equations() const { return *equations_; }
  [[nodiscard]] const BoundaryForm& form() const { return form_; }
  /// Constraint levels.
  [[nodiscard]] int n_levels() const { return n_levels_; }
  /// Whether F, its constraints differentiated once, determines x' and the algebraic unknowns at a
  /// point: index 1 without constraints, 2 with them.
  [[nodiscard]] bool is_regular(double t, std::span<const double> x, std::span<const double> xp,
                                Run& run) const;
  /// With the first variables of the model that the form was made from as outputs. There is no
  /// start to find: both ends are.
  [[nodiscard]] formulation::Formulation make_formulation(std::vector<std::string> names) const;

 private:
  BoundaryForm form_;
  std::shared_ptr<const formulation::WrittenEquations> equations_;
  int n_levels_ = 0;
};

}  // namespace daedal::solve_detail
