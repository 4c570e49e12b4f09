// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/run_segment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/driver/step_failure.hpp"
#include "model/variants.hpp"
#include "solve/integrator_choice.hpp"
#include "system/sparse_slopes.hpp"

namespace daedal::solve_detail {

namespace {

/// Full matrices of this size, or so many entries for each unknown of the model, cost as little as
/// those of the equations as written.
constexpr std::int64_t small_matrix = 50 * 50;
constexpr std::int64_t entries_per_unknown = 10;
/// Explicit steps that are better finished than left to an implicit scheme on the same equations,
/// and how many more for each entry of its matrices.
constexpr double steps_worth_another_scheme = 100.0;
constexpr double steps_per_entry = 0.2;

/// The Jacobian of an explicit system for an implicit scheme; null where it is unknown or too full.
const SparsityPattern* sparse_slopes(const formulation::Formulation& formulation) {
  const auto* source = dynamic_cast<const SparseSlopes*>(formulation.explicit_system.get());
  if (source == nullptr) return nullptr;
  const SparsityPattern& pattern = source->slopes_pattern();
  const auto n_unknowns = static_cast<std::int64_t>(formulation.outputs.names.size());
  const bool is_small =
      pattern.nonzeros() <= std::max(small_matrix, entries_per_unknown * n_unknowns);
  return is_small ? &pattern : nullptr;
}

/// `slides`: along a surface, on which what it compares is nothing.
void apply_verdict(const ResidualCheck& check, bool slides, Solution& solution) {
  // Across a surface along which the solution slides, equations jump, and states do not move.
  if (!check.jump().empty() && !slides) solution.warnings.push_back(check.jump());
  if (std::string unseen = check.unseen_states(); !unseen.empty() && !slides) {
    solution.warnings.push_back(std::move(unseen));
  }
  const auto verdict = check.verdict();
  if (verdict.message.empty()) return;
  if (is_success(solution.status) && verdict.is_no_solution) {
    solution.status = Status::check_failed;
    solution.message = verdict.message;
  } else {
    solution.warnings.push_back(verdict.message);
  }
}

/// Where steps came to nothing, the constraints may be the reason.
void name_singularity(const formulation::Formulation& formulation,
                      const integration::DriveOutcome& outcome, Run& run, Solution& solution) {
  if (!info(outcome.status).may_be_singularity || !formulation.watch.describe) return;
  const std::string sentence = formulation.watch.describe(outcome.t, outcome.x, run);
  if (sentence.empty() || solution.message.find(sentence) != std::string::npos) return;
  solution.message += ' ' + sentence;
}

}  // namespace

/// The check is one of tolerances: it says nothing about fixed steps.
std::optional<ResidualCheck> make_check(const PreparedRun& run, const SolveOptions& options) {
  if (options.fixed_step > 0.0 || !run.integrator->can.error_controlled) return std::nullopt;
  // The system of `direct` is the equations as written.
  const auto* own =
      dynamic_cast<const formulation::WrittenEquations*>(run.formulation->implicit_system.get());
  auto system = own != nullptr
                    ? std::shared_ptr<const formulation::WrittenEquations>(run.formulation, own)
                    : run.from.model->written();
  return std::optional<ResidualCheck>(
      std::in_place, std::move(system), run.from.model->nonlinear_blocks(),
      ResidualCheck::Tolerances{*options.rtol, options.atol, run.follows_scales});
}

std::optional<StepWatch> make_watch(const PreparedRun& run, const RunContext& context,
                                    const std::shared_ptr<const OutputMap>& map) {
  const WatchedFunctions& functions = context.reading->watched_functions();
  if (functions.empty()) return std::nullopt;
  const bool is_read_later =
      std::ranges::any_of(context.reading->simplified.model.schedules(), [](const auto& schedule) {
        return !schedule->past.signal.empty() && !schedule->past.is_carried();
      });
  return std::optional<StepWatch>(std::in_place, functions, context.reading->simplified.model, map,
                                  WatchOptions{.rtol = *run.options.rtol,
                                               .atol = run.options.atol,
                                               .can_repeat = run.options.fixed_step == 0.0 &&
                                                             run.integrator->can.error_controlled,
                                               .follows_scales = context.follows_scales,
                                               .is_kept = is_read_later,
                                               .bounds = context.bound_checks});
}

integration::DriverOptions driver_options(const PreparedRun& run, const RunContext& context) {
  integration::DriverOptions driver = driver_options(context.span, run.options);
  driver.t0 = run.from.t0;
  driver.origin = context.span.start;
  driver.stop_when_stiff = run.candidate.when_stiff || run.candidate.is_for_speed;
  const SparsityPattern* slopes =
      run.candidate.stiff_integrator.empty() ? nullptr : sparse_slopes(*run.formulation);
  if (slopes != nullptr) {
    driver.steps_worth_a_change = std::min(
        driver.steps_worth_a_change,
        steps_worth_another_scheme + steps_per_entry * static_cast<double>(slopes->nonzeros()));
  }
  if (run.candidate.minds_length && can_be_sharper(*run.options.rtol)) {
    driver.max_projected_steps = long_run;
  }
  const auto& successor = run.candidate.when_failed;
  if (successor && successor->passes_folds) driver.max_steps_left = most_steps_left;
  return driver;
}

RunSegment::RunSegment(PreparedRun run, const RunContext& context, Solution& solution)
    : run_(std::move(run)),
      context_(context),
      solution_(solution),
      check_(make_check(run_, context.options)),
      growth_(std::in_place, run_.formulation->system(),
              std::isinf(run_.integrator->can.real_stability)),
      map_(std::make_shared<const OutputMap>(run_.formulation, context.reading->simplified,
                                             context.options.columns)),
      recorder_(map_, context.dense,
                {.check = check_ ? &*check_ : nullptr,
                 .growth = *growth_,
                 .model = context.reading->simplified.model,
                 .row_time = run_.from.row_time,
                 .rows = context.row_checks,
                 .feed = context.feed,
                 .keep_rows = context.options.keep_rows,
                 .has_step_rows = context.options.has_step_rows},
                solution),
      watch_(make_watch(run_, context, map_)),
      stepper_(make_stepper(run_)),
      drive_(run_.formulation->system(), *stepper_, *run_.run, run_.start.x, run_.start.xp,
             driver_options(), recorder_) {
  follow_errors();
}

bool RunSegment::go_on_implicitly(RunRecord& record) {
  const integration::DriveOutcome outcome = drive_.outcome();
  const Candidate& before = run_.candidate;
  const bool is_over = !is_success(outcome.status) || outcome.t == context_.span.stop;
  if (!outcome.is_stiff || is_over || before.stiff_integrator.empty() ||
      sparse_slopes(*run_.formulation) == nullptr) {
    return false;
  }
  record.note(fmt::format(
      "At t = {:.6g} the model turned out to be stiff for '{}' with '{}': from there on by '{}'.",
      outcome.t, before.method->name, run_.integrator->name, before.stiff_integrator));
  record.add_growth(*growth_);
  std::optional<Successor> fallback = before.when_stiff;
  if (std::abs(context_.span.stop - outcome.t) <= bearable_steps * outcome.last_step) {
    fallback = as_before(before);
  }
  if (carried_ && !carried_->sentence().empty()) solution_.warnings.push_back(carried_->sentence());
  run_.candidate = {.method = before.method,
                    .integrator = before.stiff_integrator,
                    .when_failed = fallback,
                    .tolerance_factor = before.tolerance_factor,
                    .ignores_scales = before.ignores_scales};
  run_.integrator = &integration::find_integrator(run_.candidate.integrator);
  run_.options.integrator = Integrator(run_.candidate.integrator);
  if (run_.options.initial_step == 0.0) run_.options.initial_step = outcome.last_step;
  solution_.integrator.used = run_.integrator->name;
  growth_.emplace(run_.formulation->system(), std::isinf(run_.integrator->can.real_stability));
  auto next = make_stepper(run_);
  drive_.take_over(*next);
  stepper_ = std::move(next);
  follow_errors();
  return true;
}

void RunSegment::follow_errors() {
  carried_.reset();
  if (run_.options.fixed_step > 0.0 || !run_.integrator->can.error_controlled) return;
  // Where small variables could not be followed, the tolerance that is left was not asked for.
  if (!run_.follows_scales && context_.follows_scales) return;
  carried_.emplace(map_, context_.reading->simplified.model,
                   CarriedError::Options{.rtol = *run_.options.rtol,
                                         .atol = run_.options.atol,
                                         .follows_all = context_.is_confirmation,
                                         .only_tells = !run_.follows_scales});
  carried_->begin(*stepper_, context_.span.stop, *run_.run);
}

integration::DriverOptions RunSegment::driver_options() {
  integration::DriverOptions driver = solve_detail::driver_options(run_, context_);
  driver.steps_before = solution_.statistics.steps;
  driver.seconds_before = context_.seconds();
  if (watch_) driver.inspector = &*watch_;
  return driver;
}

bool RunSegment::advance() {
  const auto has_stopped = [&] { return context_.feed != nullptr && context_.feed->has_stopped(); };
  const bool has_moved = !has_stopped() && drive_.advance();
  if (has_moved && carried_) carried_->look(*stepper_, *run_.run);
  if (has_moved) stop_where_stuck();
  if (has_stopped() && !drive_.is_over()) {
    const double t = solution_.times.empty() ? time() : solution_.times.back();
    drive_.stop(Status::event_stop, fmt::format("The observer ended the run at t = {:.12g}.", t));
  }
  return has_moved;
}

/// Steps cannot leave a surface at which the equations jump; or rounding errors in equations are
/// all that there is of a small variable, and then no step is short enough for it, or for a
/// tolerance that was sharpened.
void RunSegment::stop_where_stuck() {
  ++n_advances_;
  gives_up_sharpness_ = static_cast<double>(n_advances_) > run_.candidate.most_steps;
  if (n_advances_ % steps_per_look == 0 && is_slow()) {
    const integration::ErrorWeights* norm = stepper_->norm();
    gives_up_scales_ = run_.follows_scales && norm != nullptr && norm->follows_small();
    std::vector<Band> near = context_.may_slide ? bands() : std::vector<Band>{};
    std::erase_if(near, [&](const Band& band) { return context_.reading->has_band(band.surface); });
    const auto was_near = std::exchange(near_at_look_, near);
    for (const Band& band : near) {
      if (gives_up_scales_) break;  // rounding errors around 0 are on a surface at 0
      is_crawling_ = std::ranges::find(was_near, band.surface, &Band::surface) != was_near.end();
      if (!is_crawling_) continue;
      return drive_.stop(
          Status::chattering,
          integration::with_remedy(
              Status::chattering,
              fmt::format("At t = {:.12g} steps cannot leave '{}', at which the equations jump.",
                          time(), band.surface.text)));
    }
  }
  if (!gives_up_sharpness_ && !gives_up_scales_) return;
  drive_.stop(Status::max_steps_reached,
              gives_up_sharpness_ ? "The sharper tolerance asks for more steps than it should."
                                  : "Small variables ask for more steps than the run can take.");
}

bool RunSegment::is_slow() {
  const double way = std::abs(time() - std::exchange(time_of_look_, time()));
  const double left =
      std::abs(context_.span.stop - time()) / way * static_cast<double>(steps_per_look);
  // What lies before the first look may be the transient of a stiff start.
  if (n_advances_ == steps_per_look) return false;
  const bool is_settled =
      n_advances_ >= integration::settled_steps && n_advances_ % steps_per_settled_look == 0;
  return left > most_steps_left * (is_settled ? 1.0 : integration::hopeless_factor);
}

std::vector<double> RunSegment::largest_values() const {
  const auto variables = context_.reading->simplified.model.variables();
  std::vector<double> largest = place().values;
  largest.resize(variables.size());  // a method may have added derivatives behind them
  for (std::size_t i = 0; i < largest.size(); ++i) {
    largest[i] = std::abs(largest[i]);
    const auto column = std::ranges::find(solution_.names, variables[i].name);
    if (column == solution_.names.end()) continue;
    const auto number = to_size(column - solution_.names.begin());
    for (std::size_t k = 0; k < solution_.n_rows(); ++k) {
      largest[i] = std::max(largest[i], std::abs(solution_.row(k)[number]));
    }
  }
  return largest;
}

JumpPlace RunSegment::jump_place() const {
  SegmentEnd here = place();
  return {.t = here.t,
          .values = std::move(here.values),
          .rates = std::move(here.rates),
          .span = std::abs(context_.span.stop - context_.span.start)};
}

std::vector<Band> RunSegment::bands() const {
  const SolveOptions& options = context_.options;
  return context_.reading->jump_surfaces().bands(
      jump_place(), largest_values(), {.rtol = *options.rtol, .atol = options.atol},
      formulation::run_of<formulation::ModelRun>(*run_.run));
}

void RunSegment::set_parameters(const std::vector<double>& values, const std::string& what) {
  const bool may_restart = can_restart(run_.from.model->model());
  run_.candidate.when_singular.reset();
  run_.candidate.when_failed.reset();
  run_.candidate.is_sharpened = false;
  run_.candidate.is_for_speed = false;
  run_.candidate.most_steps = HUGE_VAL;
  run_.follows_scales = false;  // where they fail, a run begins at its start again
  if (!may_restart) run_.candidate.when_stiff.reset();
  const auto change = [&] {
    parameters_of(*run_.run) = values;
    formulation::run_of<formulation::ModelRun>(*run_.run).has_new_parameters = true;
  };
  drive_.interrupt(change, what, may_restart);
}

const std::vector<double>& RunSegment::parameters() const {
  return parameters_of(*run_.run);
}

std::vector<double> RunSegment::values(std::span<double> columns) const {
  std::vector<double> all(map_->names().size());
  auto workspace = map_->make_workspace();
  map_->evaluate(drive_.time(), drive_.x(), drive_.xp(), *run_.run, all, columns, workspace);
  return all;
}

double RunSegment::value(std::string_view name) const {
  std::vector<double> columns(map_->n_columns());
  const std::vector<double> all = values(columns);
  const auto found = std::ranges::find(map_->names(), name);
  // Parameters and derivatives are columns only; a name that is none is refused.
  return found == map_->names().end() ? columns[solution_.column(name)]
                                      : all[to_size(found - map_->names().begin())];
}

void RunSegment::conclude(const integration::DriveOutcome& outcome) {
  solution_.status = outcome.status;
  solution_.message = outcome.message;
  solution_.statistics += outcome.statistics;
  const auto& warnings = run_.run->warnings;
  solution_.warnings.insert(solution_.warnings.end(), warnings.begin(), warnings.end());
  const auto ended = recorder_.end().diagnose(outcome.status, *run_.from.model, *run_.formulation,
                                              *run_.options.rtol, *run_.run);
  // What was passed was no end.
  constexpr double small_share = 1e-6;
  const double way = outcome.t - context_.span.start;
  if (ended && (ended->t - context_.span.start) / way > 1.0 - small_share) {
    solution_.status = ended->status;
    solution_.message = ended->message + " The run itself stopped with: " + outcome.message;
    singular_time_ = ended->t;
  }
  name_singularity(*run_.formulation, outcome, *run_.run, solution_);
  // An attempt that failed has left nothing to interpolate.
  if (check_ && is_success(outcome.status)) {
    check_->finish(*stepper_, *run_.formulation, *run_.run);
  }
  const bool slides = !context_.reading->bands.empty() || outcome.status == Status::chattering;
  if (check_) apply_verdict(*check_, slides, solution_);
  if (carried_ && !carried_->sentence().empty()) solution_.warnings.push_back(carried_->sentence());
  if (watch_ && watch_->undefined_output() && is_success(solution_.status)) {
    solution_.status = Status::non_finite_value;
    solution_.message = integration::with_remedy(
        solution_.status, fmt::format("{} What was integrated reached t = {:.12g}.",
                                      watch_->undefined_output()->message, outcome.t));
  }
  if (const auto& bad = recorder_.bad_value(); bad && is_success(solution_.status)) {
    solution_.status = Status::non_finite_value;
    solution_.message = integration::with_remedy(
        solution_.status,
        fmt::format("At t = {:.12g} '{}' has no finite value. What was integrated reached t = "
                    "{:.12g}.",
                    bad->t, bad->name, outcome.t));
  }
}

SegmentEnd RunSegment::place() const {
  const integration::DriveOutcome outcome = drive_.outcome();
  SegmentEnd place;
  place.t = outcome.t;
  place.last_step = outcome.last_step;
  read_end(outcome, place);
  return place;
}

SegmentEnd RunSegment::finish() {
  const integration::DriveOutcome outcome = drive_.outcome();
  conclude(outcome);
  SegmentEnd end;
  end.t = outcome.t;
  const bool is_singular =
      outcome.status == Status::rank_change || outcome.status == Status::singular_iteration_matrix;
  if (is_singular && run_.candidate.when_singular) {
    end.reason = SegmentEnd::Reason::singular;
    return end;
  }
  // A failure without a diagnosis of its own may be one of the method, and any of one that was
  // chosen for its speed.
  const bool is_quickest =
      run_.candidate.is_for_speed && run_.candidate.method->name == StatesOnly::name;
  const bool has_failed =
      (info(outcome.status).may_be_singularity &&
       (solution_.status == outcome.status || run_.candidate.is_for_speed)) ||
      (is_quickest && !is_success(solution_.status) && !is_limit(solution_.status));
  const integration::ErrorWeights* norm = stepper_->norm();
  // From 0 a variable may grow by a higher power of time than the error of a first step does, or by
  // a jump of its rate, beside which no step is short.
  end.follows_small =
      run_.follows_scales && norm != nullptr && norm->has_small() && !gives_up_sharpness_;
  if (gives_up_scales_ || gives_up_sharpness_) {
    end.reason = SegmentEnd::Reason::failed;
    return end;
  }
  const auto& successor = run_.candidate.when_failed;
  const bool may_not_settle =
      successor && successor->passes_folds && outcome.status == Status::chattering;
  const bool repeats_itself =
      run_.candidate.when_undetermined && outcome.status == Status::no_unique_solution;
  const bool has_another =
      end.follows_small || successor || run_.candidate.is_sharpened || run_.candidate.is_for_speed;
  if ((has_failed && has_another) || may_not_settle || repeats_itself || outcome.is_too_slow) {
    end.reason = SegmentEnd::Reason::failed;
    end.projected_steps = outcome.is_too_slow ? outcome.projected_steps : 0.0;
    return end;
  }
  // A slope that is infinite at the start lets no step begin.
  const bool has_not_begun = has_failed && outcome.t == context_.span.start;
  const bool may_go_on = solution_.status == Status::impasse_point || has_not_begun;
  // Beyond a singular position of constraints several branches begin.
  const bool may_branch = run_.formulation->levels.n > 1;
  if (may_go_on && !may_branch && can_restart(run_.from.model->model())) {
    end.reason = SegmentEnd::Reason::passage;
    end.singular_time = has_not_begun ? outcome.t : singular_time_;
    read_end(outcome, end);
    return end;
  }
  if (solution_.status == Status::impasse_point && successor && successor->passes_folds) {
    end.reason = SegmentEnd::Reason::failed;
    return end;
  }
  const bool is_over = outcome.t == context_.span.stop || outcome.status == Status::event_stop;
  if (!is_success(solution_.status) || is_over) {
    // An explicit integrator that the user chose is kept, with a warning. What auto chose, and kept
    // to a near end, was not worth a change.
    const bool was_chosen = context_.is_automatic() && context_.options.integrator.is_automatic();
    if (outcome.is_stiff && !has_successor_when_stiff() && !was_chosen)
      solution_.warnings.push_back(stiffness_warning(*run_.integrator));
    const double n_steps =
        std::min(outcome.projected_steps, static_cast<double>(outcome.statistics.steps));
    if (is_success(solution_.status) && long_run_excess(n_steps, 1.0) > bearable_excess) {
      solution_.warnings.push_back(length_warning(n_steps));
    }
    return end;
  }
  end.last_step = outcome.last_step;
  end.projected_steps = outcome.projected_steps;
  end.step_room = outcome.step_room;
  if (outcome.is_too_long) end.reason = SegmentEnd::Reason::length;
  if (outcome.is_stiff && has_successor_when_stiff()) end.reason = SegmentEnd::Reason::stiff;
  read_end(outcome, end);
  return end;
}

void RunSegment::read_end(const integration::DriveOutcome& outcome, SegmentEnd& end) const {
  const std::size_t n = context_.reading->simplified.model.variables().size();
  end.values.resize(run_.formulation->outputs.names.size());
  end.rates.resize(end.values.size());
  run_.formulation->outputs.to_model(outcome.t, outcome.x, outcome.xp, *run_.run, end.values,
                                     end.rates);
  end.values.resize(n);
  end.rates.resize(n);
  end.parameters = parameters_of(*run_.run);
}

}  // namespace daedal::solve_detail
