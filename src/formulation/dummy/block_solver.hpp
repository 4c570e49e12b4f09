// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Solves the places of a differentiated system that are no states, step by step
/// (solution_plan.hpp), from wherever they stand. Nothing is allocated by an evaluation; a change
/// of the selection analyses the matrices of the blocks concerned anew.

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <vector>

#include "formulation/dummy/selection.hpp"
#include "formulation/dummy/solution_plan.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::formulation {

/// What one step of the solution needs during a run.
struct BlockWork {
  Evaluator values, full;
  std::vector<Index> unknowns;  ///< places that are solved for: the columns of the matrix
  std::vector<Index> entries;   ///< those of the step that are in the matrix, by column, then row
  std::vector<double> matrix, correction;
  std::unique_ptr<linalg::RealSolver> solver;  ///< none for a single unknown
};

struct BlockWorks {
  std::vector<BlockWork> steps;
  bool is_aimed = false;  ///< at the selection of the run
};

class DummyBlocks {
 public:
  DummyBlocks(const DifferentiatedSystem& system, const SolutionData& data);

  [[nodiscard]] BlockWorks make_works() const;
  /// Takes over a selection.
  void aim(const Selection& selection, BlockWorks& works) const;

  /// Where the evaluation stands. The unknowns in x are starting values, then solutions.
  struct Point {
    double t = 0.0;
    std::span<double> x;
    ModelRun& run;
  };
  /// The works must be aimed. When not ok, the failure of the run names the block.
  Evaluation solve(const Point& point, BlockWorks& works) const;

  [[nodiscard]] std::span<const SolutionStep> steps() const { return steps_; }

 private:
  void aim_step(const SolutionStep& step, const Selection& selection, BlockWork& work) const;
  Evaluation run_sequence(const SolutionStep& step, const Point& point, BlockWork& work) const;
  Evaluation run_block(const SolutionStep& step, const Point& point, BlockWork& work) const;
  Evaluation follow(const SolutionStep& step, const Point& point, BlockWork& work) const;
  [[nodiscard]] static bool factor(const SolutionStep& step, BlockWork& work);
  /// Moves the unknowns by the correction for the given residuals; how far, in their own scale.
  double correct(std::span<const double> residuals, const Point& point, BlockWork& work) const;
  enum class Trouble { not_finite, singular, diverged };
  Evaluation fail(const SolutionStep& step, const Point& point, Trouble trouble) const;

  const DifferentiatedSystem& system_;
  std::vector<double> nominals_;
  std::vector<SolutionStep> steps_;
};

}  // namespace daedal::formulation
