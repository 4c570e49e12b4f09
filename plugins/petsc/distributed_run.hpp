// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// One run by PETSc, of rows that all ranks share.

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "petsc/engine.hpp"
#include "plugins/petsc/consistent_values.hpp"
#include "plugins/petsc/objects.hpp"
#include "plugins/petsc/rows_of_rank.hpp"

namespace daedal::app {

/// One run.
class DistributedRun {
 public:
  DistributedRun(const PetscTask& task, int rank, int n_ranks)
      : task_(task), rank_(rank), n_ranks_(n_ranks), began_(Clock::now()) {}

  PetscOutcome run();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] const SolveOptions& options() const { return task_.options; }
  [[nodiscard]] double rtol() const;
  [[nodiscard]] double atol() const;
  /// The reciprocal of the tolerance of an unknown with this value; 0 outside the error test.
  [[nodiscard]] double weight(std::size_t own, double value) const;

  bool begin();
  RowStart search();
  void set_up();
  void set_tolerances();
  [[nodiscard]] double first_step() const;
  void integrate();
  void conclude();
  void warn_of_small_variables();
  void tell_ranks(std::int64_t memory);
  void show(double t, Vec x);
  void show_step(double t, Vec x);
  void look(double t);
  void fail(Status status, std::string message) {
    outcome_.status = status;
    outcome_.message = std::move(message);
  }

  static PetscErrorCode evaluate(TS, PetscReal t, Vec x, Vec xp, Vec values, void* self);
  static PetscErrorCode differentiate(TS, PetscReal t, Vec x, Vec xp, PetscReal shift, Mat, Mat,
                                      void* self);
  static PetscErrorCode after_step(TS ts);
  static PetscErrorCode is_converged(SNES, PetscInt iteration, PetscReal, PetscReal, PetscReal norm,
                                     SNESConvergedReason* reason, void* self);
  /// What C++ throws passes PETSc as an error of its own.
  template <class Action>
  PetscErrorCode guarded(Action action) {
    try {
      action();
      return 0;
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      return PETSC_ERR_LIB;
    }
  }

  const PetscTask& task_;
  int rank_;
  int n_ranks_;
  Clock::time_point began_;
  PetscOutcome outcome_;
  std::unique_ptr<RowsOfRank> rows_;
  std::unique_ptr<ConsistentValues> consistent_;
  OwnedTs ts_;
  OwnedVec point_, tolerances_;
  std::vector<double> whole_x_, whole_xp_, row_, peaks_;
  std::exception_ptr error_;
  double last_time_ = 0.0;
  std::int64_t next_point_ = 1;
  bool is_reduced_ = false;
  bool is_stopped_ = false;  ///< by the one who takes the rows
};

}  // namespace daedal::app
