// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Accelerations and projections of mechanics whose constraints may be redundant or singular
/// (regular_solver.hpp), as the part of a run that Mechanics asks instead of its saddle-point
/// solver.
///
/// With automatic parameters nothing is regularised while the constraints are independent: the
/// sparse saddle-point factors serve, and their pivots tell when two constraints approach
/// dependence or one of them vanishes. Only there the dense rule sets in, with ε far below what the
/// tolerance can see: along a singular position that is passed with velocity ω the constraint force
/// is missing where GB < √ε, that is for a time ε^¼/ω and by a share of ε^¼, an error of √ε; and an
/// error δ of the state is amplified to an error of δ. Balanced: √ε = rtol times the scale of GB.

#include <optional>
#include <span>
#include <vector>

#include "formulation/constrained/damping_rate.hpp"
#include "formulation/regularized/regularized_solver.hpp"
#include "formulation/singular/conditioning.hpp"
#include "linalg/saddle_point.hpp"

namespace daedal::formulation {

/// How a mechanical method meets redundant and singular constraints.
struct RegularSettings {
  std::optional<Regularization> given{};  ///< none: automatic
  double rtol = 1e-6;
  /// γ of Petzold et al. (4.11): M, f, Gᵀ become MᵀM + γI, Mᵀf, MᵀGᵀ. 0: M is regular.
  double mass_shift = 0.0;
  bool is_mass_constant = false;   ///< its factors serve again
  bool is_rate_automatic = false;  ///< the damping is given for γ = 1, see step_rate.hpp
};

class RegularConstraints {
 public:
  enum class Purpose { motion, projection };

  RegularConstraints(const SparsityPattern& mass, const SparsityPattern& jacobian,
                     const RegularSettings& settings);

  /// `sparse` is the saddle-point solver that serves while nothing is singular.
  RegularReport factor(std::span<const double> mass, std::span<const double> jacobian,
                       Purpose purpose, linalg::SaddlePointSolver& sparse);
  void solve(std::span<double> top, std::span<double> bottom,
             const linalg::SaddlePointSolver& sparse);
  /// At the start and after accepted steps: takes the scale of the constraints of the last
  /// factorisation, and the step, into account from now on.
  void accept(double t);
  /// γ of the evaluations to come; 1 where it is given.
  [[nodiscard]] double rate() const { return settings_.is_rate_automatic ? rate_.value() : 1.0; }
  /// From the factorisations since the last accepted step; 0 where the dense rule was used.
  [[nodiscard]] const ConstraintConditioning& conditioning() const { return conditioning_; }

 private:
  void fill(std::span<const double> mass, std::span<const double> jacobian);
  /// Also keeps the least conditioning.
  [[nodiscard]] bool is_independent(const linalg::SaddlePointReport& report);
  [[nodiscard]] Regularization rule(Purpose purpose) const;

  const SparsityPattern& mass_pattern_;
  const SparsityPattern& jacobian_pattern_;
  RegularSettings settings_;
  RegularSolver solver_;
  Matrix mass_;  ///< for the singular-mass form alone
  ConstraintConditioning conditioning_;
  double scale_ = 0.0;         ///< of GB, now
  double usual_scale_ = 0.0;   ///< the greatest at accepted steps
  double measured_row_ = 0.0;  ///< the greatest row of G when GB was last measured
  bool is_sparse_ = false;     ///< the last factorisation
  bool has_mass_ = false;      ///< the sparse solver has the masses
  StepRate rate_;
  mutable std::vector<double> force_;
};

}  // namespace daedal::formulation
