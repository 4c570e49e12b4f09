// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The independent check of a run: do its results satisfy the equations of the model?
///
/// Inside accepted steps, at a bounded number of them spread over the run and at all that follow a
/// bad one, the model's variables and their derivatives are taken from the dense output
/// (model_curve.hpp) and put into the equations as written. Nothing of the method under check takes
/// part. residual_measure.hpp says what is made of the residuals.
///
/// A kink inside a step spoils the dense output, but not the ends of the step. There the algebraic
/// equations, which need no derivative, must hold. They are looked at in the first steps, wherever
/// steps become short, and at the ends of steps that are looked into.
///
/// At a fold an algebraic variable may jump to another branch, where all equations hold again. A
/// change over a short step that is still there however closely the step is looked at is a jump.
/// Where two branches meet, one goes over into the other without a jump, and only a determinant
/// shows it: by a zero inside a step (branch_watch.hpp), or by its sign in steps far apart
/// (branch_signs.hpp).

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/written_equations.hpp"
#include "integrate/stepper.hpp"
#include "solve/checks/branch_signs.hpp"
#include "solve/checks/branch_watch.hpp"
#include "solve/checks/model_curve.hpp"
#include "solve/checks/residual_measure.hpp"

namespace daedal::solve_detail {

class ResidualCheck {
 public:
  using Tolerances = ResidualMeasure::Tolerances;
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
  [[nodiscard]] ResidualMeasure::Point point(double t, double h) const { return {t, h, x_, xp_}; }
  void look_inside(const integration::StepReport& report, const AcceptedStep& step);
  /// `may_refuse`: equations that do not hold at all are no solution.
  void look_at_end(const integration::StepReport& report, bool may_refuse,
                   const AcceptedStep& step);
  [[nodiscard]] bool may_jump(const formulation::Formulation& formulation) const;
  void look_for_jumps(const integration::StepReport& report, const AcceptedStep& step);
  void look_at_signs(double t, double h);

  /// Estimates the weight of all bad steps from those that were looked at. Where a row of bad steps
  /// begins between two looks, half of the steps between these are taken to belong to it.
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
  Tolerances tolerances_;
  bool is_possible_;
  ModelCurve curve_;
  ResidualMeasure measure_;
  BranchWatch branches_;
  BranchSigns signs_;
  std::string jump_;
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
  double middle_ = 0.0;       ///< of the last step
  double last_length_ = 0.0;  ///< of the last step
  ResidualMeasure::Size worst_;
  ResidualMeasure::Size worst_end_;  ///< of the algebraic equations, where one does not hold
  std::vector<double> x_, xp_;       ///< of the model where it was looked at last
};

}  // namespace daedal::solve_detail
