// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The variables of a model and their derivatives along an accepted step, from the dense output of
/// the stepper.

#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "formulation/frame/formulation.hpp"
#include "integrate/stepper.hpp"

namespace daedal::solve_detail {

/// The last step of a stepper.
struct AcceptedStep {
  const integration::Stepper& stepper;
  const formulation::Formulation& formulation;
  Run& run;
};

class ModelCurve {
 public:
  /// `is_differential`: by variable of the model, whether its derivative is needed. Must outlive
  /// this object.
  explicit ModelCurve(const std::vector<bool>& is_differential)
      : is_differential_(is_differential) {}

  /// Reads the values at t, and into `xp`, if it is given, the derivatives that the method has.
  /// Returns whether all values are finite.
  bool read(double t, const AcceptedStep& step, std::span<double> x, std::span<double> xp = {});
  /// Reads the values at the end of the step.
  void read_end(const AcceptedStep& step, std::span<double> x);
  /// Computes the derivatives at t, the middle of a step of length h, at which `x` was read last:
  /// those of unknowns of the system from the polynomial of the stepper, others by differences.
  /// Returns whether they are finite.
  bool differentiate(double t, double h, const AcceptedStep& step, std::span<const double> x,
                     std::span<double> xp);

 private:
  /// A differential variable that is a copy of an unknown of the system.
  struct Copy {
    std::size_t variable;
    std::size_t unknown;
  };
  enum class Copies { not_sought, found, none };

  void find_copies(double t, const AcceptedStep& step);
  bool read_derivatives(double t, const AcceptedStep& step, std::span<const double> x,
                        std::span<double> xp);
  bool take_differences(double t, double h, const AcceptedStep& step, std::span<double> xp);

  const std::vector<bool>& is_differential_;
  std::vector<double> state_;    ///< x and x' of the system where the values were read last
  std::vector<double> outputs_;  ///< values of the model's variables and those that the method adds
  std::vector<double> sample_;
  std::vector<Copy> copies_;
  Copies has_copies_ = Copies::not_sought;
};

}  // namespace daedal::solve_detail
