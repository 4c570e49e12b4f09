// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The two systems of `dummy-derivatives`, in the same unknowns: all places.

#include "formulation/dummy/block_solver.hpp"
#include "formulation/dummy/context.hpp"
#include "formulation/frame/model_system.hpp"

namespace daedal::formulation {

/// What both answer alike. `Base` is ImplicitSystem or ExplicitSystem.
template <class Base>
class DummySystem : public ModelSystem<Base, DummyRun> {
 public:
  explicit DummySystem(std::shared_ptr<const DummyContext> context)
      : context_(std::move(context)) {}

  [[nodiscard]] std::int64_t size() const final { return context_->system().n_places(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const final { return context_->kinds(); }
  [[nodiscard]] std::span<const double> nominals() const final { return context_->nominals(); }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const final {
    Change change = Frame::on_event(t, fired, x, xp, run);
    if (change.kind == Change::Kind::stop || change.kind == Change::Kind::none) return change;
    if (context_->select(t, x, Frame::own(run))) return change;
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const final {
    Change change = Frame::after_step(t, x, xp, history, run);
    if (change.kind == Change::Kind::stop) return change;
    return context_->watch(t, x, history, Frame::own(run));
  }

 protected:
  [[nodiscard]] const DummyContext& context() const final { return *context_; }
  void prepare(DummyRun& run) const override { context_->prepare(run); }

 private:
  using Frame = ModelSystem<Base, DummyRun>;
  std::shared_ptr<const DummyContext> context_;
};

/// For implicit integrators: a sparse system of index 1 whose rows change with the selection while
/// its unknowns and its pattern stay.
class DummyDerivativesSystem final : public DummySystem<ImplicitSystem> {
 public:
  using DummySystem::DummySystem;

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return context().pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;
  [[nodiscard]] std::string row_name(std::int64_t row) const override {
    return context().row_name(row);
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return context().system().place_name(column);
  }
};

/// For explicit integrators: before every stage the places that are no states are solved for, block
/// by block, starting from where they stood last.
class DummyDerivativesOde final : public DummySystem<ExplicitSystem> {
 public:
  explicit DummyDerivativesOde(std::shared_ptr<const DummyContext> context);

  [[nodiscard]] const DummyBlocks& blocks() const { return blocks_; }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] bool has_complete() const override { return true; }
  Evaluation complete(double t, std::span<double> x, Run& run) const override;

 private:
  void prepare(DummyRun& run) const override;

  DummyBlocks blocks_;
};

}  // namespace daedal::formulation
