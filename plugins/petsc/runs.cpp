// SPDX-License-Identifier: BSD-3-Clause
// The plug-in through which PETSc integrates rows that processes share. It is all of the program
// that is compiled against PETSc.
#include <malloc.h>
#include <petscts.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "petsc/engine.hpp"

namespace daedal::app {

namespace {

using Clock = std::chrono::steady_clock;

/// Local errors are held to this share of the tolerance: those of many steps add up.
constexpr double local_share = 0.01;
/// Corrections of Newton's method below this share of the tolerance are the last.
constexpr double newton_share = 1e-2;
/// A start that such iterations do not find is looked for by the first rank, with more care.
constexpr int most_iterations = 20;
/// A step is cut down so often before the run ends.
constexpr int most_rejections = 60;

/// What is asked for cannot be done; what() says why.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// PETSc has failed; what() is what it said.
struct PetscFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The first message of a chain of errors says what is wrong; the others are the way back.
std::string& last_message() {
  static std::string message;
  return message;
}

PetscErrorCode note_error(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                          PetscErrorType type, const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL) last_message() = message != nullptr ? message : "";
  return code;
}

void must(PetscErrorCode code) {
  if (code != 0) throw PetscFailure(last_message());
}

/// An object of PETSc, with its kind of destruction.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy(&object_); }
  [[nodiscard]] Object* out() { return &object_; }
  operator Object() const { return object_; }

 private:
  Object object_ = nullptr;
};
using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedIs = Owned<IS, ISDestroy>;
using OwnedScatter = Owned<VecScatter, VecScatterDestroy>;
using OwnedKsp = Owned<KSP, KSPDestroy>;
using OwnedTs = Owned<TS, TSDestroy>;

/// The values of a vector that are this rank's.
class Values {
 public:
  explicit Values(Vec vector) : vector_(vector) {
    PetscInt n = 0;
    must(VecGetLocalSize(vector, &n));
    must(VecGetArray(vector, &data_));
    size_ = static_cast<std::size_t>(n);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values() { VecRestoreArray(vector_, &data_); }
  [[nodiscard]] std::span<double> get() const { return {data_, size_}; }
  double& operator[](std::size_t i) const { return data_[i]; }

 private:
  Vec vector_;
  PetscScalar* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The same, only to be read: steps begin anew after a vector that was written.
class ReadValues {
 public:
  explicit ReadValues(Vec vector) : vector_(vector) { must(VecGetArrayRead(vector, &data_)); }
  ReadValues(const ReadValues&) = delete;
  ReadValues& operator=(const ReadValues&) = delete;
  ~ReadValues() { VecRestoreArrayRead(vector_, &data_); }
  double operator[](std::size_t i) const { return data_[i]; }

 private:
  Vec vector_;
  const PetscScalar* data_ = nullptr;
};

PetscInt to_petsc(std::int64_t i) {
  if (i > std::numeric_limits<PetscInt>::max()) {
    throw Refusal("This PETSc counts rows and entries by 32 bits: the model is too large.");
  }
  return static_cast<PetscInt>(i);
}

template <class Number>
void send_to_all(std::vector<Number>& values) {
  auto n = static_cast<std::int64_t>(values.size());
  MPI_Bcast(&n, 1, MPI_INT64_T, 0, PETSC_COMM_WORLD);
  values.resize(static_cast<std::size_t>(n));
  MPI_Bcast(values.data(), to_petsc(n * static_cast<std::int64_t>(sizeof(Number))), MPI_BYTE, 0,
            PETSC_COMM_WORLD);
}

void send_to_all(std::string& text) {
  std::vector<char> bytes(text.begin(), text.end());
  send_to_all(bytes);
  text.assign(bytes.begin(), bytes.end());
}

void send_to_all(std::vector<std::string>& texts) {
  auto n = static_cast<int>(texts.size());
  MPI_Bcast(&n, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  texts.resize(static_cast<std::size_t>(n));
  for (std::string& text : texts) send_to_all(text);
}

double greatest_of_all(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return value;
}

bool has_option(const char* name) {
  PetscBool is_set = PETSC_FALSE;
  must(PetscOptionsHasName(nullptr, nullptr, name, &is_set));
  return is_set != PETSC_FALSE;
}

std::string option(const char* name) {
  char text[256] = "";
  must(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof text, nullptr));
  return text;
}

/// Those that nobody has given: nothing is wrong where they are not asked for.
std::vector<std::string>& defaults() {
  static std::vector<std::string> names;
  return names;
}

void set_default(const char* name, const char* value) {
  if (has_option(name)) return;
  must(PetscOptionsSetValue(nullptr, name, value));
  defaults().emplace_back(name);
}

/// Where nothing is said: backward differentiation formulas whose errors are controlled in every
/// variable, and a direct solver, which takes every model.
void set_defaults() {
  set_default("-ts_type", "bdf");
  if (option("-ts_type") == "bdf") set_default("-ts_bdf_order", "4");
  set_default("-ts_adapt_wnormtype", "INFINITY");
  set_default("-snes_linesearch_type", "basic");
  if (has_option("-pc_type") || has_option("-ksp_type")) return;
  set_default("-pc_type", "lu");
  set_default("-ksp_type", "preonly");
  set_default("-pc_factor_mat_solver_type", MATSOLVERMUMPS);  // PETSc's own has no pivoting
}

/// Options that act when a run or the process ends.
bool acts_late(std::string_view name) {
  return name.find("view") != name.npos || name.starts_with("log") || name.starts_with("options") ||
         name.starts_with("malloc") || name.starts_with("memory");
}

void refuse_unused_options() {
  PetscInt n = 0;
  char** names = nullptr;
  char** values = nullptr;
  must(PetscOptionsLeftGet(nullptr, &n, &names, &values));
  std::string unused;
  for (PetscInt i = 0; i < n; ++i) {
    const std::string name = std::string("-") + names[i];
    const bool is_ours = std::ranges::find(defaults(), name) != defaults().end();
    if (is_ours || acts_late(names[i])) continue;
    unused += (unused.empty() ? "'" : ", '") + name + "'";
  }
  must(PetscOptionsLeftRestore(nullptr, &n, &names, &values));
  if (unused.empty()) return;
  throw Refusal("No part of PETSc that takes part in this run has asked for " + unused +
                ": it is misspelt, or belongs to another solver. '--petsc-options -help' lists "
                "those that there are.");
}

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

/// Which rank has which rows. The numbers of PETSc are those of the first rank's rows, then those
/// of the second, ...
class Distribution {
 public:
  Distribution(RowSystem& rows, int rank, int n_ranks) {
    const auto n = static_cast<std::size_t>(rows.size());
    std::vector<PetscInt> owner(n, 0);
    if (n_ranks > 1) owner = partition(rows, rank, n_ranks);
    std::vector<PetscInt> next(static_cast<std::size_t>(n_ranks) + 1, 0);
    for (const PetscInt one : owner) ++next[static_cast<std::size_t>(one) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    number_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      number_[i] = next[static_cast<std::size_t>(owner[i])]++;
      if (owner[i] == rank) own_.push_back(static_cast<std::int64_t>(i));
    }
  }

  [[nodiscard]] const std::vector<std::int64_t>& own() const { return own_; }
  [[nodiscard]] PetscInt number(std::int64_t row) const {
    return number_[static_cast<std::size_t>(row)];
  }

 private:
  /// Rows that share columns belong together.
  static std::vector<PetscInt> partition(RowSystem& rows, int rank, int n_ranks) {
    const std::int64_t n = rows.size();
    const std::int64_t first = n * rank / n_ranks;
    const std::int64_t last = n * (rank + 1) / n_ranks;
    std::vector<PetscInt> start{0}, column;
    std::vector<std::int64_t> columns;
    for (std::int64_t row = first; row < last; ++row) {
      rows.columns_of(row, columns);
      for (const std::int64_t j : columns) column.push_back(to_petsc(j));
      start.push_back(to_petsc(static_cast<std::int64_t>(column.size())));
    }
    OwnedMat pattern, transposed, graph;
    const std::vector<PetscScalar> ones(column.size(), 1.0);
    must(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, to_petsc(last - first), to_petsc(last - first),
                                   to_petsc(n), to_petsc(n), start.data(), column.data(),
                                   ones.data(), pattern.out()));
    must(MatTranspose(pattern, MAT_INITIAL_MATRIX, transposed.out()));
    must(MatAXPY(transposed, 1.0, pattern, DIFFERENT_NONZERO_PATTERN));
    must(MatConvert(transposed, MATMPIADJ, MAT_INITIAL_MATRIX, graph.out()));
    MatPartitioning partitioning = nullptr;
    must(MatPartitioningCreate(PETSC_COMM_WORLD, &partitioning));
    OwnedIs parts, all;
    must(MatPartitioningSetAdjacency(partitioning, graph));
    must(MatPartitioningSetFromOptions(partitioning));
    must(MatPartitioningApply(partitioning, parts.out()));
    must(MatPartitioningDestroy(&partitioning));
    must(ISAllGather(parts, all.out()));
    const PetscInt* owner = nullptr;
    must(ISGetIndices(all, &owner));
    std::vector<PetscInt> result(owner, owner + n);
    must(ISRestoreIndices(all, &owner));
    return result;
  }

  std::vector<std::int64_t> own_;
  std::vector<PetscInt> number_;
};

/// The rows of this rank as PETSc sees them.
class Part {
 public:
  Part(RowSystem& rows, int rank, int n_ranks)
      : rows_(rows),
        distribution_(rows, rank, n_ranks),
        compiled_(rows.compile(distribution_.own())),
        n_own_(distribution_.own().size()) {
    for (const std::int64_t column : compiled_->columns())
      numbers_.push_back(distribution_.number(column));
    const auto n_local = static_cast<PetscInt>(numbers_.size());
    must(VecCreateMPI(PETSC_COMM_WORLD, to_petsc(static_cast<std::int64_t>(n_own_)),
                      to_petsc(rows.size()), x_.out()));
    must(VecDuplicate(x_, xp_.out()));
    must(VecCreateSeq(PETSC_COMM_SELF, n_local, local_x_.out()));
    must(VecCreateSeq(PETSC_COMM_SELF, n_local, local_xp_.out()));
    OwnedIs needed;
    must(ISCreateGeneral(PETSC_COMM_SELF, n_local, numbers_.data(), PETSC_COPY_VALUES,
                         needed.out()));
    must(VecScatterCreate(x_, needed, local_x_, nullptr, ghosts_.out()));
    make_matrix();
    make_gathering();
  }

  [[nodiscard]] Vec x() const { return x_; }
  [[nodiscard]] Vec xp() const { return xp_; }
  [[nodiscard]] Mat matrix() const { return matrix_; }
  [[nodiscard]] std::size_t n_own() const { return n_own_; }
  [[nodiscard]] std::int64_t row(std::size_t own) const { return distribution_.own()[own]; }
  [[nodiscard]] const UnknownKind& kind(std::size_t own) const {
    return rows_.kinds()[static_cast<std::size_t>(row(own))];
  }
  [[nodiscard]] double nominal(std::size_t own) const {
    return rows_.nominals()[static_cast<std::size_t>(row(own))];
  }
  [[nodiscard]] const std::string& failure() const { return compiled_->failure(); }

  /// F(t, x, x'); NaN where it is not finite, which PETSc takes for a step that is too long.
  void residual(double t, Vec x, Vec xp, Vec values) {
    fetch(x, xp);
    const Values f(values);
    const Values local_x(local_x_), local_xp(local_xp_);
    (void)compiled_->residual(t, local_x.get(), local_xp.get(), f.get());
  }
  /// `combine` makes the entry of one place from F_x, F_x' and its column.
  template <class Combine>
  void jacobian(double t, Vec x, Vec xp, Combine combine) {
    fetch(x, xp);
    {
      const Values local_x(local_x_), local_xp(local_xp_);
      (void)compiled_->jacobian(t, local_x.get(), local_xp.get(), f_x_, f_xp_);
    }
    const auto start = compiled_->row_start();
    std::vector<PetscScalar> values;
    for (std::size_t i = 0; i < n_own_; ++i) {
      const auto begin = static_cast<std::size_t>(start[i]);
      const auto n = static_cast<std::size_t>(start[i + 1]) - begin;
      values.resize(n);
      for (std::size_t k = 0; k < n; ++k) {
        const auto column =
            compiled_->columns()[static_cast<std::size_t>(compiled_->column()[begin + k])];
        values[k] = combine(f_x_[begin + k], f_xp_[begin + k], column);
      }
      const PetscInt number = first_ + static_cast<PetscInt>(i);
      must(MatSetValues(matrix_, 1, &number, static_cast<PetscInt>(n), columns_.data() + begin,
                        values.data(), INSERT_VALUES));
    }
    must(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    must(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  }

  /// From values of the whole, which every rank has.
  void set(Vec vector, const std::vector<double>& whole) const {
    const Values values(vector);
    for (std::size_t i = 0; i < n_own_; ++i) values[i] = whole[static_cast<std::size_t>(row(i))];
  }
  /// The whole in the first rank, in the order of the rows; empty elsewhere.
  std::span<const double> gather(Vec vector, std::vector<double>& whole) {
    must(VecScatterBegin(to_first_, vector, gathered_, INSERT_VALUES, SCATTER_FORWARD));
    must(VecScatterEnd(to_first_, vector, gathered_, INSERT_VALUES, SCATTER_FORWARD));
    const Values values(gathered_);
    whole.resize(values.get().size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      whole[i] = values[static_cast<std::size_t>(distribution_.number(static_cast<int64_t>(i)))];
    }
    return whole;
  }

 private:
  void fetch(Vec x, Vec xp) {
    must(VecScatterBegin(ghosts_, x, local_x_, INSERT_VALUES, SCATTER_FORWARD));
    must(VecScatterEnd(ghosts_, x, local_x_, INSERT_VALUES, SCATTER_FORWARD));
    must(VecScatterBegin(ghosts_, xp, local_xp_, INSERT_VALUES, SCATTER_FORWARD));
    must(VecScatterEnd(ghosts_, xp, local_xp_, INSERT_VALUES, SCATTER_FORWARD));
  }

  void make_matrix() {
    must(VecGetOwnershipRange(x_, &first_, nullptr));
    std::vector<PetscInt> start;
    for (const std::int64_t entry : compiled_->row_start()) start.push_back(to_petsc(entry));
    for (const std::int64_t column : compiled_->column())
      columns_.push_back(numbers_[static_cast<std::size_t>(column)]);
    f_x_.resize(columns_.size());
    f_xp_.resize(columns_.size());
    const auto n = static_cast<PetscInt>(n_own_);
    must(MatCreate(PETSC_COMM_WORLD, matrix_.out()));
    must(MatSetSizes(matrix_, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
    must(MatSetFromOptions(matrix_));
    must(MatSeqAIJSetPreallocationCSR(matrix_, start.data(), columns_.data(), nullptr));
    must(MatMPIAIJSetPreallocationCSR(matrix_, start.data(), columns_.data(), nullptr));
    must(MatSetOption(matrix_, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  }

  void make_gathering() { must(VecScatterCreateToZero(x_, to_first_.out(), gathered_.out())); }

  RowSystem& rows_;
  Distribution distribution_;
  std::unique_ptr<RowPart> compiled_;
  std::size_t n_own_;
  PetscInt first_ = 0;
  std::vector<PetscInt> numbers_;  ///< of the columns, as PETSc counts them
  std::vector<PetscInt> columns_;  ///< of the entries
  std::vector<double> f_x_, f_xp_;
  OwnedVec x_, xp_, local_x_, local_xp_, gathered_;
  OwnedScatter ghosts_, to_first_;
  OwnedMat matrix_;
};

/// One run.
class DistributedRun {
 public:
  DistributedRun(const PetscTask& task, int rank, int n_ranks)
      : task_(task), rank_(rank), n_ranks_(n_ranks), began_(Clock::now()) {}

  PetscOutcome run() {
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

 private:
  [[nodiscard]] const SolveOptions& options() const { return task_.options; }
  [[nodiscard]] double rtol() const { return local_share * options().rtol; }
  [[nodiscard]] double atol() const {
    return local_share * (options().atol > 0.0 ? options().atol : options().rtol / 100.0);
  }
  /// Error per unit of the tolerance.
  [[nodiscard]] double weight(std::size_t own, double value) const {
    if (!part_->kind(own).in_error_test) return 0.0;
    return 1.0 / (rtol() * std::abs(value) + atol() * part_->nominal(own));
  }

  bool begin();
  RowStart search();
  bool complete(double t, Vec x);
  double correct(double t, Vec x);
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
  std::unique_ptr<Part> part_;
  OwnedTs ts_;
  OwnedKsp completion_;  ///< of states by everything else
  OwnedVec point_, tolerances_;
  std::vector<double> whole_x_, whole_xp_, row_, peaks_;
  std::exception_ptr error_;
  double last_time_ = 0.0;
  std::int64_t next_point_ = 1;
  bool is_reduced_ = false;
  bool is_stopped_ = false;  ///< by the one who takes the rows
};

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
  part_ = std::make_unique<Part>(task_.rows, rank_, n_ranks_);
  part_->set(part_->x(), start.x);
  part_->set(part_->xp(), start.xp);
  if (!start.is_complete && !complete(task_.span.start, part_->x())) {
    start = search();
    if (start.status != Status::success) {
      fail(start.status, start.message);
      return false;
    }
    part_->set(part_->x(), start.x);
    part_->set(part_->xp(), start.xp);
  }
  outcome_.notices = std::move(start.notices);
  return true;
}

/// The algebraic unknowns and the derivatives x' for which F(t, x, x') = 0, the states held.
/// False: Newton's method does not find them.
bool DistributedRun::complete(double t, Vec x) {
  if (completion_ == nullptr) {
    must(KSPCreate(PETSC_COMM_WORLD, completion_.out()));
    must(KSPSetType(completion_, KSPPREONLY));
    PC preconditioner = nullptr;
    must(KSPGetPC(completion_, &preconditioner));
    must(PCSetType(preconditioner, PCLU));
    must(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS));
    must(KSPSetOptionsPrefix(completion_, "start_"));
    must(KSPSetFromOptions(completion_));
  }
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const double size = correct(t, x);
    if (!std::isfinite(size)) return false;
    if (size <= newton_share * newton_share) return true;
    // Corrections that grow lead to another solution than the one near the guesses.
    if (iteration > 1 && size > before) return false;
    before = size;
  }
  return false;
}

/// One correction of Newton's method; its size in units of the tolerance.
double DistributedRun::correct(double t, Vec x) {
  OwnedVec residual, correction;
  must(VecDuplicate(x, residual.out()));
  must(VecDuplicate(x, correction.out()));
  part_->residual(t, x, part_->xp(), residual);
  PetscReal norm = 0.0;
  must(VecNorm(residual, NORM_INFINITY, &norm));
  if (!std::isfinite(norm)) return norm;
  const auto kinds = task_.rows.kinds();
  part_->jacobian(t, x, part_->xp(), [&](double f_x, double f_xp, std::int64_t column) {
    return kinds[static_cast<std::size_t>(column)].differential ? f_xp : f_x;
  });
  must(KSPSetOperators(completion_, part_->matrix(), part_->matrix()));
  must(KSPSolve(completion_, residual, correction));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  must(KSPGetConvergedReason(completion_, &reason));
  if (reason < 0) return std::numeric_limits<double>::infinity();
  const Values values(x), rates(part_->xp()), change(correction);
  const double unit_of_time = task_.span.stop - task_.span.start;
  double size = 0.0;
  for (std::size_t i = 0; i < part_->n_own(); ++i) {
    const bool is_rate = part_->kind(i).differential;
    double& value = is_rate ? rates[i] : values[i];
    value -= change[i];
    const double floor = atol() * part_->nominal(i) / (is_rate ? unit_of_time : 1.0);
    size = std::max(size, std::abs(change[i]) / (rtol() * std::abs(value) + floor));
  }
  return greatest_of_all(size);
}

void DistributedRun::set_tolerances() {
  must(VecDuplicate(part_->x(), tolerances_.out()));
  const Values values(tolerances_);
  for (std::size_t i = 0; i < part_->n_own(); ++i) {
    values[i] = part_->kind(i).in_error_test ? atol() * part_->nominal(i)
                                             : std::numeric_limits<double>::max() / 4.0;
  }
}

/// The state changes by half a tolerance in it.
double DistributedRun::first_step() const {
  const double span = task_.span.stop - task_.span.start;
  if (options().initial_step > 0.0) return options().initial_step;
  const ReadValues x(part_->x()), xp(part_->xp());
  double rate = 0.0;
  for (std::size_t i = 0; i < part_->n_own(); ++i) {
    if (part_->kind(i).differential) rate = std::max(rate, std::abs(xp[i]) * weight(i, x[i]));
  }
  return std::min(1e-3 * span, 0.5 / greatest_of_all(rate));
}

void DistributedRun::set_up() {
  set_defaults();
  set_tolerances();
  must(VecDuplicate(part_->x(), point_.out()));
  peaks_.assign(part_->n_own(), 0.0);
  must(TSCreate(PETSC_COMM_WORLD, ts_.out()));
  must(TSSetProblemType(ts_, TS_NONLINEAR));
  must(TSSetEquationType(ts_, TS_EQ_DAE_IMPLICIT_INDEX1));
  must(TSSetIFunction(ts_, nullptr, evaluate, this));
  must(TSSetIJacobian(ts_, part_->matrix(), part_->matrix(), differentiate, this));
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
  return run.guarded([&] { run.part_->residual(t, x, xp, values); });
}

PetscErrorCode DistributedRun::differentiate(TS, PetscReal t, Vec x, Vec xp, PetscReal shift, Mat,
                                             Mat, void* self) {
  auto& run = *static_cast<DistributedRun*>(self);
  ++run.outcome_.statistics.jacobian_evaluations;
  return run.guarded([&] {
    run.part_->jacobian(
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
    for (std::size_t i = 0; i < run.part_->n_own(); ++i)
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
    if (!complete(t, consistent)) throw Refusal("x' cannot be found for an output point.");
    rates = part_->gather(part_->xp(), whole_xp_);
  }
  const auto values = part_->gather(x, whole_x_);
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
  if (interval == 0.0 || is_point || is_end || options().has_step_rows) {
    show(t, x);
  } else if (is_reduced_) {
    (void)part_->gather(x, whole_x_);  // for the choice of states
  }
  last_time_ = t;
}

void DistributedRun::integrate() {
  show(task_.span.start, part_->x());
  const PetscErrorCode code = TSSolve(ts_, part_->x());
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
    int speaker = part_->failure().empty() ? n_ranks_ : rank_;
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
    if (reason == TS_CONVERGED_ITS) {
      fail(Status::max_steps_reached, "The run took its most steps" + where);
    } else if (reason == TS_DIVERGED_NONLINEAR_SOLVE || reason == TS_DIVERGED_STEP_REJECTED) {
      fail(reason == TS_DIVERGED_STEP_REJECTED ? Status::step_size_underflow
                                               : Status::newton_failure,
           "PETSc's steps came to nothing" + where +
               "Take another preconditioner (--petsc-options \"-pc_type lu\"), or the embedded "
               "engine, which says more about such points.");
    } else {
      fail(Status::newton_failure, "PETSc ended the run" + where);
    }
    if (speaker < n_ranks_) {
      std::string text = part_->failure();
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
  const std::array<std::int64_t, 2> own{static_cast<std::int64_t>(part_->n_own()), memory};
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
    if (peaks_[i] == 0.0 || !part_->kind(i).in_error_test) continue;
    if (peaks_[i] * rtol() > atol() * part_->nominal(i) * 1e-2) continue;
    first = std::min(first, part_->row(i));
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

class PetscRanks final : public PetscEngine {
 public:
  explicit PetscRanks(const std::vector<std::string>& options) {
    words_ = {"daedal"};
    words_.insert(words_.end(), options.begin(), options.end());
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    int n = static_cast<int>(words_.size());
    char** arguments = pointers_.data();
    PetscInitialize(&n, &arguments, nullptr, nullptr);
    PetscPopSignalHandler();  // interrupts are the program's
    PetscPushErrorHandler(note_error, nullptr);
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank_);
    MPI_Comm_size(PETSC_COMM_WORLD, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  PetscOutcome run(const PetscTask& task) override {
    try {
      return DistributedRun(task, rank_, size_).run();
    } catch (const Refusal& refusal) {
      return {.refusal = refusal.what()};
    } catch (const PetscFailure& failure) {
      return {.refusal = std::string("PETSc says: ") + failure.what() + "."};
    } catch (const std::exception& error) {
      if (size_ == 1) throw;
      // Of this rank alone, as where its memory is used up: the others would wait for it.
      std::fprintf(stderr, "error: rank %d: %s\n", rank_, error.what());
      MPI_Abort(PETSC_COMM_WORLD, EXIT_FAILURE);
      throw;
    }
  }
  void close() override { PetscFinalize(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) PetscEngine* daedal_open_petsc(
    const std::vector<std::string>& options) {
  return new PetscRanks(options);
}

}  // namespace daedal::app
