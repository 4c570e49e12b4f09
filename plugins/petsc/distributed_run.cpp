// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/petsc/distributed_run.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>

#include "plugins/petsc/collectives.hpp"
#include "plugins/petsc/run_options.hpp"

namespace daedal::app {

namespace {

/// Local errors are held to this share of the tolerance: those of many steps add up.
constexpr double local_share = 0.01;
/// Corrections of Newton's method below this share of the tolerance are the last.
constexpr double newton_share = 1e-2;
/// A step is cut down so often before the run ends.
constexpr int most_rejections = 60;

/// Bytes that the process has now (VmRSS), or has had at most since forget_peak() (VmHWM).
std::int64_t memory(std::string_view what) {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::int64_t kilobytes = 0;
  while (status >> word) {
    if (word == what && status >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

void forget_peak() {
  malloc_trim(0);  // what the model needed before does not count
  std::ofstream("/proc/self/clear_refs") << 5;
}

}  // namespace

PetscOutcome DistributedRun::run() {
  forget_peak();
  const std::int64_t before = memory("VmRSS:");
  if (begin()) {
    set_up();
    integrate();
    conclude();
    tell_ranks(memory("VmHWM:") - before);
  }
  outcome_.statistics.wall_time = std::chrono::duration<double>(Clock::now() - began_).count();
  return std::move(outcome_);
}

double DistributedRun::rtol() const {
  return local_share * *options().rtol;
}

double DistributedRun::atol() const {
  return local_share * (options().atol > 0.0 ? options().atol : *options().rtol / 100.0);
}

double DistributedRun::weight(std::size_t own, double value) const {
  if (!rows_->kind(own).in_error_test) return 0.0;
  return 1.0 / (rtol() * std::abs(value) + atol() * rows_->nominal(own));
}

/// In the first rank, for all of them.
RowStart DistributedRun::search() {
  RowStart start;
  if (rank_ == 0) {
    try {
      start = task_.rows.find_start();
    } catch (const std::exception& error) {
      start.status = Status::method_does_not_fit;
      start.message = error.what();
    }
  }
  auto status = static_cast<int>(start.status);
  MPI_Bcast(&status, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  start.status = static_cast<Status>(status);
  send_to_all(start.message);
  send_to_all(start.notices);
  send_to_all(start.x);
  send_to_all(start.xp);
  send_to_all(start.parameters);
  send_to_all(start.choice);
  return start;
}

bool DistributedRun::begin() {
  const auto given = task_.rows.given_start();
  RowStart start = given ? *given : search();
  if (start.status != Status::success) {
    fail(start.status, start.message);
    return false;
  }
  task_.rows.begin(start);
  is_reduced_ = !start.choice.empty();
  rows_ = std::make_unique<RowsOfRank>(task_.rows, rank_, n_ranks_);
  consistent_ = std::make_unique<ConsistentValues>(
      task_.rows, *rows_, LocalTolerances{rtol(), atol()}, task_.span.stop - task_.span.start);
  rows_->set(rows_->x(), start.x);
  rows_->set(rows_->xp(), start.xp);
  if (!start.is_complete && !consistent_->find(task_.span.start, rows_->x())) {
    start = search();
    if (start.status != Status::success) {
      fail(start.status, start.message);
      return false;
    }
    rows_->set(rows_->x(), start.x);
    rows_->set(rows_->xp(), start.xp);
  }
  outcome_.notices = std::move(start.notices);
  return true;
}

void DistributedRun::set_tolerances() {
  must(VecDuplicate(rows_->x(), tolerances_.out()));
  const Values values(tolerances_);
  for (std::size_t i = 0; i < rows_->n_own(); ++i) {
    values[i] = rows_->kind(i).in_error_test ? atol() * rows_->nominal(i)
                                             : std::numeric_limits<double>::max() / 4.0;
  }
}

/// The state changes by half a tolerance in it.
double DistributedRun::first_step() const {
  const double span = task_.span.stop - task_.span.start;
  if (options().initial_step > 0.0) return options().initial_step;
  const ReadValues x(rows_->x()), xp(rows_->xp());
  double rate = 0.0;
  for (std::size_t i = 0; i < rows_->n_own(); ++i) {
    if (rows_->kind(i).differential) rate = std::max(rate, std::abs(xp[i]) * weight(i, x[i]));
  }
  return std::min(1e-3 * span, 0.5 / greatest_of_all(rate));
}

void DistributedRun::set_up() {
  set_defaults();
  set_tolerances();
  must(VecDuplicate(rows_->x(), point_.out()));
  peaks_.assign(rows_->n_own(), 0.0);
  must(TSCreate(PETSC_COMM_WORLD, ts_.out()));
  must(TSSetProblemType(ts_, TS_NONLINEAR));
  must(TSSetEquationType(ts_, TS_EQ_DAE_IMPLICIT_INDEX1));
  must(TSSetIFunction(ts_, nullptr, evaluate, this));
  must(TSSetIJacobian(ts_, rows_->matrix(), rows_->matrix(), differentiate, this));
  must(TSSetTime(ts_, task_.span.start));
  must(TSSetMaxTime(ts_, task_.span.stop));
  must(TSSetTimeStep(ts_, first_step()));
  must(TSSetMaxSteps(ts_, to_petsc(options().max_steps)));
  must(TSSetMaxStepRejections(ts_, most_rejections));
  must(TSSetMaxSNESFailures(ts_, -1));
  must(TSSetErrorIfStepFails(ts_, PETSC_FALSE));
  must(TSSetExactFinalTime(ts_, TS_EXACTFINALTIME_MATCHSTEP));
  must(TSSetApplicationContext(ts_, this));
  must(TSSetPostStep(ts_, after_step));
  SNES newton = nullptr;
  must(TSGetSNES(ts_, &newton));
  if (!has_option("-snes_rtol") && !has_option("-snes_atol") && !has_option("-snes_stol")) {
    must(SNESSetConvergenceTest(newton, is_converged, this, nullptr));
  }
  must(TSSetFromOptions(ts_));
  must(TSSetTolerances(ts_, PETSC_DECIDE, tolerances_, rtol(), nullptr));
  TSAdapt adapt = nullptr;
  TSAdaptType control = nullptr;
  must(TSGetAdapt(ts_, &adapt));
  must(TSAdaptGetType(adapt, &control));
  const bool is_constant = control == nullptr || std::string_view(control) == TSADAPTNONE;
  if (is_constant && options().initial_step == 0.0 && !has_option("-ts_dt")) {
    throw Refusal("Without control of its errors '-ts_type " + option("-ts_type") +
                  "' keeps its first step, which nobody gave: add '-ts_adapt_type basic', or the "
                  "step, '-ts_dt 0.01'.");
  }
  if (is_constant) {
    outcome_.warnings.emplace_back("The steps are constant: nothing controls their errors.");
  }
  if (std::isfinite(options().max_step)) {
    must(TSAdaptSetStepLimits(adapt, PETSC_DECIDE, options().max_step));
  }
}

PetscErrorCode DistributedRun::evaluate(TS, PetscReal t, Vec x, Vec xp, Vec values, void* self) {
  auto& run = *static_cast<DistributedRun*>(self);
  ++run.outcome_.statistics.residual_evaluations;
  return run.guarded([&] { run.rows_->residual(t, x, xp, values); });
}

PetscErrorCode DistributedRun::differentiate(TS, PetscReal t, Vec x, Vec xp, PetscReal shift, Mat,
                                             Mat, void* self) {
  auto& run = *static_cast<DistributedRun*>(self);
  ++run.outcome_.statistics.jacobian_evaluations;
  return run.guarded([&] {
    run.rows_->jacobian(
        t, x, xp, [shift](double f_x, double f_xp, std::int64_t) { return f_x + shift * f_xp; });
  });
}

PetscErrorCode DistributedRun::is_converged(SNES newton, PetscInt iteration, PetscReal, PetscReal,
                                            PetscReal norm, SNESConvergedReason* reason,
                                            void* self) {
  auto& run = *static_cast<DistributedRun*>(self);
  *reason = SNES_CONVERGED_ITERATING;
  if (!std::isfinite(norm)) *reason = SNES_DIVERGED_FNORM_NAN;
  if (norm == 0.0) *reason = SNES_CONVERGED_FNORM_ABS;
  if (*reason != SNES_CONVERGED_ITERATING || iteration == 0) return 0;
  return run.guarded([&] {
    Vec x = nullptr;
    Vec change = nullptr;
    must(SNESGetSolution(newton, &x));
    must(SNESGetSolutionUpdate(newton, &change));
    const ReadValues at(x), by(change);
    double size = 0.0;
    for (std::size_t i = 0; i < run.rows_->n_own(); ++i)
      size = std::max(size, std::abs(by[i]) * run.weight(i, at[i]));
    if (greatest_of_all(size) <= newton_share) *reason = SNES_CONVERGED_SNORM_RELATIVE;
  });
}

/// A row of the solution, in the first rank.
void DistributedRun::show(double t, Vec x) {
  std::span<const double> rates;
  if (task_.rows.needs_rates()) {
    OwnedVec consistent;
    must(VecDuplicate(x, consistent.out()));
    must(VecCopy(x, consistent));
    if (!consistent_->find(t, consistent)) throw Refusal("x' cannot be found for an output point.");
    rates = rows_->gather(rows_->xp(), whole_xp_);
  }
  const auto values = rows_->gather(x, whole_x_);
  if (rank_ != 0) return;
  row_.resize(task_.rows.names().size());
  task_.rows.read(t, values, rates, row_);
  is_stopped_ = !task_.take(t, row_);
}

/// Whether the run goes on: one rank decides for all.
void DistributedRun::look(double t) {
  enum Decision : int { go_on, cancelled, out_of_time, stopped, choice };
  int decision = go_on;
  std::string message;
  if (task_.rows.has_choice()) {
    message = task_.rows.look_at_choice(t, whole_x_);
    if (!message.empty()) decision = choice;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  if (seconds > options().time_limit) decision = out_of_time;
  if (options().cancel != nullptr && *options().cancel) decision = cancelled;
  if (is_stopped_) decision = stopped;
  MPI_Allreduce(MPI_IN_PLACE, &decision, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  if (decision == go_on) return;
  if (decision == choice) {
    send_to_all(message);
    fail(Status::method_does_not_fit, message);
  } else if (decision == out_of_time) {
    fail(Status::time_limit_reached, "The run has reached its limit of time.");
  } else {
    fail(Status::cancelled, "The run was cancelled.");
  }
  must(TSSetConvergedReason(ts_, TS_CONVERGED_USER));
}

PetscErrorCode DistributedRun::after_step(TS ts) {
  DistributedRun* run = nullptr;
  PetscErrorCode code = TSGetApplicationContext(ts, &run);
  if (code != 0) return code;
  return run->guarded([&] {
    PetscReal t = 0.0;
    PetscInt step = 0;
    Vec x = nullptr;
    must(TSGetTime(ts, &t));
    must(TSGetStepNumber(ts, &step));
    must(TSGetSolution(ts, &x));
    run->show_step(t, x);
    if (step == 1) refuse_unused_options();
    run->look(t);
  });
}

/// The rows up to the end of a step.
void DistributedRun::show_step(double t, Vec x) {
  {
    const ReadValues values(x);
    for (std::size_t i = 0; i < peaks_.size(); ++i)
      peaks_[i] = std::max(peaks_[i], std::abs(values[i]));
  }
  const double interval = options().interval;
  // What lies within rounding errors of the end of a step is that.
  const double rounding = 1e-9 * interval;
  const auto next = [&] { return task_.span.start + static_cast<double>(next_point_) * interval; };
  for (; interval > 0.0 && next() < t - rounding; ++next_point_) {
    must(TSInterpolate(ts_, next(), point_));
    show(next(), point_);
  }
  const bool is_point = interval > 0.0 && next() <= t + rounding;
  if (is_point) ++next_point_;
  const bool is_end = t >= task_.span.stop;
  if (!(interval > 0.0) || is_point || is_end || options().has_step_rows) {
    show(t, x);
  } else if (is_reduced_) {
    (void)rows_->gather(x, whole_x_);  // for the choice of states
  }
  last_time_ = t;
}

void DistributedRun::integrate() {
  show(task_.span.start, rows_->x());
  const PetscErrorCode code = TSSolve(ts_, rows_->x());
  if (error_) std::rethrow_exception(error_);
  must(code);
}

void DistributedRun::conclude() {
  Statistics& statistics = outcome_.statistics;
  PetscInt n = 0;
  must(TSGetStepNumber(ts_, &n));
  statistics.steps = n;
  must(TSGetStepRejections(ts_, &n));
  statistics.rejected = n;
  must(TSGetSNESIterations(ts_, &n));
  statistics.newton_iterations = n;
  must(TSGetKSPIterations(ts_, &n));
  TSType type = nullptr;
  must(TSGetType(ts_, &type));
  outcome_.integrator = type;
  SNES newton = nullptr;
  KSP solver = nullptr;
  PC preconditioner = nullptr;
  KSPType solver_type = nullptr;
  PCType preconditioner_type = nullptr;
  must(TSGetSNES(ts_, &newton));
  must(SNESGetKSP(newton, &solver));
  must(KSPGetType(solver, &solver_type));
  must(KSPGetPC(solver, &preconditioner));
  must(PCGetType(preconditioner, &preconditioner_type));
  statistics.linear_solver = std::string("PETSc: ") + solver_type + " with " + preconditioner_type +
                             ", " + std::to_string(n) + " iterations, on " +
                             std::to_string(n_ranks_) + (n_ranks_ == 1 ? " rank" : " ranks");
  TSConvergedReason reason = TS_CONVERGED_ITERATING;
  must(TSGetConvergedReason(ts_, &reason));
  if (outcome_.status == Status::success && last_time_ < task_.span.stop) {
    const std::string where = " at t = " + std::to_string(last_time_) + ". ";
    // A rank whose equations have no value there knows which.
    int speaker = rows_->failure().empty() ? n_ranks_ : rank_;
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
    if (reason == TS_CONVERGED_ITS) {
      fail(Status::max_steps_reached, "The run reached its maximum number of steps" + where);
    } else if (reason == TS_DIVERGED_NONLINEAR_SOLVE || reason == TS_DIVERGED_STEP_REJECTED) {
      fail(reason == TS_DIVERGED_STEP_REJECTED ? Status::step_size_underflow
                                               : Status::newton_failure,
           "PETSc could not complete a step" + where +
               "Take another preconditioner (--petsc-options \"-pc_type lu\"), or the embedded "
               "engine, which says more about such points.");
    } else {
      fail(Status::newton_failure, "PETSc ended the run" + where);
    }
    if (speaker < n_ranks_) {
      std::string text = rows_->failure();
      auto length = static_cast<int>(text.size());
      MPI_Bcast(&length, 1, MPI_INT, speaker, PETSC_COMM_WORLD);
      text.resize(static_cast<std::size_t>(length));
      MPI_Bcast(text.data(), length, MPI_BYTE, speaker, PETSC_COMM_WORLD);
      outcome_.message += " " + text;
    }
  }
  warn_of_small_variables();
}

void DistributedRun::tell_ranks(std::int64_t memory) {
  const std::array<std::int64_t, 2> own{static_cast<std::int64_t>(rows_->n_own()), memory};
  std::vector<std::int64_t> all(2 * static_cast<std::size_t>(n_ranks_));
  MPI_Allgather(own.data(), 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, PETSC_COMM_WORLD);
  for (std::size_t i = 0; i < all.size(); i += 2) outcome_.ranks.push_back({all[i], all[i + 1]});
}

/// PETSc's tolerance is one for all sizes of a variable: what stays below it has no digits.
void DistributedRun::warn_of_small_variables() {
  if (options().atol > 0.0) return;
  std::int64_t first = task_.rows.size();
  std::int64_t n = 0;
  for (std::size_t i = 0; i < peaks_.size(); ++i) {
    if (peaks_[i] == 0.0 || !rows_->kind(i).in_error_test) continue;
    if (peaks_[i] * rtol() > atol() * rows_->nominal(i) * 1e-2) continue;
    first = std::min(first, rows_->row(i));
    ++n;
  }
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  if (n == 0) return;
  outcome_.warnings.push_back(
      "'" + task_.rows.unknown_name(first) + "'" +
      (n > 1 ? " and " + std::to_string(n - 1) + " other unknowns" : "") +
      " stayed so small that the absolute tolerance leaves few digits: give nominal values or "
      "--atol.");
}

}  // namespace daedal::app
