// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How well the dense output of a step satisfies the equations between the points that the scheme
/// has looked at, in tolerances: what the defect r(t) of the interpolant would move the state by,
///
///     x' = f(t, x)      ∫ |r| dt                           r = f(t, x) − x'
///     F(t, x, x') = 0   (F_x + F_x'/l)⁻¹ r, one implicit Euler step of length l with it: over the
///                       whole step with the mean of r, and over the part where r is largest

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <vector>

#include "integrate/stepper.hpp"
#include "integrate/weights.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::integration {

/// A part of a step.
struct Part {
  double begin = 0.0;
  double end = 0.0;
};

class Defect {
 public:
  Defect(const System& system, const WeightOptions& tolerances);

  /// Over parts of the last step of `stepper`, each looked at in its middle. Infinite where the
  /// equations have no value.
  double measure(std::span<const Part> parts, const Stepper& stepper, Run& run);

 private:
  /// The change that a step of this length would have missed, in tolerances: of an unknown that
  /// was small, in those that it has once it has changed.
  [[nodiscard]] double largest(std::span<const double> change, double length,
                               const Stepper& stepper);
  [[nodiscard]] bool look(double t, const Stepper& stepper, Run& run);
  /// The Jacobian at an instant of the step; false where there is none.
  [[nodiscard]] bool linearize(double t, const Stepper& stepper, Run& run);
  /// What a defect over so long a time comes to.
  [[nodiscard]] double response(double length, std::span<const double> defect,
                                const Stepper& stepper);

  const ExplicitSystem* explicit_;
  const ImplicitSystem* implicit_;
  ErrorWeights error_weights_;  ///< where the stepper has none that serve
  bool follows_scales_;
  std::unique_ptr<linalg::RealSolver> solver_;  ///< of square implicit systems, when first needed
  std::vector<double> x_, xp_, r_, sum_, worst_, ahead_, weights_, f_x_, f_xp_, matrix_,
      at_loudest_;
};

}  // namespace daedal::integration
