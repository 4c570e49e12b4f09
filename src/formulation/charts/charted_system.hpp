// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// An explicit system in local coordinates of its manifold (local_charts.hpp), whichever view of
/// the model it comes from: charts are completed before every stage, watched after every step and
/// chosen anew after events.

#include <daedal/model.hpp>
#include <daedal/system.hpp>
#include <memory>
#include <utility>

#include "formulation/charts/local_charts.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/model_run.hpp"

namespace daedal::formulation {

/// `BaseRun` has the chart in use. What is left to a final class: the constraints.
template <class Base, class BaseRun>
class ChartedSystem : public Base, public Manifold, protected ChartedConstraints {
 public:
  [[nodiscard]] bool has_complete() const override { return true; }
  Evaluation complete(double t, std::span<double> x, Run& run) const override {
    return charts_.complete(t, x, run, chart(run));
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override {
    Change change = Base::after_step(t, x, xp, history, run);
    return change.kind == Change::Kind::none ? charts_.watch(t, x, run, chart(run)) : change;
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    Change change = Base::on_event(t, fired, x, xp, run);
    if (change.kind == Change::Kind::stop) return change;
    if (choose_chart(t, x, run) == Evaluation::ok) return change;
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }

  /// Completion is this manifold's projection: along N instead of orthogonally.
  [[nodiscard]] const Manifold* manifold() const override { return this; }
  Evaluation project(double t, std::span<double> x, std::span<const double>,
                     Run& run) const override {
    return complete(t, x, run);
  }
  /// Chooses the first chart at a start that was found.
  void start_chart(double t0, Run& run, Start& start) const {
    if (choose_chart(t0, start.x, run) == Evaluation::ok) return;
    start.status = run.failure.status;
    start.message = run.failure.detail;
  }

 protected:
  template <class... Arguments>
  explicit ChartedSystem(const ChartSettings& settings, Arguments&&... of_base)
      : Base(std::forward<Arguments>(of_base)...), charts_(*this, settings) {}

  void prepare(BaseRun& run) const override {
    Base::prepare(run);
    run.chart = charts_.make_work();
  }

 private:
  Evaluation choose_chart(double t, std::span<const double> x, Run& run) const {
    return charts_.choose(t, x, run, chart(run));
  }
  [[nodiscard]] std::span<const double> coordinate_nominals() const override {
    return Base::nominals();
  }
  static ChartWork& chart(Run& run) { return run_of<BaseRun>(run).chart; }

  LocalCharts charts_;
};

}  // namespace daedal::formulation
