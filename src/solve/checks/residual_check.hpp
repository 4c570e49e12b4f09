// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The independent check of a run: do its results satisfy the equations of the model?
///
/// Inside accepted steps, at a bounded number of them spread over the run and at all that follow a
/// bad one, the model's variables are taken from the dense output and their derivatives from it
/// too: those of unknowns of the system from its polynomial, others by differences. Both are put
/// into the equations as written, F(t, x, x') = 0. Nothing of the method under check takes part.
/// Two measures of a residual r_i:
///
///     in tolerances   |r_i| / Σ_j (|F_x| w_j + |F_x'| w_j/h),   w = rtol·|x| + atol, h the step
///     relative        |r_i| / Σ_j (|F_x x_j| + |F_x' x'_j| + |r_i|), the size of its terms
///
/// The first should be of the order 1; drift and order reduction make it larger. The second is
/// small for any approximation, and of the order 1 for something that is no solution at all.
///
/// A kink inside a step spoils the dense output, not the ends of the step: there the algebraic
/// equations, which need no derivative, hold or the run is wrong. They are looked at in the first
/// steps and wherever steps become short.
///
/// At a fold an algebraic variable may jump to another branch, where all equations hold again. A
/// change over a short step that is still there however closely the step is looked at is a jump.
/// Where two branches meet, one goes over into the other without one, and only a determinant tells:
/// by a zero inside a step (branch_watch.hpp), or by its sign in steps far apart.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "formulation/frame/written_equations.hpp"
#include "integrate/noise.hpp"
#include "integrate/stepper.hpp"
#include "solve/checks/branch_watch.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

class ResidualCheck {
 public:
  struct Tolerances {
    double rtol = 1e-6;
    double atol = 1e-8;
    bool follows_scales = false;  ///< of small variables (integrate/weights.hpp)
  };
  /// `system` holds the equations as they are written, `blocks` outlive the check.
  ResidualCheck(std::shared_ptr<const formulation::WrittenEquations> system,
                std::span<const NonlinearBlock> blocks, const Tolerances& tolerances);

  /// Looks at this step or leaves it out; never fails.
  void look(const integration::StepReport& report, const integration::Stepper& stepper,
            const formulation::Formulation& formulation, Run& run);

  /// After an event: values may have jumped.
  void forget() { branches_.forget(); }

  /// After the last step.
  void finish(const integration::Stepper& stepper, const formulation::Formulation& formulation,
              Run& run);

  /// What was found, when something was: a full sentence.
  struct Verdict {
    bool is_no_solution = false;  ///< the equations do not hold at all
    std::string message;          ///< empty when all is well
  };
  [[nodiscard]] Verdict verdict() const;
  /// A full sentence about solutions that met, or a variable that jumped without an event; empty
  /// when none did.
  [[nodiscard]] const std::string& jump() const {
    return branches_.sentence().empty() ? jump_ : branches_.sentence();
  }
  /// A full sentence about states that stayed below their absolute tolerance, of which therefore
  /// nothing was asked; empty when there are none.
  [[nodiscard]] std::string unseen_states() const;

 private:
  struct Worst {
    double in_tolerances = 0.0;
    double relative = 0.0;
    double t = 0.0;
    Index row = -1;
  };
  /// Values of the model's variables at t from the dense output.
  bool values_at(double t, const integration::Stepper& stepper,
                 const formulation::Formulation& formulation, Run& run, std::span<double> out);
  void look_inside(const integration::StepReport& report, const integration::Stepper& stepper,
                   const formulation::Formulation& formulation, Run& run);
  void look_at_end(const integration::StepReport& report, const integration::Stepper& stepper,
                   const formulation::Formulation& formulation, Run& run);
  void look_for_jumps(const integration::StepReport& report, const integration::Stepper& stepper,
                      const formulation::Formulation& formulation, Run& run);
  void look_for_branches(double t);
  /// x' at t, the middle of a step h, where x_ was taken from state_.
  bool differentiate(double t, double h, const integration::Stepper& stepper,
                     const formulation::Formulation& formulation, Run& run);
  bool read_derivatives(double t, const integration::Stepper& stepper);
  bool take_differences(double t, double h, const integration::Stepper& stepper,
                        const formulation::Formulation& formulation, Run& run);
  /// Finds the variables that are copies of unknowns of the system.
  void find_sources(double t, const formulation::Formulation& formulation, Run& run);
  void take_over(Run& run);
  void note_peaks();
  [[nodiscard]] bool has_gross_residual() const;
  /// What the tolerances allow an unknown of this magnitude.
  [[nodiscard]] double tolerance(std::size_t unknown, double magnitude) const;
  enum class Rows { all, algebraic };
  [[nodiscard]] Worst measure(double t, double h, Rows rows);
  [[nodiscard]] bool is_clearly_within(double t, double h);
  [[nodiscard]] bool differentiate_equations(double t);
  void allow_noise(double t, double h);

  /// The weight of bad steps, estimated: of a row of them that began between two looks, half of
  /// the steps between belong to it.
  class BadSteps {
   public:
    /// A look, how many steps after the last one, and the weight of a step.
    void add(bool is_bad, std::int64_t n_since, double weight);
    [[nodiscard]] double weight() const { return weight_; }

   private:
    double weight_ = 0.0;
    double unseen_ = 0.0;
    bool last_ = false;
  };

  std::shared_ptr<const formulation::WrittenEquations> system_;
  std::unique_ptr<formulation::ModelRun> own_run_;
  Tolerances tolerances_;
  bool is_possible_ = true;
  std::int64_t n_steps_ = 0;
  std::int64_t last_ = 0;  ///< step that was looked into
  std::int64_t next_ = 1;
  std::int64_t stride_ = 8;
  std::int64_t n_checks_ = 0;
  std::int64_t n_followed_ = 0;  ///< looks that followed bad ones
  double weight_ = 1.0;          ///< of a step
  double sum_of_weights_ = 0.0;
  BadSteps inexact_;  ///< far outside the tolerances
  BadSteps wrong_;    ///< equations that do not hold at all
  double sum_of_steps_ = 0.0;
  double middle_ = 0.0;  ///< of the last step, and its length
  double last_length_ = 0.0;
  Worst worst_;
  BranchWatch branches_;
  std::string jump_;
  struct Orientation {
    double t = 0.0;
    int sign = 0;
    Matrix matrix = {};
  };
  std::optional<Orientation> orientation_;  ///< at the last look between the same events
  std::vector<double> modes_, discretes_;   ///< then
  bool has_branches_ = false;
  Worst worst_end_;     ///< of the algebraic equations at the ends of steps, when one does not hold
  double least_ = 0.0;  ///< a value that is more than rounding errors
  std::vector<double> peak_;  ///< the greatest absolute values seen
  enum class Sources { not_sought, found, none };
  Sources sources_ = Sources::not_sought;
  /// Of each differential variable.
  struct Source {
    std::size_t variable;
    std::size_t unknown;
  };
  std::vector<Source> source_;
  std::vector<double> state_, x_, xp_, sample_, f_x_, f_xp_, residual_, outputs_, allowed_, terms_,
      moved_rates_, moved_residual_;
  integration::Noise noise_;
};

}  // namespace daedal::solve_detail
