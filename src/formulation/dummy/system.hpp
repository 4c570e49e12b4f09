// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The system of `dummy-derivatives` in all places, for implicit integrators.

#include "formulation/dummy/context.hpp"
#include "formulation/frame/model_system.hpp"

namespace daedal::formulation {

/// For implicit integrators: a sparse system of index 1 whose rows change with the selection while
/// its unknowns and its pattern stay.
class DummyDerivativesSystem final : public ModelSystem<ImplicitSystem, DummyRun> {
 public:
  explicit DummyDerivativesSystem(std::shared_ptr<const DummyContext> context)
      : context_(std::move(context)) {}

  [[nodiscard]] std::int64_t size() const override { return context_->system().n_places(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return context_->kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return context_->nominals(); }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return context_->pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;
  [[nodiscard]] std::string row_name(std::int64_t row) const override {
    return context_->row_name(row);
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return context_->system().place_name(column);
  }

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(DummyRun& run) const override { context_->prepare(run); }

  std::shared_ptr<const DummyContext> context_;
};

}  // namespace daedal::formulation
