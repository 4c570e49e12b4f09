// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Solves the places of a differentiated system that are no states, step by step
/// (solution_plan.hpp), from wherever they stand. Nothing is allocated by an evaluation.

#include <daedal/system.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/dummy/solution_plan.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::formulation {

/// What one step of the solution needs during a run.
struct BlockWork {
  Evaluator values, full, signed_values;
  std::vector<double> matrix, correction, before, trial;
  std::vector<double> signs;                   ///< the signed values before the last correction
  std::unique_ptr<linalg::RealSolver> solver;  ///< none for a single unknown
  bool is_factored = false;                    ///< with the values in `matrix`
  bool is_undetermined = false;  ///< at the last solution: some unknown keeps its value
  bool is_reported = false;
  /// What failed last, and its first place: steps are tried again and again where nothing is found.
  std::string failed;
  Index failed_place = -1;
};

using BlockWorks = std::vector<BlockWork>;

class DummyBlocks {
 public:
  DummyBlocks(const DifferentiatedSystem& system, std::span<const double> nominals,
              SolutionPlan plan);

  [[nodiscard]] BlockWorks make_works() const;

  /// Where the evaluation stands. The unknowns in x are starting values, then solutions.
  struct Point {
    double t = 0.0;
    std::span<double> x;
    ModelRun& run;
  };
  enum class Part { for_rates, others, all };
  enum class Distance {
    near,  ///< corrections must contract from the first on: the root is the one of the values given
    far,   ///< corrections are damped: after an event values jump, and any root is one
  };
  /// When not ok, the failure of the run names the block.
  Evaluation solve(const Point& point, Part part, Distance distance, BlockWorks& works) const;

  /// Where the solution of a block has come to its end on the way to the point, at which nothing
  /// was found near its last values: another one there, far along the way that the last correction
  /// points to, or against it, or what was found there if `is_another`. A sentence about the jump;
  /// empty where there is none. All blocks are solved then.
  std::string jump(const Point& point, std::span<const double> last,
                   const std::function<bool(const SolutionStep&)>& is_another,
                   BlockWorks& works) const;

  /// A sentence about unknowns that the last solution has left as they were, once for each block;
  /// empty as a rule.
  [[nodiscard]] std::string undetermined(double t, BlockWorks& works) const;

  [[nodiscard]] std::span<const SolutionStep> steps() const { return plan_.steps; }
  [[nodiscard]] std::span<const SolutionStep> steps_for_rates() const {
    return steps().first(plan_.n_for_rates);
  }

 private:
  Evaluation run_step(std::size_t number, const Point& point, Distance distance,
                      BlockWorks& works) const;
  /// Tries roots far from the values of one block; false: none was found.
  bool find_other_root(std::size_t number, const Point& point, BlockWorks& works) const;
  Evaluation run_sequence(const SolutionStep& step, const Point& point, BlockWork& work) const;
  Evaluation run_block(const SolutionStep& step, const Point& point, Distance distance,
                       BlockWork& work) const;
  Evaluation follow(const SolutionStep& step, const Point& point, BlockWork& work) const;
  [[nodiscard]] static bool factor(const SolutionStep& step, BlockWork& work);
  /// The correction of least size for a singular matrix. False where there is none: the equations
  /// contradict each other.
  bool correct_least(const SolutionStep& step, std::span<const double> residuals,
                     const Point& point, BlockWork& work) const;
  /// Moves the unknowns by the correction for the given residuals; how far, in their own scale.
  double correct(const SolutionStep& step, std::span<const double> residuals, const Point& point,
                 BlockWork& work) const;
  /// Shortens the last correction until no signed value comes nearer to zero than a tenth of what
  /// it was. Whether it had to be.
  bool keep_signs(const SolutionStep& step, const Point& point, BlockWork& work) const;
  /// The size of `correction` in the scale of the unknowns at `point`.
  [[nodiscard]] double size(const SolutionStep& step, const Point& point,
                            std::span<const double> correction) const;
  /// Whether the last correction is small beside the values themselves.
  [[nodiscard]] static bool is_round_off(const SolutionStep& step, const Point& point,
                                         const BlockWork& work);
  static void backsolve(std::span<const double> residuals, std::span<double> out,
                        const BlockWork& work);
  /// Shortens the step from work.before along work.correction until the next correction with the
  /// same matrix is smaller (Deuflhard's natural monotonicity test). False: no step does it.
  bool dampen(const SolutionStep& step, const Point& point, BlockWork& work) const;
  enum class Trouble { not_finite, singular, diverged };
  [[nodiscard]] std::string equation_names(const SolutionStep& step) const;
  [[nodiscard]] std::string names(const SolutionStep& step) const;
  Evaluation fail(const SolutionStep& step, const Point& point, Trouble trouble,
                  BlockWork& work) const;

  const DifferentiatedSystem& system_;
  std::vector<double> nominals_;
  SolutionPlan plan_;
};

}  // namespace daedal::formulation
