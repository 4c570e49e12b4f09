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

#include "formulation/mechanical_formulation.hpp"
#include "kernel/jacobian_program.hpp"

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
};

class MechanicalDae final : public ContextSystem<ImplicitSystem> {
 public:
  MechanicalDae(std::shared_ptr<const MechanicalContext> context, const MechanicalForm& form);

  [[nodiscard]] std::int64_t size() const override { return to_index(names_.size()); }
  [[nodiscard]] std::int64_t n_constraints() const override { return n_constraints_; }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override;
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return kinds_; }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return jacobian_.pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;
  [[nodiscard]] std::string row_name(std::int64_t row) const override {
    return row_names_[to_size(row)];
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return names_[to_size(column)];
  }

  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;

  /// Copies λ of the last solve behind q and v; μ and η are zero, and so are their derivatives.
  void set_multipliers(const MechanicalRun& run, std::span<double> x, std::span<double> xp) const;

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }
  void declare_unknowns(const MechanicalForm& form);
  void compile(const MechanicalForm& form);
  [[nodiscard]] std::vector<kernel::Input> inputs(Pool& pool) const;

  std::shared_ptr<const MechanicalContext> context_;
  std::int64_t n_constraints_ = 0;
  bool drifts_ = false;  ///< nothing holds the constraints of position
  std::vector<std::string> names_;
  std::vector<std::string> row_names_;
  std::vector<UnknownKind> kinds_;
  std::vector<double> nominals_;
  kernel::Program residual_;
  kernel::JacobianProgram jacobian_;
};

class MechanicalDaeFormulation final : public MechanicalFormulation {
 public:
  MechanicalDaeFormulation(const Request& request, const MechanicalForm& form)
      : MechanicalFormulation(request), system_(shared_context(), form) {}
  [[nodiscard]] const ImplicitSystem* implicit_system() const override { return &system_; }

 protected:
  void extend_start(double t0, MechanicalRun& run, Start& start) const override;

 private:
  MechanicalDae system_;
};

}  // namespace daedal::formulation
