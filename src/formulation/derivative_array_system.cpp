// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/derivative_array_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "analysis/structural_model.hpp"
#include "linalg/pivot_columns.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

using analysis::ArrayCorrector;
using analysis::ArrayPoint;

constexpr int max_iterations = 40;
constexpr double least_damping = 1.0 / 64.0;
/// Contraction above which fresh factors pay.
constexpr double slow_contraction = 0.2;
/// The last correction is this much below the wanted accuracy, but not below what the arithmetic
/// allows: what it leaves undone is then well below too.
constexpr double safety = 1e-3;
constexpr double least_tolerance = 1e-12;
/// w is a means (the error in x and x' is of second order in it), and its round-off is greater.
constexpr double high_tolerance = 1e-11;
/// Corrections that no longer shrink below this are at the round-off of the array.
constexpr double round_off_level = 1e-10;

ArrayRun& own(Run& run) {
  return static_cast<ArrayRun&>(run);
}

void add(std::span<double> to, double factor, std::span<const double> what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
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
          .discretes = run.discretes};
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
  const Change change = events_.initialize(t0, start.x, start.xp, run, *this, solve);
  if (change.kind == Change::Kind::stop) {
    start.status = change.status;
    start.message = change.message;
    return start;
  }
  initializer_.add_notices(found, wishes, start);
  if (structural_states_ && *structural_states_ != run.index.n_states) {
    start.notices.push_back(fmt::format(
        "The numbers give {} states, counting gives {}: either terms cancel, and the numbers are "
        "right, or the model has time scales too far apart for the rank decision.",
        run.index.n_states, *structural_states_));
  }
  return start;
}

Change ArraySystem::prepare(double t, const ArrayStart& found, ArrayRun& run) const {
  run.level = found.index.index;
  run.scale = found.index.scale;
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
                            .keeps_scale = settings_.form == ArrayForm::completion},
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

void ArraySystem::predict(double t, std::span<const double> x, ArrayRun& run) const {
  if (run.solved_t == t && run.has_series) {
    // Another x at the same time (a corrector after its predictor): the last solution is nearest.
    std::copy(x.begin(), x.end(), run.series.begin());
    return;
  }
  // The series at the last accepted point, moved to t: Y_j = Σ_i C(i, j) s^(i−j) X_i, by repeated
  // Horner steps.
  run.series = run.base;
  const double s = (t - run.base_t) / run.scale;
  const Index n = size();
  for (int first = 0; first <= run.level; ++first) {
    for (int i = run.level; i >= first; --i) {
      for (Index j = 0; j < n; ++j) {
        run.series[to_size(i * n + j)] += s * run.series[to_size((i + 1) * n + j)];
      }
    }
  }
  std::copy(x.begin(), x.end(), run.series.begin());
}

ArraySystem::Size ArraySystem::size_of(std::span<const double> delta, const ArrayRun& run) const {
  Size size;
  const auto n = nominals_.size();
  for (std::size_t i = 0; i < delta.size(); ++i) {
    const double scale = std::abs(run.series[i]) + std::abs(run.series[i % n]) + nominals_[i % n];
    double& part = i < 2 * n ? size.low : size.high;
    part = std::max(part, std::abs(delta[i]) / scale);
  }
  return size;
}

bool ArraySystem::is_small(const Size& size) const {
  const double tolerance = std::max(safety * settings_.epsilon, least_tolerance);
  return size.low <= tolerance && size.high <= std::max(tolerance, high_tolerance);
}

bool ArraySystem::refactor(double t, ArrayRun& run) const {
  using Outcome = ArrayCorrector::Outcome;
  const Outcome outcome = run.corrector->factor(point(t, run.series, run));
  if (outcome == Outcome::ok) return true;
  switch (outcome) {
    case Outcome::rank_changed:
      fail(Status::rank_change,
           fmt::format("The rank of the derivative array changes at t = {:.12g}.", t), run);
      break;
    case Outcome::singular_partition:
      fail(Status::singular_iteration_matrix,
           fmt::format("At t = {:.12g} the constraints do not determine {}.", t,
                       names_of(run.corrector->dependent())),
           run);
      break;
    default:
      fail(Status::non_finite_value,
           fmt::format("The equations or their derivatives are not finite at t = {:.12g}.", t),
           run);
  }
  return false;
}

Evaluation ArraySystem::solve_completion(double t, ArrayRun& run) const {
  double before = infinity;
  for (int i = 0; i < max_iterations; ++i) {
    if (!refactor(t, run)) return Evaluation::recoverable;
    run.corrector->correct(run.delta);
    const Size size = size_of(run.delta, run);
    if (!std::isfinite(size.low + size.high)) break;
    add(run.series, 1.0, run.delta);
    const bool has_settled = size.low <= round_off_level && size.low >= 0.5 * before;
    if (is_small(size) || has_settled) return Evaluation::ok;
    before = size.low;
  }
  return fail(Status::newton_failure,
              fmt::format("The derivatives could not be solved at t = {:.12g}.", t), run);
}

Evaluation ArraySystem::solve_partition(double t, ArrayRun& run) const {
  // Campbell, Moore (21). A damped step is taken when the correction at its end, by the same
  // factors, is shorter (Deuflhard's natural monotonicity test); factors that contract slowly are
  // renewed.
  ArrayCorrector& corrector = *run.corrector;
  const auto not_finite = [&] {
    return fail(Status::non_finite_value,
                fmt::format("The equations or their derivatives are not finite at t = {:.12g}.", t),
                run);
  };
  if (!corrector.evaluate(point(t, run.series, run))) return not_finite();
  corrector.correct(run.delta);
  bool is_fresh = false;
  double damping = 1.0;
  for (int i = 0; i < max_iterations; ++i) {
    const Size size = size_of(run.delta, run);
    if (is_small(size)) {
      add(run.series, 1.0, run.delta);
      return Evaluation::ok;
    }
    run.trial = run.series;
    add(run.trial, damping, run.delta);
    double length = infinity;
    const double before = std::max(size.low, size.high);
    if (corrector.evaluate(point(t, run.trial, run))) {
      corrector.correct(run.trial_delta);
      const Size next = size_of(run.trial_delta, run);
      length = std::max(next.low, next.high);
    }
    if (length <= (1.0 - 0.25 * damping) * before) {
      run.series.swap(run.trial);
      run.delta.swap(run.trial_delta);
      if (length <= slow_contraction * before) continue;
      damping = std::min(1.0, 2.0 * damping);
    } else if (size.low <= least_tolerance || (size.low <= round_off_level && is_fresh)) {
      add(run.series, 1.0, run.delta);
      return Evaluation::ok;
    } else if (is_fresh) {
      damping *= 0.5;
      if (damping < least_damping) break;
      continue;
    }
    if (!refactor(t, run)) return Evaluation::recoverable;
    corrector.correct(run.delta);
    is_fresh = true;
  }
  return fail(Status::newton_failure,
              fmt::format("The dependent coordinates {} could not be solved at t = {:.12g}.",
                          names_of(corrector.dependent()), t),
              run);
}

Evaluation ArraySystem::solve(double t, std::span<const double> x, ArrayRun& run) const {
  if (run.is_solved && run.solved_t == t &&
      std::equal(x.begin(), x.end(), run.solved_x.begin(), run.solved_x.end())) {
    return Evaluation::ok;
  }
  run.is_solved = false;
  run.solved_x.assign(x.begin(), x.end());
  if (!follow_schedule(t, run)) {
    return fail(Status::singular_iteration_matrix,
                fmt::format("At t = {:.12g} the constraints do not determine {}.", t,
                            names_of(run.corrector->dependent())),
                run);
  }
  predict(t, x, run);
  const Evaluation evaluation =
      settings_.form == ArrayForm::completion ? solve_completion(t, run) : solve_partition(t, run);
  run.is_solved = run.has_series = evaluation == Evaluation::ok;
  run.solved_t = t;
  return evaluation;
}

Evaluation ArraySystem::complete(double t, std::span<double> x, Run& base) const {
  ArrayRun& run = own(base);
  const Evaluation evaluation = solve(t, x, run);
  if (evaluation != Evaluation::ok) return evaluation;
  std::copy_n(run.series.begin(), size(), x.begin());
  // The integrator asks for x' at the completed point next.
  run.solved_x.assign(x.begin(), x.end());
  return Evaluation::ok;
}

Evaluation ArraySystem::rhs(double t, std::span<const double> x, Run& base,
                            std::span<double> xp) const {
  ArrayRun& run = own(base);
  const Evaluation evaluation = solve(t, x, run);
  if (evaluation != Evaluation::ok) return evaluation;
  for (Index j = 0; j < size(); ++j) xp[to_size(j)] = run.series[to_size(size() + j)] / run.scale;
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
  if (solve(t, x, run) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  renew_base(t, run);
  ArrayCorrector& corrector = *run.corrector;
  switch (corrector.factor(point(t, run.base, run))) {
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
  Change change;
  if (!corrector.dependent().empty()) change = watch_partition(t, run);
  if (change.kind == Change::Kind::stop) return change;
  // The solution of F_k = 0 nearest to the seeds is the one to continue from.
  corrector.correct(run.delta);
  const Size size = size_of(run.delta, run);
  if (std::isfinite(size.low + size.high)) {
    std::fill_n(run.delta.begin(), 2 * this->size(), 0.0);
    add(run.base, 1.0, run.delta);
  }
  return change;
}

double ArraySystem::residual_of_level(double t, std::span<const double> x, int level,
                                      ArrayRun& run) const {
  if (solve(t, x, run) != Evaluation::ok || level > run.level ||
      !run.corrector->evaluate(point(t, run.series, run))) {
    return NAN;
  }
  double factor = 1.0;  // level!/scale^level
  for (int i = 1; i <= level; ++i) factor *= i / run.scale;
  double greatest = 0.0;
  const auto rows = run.corrector->residual().subspan(to_size(level * array_.n_equations()),
                                                      to_size(array_.n_equations()));
  for (const double r : rows) greatest = std::max(greatest, std::abs(r));
  return factor * greatest;
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
