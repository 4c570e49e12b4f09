// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The two systems of `dummy-derivatives`, in the same unknowns: all places.

#include "formulation/dummy/block_solver.hpp"
#include "formulation/dummy/context.hpp"

namespace daedal::formulation {

/// What both answer alike. `Base` is ImplicitSystem or ExplicitSystem.
template <class Base>
class DummySystem : public Base {
 public:
  explicit DummySystem(const DummyContext& context) : context_(context) {}

  [[nodiscard]] std::int64_t size() const final { return context_.system().n_places(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const final { return context_.kinds(); }
  [[nodiscard]] std::span<const double> nominals() const final { return context_.nominals(); }

  [[nodiscard]] std::int64_t n_events() const final { return context_.events().n_events(); }
  Evaluation event_functions(double t, std::span<const double> x, std::span<const double> xp,
                             Run& run, std::span<double> values) const final {
    return context_.event_functions(t, x, xp, own(run), values);
  }
  [[nodiscard]] double next_time_event(double t, const Run& run) const final {
    return context_.events().next_time_event(t, static_cast<const DummyRun&>(run));
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const final {
    return context_.on_event(t, fired, x, xp, own(run));
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const final {
    return context_.after_step(t, x, xp, history, own(run));
  }

 protected:
  static DummyRun& own(Run& run) { return static_cast<DummyRun&>(run); }
  [[nodiscard]] const DummyContext& context() const { return context_; }

 private:
  const DummyContext& context_;
};

/// For implicit integrators: a sparse system of index 1 whose rows change with the selection while
/// its unknowns and its pattern stay.
class DummyDerivativesSystem final : public DummySystem<ImplicitSystem> {
 public:
  using DummySystem::DummySystem;

  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return context().make_run(); }
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
  explicit DummyDerivativesOde(const DummyContext& context);

  [[nodiscard]] const DummyBlocks& blocks() const { return blocks_; }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override;
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] bool has_complete() const override { return true; }
  Evaluation complete(double t, std::span<double> x, Run& run) const override;

 private:
  DummyBlocks blocks_;
};

}  // namespace daedal::formulation
