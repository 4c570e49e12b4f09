// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/delayed_signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/types.hpp"
#include "formulation/frame/model_run.hpp"
#include "integrate/error_floor.hpp"
#include "integrate/weights.hpp"

namespace daedal::solve_detail {

namespace {

/// A pulse may be far thinner than the step in which it lies. What a flow has taken while it stood
/// still varies as a root does, for which no stretch is short enough.
constexpr int divisions_in_time = 40;
constexpr int divisions_of_flow = 10;

/// Where a monotone function has this value, by regula falsi with halved values (Dowell and
/// Jarratt, BIT 11, 1971).
template <class F>
double crossing(const F& f, double value, std::pair<double, double> bracket) {
  auto [a, b] = bracket;
  double fa = f(a) - value;
  double fb = f(b) - value;
  if (fa * fb >= 0.0) return std::abs(fa) < std::abs(fb) ? a : b;
  const double small = 1e-14 * std::abs(fb - fa);
  for (int i = 0; i < 60; ++i) {
    const double c = b - fb * (b - a) / (fb - fa);
    const double fc = f(c) - value;
    if (std::abs(fc) <= small || !(c > std::min(a, b) && c < std::max(a, b))) return c;
    if (fc * fb < 0.0) {
      a = std::exchange(b, c);
      fa = fb;
    } else {
      fa *= 0.5;
      b = c;
    }
    fb = fc;
  }
  return b;
}

}  // namespace

DelayedSignals::DelayedSignals(std::shared_ptr<const OutputMap> map, const Model& model)
    : map_(std::move(map)) {
  const auto schedules = model.schedules();
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const Past& past = schedules[i]->past;
    if (past.is_downstream) continue;
    for (const std::string* signal : {&past.signal, &past.other, &past.position}) {
      if (signal->empty()) continue;
      const auto name = std::ranges::find(map_->names(), *signal);
      signals_.push_back({.schedule = i,
                          .name = to_size(name - map_->names().begin()),
                          .is_carried = past.is_carried()});
    }
  }
  if (signals_.empty()) return;
  workspace_ = map_->make_workspace();
  all_.resize(map_->names().size());
  x_.resize(to_size(map_->formulation().system().size()));
  xp_.resize(x_.size());
}

double DelayedSignals::value(std::size_t k, double t, const integration::Stepper& stepper,
                             Run& run) {
  const auto at = std::ranges::lower_bound(known_, t, {}, &Known::t);
  if (at != known_.end() && at->t == t) return values_[at->row + k];
  stepper.interpolate(t, x_, xp_);
  map_->evaluate(t, x_, xp_, run, all_, workspace_);
  const std::size_t row = values_.size();
  known_.insert(at, {t, row});
  for (const Signal& signal : signals_) values_.push_back(all_[signal.name]);
  return values_[row + k];
}

void DelayedSignals::on_step(const integration::StepReport& report,
                             const integration::Stepper& stepper, Run& run) {
  if (signals_.empty()) return;
  auto& own = formulation::run_of<formulation::ModelRun>(run);
  known_.clear();
  values_.clear();
  find_tolerances(stepper, run);
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    if (signals_[k].is_carried) {
      add_flow(k, report, stepper, run);
      k += 2;
      continue;
    }
    const auto signal = [&](double t) { return value(k, t, stepper, run); };
    own.events.histories[signals_[k].schedule].add(report.t0, report.t1, std::ref(signal),
                                                   {own.rtol, tolerances_[k], divisions_in_time});
  }
  const auto has_lost_sight = [&](const Signal& signal) {
    return own.events.histories[signal.schedule].has_lost_sight();
  };
  if (has_warned_ || std::ranges::none_of(signals_, has_lost_sight)) return;
  has_warned_ = true;
  run.warnings.push_back(
      fmt::format("After t = {:.9g} what is delayed varies too fast to be kept: from then on it is "
                  "less accurate than the tolerance asks for. Set max_step.",
                  report.t0));
}

/// Unknowns that have decayed far below what they were keep their digits where these are read. So
/// must what was read of them then.
void DelayedSignals::find_tolerances(const integration::Stepper& stepper, Run& run) {
  tolerances_.assign(signals_.size(), infinity);
  const integration::ErrorWeights* norm = stepper.norm();
  if (norm == nullptr || !norm->is_following()) return;
  const std::span<const double> x = stepper.x();
  std::vector<double> weights(x.size());
  norm->compute(x, 0.0, weights);
  const Failure before = run.failure;
  std::vector<double> values;
  for (const double size : {0.0, 1.0}) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double move = weights[i] > 0.0 ? integration::irregular_sign(i) / weights[i] : 0.0;
      x_[i] = x[i] + size * move;
    }
    map_->evaluate(stepper.time(), x_, stepper.xp(), run, all_, workspace_);
    if (size == 0.0) values = all_;
  }
  run.failure = before;
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const double moved = std::abs(all_[signals_[k].name] - values[signals_[k].name]);
    if (moved > 0.0) tolerances_[k] = moved;
  }
}

/// What comes in where the flow was at x lies at −x from then on, or at 1 − x where it comes in at
/// the other end: y grows with x and so the two add up to y.
void DelayedSignals::add_flow(std::size_t k, const integration::StepReport& report,
                              const integration::Stepper& stepper, Run& run) {
  using formulation::SignalHistory;
  auto& own = formulation::run_of<formulation::ModelRun>(run);
  SignalHistory& history = own.events.histories[signals_[k].schedule];
  const auto position = [&](double t) { return value(k + 2, t, stepper, run); };
  const double x0 = position(report.t0);
  const double x1 = position(report.t1);
  const bool is_positive = x1 > x0;
  history.keep(-x0, 1.0 - x0);
  if (std::abs(x1 - x0) <= 1e-14 * std::max(1.0, std::abs(x0))) return;
  const double end = is_positive ? 0.0 : 1.0;
  const auto signal = [&](double y) {
    const double t = crossing(position, end - y, {report.t0, report.t1});
    return value(is_positive ? k : k + 1, t, stepper, run);
  };
  history.add(end - std::max(x0, x1), end - std::min(x0, x1), std::ref(signal),
              {own.rtol, infinity, divisions_of_flow},
              is_positive ? SignalHistory::End::front : SignalHistory::End::back);
  history.keep(-x1, 1.0 - x1);
}

void DelayedSignals::on_event(Run& run) {
  auto& own = formulation::run_of<formulation::ModelRun>(run);
  for (const Signal& signal : signals_) own.events.histories[signal.schedule].note_event();
}

}  // namespace daedal::solve_detail
