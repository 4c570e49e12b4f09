// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a formulation makes and an integrator reads: systems of equations to be stepped in time.
/// Derive your own to hand equations in C++ to integrate() (integrate.hpp).
///
/// A system is const and may be shared between threads. Everything that changes during a run lives
/// in a `Run`, made by the system, passed to every call; a rejected step leaves it untouched.

#include <cstdint>
#include <daedal/sparsity.hpp>
#include <daedal/status.hpp>
#include <daedal/stop_signal.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// What one evaluation of a system came to.
enum class Evaluation {
  ok,
  recoverable,  ///< not finite, or outside the domain: a smaller step may help
  fatal,        ///< no step helps; Run::failure says why
};

/// Why an evaluation failed.
struct Failure {
  Status status = Status::success;
  std::int64_t row = -1;  ///< the equation concerned, or -1
  std::string detail;
};

class Differences;

/// The mutable side of a system. Formulations derive their own, with workspaces in it.
class DAEDAL_EXPORT Run {
 public:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  virtual ~Run();

  std::vector<double> modes;          ///< relations, held between events: 0 or 1
  std::vector<double> discretes;      ///< values of the discrete variables
  std::vector<double> pre;            ///< their left limits at the event in progress
  StopSignal stop;                    ///< asked by searches for consistent values
  Failure failure;                    ///< set by an evaluation that is not ok
  std::vector<std::string> warnings;  ///< full sentences, such as assertions of level warning
  std::int64_t reselections = 0;      ///< changes of selected coordinates so far
  std::int64_t projections = 0;       ///< calls of Manifold::project so far; the caller counts
  bool has_end_event = false;         ///< on_event is to be called at the end of the run
  bool is_at_end = false;             ///< during that call
  std::shared_ptr<Differences> differences;  ///< workspace of Jacobians by differences
};

/// How an unknown behaves: what the norms and the error test need to know.
struct UnknownKind {
  bool differential = true;   ///< its derivative appears
  int index = 1;              ///< 0/1, 2 or 3: index-aware norms weigh it by h^(index-1)
  bool in_error_test = true;  ///< multipliers stay out of error and Newton tests
};

/// What a system changed after an accepted step or at an event.
struct Change {
  enum class Kind {
    none,
    equations,  ///< the equations changed, the unknowns did not: a multistep history stays valid
    unknowns,   ///< the unknowns changed their meaning: restart from x, x'
    stop,
  };
  Kind kind = Kind::none;
  Status status = Status::success;  ///< with stop
  std::string message;              ///< with stop: a full sentence
};

/// Derivatives of the integrator's interpolant, for systems that need a history.
class DAEDAL_EXPORT History {
 public:
  virtual ~History();
  [[nodiscard]] virtual int max_derivative() const = 0;
  /// The k-th derivative of the interpolant at t, t inside the last accepted step.
  virtual void derivative(double t, int k, std::span<double> out) const = 0;
};

enum class Crossing { both, rising, falling };

class DAEDAL_EXPORT System {
 public:
  System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  virtual ~System();

  /// Number of unknowns.
  [[nodiscard]] virtual std::int64_t size() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Run> make_run() const;
  /// One per unknown. Empty means: all differential, index 1, in the error test.
  [[nodiscard]] virtual std::span<const UnknownKind> kinds() const;
  /// Typical magnitudes; they scale the absolute tolerance. Empty means 1.
  [[nodiscard]] virtual std::span<const double> nominals() const;
  /// For messages and the columns of a Solution: "x[1]" is the first one by default.
  [[nodiscard]] virtual std::string unknown_name(std::int64_t column) const;

  /// Event functions: an event happens where one of them changes sign.
  [[nodiscard]] virtual std::int64_t n_events() const;
  virtual Evaluation event_functions(double t, std::span<const double> x,
                                     std::span<const double> xp, Run& run,
                                     std::span<double> values) const;
  /// The direction of each event function that counts; empty means both.
  [[nodiscard]] virtual std::span<const Crossing> crossings() const;
  /// The next instant after `t` at which on_event must be called whatever the event functions
  /// say (samplers), or infinity.
  [[nodiscard]] virtual double next_time_event(double t, const Run& run) const;
  /// The time event that is due at `t` changes nothing that can be seen, as where two cubics of a
  /// smooth table meet: it is no output point.
  [[nodiscard]] virtual bool is_smooth_event(double t, const Run& run) const;
  /// Executes the event at t: `fired` lists the event functions that crossed (empty for time
  /// events). May change x and xp; iterates events to a fixed point; leaves consistent values.
  virtual Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                          std::span<double> xp, Run& run) const;
  /// No step can be made from (t, x). Unknowns that are solved for inside the system may have come
  /// to the end of their solution, and another one may exist for the same x: a system that takes it
  /// says so with a message, and the run goes on as after an event. None: the run ends.
  virtual Change on_stuck(double t, std::span<double> x, std::span<double> xp, Run& run) const;
  /// After every accepted step, never for a rejected one. May change x (and xp) only together
  /// with Change::unknowns, and selections in `run` with Change::equations.
  virtual Change after_step(double t, std::span<double> x, std::span<double> xp,
                            const History& history, Run& run) const;
};

/// F(t, x, x') = 0: `size()` square rows, then `n_constraints()` rows of an overdetermined system.
class DAEDAL_EXPORT ImplicitSystem : public System {
 public:
  [[nodiscard]] virtual std::int64_t n_constraints() const { return 0; }
  virtual Evaluation residual(double t, std::span<const double> x, std::span<const double> xp,
                              Run& run, std::span<double> values) const = 0;
  /// The common pattern of F_x and F_x', of size() + n_constraints() rows. By default every entry.
  [[nodiscard]] virtual const SparsityPattern& pattern() const;
  /// Both value arrays on the common pattern. By default central differences of residual(), which
  /// move columns together that share no row of the pattern: four evaluations for each such group.
  virtual Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp,
                              Run& run, std::span<double> f_x, std::span<double> f_xp) const;
  /// The name of a row, for messages.
  [[nodiscard]] virtual std::string row_name(std::int64_t row) const;

 private:
  mutable std::mutex full_pattern_mutex_;
  mutable std::optional<SparsityPattern> full_pattern_;  ///< made when it is first asked for
};

/// Invariants of an explicit system, level by level (0 = position, 1 = velocity, ...).
class DAEDAL_EXPORT Manifold {
 public:
  virtual ~Manifold();
  [[nodiscard]] virtual int n_levels() const = 0;
  [[nodiscard]] virtual std::int64_t n_invariants(int level) const = 0;
  virtual Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                              std::span<double> values) const = 0;
  /// Moves x onto the manifold by the smallest change in the manifold's metric. `weights` are the
  /// error weights 1/(rtol|x|+atol): converged when the last correction is well below them.
  virtual Evaluation project(double t, std::span<double> x, std::span<const double> weights,
                             Run& run) const = 0;
  /// μ-form for symmetric projection: x += Gᵀ(x_base)·mu in the manifold's metric.
  /// Symmetric projections need it; by default it throws Error{internal}.
  virtual Evaluation add_normal(double t, std::span<const double> x_base,
                                std::span<const double> mu, std::span<double> x, Run& run) const;
};

/// x' = f(t, x), possibly with invariants.
class DAEDAL_EXPORT ExplicitSystem : public System {
 public:
  virtual Evaluation rhs(double t, std::span<const double> x, Run& run,
                         std::span<double> xp) const = 0;
  /// Dense column-major ∂f/∂x where the system has it analytically; elsewhere jacobian() throws
  /// Error{internal}.
  [[nodiscard]] virtual bool has_jacobian() const { return false; }
  virtual Evaluation jacobian(double t, std::span<const double> x, Run& run,
                              std::span<double> f_x) const;
  /// Solves dependent coordinates inside x before a stage is evaluated.
  [[nodiscard]] virtual bool has_complete() const { return false; }
  virtual Evaluation complete(double t, std::span<double> x, Run& run) const;
  [[nodiscard]] virtual const Manifold* manifold() const { return nullptr; }
};

}  // namespace daedal
