// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The implicit forms of constrained mechanics. All have the unknowns x = (q, v, λ), some further
/// multipliers μ, η that vanish on the exact solution, and the rows
///
///     kinematic   q' = v − Gᵀμ − Γᵀη,          Γ = ∂(Gv + g_t)/∂q
///     dynamic     M v' = f − Gᵀλ − Gᵀη
///
/// and then constraints on the levels that the form asks for, in the square block or, for
/// overdetermined forms, below it. λ, μ and η stay out of the error and Newton tests.

#include <daedal/system.hpp>
#include <memory>
#include <vector>

#include "formulation/constrained/row_system.hpp"
#include "formulation/mechanics/mechanics.hpp"

namespace daedal::formulation {

/// A constraint row: which level of g it demands.
enum class ConstraintRow {
  position,      ///< g = 0
  velocity,      ///< Gv + g_t = 0
  acceleration,  ///< Gv' + z + damping = 0
  multiplier,    ///< G M⁻¹ (f − Gᵀλ) + z = 0, free of v': Fuehrer, Leimkuhler (6)
};

struct MechanicalForm {
  std::vector<ConstraintRow> square{};          ///< one per set of multipliers
  std::vector<ConstraintRow> overdetermined{};  ///< below the square block
  bool has_mu = false;
  bool has_eta = false;
  int velocity_index = 1;    ///< of v, for index-aware norms
  int multiplier_index = 1;  ///< of λ
  Mechanics::Damping damping{};

  [[nodiscard]] bool needs_inverse_mass() const {
    return !square.empty() && square.front() == ConstraintRow::multiplier;
  }
};
/// Whether M⁻¹ can be written in closed form, with pivots from the diagonal.
bool has_inverse_mass(const ConstrainedView& view);

class MechanicalDae final : public RowSystem<MechanicalRun> {
 public:
  MechanicalDae(std::shared_ptr<const Mechanics> context, const MechanicalForm& form);

  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  /// Copies λ of the last solve behind q and v; μ and η are zero, and so are their derivatives.
  void set_multipliers(const MechanicalRun& run, std::span<double> x, std::span<double> xp) const;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(MechanicalRun& run) const override;

  std::shared_ptr<const Mechanics> context_;
  bool drifts_ = false;  ///< nothing holds the constraints of position
};

Formulation make_mechanical_dae(const Request& request,
                                const std::shared_ptr<const Mechanics>& context,
                                const MechanicalForm& form);

}  // namespace daedal::formulation
