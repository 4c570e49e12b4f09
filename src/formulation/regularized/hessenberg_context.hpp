// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The numbers of a Hessenberg view of order m,
///
///     M x⁽ᵐ⁾ = f − B y,   0 = g(x, t),   G = ∂g/∂x,
///
/// with y = u: its program, and its regularised solve for y and x⁽ᵐ⁾.

#include <cmath>
#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/constrained/constrained_context.hpp"
#include "formulation/constrained/damping_rate.hpp"
#include "formulation/regularized/regularized_solver.hpp"

namespace daedal::formulation {

/// The weights of g, ġ, ..., g⁽ᵐ⁻¹⁾ for the rate γ. The paper's polynomial Σ (hs)ʲ/j!, γ = 1/h, has
/// roots in the right half-plane from m = 5 on: it serves m ≤ 2, and m ≤ 4 on request; otherwise
/// (s + γ)ᵐ.
std::vector<double> constraint_weights(int order, double gamma, bool is_paper);

/// What is put in the place of 0 = g: Σ weights[j] g⁽ʲ⁾ + g⁽ᵐ⁾ = 0, and the rule for y.
struct HessenbergSettings {
  double gamma = 1.0;              ///< the rate of the polynomial, see constraint_weights()
  bool is_rate_automatic = false;  ///< γ follows the steps, see step_rate.hpp
  /// G x⁽ʲ⁾ in place of g⁽ʲ⁾ for j ≥ 2: first derivatives of g alone (Petzold et al. (4.13)).
  bool is_paper = false;
  bool watches = false;  ///< for singularities of GB on the way
  /// The amount of the rule; NaN for damp: √ε is a tenth of rtol × scale of GB, and constraints and
  /// y are counted in units in which their sizes compare.
  Regularization rule;
  double rtol = 1e-6;
  int lowest_level = 0;  ///< levels below it are not held: 1 keeps ġ in place of g, and so on

  /// Weights of g, ġ, ..., g⁽ᵐ⁻¹⁾ for a rate.
  [[nodiscard]] std::vector<double> weights(int order, double rate) const;
};

class HessenbergMonitor;

class HessenbergRun : public ConstrainedRun {
 public:
  using ConstrainedRun::ConstrainedRun;
  Evaluator dynamics;                 ///< M, f, B, G, remainder, levels
  std::vector<RegularSolver> solver;  ///< one
  StepRate rate;
  std::vector<double> right;                   ///< Gx⁽ᵐ⁾ as the last solve wished it
  std::vector<double> weights;                 ///< of g, ġ, ..., g⁽ᵐ⁻¹⁾
  std::shared_ptr<HessenbergMonitor> monitor;  ///< where singularities are watched for
  double scale = 0.0;                          ///< of GB in the last solve
  double usual_scale = 0.0;                    ///< the greatest at accepted steps
  double sign = 1.0;  ///< of y in a shifted system: −1 where GB is negative semidefinite
};

/// One instant's values on the entries of the view; they live until the next evaluation.
struct HessenbergTerms {
  std::span<const double> mass, force, coefficient, jacobian;
  std::span<const double> remainder;  ///< of g⁽ᵐ⁾
  std::span<const double> levels;     ///< g, ġ, ..., g⁽ᵐ⁻¹⁾
};

class HessenbergContext final : public ConstrainedContext {
 public:
  /// Events and outputs are solved by the settings.
  HessenbergContext(const Request& request, ConstrainedView view, HessenbergSettings settings);

  void prepare(HessenbergRun& run) const;
  [[nodiscard]] const HessenbergSettings& settings() const { return settings_; }

  /// The parts of `out`, values of the program dynamics() or Taylor coefficients of one order.
  [[nodiscard]] HessenbergTerms split(std::span<const double> out) const;
  [[nodiscard]] HessenbergTerms terms(double t, std::span<const double> x,
                                      HessenbergRun& run) const;
  [[nodiscard]] const kernel::Program& dynamics() const { return dynamics_; }

  Evaluation solve(double t, std::span<const double> x, ConstrainedRun& run) const override;
  /// With refined multipliers, without damping.
  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  /// At the start and after an accepted step: the scale of GB, and an automatic rate.
  void accept(double t, HessenbergRun& run) const;
  /// At the start, into run.memory, where dense output finds them: the rank of GB, its smallest
  /// singular value and, for an automatic amount, factors that make the rows of G as long as each
  /// other in nominal values.
  void note_start(double t, std::span<const double> x, HessenbergRun& run) const;
  /// A = G M⁻¹B at an instant into run.solver, with G; false when not finite.
  bool product(double t, std::span<const double> x, HessenbergRun& run) const;

  /// What reinit gave is left as it is: the damped constraint draws the state back.
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

 private:
  /// Whether GB is as far from losing rank that derivatives of the constraints determine y.
  [[nodiscard]] bool is_regular(double t, std::span<const double> x, HessenbergRun& run) const;
  void fill(std::span<const double> out, HessenbergRun& run) const;
  void fill_right(std::span<const double> out, std::span<const double> x, HessenbergRun& run) const;
  [[nodiscard]] bool is_automatic() const { return std::isnan(settings_.rule.amount); }
  /// The factors of rows; ones before they are noted.
  [[nodiscard]] Eigen::Map<const Vector> row_scales(const HessenbergRun& run) const;
  /// y in the model's units.
  void give_units(std::span<double> y, const HessenbergRun& run) const;

  HessenbergSettings settings_;
  kernel::Program dynamics_;
  Vector units_;  ///< of y, where the amount is automatic
  Vector ones_;
};

}  // namespace daedal::formulation
