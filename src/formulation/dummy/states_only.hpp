// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// x' = f(t, x) in the states of a selection alone, for explicit and implicit schemes: all other
/// places of the differentiated system are solved for inside f, block by block
/// (solution_plan.hpp), and wherever else values are asked for; they are never interpolated and
/// are in no error test.
///
///     x_k = value of the k-th state / its nominal value
///     f_x from J_u U = −J_s, with the Jacobian J of all equations by unknowns and by states, and
///     the derivatives U of the unknowns by the states
///
/// A root of a nonlinear block is followed: its solution starts from that of the last evaluation,
/// whose corrections must contract at once; otherwise the way from the last accepted step is gone
/// in small parts, and where that fails too the step is too long.

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/lazy.hpp"
#include "formulation/dummy/context.hpp"
#include "formulation/frame/model_system.hpp"

namespace daedal::formulation {

/// What a selection amounts to: it is made once, whoever runs.
struct StatePlan {
  StatePlan(const DummyContext& context, const PlaceExpressions& expressions,
            std::span<const Index> place_of);

  std::vector<Index> place_of;  ///< the selection
  std::vector<Index> states;    ///< places, ascending
  DummyBlocks blocks;
  SparsityPattern matrix;       ///< of J_u: what the rates need
  std::vector<Index> entries;   ///< those of J that are in it
  std::vector<Index> row;       ///< per equation: of J_u, or -1
  std::vector<Index> column;    ///< per place: of J_u, or -1
  std::vector<Index> iterated;  ///< places whose values decide between roots
};

/// The plans of a system, for all its runs.
class StatePlans {
 public:
  explicit StatePlans(const DummyContext& context) : context_(context) {}

  /// Makes the run ready for its selection. False: it was.
  bool aim(DummyRun& run) const;

 private:
  const DummyContext& context_;
  mutable std::mutex mutex_;  ///< of what follows
  mutable std::unique_ptr<const PlaceExpressions> expressions_;
  mutable std::map<std::vector<Index>, std::shared_ptr<const StatePlan>> plans_;  ///< by place_of
};

/// All places for explicit integrators: before every stage those that are no states are solved for,
/// starting from where they stood last. All that are no highest derivatives are in the error test.
class DummyDerivativesOde final : public ModelSystem<ExplicitSystem, DummyRun> {
 public:
  explicit DummyDerivativesOde(std::shared_ptr<const DummyContext> context)
      : context_(std::move(context)), plans_(*context_) {}

  [[nodiscard]] std::int64_t size() const override { return context_->system().n_places(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return context_->kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return context_->nominals(); }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] bool has_complete() const override { return true; }
  Evaluation complete(double t, std::span<double> x, Run& run) const override;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    return context_->select_after(ModelSystem::on_event(t, fired, x, xp, run), t, x, own(run));
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override {
    return context_->watch_after(ModelSystem::after_step(t, x, xp, history, run), t, x, history,
                                 own(run));
  }
  /// The variables of the model; highest derivatives are not interpolated, but solved for.
  void to_model(double t, std::span<const double> x, DummyRun& run, std::span<double> values,
                std::span<double> derivatives) const;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(DummyRun& run) const override { context_->prepare(run); }

  std::shared_ptr<const DummyContext> context_;
  StatePlans plans_;
};

class StatesOnlySystem final : public ModelSystem<ExplicitSystem, DummyRun>, public ModelContext {
 public:
  explicit StatesOnlySystem(std::shared_ptr<const DummyContext> context);

  /// One at least: a system without states steps a constant.
  [[nodiscard]] std::int64_t size() const override { return std::max<Index>(1, n_states_); }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override;
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] bool has_jacobian() const override { return true; }
  Evaluation jacobian(double t, std::span<const double> x, Run& run,
                      std::span<double> f_x) const override;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  /// At the fold of a nonlinear block: the jump to another of its solutions, the states held.
  Change on_stuck(double t, std::span<double> x, std::span<double> xp, Run& run) const override;

  /// Whether a nonlinear block, as selected, may have solutions that nothing tells apart: a long
  /// step could leap from one to another.
  [[nodiscard]] bool may_leap(Run& run) const;
  /// From all places, consistent and selected from, to the states.
  Start begin(double t0, Start all, DummyRun& run) const;
  /// The greatest residual of the constraints, differentiated `level` times.
  double constraint_residual(double t, std::span<const double> x, int level, DummyRun& run) const;

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *this; }
  void prepare(DummyRun& run) const override;
  /// Takes over the selection of the run.
  void aim(DummyRun& run) const {
    plans_.aim(run);
    run.states.solved = StateWork::Solved::nothing;
  }
  /// What another run of the same system needs to go on from here.
  void remember(double t, DummyRun& run) const;
  void recall(DummyRun& run) const;

  /// The rate of the constant that a system without states steps: it varies with the solutions of
  /// nonlinear blocks, so that steps follow them.
  [[nodiscard]] double idle_rate(const DummyRun& run) const;
  void put(std::span<const double> x, DummyRun& run) const;
  void take(const DummyRun& run, std::span<double> x, std::span<double> xp) const;
  /// All places, or those that the rates need, at (t, x).
  Evaluation solve(double t, std::span<const double> x, DummyBlocks::Part part,
                   DummyRun& run) const;
  /// f_x by differences, where J_u is singular because something is not determined.
  Evaluation difference(double t, std::span<const double> x, DummyRun& run,
                        std::span<double> f_x) const;
  /// Whether the solutions of nonlinear blocks have moved so little since then that they are the
  /// same ones.
  [[nodiscard]] static bool is_near(std::span<const double> before, const DummyRun& run);
  /// In parts from the last accepted step.
  Evaluation walk(double t, std::span<const double> x, DummyBlocks::Part part, DummyRun& run) const;

  std::shared_ptr<const DummyContext> all_;
  Index n_states_;
  StatePlans plans_;
  Lazy<std::vector<Index>> only_states_;  ///< where there is no choice
};

}  // namespace daedal::formulation
