// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "analysis/array/time_scales.hpp"
#include "analysis/structural_report.hpp"
#include "formulation/frame/start_problem.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"

namespace daedal::formulation {

namespace {

using analysis::ArrayCorrector;

}  // namespace

ArraySystem::ArraySystem(GeneralView view, std::vector<double> parameters, const Overrides& starts,
                         const ArraySettings& settings)
    : ModelContext(view, std::move(parameters), starts),
      view_(std::move(view)),
      solver_(view_, settings),
      initializer_(view_, solver_.array()) {
  LeafWalker walker(*view_.pool);
  const auto leaves = walker.leaves(view_.residuals);
  depends_on_phase_ = std::ranges::any_of(
      leaves, [&](NodeId leaf) { return (*view_.pool)[leaf].op == Op::initial; });
  // Where the model is structurally singular, the start will say which equation is missing.
  const auto report = analysis::find_structural_report(view_.model);
  if (report) structural_states_ = report->n_states;
}

Start ArraySystem::start(double t0, ArrayRun& run) const {
  const auto n = to_index(view_.x.size());
  const StartWishes wishes = initializer_.wishes(t0, run);
  for (std::size_t j = 0; j < wishes.unknowns.size(); ++j) {
    run.values[j] = wishes.unknowns[j].value;
  }
  ArrayStart found;
  Start start = settle_start(t0, to_size(n), run, [&] {
    found = initializer_.find(t0, run, wishes, true);
    run.index = found.index;
    Start now;
    now.status = found.status;
    now.message = found.message;
    now.x.assign(found.series.begin(), found.series.begin() + n);
    for (Index j = 0; j < n; ++j) now.xp.push_back(found.series[to_size(n + j)] / found.scale);
    if (found.status != Status::success) return now;
    const Change change = take(t0, found, run);
    if (change.kind == Change::Kind::stop) {
      now.status = change.status;
      now.message = change.message;
    }
    return now;
  });
  if (start.status == Status::success && depends_on_phase_ &&
      make_consistent(t0, start.x, start.xp, run) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
  }
  if (start.status == Status::success) {
    const Change change = compare_with_structure(t0, run, start);
    start.status = change.status;
    start.message = change.message;
  }
  if (start.status == Status::success) initializer_.add_notices(found, wishes, start);
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

Change ArraySystem::take(double t, const ArrayStart& found, ArrayRun& run) const {
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
      solver_.array(),
      ArrayCorrector::Shape{.level = run.level,
                            .n_constraints = size() - found.index.n_states,
                            .is_least_squares = solver_.settings().form == ArrayForm::completion},
      solver_.nominals());
  run.history.emplace(size(), run.level);
  for (Index j = 0; j < size(); ++j) {
    run.slope[to_size(j)] = run.base[to_size(size() + j)] / run.scale;
  }
  run.history->push(t, run.slope);
  return choose_partition(t, run);
}

Change ArraySystem::choose_partition(double t, ArrayRun& run) const {
  ArrayCorrector& corrector = *run.corrector;
  if (corrector.factor(solver_.point(t, run.base, run)) != ArrayCorrector::Outcome::ok) {
    return {Change::Kind::stop, Status::rank_change,
            fmt::format("At t = {:.12g} the rank of the derivative array is not clear: the model "
                        "is near a singular point.",
                        t)};
  }
  if (solver_.settings().form == ArrayForm::completion || corrector.constraints().rows() == 0)
    return {};
  const bool is_forced = !solver_.settings().schedule.empty();
  const auto dependent = is_forced ? solver_.settings().schedule.front().dependent
                                   : linalg::choose_pivot_columns(corrector.constraints()).columns;
  if (corrector.select(dependent)) return {};
  return {Change::Kind::stop, Status::rank_change,
          fmt::format("At t = {:.12g} the constraints do not determine {}.", t,
                      solver_.names_of(dependent))};
}

Evaluation ArraySystem::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                        ModelRun& base) const {
  ArrayRun& run = own(base);
  const ArrayStart found = initializer_.restore(t, x, run);
  Change change{Change::Kind::stop, found.status, found.message};
  if (found.status == Status::success) change = take(t, found, run);
  const auto variables = view_.model.variables();
  for (std::size_t j = 0; j < variables.size() && change.kind != Change::Kind::stop; ++j) {
    const bool is_held = view_.is_differential[j] && run.reinitialized.empty();
    if (!is_held || !is_jump(x[j], run.base[j], variables[j].nominal)) continue;
    change = {Change::Kind::stop, Status::impulse,
              impulse_sentence(variables[j].name, x[j], run.base[j])};
  }
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

void ArraySystem::correct_base(ArrayRun& run) const {
  run.corrector->correct(run.delta);
  const ArraySolver::Size size = solver_.size_of(run.delta, run);
  if (!std::isfinite(size.low + size.high)) return;
  for (std::size_t i = 2 * nominals().size(); i < run.base.size(); ++i) {
    run.base[i] += run.delta[i];
  }
}

Change ArraySystem::watch_partition(double t, ArrayRun& run) const {
  ArrayCorrector& corrector = *run.corrector;
  if (!solver_.settings().schedule.empty()) return {};
  // No choice exceeds σ_min of all columns (Theorem 2): often nothing can be gained.
  const double here = corrector.quality(corrector.dependent());
  if (solver_.settings().switch_gain * here >= corrector.best_possible()) return {};
  const auto best = linalg::choose_pivot_columns(corrector.constraints());
  if (solver_.settings().switch_gain * here >= corrector.quality(best.columns)) return {};
  ++run.reselections;
  run.is_solved = false;
  if (corrector.select(best.columns)) return {Change::Kind::equations, Status::success, {}};
  return {Change::Kind::stop, Status::rank_change,
          fmt::format("At t = {:.12g} the constraints do not determine {}.", t,
                      solver_.names_of(best.columns))};
}

Change ArraySystem::after_step(double t, std::span<double> x, std::span<double> xp,
                               const History& history, Run& base) const {
  ArrayRun& run = own(base);
  const Change asserted = ModelSystem::after_step(t, x, xp, history, base);
  if (asserted.kind != Change::Kind::none) return asserted;
  if (!ArraySolver::is_solved(t, x, run)) {
    // The integrator has x' already: what is left to be found is w.
    solver_.predict(t, x, run);
    for (Index j = 0; j < size(); ++j) run.series[to_size(size() + j)] = run.scale * xp[to_size(j)];
    run.has_series = true;
    run.solved_t = t;
  }
  if (solver_.solve(t, x, run) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  renew_base(t, run);
  const Change change = renew_factors(t, run);
  if (change.kind == Change::Kind::stop) return change;
  correct_base(run);
  return change;
}

Evaluation ArraySystem::complete(double t, std::span<double> x, Run& base) const {
  ArrayRun& run = own(base);
  const Evaluation evaluation = solver_.solve(t, x, run);
  if (evaluation != Evaluation::ok) return evaluation;
  std::copy_n(run.series.begin(), size(), x.begin());
  // The integrator asks for x' at the completed point next.
  run.solved_x.assign(x.begin(), x.end());
  return Evaluation::ok;
}

Evaluation ArraySystem::rhs(double t, std::span<const double> x, Run& base,
                            std::span<double> xp) const {
  ArrayRun& run = own(base);
  const Evaluation evaluation = solver_.solve(t, x, run);
  if (evaluation != Evaluation::ok) return evaluation;
  for (Index j = 0; j < size(); ++j) xp[to_size(j)] = run.series[to_size(size() + j)] / run.scale;
  return Evaluation::ok;
}

Change ArraySystem::renew_factors(double t, ArrayRun& run) const {
  switch (run.corrector->factor(solver_.point(t, run.base, run))) {
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
