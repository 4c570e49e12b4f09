// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Runs whose rows several processes share, by PETSc's integrators and solvers. PETSc is a plug-in
/// beside the program (plugins/petsc), loaded by `--engine petsc` alone; this is what the two say
/// to each other, and the side of the program.

#include <daedal/options.hpp>
#include <daedal/rows.hpp>
#include <daedal/solution.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace daedal::app {

struct PetscTask {
  RowSystem& rows;
  TimeSpan span;
  const SolveOptions& options;  ///< tolerances, steps, limits and output points
  /// An output point, shown to the first rank. False: the run is to end.
  std::function<bool(double time, std::span<const double> row)> take;
};

struct PetscOutcome {
  std::string refusal{};  ///< why there was no run: options that PETSc does not take, most often
  Status status = Status::success;
  std::string message{};
  std::vector<std::string> notices{}, warnings{};
  std::string integrator{};  ///< as PETSc calls it
  Statistics statistics{};
  struct Rank {
    std::int64_t n_rows = 0;
    std::int64_t memory = 0;  ///< bytes at the peak of the run beyond those before it
  };
  std::vector<Rank> ranks{};
};

class PetscEngine {
 public:
  PetscEngine() = default;
  PetscEngine(const PetscEngine&) = delete;
  PetscEngine& operator=(const PetscEngine&) = delete;
  virtual ~PetscEngine() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Every rank calls it with the same task.
  virtual PetscOutcome run(const PetscTask& task) = 0;
  /// At the end of the process, when every rank has done its part.
  virtual void close() = 0;
};

/// The only function of the plug-in; `options` are those of PETSc, word by word.
extern "C" PetscEngine* daedal_open_petsc(const std::vector<std::string>& options);

/// Loads the plug-in, and takes this process for one of those that mpirun has started. Throws
/// OptionError where there is none.
[[nodiscard]] std::unique_ptr<PetscEngine> open_petsc(const std::string& options);

struct PetscRun {
  Solution solution{};  ///< its rows are in the first rank
  std::vector<PetscOutcome::Rank> ranks{};
};
/// One run, in every rank. `follow` is called when the solution has more rows.
[[nodiscard]] PetscRun solve_by_petsc(PetscEngine& engine, const Model& model, const TimeSpan& span,
                                      const SolveOptions& options,
                                      const std::function<void(const Solution&)>& follow);

}  // namespace daedal::app
