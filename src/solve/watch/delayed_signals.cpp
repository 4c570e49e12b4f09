// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/delayed_signals.hpp"

#include <algorithm>
#include <functional>

#include "formulation/frame/model_run.hpp"

namespace daedal::solve_detail {

DelayedSignals::DelayedSignals(std::shared_ptr<const OutputMap> map, const Model& model)
    : map_(std::move(map)) {
  const auto schedules = model.schedules();
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    if (schedules[i]->signal.empty()) continue;
    const auto name = std::ranges::find(map_->names(), schedules[i]->signal);
    signals_.push_back({.schedule = i, .name = to_size(name - map_->names().begin())});
  }
  if (signals_.empty()) return;
  workspace_ = map_->make_workspace();
  all_.resize(map_->names().size());
  x_.resize(to_size(map_->formulation().system().size()));
  xp_.resize(x_.size());
}

void DelayedSignals::on_step(const integration::StepReport& report,
                             const integration::Stepper& stepper, Run& run) {
  if (signals_.empty()) return;
  auto& own = formulation::run_of<formulation::ModelRun>(run);
  times_.clear();
  values_.clear();
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const auto value = [&](double t) {
      const auto known = to_size(std::ranges::find(times_, t) - times_.begin());
      if (known == times_.size()) {
        stepper.interpolate(t, x_, xp_);
        map_->evaluate(t, x_, xp_, run, all_, workspace_);
        times_.push_back(t);
        for (const Signal& signal : signals_) values_.push_back(all_[signal.name]);
      }
      return values_[known * signals_.size() + k];
    };
    own.events.histories[signals_[k].schedule].add(report.t0, report.t1, std::ref(value), own.rtol);
  }
}

void DelayedSignals::on_event(Run& run) {
  auto& own = formulation::run_of<formulation::ModelRun>(run);
  for (const Signal& signal : signals_) own.events.histories[signal.schedule].note_event();
}

}  // namespace daedal::solve_detail
