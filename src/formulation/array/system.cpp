// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "analysis/array/time_scales.hpp"
#include "analysis/structural_report.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"

namespace daedal::formulation {

namespace {

using analysis::ArrayCorrector;
using analysis::ArrayPoint;

ArrayRun& own(Run& run) {
  return static_cast<ArrayRun&>(run);
}

}  // namespace

ArraySystem::ArraySystem(GeneralView view, std::vector<double> parameters, const Overrides& starts,
                         const ArraySettings& settings)
    : view_(std::move(view)),
      parameters_(std::move(parameters)),
      settings_(settings),
      array_(view_, settings.max_index),
      initializer_(view_, array_, starts),
      events_(view_) {
  for (std::size_t i = 0; i < view_.x.size(); ++i) {
    nominals_.push_back(view_.model.variables()[i].nominal);
  }
  LeafWalker walker(*view_.pool);
  const auto leaves = walker.leaves(view_.residuals);
  depends_on_phase_ = std::ranges::any_of(
      leaves, [&](NodeId leaf) { return (*view_.pool)[leaf].op == Op::initial; });
  try {
    structural_states_ = analysis::structural_report(view_.model).n_states;
  } catch (const ModelError&) {
    // The start will say which equation is missing.
  }
}

std::unique_ptr<Run> ArraySystem::make_run() const {
  auto run = std::make_unique<ArrayRun>(view_.model, parameters_);
  events_.prepare(*run);
  return run;
}

ArrayPoint ArraySystem::point(double t, std::span<const double> series, const ArrayRun& run) const {
  return {.t = t,
          .scale = run.scale,
          .series = series,
          .parameters = run.parameters,
          .modes = run.modes,
          .discretes = run.discretes,
          .pre = run.pre,
          .pre_values = run.pre_values,
          .samples = run.samples,
          .phase = run.phase};
}

std::string ArraySystem::names_of(std::span<const Index> unknowns) const {
  std::vector<std::string> names;
  for (const Index j : unknowns)
    names.push_back("'" + view_.model.variables()[to_size(j)].name + "'");
  return join_words(names);
}

Evaluation ArraySystem::fail(Status status, std::string detail, Run& run) const {
  run.failure = {status, -1, std::move(detail)};
  return Evaluation::recoverable;
}

Start ArraySystem::start(double t0, ArrayRun& run) const {
  Start start;
  const auto wishes = initializer_.wishes(t0, run);
  for (std::size_t j = 0; j < wishes.unknowns.size(); ++j) {
    run.values[j] = wishes.unknowns[j].value;
  }
  start.x = run.values;
  start.xp.resize(start.x.size(), 0.0);
  ArrayStart found;
  const auto solve = [&]() -> Change {
    found = initializer_.find(t0, run, wishes, true);
    run.index = found.index;
    const auto n = to_index(start.x.size());
    std::copy_n(found.series.begin(), n, start.x.begin());
    for (Index j = 0; j < n; ++j) start.xp[to_size(j)] = found.series[to_size(n + j)] / found.scale;
    if (found.status != Status::success) return {Change::Kind::stop, found.status, found.message};
    return prepare(t0, found, run);
  };
  Change change = events_.initialize(t0, start.x, start.xp, run, *this, solve);
  if (change.kind != Change::Kind::stop && depends_on_phase_ &&
      make_consistent(t0, start.x, start.xp, run) != Evaluation::ok) {
    change = {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  if (change.kind != Change::Kind::stop) change = compare_with_structure(t0, run, start);
  if (change.kind == Change::Kind::stop) {
    start.status = change.status;
    start.message = change.message;
    return start;
  }
  initializer_.add_notices(found, wishes, start);
  return start;
}

Change ArraySystem::compare_with_structure(double t, const ArrayRun& run, Start& start) const {
  const Index states = run.index.n_states;
  if (!structural_states_ || *structural_states_ == states) return {};
  if (states < *structural_states_ && run.index.has_distant_scales) {
    return {Change::Kind::stop, Status::rank_change,
            fmt::format("At t = {:.12g} the rank of the derivative array cannot be decided: its "
                        "numbers give {} states, counting gives {}, and the shortest time constant "
                        "of an equation is too far from the others to see its derivative. Write "
                        "the fast equations as constraints, or use 'dummy-derivatives'.",
                        t, states, *structural_states_)};
  }
  start.notices.push_back(
      fmt::format("The numbers give {} states, counting gives {}: terms cancel or vanish, which "
                  "counting does not see.",
                  states, *structural_states_));
  return {};
}

Change ArraySystem::prepare(double t, const ArrayStart& found, ArrayRun& run) const {
  run.level = found.index.index;
  run.scale = found.index.scale;
  run.order_weights.assign(static_cast<std::size_t>(run.level) + 2, 1.0);
  for (std::size_t i = 1; i < run.order_weights.size(); ++i) {
    run.order_weights[i] = run.order_weights[i - 1] * run.scale / found.index.natural;
  }
  run.base_t = t;
  run.base = analysis::rescaled(found.series, size(), run.scale / found.scale);
  run.series = run.base;
  run.trial = run.delta = run.trial_delta = run.base;
  run.slope.resize(to_size(size()));
  run.is_solved = run.has_series = false;
  run.corrector.emplace(
      array_,
      ArrayCorrector::Shape{.level = run.level,
                            .n_constraints = size() - found.index.n_states,
                            .is_least_squares = settings_.form == ArrayForm::completion},
      nominals_);
  run.history.emplace(size(), run.level);
  for (Index j = 0; j < size(); ++j) {
    run.slope[to_size(j)] = run.base[to_size(size() + j)] / run.scale;
  }
  run.history->push(t, run.slope);
  return choose_partition(t, run);
}

Change ArraySystem::choose_partition(double t, ArrayRun& run) const {
  ArrayCorrector& corrector = *run.corrector;
  if (corrector.factor(point(t, run.base, run)) != ArrayCorrector::Outcome::ok) {
    return {Change::Kind::stop, Status::rank_change,
            fmt::format("At t = {:.12g} the rank of the derivative array is not clear: the model "
                        "is near a singular point.",
                        t)};
  }
  if (settings_.form == ArrayForm::completion || corrector.constraints().rows() == 0) return {};
  const bool is_forced = !settings_.schedule.empty();
  const auto dependent = is_forced ? settings_.schedule.front().dependent
                                   : linalg::choose_pivot_columns(corrector.constraints()).columns;
  if (corrector.select(dependent)) return {};
  return {
      Change::Kind::stop, Status::rank_change,
      fmt::format("At t = {:.12g} the constraints do not determine {}.", t, names_of(dependent))};
}

Evaluation ArraySystem::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                        ModelRun& base) const {
  ArrayRun& run = own(base);
  const ArrayStart found = initializer_.restore(t, x, run);
  Change change{Change::Kind::stop, found.status, found.message};
  if (found.status == Status::success) change = prepare(t, found, run);
  if (change.kind == Change::Kind::stop) {
    run.failure = {change.status, -1,
                   fmt::format("After the event at t = {:.12g}: {}", t, change.message)};
    return Evaluation::fatal;
  }
  std::copy_n(run.base.begin(), size(), x.begin());
  std::copy(run.slope.begin(), run.slope.end(), xp.begin());
  return Evaluation::ok;
}

void ArraySystem::renew_base(double t, ArrayRun& run) const {
  for (Index j = 0; j < size(); ++j) {
    run.slope[to_size(j)] = run.series[to_size(size() + j)] / run.scale;
  }
  run.history->push(t, run.slope);
  run.base = run.series;
  const int orders = run.history->seed(run.scale, run.base);
  if (run.history->is_full()) {
    std::fill(run.base.begin() + size() * (orders + 2), run.base.end(), 0.0);
  }
  run.base_t = t;
  run.has_series = false;
}

Change ArraySystem::watch_partition(double t, ArrayRun& run) const {
  ArrayCorrector& corrector = *run.corrector;
  if (!settings_.schedule.empty()) return {};
  // No choice exceeds σ_min of all columns (Theorem 2): often nothing can be gained.
  const double here = corrector.quality(corrector.dependent());
  if (settings_.switch_gain * here >= corrector.best_possible()) return {};
  const auto best = linalg::choose_pivot_columns(corrector.constraints());
  if (settings_.switch_gain * here >= corrector.quality(best.columns)) return {};
  ++run.reselections;
  run.is_solved = false;
  if (corrector.select(best.columns)) return {Change::Kind::equations, Status::success, {}};
  return {Change::Kind::stop, Status::rank_change,
          fmt::format("At t = {:.12g} the constraints do not determine {}.", t,
                      names_of(best.columns))};
}

bool ArraySystem::follow_schedule(double t, ArrayRun& run) const {
  const auto& schedule = settings_.schedule;
  const auto due = std::find_if(schedule.rbegin(), schedule.rend(), [&](const auto& forced) {
    return forced.t <= t + 1e-9 * std::abs(t);
  });
  if (due == schedule.rend() || std::ranges::equal(due->dependent, run.corrector->dependent())) {
    return true;
  }
  ++run.reselections;
  return run.corrector->select(due->dependent);
}

Change ArraySystem::after_step(double t, std::span<double> x, std::span<double> xp, const History&,
                               Run& base) const {
  ArrayRun& run = own(base);
  if (events_.has_assertions()) {
    const Change change = events_.check_assertions(t, x, xp, run);
    if (change.kind != Change::Kind::none) return change;
  }
  if (!is_solved(t, x, run)) {
    // The integrator has x' already: what is left to be found is w.
    predict(t, x, run);
    for (Index j = 0; j < size(); ++j) run.series[to_size(size() + j)] = run.scale * xp[to_size(j)];
    run.has_series = true;
    run.solved_t = t;
  }
  if (solve(t, x, run) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  renew_base(t, run);
  const Change change = renew_factors(t, run);
  if (change.kind == Change::Kind::stop) return change;
  // The solution of F_k = 0 nearest to the seeds is the one to continue from.
  run.corrector->correct(run.delta);
  const Size size = size_of(run.delta, run);
  if (std::isfinite(size.low + size.high)) {
    for (std::size_t i = 2 * nominals_.size(); i < run.base.size(); ++i) {
      run.base[i] += run.delta[i];
    }
  }
  return change;
}

Change ArraySystem::renew_factors(double t, ArrayRun& run) const {
  switch (run.corrector->factor(point(t, run.base, run))) {
    case ArrayCorrector::Outcome::ok:
    case ArrayCorrector::Outcome::singular_partition:
      break;
    case ArrayCorrector::Outcome::rank_changed:
      return {Change::Kind::stop, Status::rank_change,
              fmt::format("The rank of the derivative array changes at t = {:.12g}: the solution "
                          "has come to a singular point.",
                          t)};
    case ArrayCorrector::Outcome::not_finite:
      return {Change::Kind::stop, Status::non_finite_value,
              fmt::format("The derivatives of the equations are not finite at t = {:.12g}.", t)};
  }
  return run.corrector->dependent().empty() ? Change{} : watch_partition(t, run);
}

Evaluation ArraySystem::event_functions(double t, std::span<const double> x,
                                        std::span<const double> xp, Run& run,
                                        std::span<double> values) const {
  return events_.event_functions(t, x, xp, own(run), values);
}

double ArraySystem::next_time_event(double t, const Run& run) const {
  return events_.next_time_event(t, static_cast<const ModelRun&>(run));
}

Change ArraySystem::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                             std::span<double> xp, Run& run) const {
  return events_.on_event(t, fired, x, xp, own(run), *this);
}

void ArraySystem::read(double, std::span<const double> x, std::span<const double> xp, ModelRun&,
                       std::span<double> values, std::span<double> derivatives) const {
  std::copy(x.begin(), x.end(), values.begin());
  std::copy(xp.begin(), xp.end(), derivatives.begin());
}

bool ArraySystem::assign(std::int32_t variable, double value, std::span<double> x) const {
  const auto i = static_cast<std::size_t>(variable);
  x[i] = value;
  return view_.is_differential[i];
}

}  // namespace daedal::formulation
