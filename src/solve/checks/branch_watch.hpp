// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where two solutions of the algebraic equations meet: z² = (x − 1)² at x = 1. From there on both
/// z = x − 1 and z = −|x − 1| satisfy the equations, and which of them a run follows is chance.
///
/// The determinant of a block of equations vanishes there, whichever is followed, and its square is
/// smooth: steps are looked into for its minima. It vanishes as well where a solution is unique
/// (z|z| = x, z³ = x). So the other solution is looked for, along the direction that vanishes:
/// beside the instant it has to be there, and to come nearer towards it, down to the tolerance.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/structural_report.hpp"
#include "formulation/frame/written_equations.hpp"
#include "integrate/stepper.hpp"
#include "kernel/jacobian_program.hpp"
#include "linalg/dense/lu.hpp"
#include "solve/checks/model_curve.hpp"

namespace daedal::solve_detail {

/// Equations that are solved together and are not linear in what they are solved for, as often as
/// they are differentiated: f(x) = 0 of a model that contains x' counts as an equation for x.
struct NonlinearBlock {
  /// An unknown may have several names: that of a variable, and der() of another one.
  struct Unknown {
    std::vector<std::size_t> variables, derivatives;  ///< der() of variables
  };
  std::vector<Unknown> unknowns;
  kernel::JacobianProgram equations;  ///< with their values; a group for each name
  std::size_t n_groups = 0;
};

/// The nonlinear blocks of a model that are small; `report`: by its structure, if that is regular.
[[nodiscard]] std::vector<NonlinearBlock> nonlinear_blocks(
    const GeneralView& view, const std::optional<analysis::StructuralReport>& report);

class BranchWatch {
 public:
  struct Tolerances {
    double rtol = 1e-6;
    double atol = 0.0;  ///< 0: those of small variables follow their sizes
  };
  /// `blocks` are those of the equations in `system`; both outlive the watch.
  BranchWatch(std::shared_ptr<const formulation::WrittenEquations> system,
              std::span<const NonlinearBlock> blocks, const Tolerances& tolerances);

  /// After an accepted step.
  void look(const integration::StepReport& report, const AcceptedStep& step);
  /// After an event.
  void forget();
  /// A full sentence about the first instant at which two solutions met; empty when none did.
  [[nodiscard]] const std::string& sentence() const { return sentence_; }

 private:
  /// A block during a run.
  struct Work {
    const NonlinearBlock* block;
    kernel::JacobianWorkspace workspace;
    std::vector<std::vector<double>> groups;
    std::vector<std::span<double>> spans;
    Matrix matrix;
    Vector residual, size, row_size, correction, kept, before, beyond;
    linalg::DenseLu<double> factors{0};
    double usual = -infinity;                     ///< the greatest log |det| so far
    double begin = 0.0, middle = 0.0, end = 0.0;  ///< log |det| at a step
  };
  /// A part of a step.
  struct Part {
    double t0 = 0.0, t1 = 0.0;
  };
  /// An instant, and the way to a place beside it.
  struct Sides {
    double t = 0.0, way = 0.0;
  };

  /// Reads the variables at t.
  [[nodiscard]] bool read(double t, const AcceptedStep& step);
  /// The equations and their matrix at what was read.
  [[nodiscard]] bool evaluate(double t, Work& work);
  [[nodiscard]] static bool factor(Work& work);
  [[nodiscard]] double log_determinant(double t, Work& work);
  [[nodiscard]] double log_determinant_inside(double t, Work& work);
  [[nodiscard]] bool sample(double t, const AcceptedStep& step, double Work::* place);
  [[nodiscard]] double value(const Work& work, Index unknown) const;
  void move(Work& work, const Vector& by);
  void store(const Work& work, Vector& out) const;
  void restore(Work& work, const Vector& values);
  /// Newton's method from what was read; false if it does not converge.
  [[nodiscard]] bool solve(double t, Work& work);
  /// Where along the vanishing direction the other solution is expected, and that direction, in the
  /// sizes of the unknowns.
  struct Expected {
    double distance = 0.0;
    Vector direction = {};
  };
  [[nodiscard]] std::optional<Expected> expected(double t, Work& work);
  /// How far the other solution is at t; nothing where there is none.
  [[nodiscard]] std::optional<double> distance(double t, const AcceptedStep& step, Work& work);
  /// The other solution is there beside an instant, and the nearer to it the nearer.
  [[nodiscard]] bool comes_near(const Sides& at, const AcceptedStep& step, Work& work);
  void look_into(const Part& part, const AcceptedStep& step);
  void examine(const Part& part, const AcceptedStep& step, Work& work);
  /// Steps ahead in which no determinant can vanish.
  [[nodiscard]] double calm_steps() const;

  std::shared_ptr<const formulation::WrittenEquations> system_;
  Tolerances tolerances_;
  std::vector<Work> works_;
  std::unique_ptr<formulation::ModelRun> own_run_;
  ModelCurve curve_;
  std::vector<double> x_, xp_;
  double last_ = NAN;  ///< the time of the samples `end`; NaN: there are none
  double calm_until_ = NAN;
  std::string sentence_;
};

}  // namespace daedal::solve_detail
