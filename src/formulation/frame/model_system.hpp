// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The base of every system that is made from a model: it makes the runs, and leaves events and
/// assertions to its context.

#include <memory>
#include <span>

#include "formulation/frame/model_context.hpp"

namespace daedal::formulation {

/// `Base` is ExplicitSystem or ImplicitSystem, `OwnRun` the class of its runs.
template <class Base, class OwnRun>
class ModelSystem : public Base {
 public:
  [[nodiscard]] std::unique_ptr<Run> make_run() const final {
    auto run = context().template make_model_run<OwnRun>();
    prepare(*run);
    return run;
  }
  [[nodiscard]] std::int64_t n_events() const final { return context().events().n_events(); }
  Evaluation event_functions(double t, std::span<const double> x, std::span<const double> xp,
                             Run& base, std::span<double> values) const final {
    ModelRun& run = own(base);
    context().read(t, x, xp, run, run.values, run.derivatives);
    return context().events().event_functions(t, run.values, run.derivatives, run, values);
  }
  [[nodiscard]] double next_time_event(double t, const Run& run) const final {
    return context().events().next_time_event(t, run_of<OwnRun>(run));
  }
  [[nodiscard]] bool is_smooth_event(double t, const Run& run) const final {
    return context().events().is_smooth_event(t, run_of<OwnRun>(run));
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    return context().events().on_event(t, fired, x, xp, own(run), context());
  }
  /// Checks the assertions of the model.
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History&,
                    Run& base) const override {
    if (!context().events().has_assertions()) return {};
    ModelRun& run = own(base);
    context().read(t, x, xp, run, run.values, run.derivatives);
    return context().events().check_assertions(t, run.values, run.derivatives, run);
  }

 protected:
  [[nodiscard]] virtual const ModelContext& context() const = 0;
  /// Makes the workspaces of a run.
  virtual void prepare(OwnRun& run) const = 0;
  [[nodiscard]] static OwnRun& own(Run& run) { return run_of<OwnRun>(run); }
};

}  // namespace daedal::formulation
