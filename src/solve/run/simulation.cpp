// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <mutex>
#include <utility>

#include "analysis/structural_report.hpp"
#include "model/labels.hpp"
#include "model/usage.hpp"
#include "model/variants.hpp"
#include "solve/checks/lost_digits.hpp"
#include "solve/settable_inputs.hpp"

namespace daedal {

namespace {

using solve_detail::Candidate;
using solve_detail::PreparedModel;
using solve_detail::PreparedRun;
using solve_detail::Reading;
using solve_detail::RunContext;
using solve_detail::SegmentEnd;

/// Times the steps that a run projects: sharpened it takes six times as many at most, and no run is
/// as long as it seems to be at its beginning.
constexpr double steps_beyond_projection = 16.0;
/// A run of so many steps costs little, whatever else they are.
constexpr double bearable_steps = 1e5;
/// Of the greatest variable: what rounding errors may have left of another one.
constexpr double rounding_share = 1e-13;

/// How far from its start a run has come.
double reach(const Solution& solution, const TimeSpan& span) {
  return solution.times.empty() ? 0.0 : std::abs(solution.times.back() - span.start);
}

/// Variables that nothing else needs are taken out with the equations that determine them. Such an
/// equation may be one of motion, for the force that a prescribed coordinate needs: without it no
/// mechanism is recognised. Nothing is asked twice where a method for mechanics fits, or where none
/// is needed.
bool may_hide_mechanics(const PreparedRun& run, const Reading& reading, const RunContext& context) {
  const bool has_started = (run.candidate.is_for_low_index || run.candidate.is_for_speed) &&
                           run.start.status == Status::success;
  return !context.stop.is_raised() && reading.simplified.n_outputs > 0 && context.is_automatic() &&
         run.candidate.method->needs == RequiredView::general && !has_started;
}

/// A flag that is up while one thread advances the run.
class Raised {
 public:
  explicit Raised(std::atomic<bool>& flag) : flag_(flag) {
    if (!flag.exchange(true)) return;
    throw OptionError(ErrorCode::invalid_option,
                      "The run is in the middle of a step: it cannot be advanced from its own "
                      "callback, or by two threads at once.");
  }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;
  ~Raised() { flag_ = false; }

 private:
  std::atomic<bool>& flag_;
};

/// The run ended for a limit that another one may do without.
bool is_limit(Status status) {
  return status == Status::cancelled || status == Status::time_limit_reached ||
         status == Status::max_steps_reached;
}

}  // namespace

Simulation::Impl::Impl(std::shared_ptr<const solve_detail::Preparation> preparation,
                       solve_detail::RunContext context, bool is_confirmation)
    : preparation_(std::move(preparation)),
      context_(std::move(context)),
      is_confirmation_(is_confirmation),
      recognitions_before_(formulation::Recognized::n_recognitions()),
      compilations_before_(kernel::Program::n_compilations()) {
  const SolveOptions& options = context_.options;
  solution_.model_name = preparation_->model().name();
  for (const auto& variables :
       {preparation_->model().variables(), preparation_->model().discretes()}) {
    for (const Variable& variable : variables) {
      if (variable.causality == Causality::input) solution_.inputs.push_back(variable.name);
      if (variable.causality == Causality::output) solution_.outputs.push_back(variable.name);
    }
  }
  solution_.rtol = options.rtol;
  solution_.atol = options.atol;
  solution_.method.requested = options.method.name();
  solution_.integrator.requested = options.integrator.name();
  begin_watching();
  PreparedRun run = choose();
  const bool has_failed = run.start.status != Status::success;
  is_doubtful_ = preparation_->parameters() != context_.parameters && !context_.stop.is_raised() &&
                 (has_failed || !preparation_->holds_for(context_.parameters));
  if (is_doubtful_) return;
  // What can never determine its unknowns is an error of the model, whichever method finds it.
  if (has_failed && !context_.stop.is_raised()) {
    (void)analysis::structural_report(preparation_->model());
  }
  begin(std::move(run));
}

Simulation::Impl::Impl(std::shared_ptr<const solve_detail::Preparation> preparation,
                       solve_detail::RunContext context, solve_detail::Checkpoint checkpoint)
    : preparation_(std::move(preparation)),
      context_(std::move(context)),
      solution_(std::move(checkpoint.solution)),
      is_confirmation_(false),
      log_growth_(checkpoint.log_growth),
      neglected_(checkpoint.neglected),
      is_exact_(checkpoint.is_exact),
      recognitions_before_(formulation::Recognized::n_recognitions()),
      compilations_before_(kernel::Program::n_compilations()) {
  is_changed_ = checkpoint.is_changed;
  begin_watching();
  begin(continuation(checkpoint));
}

void Simulation::Impl::begin_watching() {
  const Observer& o = context_.options.observer;
  if (o.on_begin || o.on_output || o.on_step || o.on_event || o.on_rewind) feed_.emplace(o);
  context_.feed = feed_ ? &*feed_ : nullptr;
  make_dense();
}

void Simulation::Impl::make_dense() {
  const bool is_kept = context_.options.dense_output.value_or(context_.keeps_all());
  context_.dense = is_kept ? std::make_shared<Solution::Dense>() : nullptr;
  solution_.set_dense_output(context_.dense);
}

/// The reading with all variables where only that is a mechanism, otherwise the shorter one.
solve_detail::PreparedRun Simulation::Impl::choose() {
  std::vector<std::string> notices;
  const auto first_of = [&](const Reading& reading) {
    context_.reading = &reading;
    notices.clear();
    return first_that_fits(solve_detail::candidates(context_.options, reading.prepared),
                           start_of_run(), context_, notices);
  };
  const auto is_mechanism = [&] {
    return bool(preparation_->complete().prepared.recognized()->mechanical());
  };
  const auto keep = [&](PreparedRun run) {
    solution_.notices.insert(solution_.notices.end(), notices.begin(), notices.end());
    return run;
  };
  const Reading& shortened = preparation_->shortened();
  std::optional<PreparedRun> run;
  try {
    run = first_of(shortened);
    if (!may_hide_mechanics(*run, shortened, context_) || !is_mechanism()) {
      return keep(std::move(*run));
    }
  } catch (const ModelError& error) {
    if (error.code() != ErrorCode::not_recognized || !is_mechanism()) throw;
  }
  const std::vector<std::string> notices_of_shortened = notices;
  PreparedRun other = first_of(preparation_->complete());
  if (!run || other.start.status == Status::success) return keep(std::move(other));
  context_.reading = &shortened;
  notices = notices_of_shortened;
  return keep(std::move(*run));
}

solve_detail::StartPoint Simulation::Impl::start_of_run() const {
  return {&context_.reading->prepared, context_.parameters, context_.span.start};
}

void Simulation::Impl::begin(PreparedRun run) {
  solution_.method.used = run.candidate.method->name;
  solution_.integrator.used = run.integrator->name;
  const formulation::Start& start = run.start;
  solution_.notices.insert(solution_.notices.end(), start.notices.begin(), start.notices.end());
  if (start.status != Status::success) {
    solution_.status = start.status;
    solution_.message = start.message;
    finish();
    return;
  }
  if (!context_.keeps_all() && !row_checks_) {
    row_checks_.emplace(preparation_->model(), context_.reading->prepared,
                        context_.reading->simplified.recovery.names(), solution_.rtol);
  }
  context_.row_checks = row_checks_ ? &*row_checks_ : nullptr;
  segment_ = std::make_unique<solve_detail::RunSegment>(std::move(run), context_, solution_);
  segment_->aim_at(target_);
}

bool Simulation::Impl::step() {
  std::unique_lock turn(turns_, std::defer_lock);
  const Raised advancing(is_advancing_);
  turn.lock();
  return take_step();
}

bool Simulation::Impl::advance(double t) {
  if (std::isnan(t)) {
    throw OptionError(ErrorCode::invalid_option, "The time to advance to is not a number.");
  }
  const auto has_reached = [&] {
    return context_.span.start <= context_.span.stop ? time() >= t : time() <= t;
  };
  const Raised advancing(is_advancing_);
  aim_at(t);
  bool goes_on = true;
  while (goes_on && !has_reached()) goes_on = take_step();
  aim_at(std::numeric_limits<double>::quiet_NaN());
  // At the end of the span the run is over, and its solution complete.
  while (time() == context_.span.stop && take_step()) {
  }
  return has_reached();
}

bool Simulation::Impl::take_step() {
  const std::lock_guard turn(turns_);
  if (!segment_) return false;
  apply();
  is_stepping_ = true;
  try {
    if (!segment_->advance()) end_segment();
  } catch (...) {
    is_stepping_ = false;
    abandon();
    throw;
  }
  is_stepping_ = false;
  return segment_ != nullptr;
}

void Simulation::Impl::refuse_in_step(const char* what) const {
  if (!is_stepping_) return;
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("The run is in the middle of a step: {} between two steps, not from its own "
                  "callback.",
                  what));
}

void Simulation::Impl::abandon() {
  solution_.status = Status::cancelled;
  solution_.message = fmt::format("An exception ended the run at t = {:.12g}.", time());
  solution_.statistics.wall_time = context_.seconds();
  segment_.reset();
}

void Simulation::Impl::aim_at(double t) {
  const std::lock_guard turn(turns_);
  target_ = t;
  if (segment_) segment_->aim_at(t);
}

Simulation::Impl::Setting& Simulation::Impl::setting() {
  if (!segment_ || segment_->is_over()) {
    throw OptionError(ErrorCode::invalid_option,
                      "The run is over: nothing can be set in it any more.");
  }
  if (!setting_) setting_ = Setting{context_.options.parameters, segment_->parameters(), {}};
  return *setting_;
}

/// Throws OptionError where the method that is at work was not made for the new values.
void Simulation::Impl::refuse_unfit(const Setting& set, const std::string& name) const {
  const auto parameters = preparation_->model().parameters();
  const std::vector<double>& now = segment_->parameters();
  const auto n = context_.parameters.size() - context_.options.start_values.size();
  bool vanishes = false;
  for (std::size_t i = 0; i < n; ++i) {
    vanishes = vanishes ||
               (!is_input_parameter(parameters[i]) && (now[i] == 0.0) != (set.values[i] == 0.0));
  }
  if (!vanishes && segment_->run().from.model->holds_for(set.values)) return;
  throw OptionError(
      ErrorCode::invalid_value,
      fmt::format("'{}' cannot have this value in the middle of a run: the structure of '{}' may "
                  "hang on it{}. Start a new run with it.",
                  name, solution_.model_name, vanishes ? ", because terms vanish or appear" : ""));
}

void Simulation::Impl::set_input(const std::string& name, double value) {
  const std::lock_guard turn(turns_);
  refuse_in_step("inputs are set");
  const Model& model = preparation_->model();
  const ModelInput& input = model.inputs()[find_input(model, name)];
  check_input_value(input, model.variable_of(input), value);
  const auto found = std::ranges::find(model.parameters(), input_parameter(name), &Parameter::name);
  if (found == model.parameters().end()) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The input '{}' follows an expression of time or a table: only "
                                  "inputs that are numbers can be set.",
                                  name));
  }
  const auto& orders = preparation_->orders();
  if (!input.is_discrete && !orders.empty()) {
    const Index order = orders[to_size(input.default_equation)];
    if (order > 0) {
      throw OptionError(
          ErrorCode::invalid_value,
          fmt::format(
              "The equations of '{}' need derivative {} of the input '{}', and a value that "
              "is set makes it jump. Give it as an expression of time or as a smooth table.",
              model.name(), order, name));
    }
  }
  Setting& set = setting();
  const auto i = to_size(found - model.parameters().begin());
  const Setting before = set;
  set.parameters[found->name] = value;
  set.values[i] = value;
  set.what += fmt::format("{}{} = {:.12g}", set.what.empty() ? "" : ", ", name, value);
  try {
    refuse_unfit(set, name);
  } catch (...) {
    set = before;
    throw;
  }
}

void Simulation::Impl::set_parameter(const std::string& name, double value) {
  const std::lock_guard turn(turns_);
  refuse_in_step("parameters are set");
  const Model& model = preparation_->model();
  Setting next = setting();
  next.parameters[name] = value;
  Overrides all = next.parameters;
  const auto parameters = model.parameters();
  const auto n = context_.parameters.size() - context_.options.start_values.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (parameters[i].fixed) continue;
    if (parameters[i].name == name) {
      throw OptionError(
          ErrorCode::invalid_option,
          fmt::format("The parameter '{}' was found by the initial equations of '{}', "
                      "and cannot be set.",
                      name, model.name()));
    }
    all[parameters[i].name] = next.values[i];
  }
  const std::vector<double> values = model.parameter_values(all);
  refuse_unused(model, {{name, value}}, Uses::after_start);
  for (std::size_t i = 0; i < n; ++i) {
    if (parameters[i].name != homotopy_parameter) next.values[i] = values[i];
  }
  next.what += fmt::format("{}{} = {:.12g}", next.what.empty() ? "" : ", ", name, value);
  refuse_unfit(next, name);
  setting_ = std::move(next);
}

void Simulation::Impl::apply() {
  if (!setting_) return;
  const Setting set = std::move(*setting_);
  setting_.reset();
  if (set.values == segment_->parameters()) return;
  is_changed_ = true;
  passages_ = {};
  context_.set_aside.reset();
  context_.options.parameters = set.parameters;
  const auto n = to_index(context_.parameters.size() - context_.options.start_values.size());
  std::copy_n(set.values.begin(), n, context_.parameters.begin());
  try {
    segment_->set_parameters(set.values, set.what);
  } catch (...) {
    abandon();
    throw;
  }
}

void Simulation::Impl::end_segment() {
  SegmentEnd end = segment_->finish();
  add_growth(segment_->growth());
  if (const auto before = passages_.come_back(segment_->time(), solution_)) {
    if (feed_) feed_->rewind(before->end.t);
    return pass(before->candidate, before->end);
  }
  if (solution_.status == Status::chattering && slide()) return;
  if (end.reason == SegmentEnd::Reason::passage) return pass(segment_->run().candidate, end);
  if (end.reason == SegmentEnd::Reason::none && take_any_index(end)) return;
  if (solution_.status == Status::success && end.reason == SegmentEnd::Reason::none &&
      follow_scales_found()) {
    return;
  }
  if (without_scales_ && !is_success(solution_.status) && !is_limit(solution_.status)) {
    go_back_to_no_scales();
    end.reason = SegmentEnd::Reason::none;
  }
  if (end.reason == SegmentEnd::Reason::none) {
    if (is_limit(solution_.status)) {
      stop_ = {std::move(segment_), solution_.warnings.size(), solution_.notices.size()};
    }
    segment_.reset();
    finish();
    return;
  }
  PreparedRun next = successor_of(segment_->run(), std::move(end));
  segment_.reset();
  begin(std::move(next));
}

/// From a place in the middle of a run.
solve_detail::StartPoint Simulation::Impl::resumption(SegmentEnd end) const {
  StartPoint from{&context_.reading->prepared.restarted(), std::move(end.parameters), end.t};
  from.parameters.resize(context_.parameters.size());
  from.parameters.insert(from.parameters.end(), end.values.begin(), end.values.end());
  return from;
}

void Simulation::Impl::read_anew(const std::vector<double>& scales) {
  const Reading& base = context_.reading->base ? *context_.reading->base : *context_.reading;
  Simplified other = base.simplified;
  other.model = with_bands(base.simplified.model, bands_, scales);
  Model model = other.model;
  own_readings_.emplace_back(new Reading{
      .simplified = std::move(other),
      .prepared = solve_detail::PreparedModel(std::move(model), base.prepared.parameters()),
      .base = &base,
      .bands = bands_});
  context_.reading = own_readings_.back().get();
}

bool Simulation::Impl::follow_scales_found() {
  Candidate candidate = segment_->run().candidate;
  // Who looked on at steps and events could not be shown again what turns out to be the better run.
  const bool can_go_back = context_.keeps_all() && !(feed_ && feed_->wants_more_than_rows());
  if (!candidate.ignores_scales || !context_.follows_scales || without_scales_ || is_changed_ ||
      !can_go_back || !bands_.empty()) {
    return false;
  }
  std::vector<double> scales = segment_->largest_values();
  const double noise = rounding_share * std::ranges::max(scales);
  bool has_small = false;
  for (double& scale : scales) {
    if (scale < noise) scale = 0.0;
    has_small = has_small || (scale > 0.0 && scale < integration::ErrorWeights::small_value);
  }
  if (!has_small) return false;
  candidate.when_failed.reset();
  candidate.most_steps = steps_beyond_projection * static_cast<double>(solution_.statistics.steps);
  without_scales_ = solution_;
  read_anew(scales);
  start_again();
  segment_.reset();
  solution_.notices.emplace_back(
      "Some variables stayed small: once more from the start, with their largest values as "
      "scales.");
  begin(prepare_run(candidate, start_of_run(), context_));
  return true;
}

/// With the scales of small variables the run has failed.
void Simulation::Impl::go_back_to_no_scales() {
  const Statistics work = solution_.statistics;
  solution_ = std::move(*without_scales_);
  solution_.statistics = work;
  solution_.notices.emplace_back(
      "With the scales of small variables the run comes to nothing: it is the one without them.");
  context_.set_aside.reset();
  if (!feed_) return;
  feed_->rewind(context_.span.start);
  for (std::size_t k = 0; k < solution_.n_rows(); ++k) {
    feed_->output(solution_.times[k], solution_.row(k));
  }
}

bool Simulation::Impl::take_any_index(const SegmentEnd& end) {
  constexpr std::string_view any_index = "derivative-array";
  constexpr std::size_t most_unknowns = 50;  // a second run that is dense must be cheap
  const Status status = solution_.status;
  const bool may_have_risen =
      status == Status::non_finite_value || status == Status::index_too_high ||
      status == Status::singular_iteration_matrix || status == Status::impulse;
  const bool is_at_event = !solution_.events.empty() && solution_.events.back().time == end.t;
  if (!may_have_risen || !is_at_event || !context_.is_automatic()) return false;
  const PreparedModel& model = context_.reading->prepared;
  for (const Candidate& candidate : solve_detail::candidates(context_.options, model)) {
    const bool fits = model.model().variables().size() <= most_unknowns;
    if (candidate.method->name != any_index || !fits) continue;
    if (segment_->run().candidate.method == candidate.method) return false;
    std::string found = fmt::format(
        "After the event at t = {:.6g} '{}' finds no solution, because the index may have changed",
        end.t, segment_->run().candidate.method->name);
    start_again();
    PreparedRun next = hand_over(segment_->run(),
                                 {.successor = {.method = candidate.method,
                                                .reason = "a method that takes any index is used."},
                                  .found = std::move(found),
                                  .from = start_of_run()});
    segment_.reset();
    begin(std::move(next));
    return true;
  }
  return false;
}

bool Simulation::Impl::slide() {
  if (!context_.is_automatic() || !context_.options.integrator.is_automatic()) return false;
  std::vector<std::string> along;
  for (const Band& band : segment_->bands()) {
    const bool is_known = std::ranges::find(bands_, band.surface, &Band::surface) != bands_.end();
    if (is_known) continue;
    bands_.push_back(band);
    along.push_back(fmt::format("'{}' (within {:.2g})", band.surface.text, band.width));
  }
  if (along.empty()) return false;
  SegmentEnd place = segment_->place();
  const std::string notice = fmt::format(
      "At t = {:.6g} the equations on either side of {} drive the solution into the other: it "
      "slides along it (Filippov's solution).",
      place.t, join_words(along));
  // What is left of variables in the band is no scale of them; those of states are known by now.
  std::vector<double> scales = segment_->largest_values();
  const auto& is_differential = context_.reading->prepared.written()->view().is_differential;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (!is_differential[i]) scales[i] = 0.0;
  }
  read_anew(scales);
  // Steps to and fro across the surface are none that a solution keeps.
  const bool resumes = can_restart(context_.reading->simplified.model) && !segment_->is_crawling();
  if (!resumes) start_again();
  // In the band the equations are stiff, and what they are is a matter of less than a tolerance.
  Candidate candidate = segment_->run().candidate;
  if (const auto stiff = candidate.when_stiff) {
    candidate = {.method = stiff->method,
                 .integrator = stiff->integrator,
                 .tolerance_factor = stiff->tolerance_factor,
                 .minds_length = !resumes};
  }
  candidate.ignores_scales = true;
  segment_.reset();
  solution_.notices.push_back(notice);
  begin(
      prepare_exactly(candidate, resumes ? resumption(std::move(place)) : start_of_run(), resumes));
  return true;
}

/// Beyond a point where the solution seems to end; where there is nothing beyond it, by a method
/// that jumps at folds.
void Simulation::Impl::pass(const Candidate& candidate, const SegmentEnd& end) {
  std::optional<PreparedRun> next = passages_.beyond(candidate, end, context_, solution_);
  const bool is_fold = solution_.status == Status::impasse_point && candidate.when_failed &&
                       candidate.when_failed->passes_folds;
  if (!next && is_fold) next = after_failure(segment_->run(), end);
  segment_.reset();
  if (next) {
    begin(std::move(*next));
  } else {
    finish();
  }
}

void Simulation::Impl::start_again() {
  const bool is_furthest = !context_.set_aside || reach(solution_, context_.span) >
                                                      reach(*context_.set_aside, context_.span);
  if (is_furthest) context_.set_aside = solution_;
  solution_.times.clear();
  solution_.values.clear();
  solution_.events.clear();
  solution_.constraints.clear();
  solution_.warnings.clear();
  log_growth_ = 0.0;
  neglected_ = 0.0;
  row_checks_.reset();
  if (feed_) feed_->rewind(context_.span.start);
  make_dense();
}

/// The same method from the start, with a sharper local tolerance.
solve_detail::PreparedRun Simulation::Impl::sharper(const PreparedRun& run, const SegmentEnd& end) {
  start_again();
  const double n_steps = end.projected_steps;
  const double factor = solve_detail::long_run_factor(n_steps, end.step_room);
  Candidate candidate = run.candidate;
  candidate.tolerance_factor *= factor;
  candidate.minds_length = false;
  candidate.is_sharpened = true;
  candidate.most_steps = steps_beyond_projection * n_steps;
  PreparedRun next = prepare_run(candidate, start_of_run(), context_);
  solution_.notices.push_back(
      fmt::format("The run would take about {:.2g} steps, over which errors add up: its local "
                  "relative tolerance is {:.2g}.",
                  n_steps, next.options.rtol));
  if (solve_detail::long_run_excess(n_steps, factor) > solve_detail::bearable_excess) {
    solution_.warnings.push_back(solve_detail::length_warning(n_steps));
    length_doubt_ = {solution_.warnings.back(), factor};
  }
  return next;
}

/// A run that begins with short steps seems to be longer than it turns out to be.
void Simulation::Impl::take_back_length_warning() {
  const auto n_steps = static_cast<double>(solution_.statistics.steps);
  if (length_doubt_.warning.empty() ||
      solve_detail::long_run_excess(n_steps, length_doubt_.factor) >
          solve_detail::bearable_excess) {
    return;
  }
  std::erase(solution_.warnings, length_doubt_.warning);
}

solve_detail::PreparedRun Simulation::Impl::prepare_exactly(const Candidate& candidate,
                                                            const StartPoint& from, bool resumes) {
  const auto prepare = [&](const StartPoint& start) {
    return resumes ? resume_run(candidate, start, context_)
                   : prepare_run(candidate, start, context_);
  };
  PreparedRun run = prepare(from);
  if (from.model->holds_for(from.parameters)) return run;
  StartPoint exact = from;
  exact.model = own_models_
                    .emplace_back(std::make_unique<const solve_detail::PreparedModel>(
                        from.model->model(), from.parameters))
                    .get();
  return prepare(exact);
}

/// The successor, or else the same method once more, no longer asking whether it should go on.
solve_detail::PreparedRun Simulation::Impl::hand_over(const PreparedRun& run,
                                                      const Handover& handover) {
  const solve_detail::Successor& successor = handover.successor;
  try {
    const Candidate candidate{.method = successor.method,
                              .integrator = successor.integrator,
                              .when_failed = handover.fallback,
                              .tolerance_factor = successor.tolerance_factor,
                              .minds_length = run.candidate.minds_length && !handover.resumes,
                              .ignores_scales = run.candidate.ignores_scales};
    PreparedRun next = prepare_exactly(candidate, handover.from, handover.resumes);
    // Where one method was in the middle of its steps another does not begin with any that it
    // likes: near a position of rest that might be one step to the end.
    if (next.options.initial_step == 0.0) next.options.initial_step = handover.last_step;
    if (next.start.status == Status::success) {
      solution_.notices.push_back(fmt::format("{}: from {} on {}", handover.found,
                                              handover.resumes ? "there" : "the start",
                                              successor.reason));
      return next;
    }
  } catch (const Error&) {
    // The model has not the shape that the successor needs.
  }
  solution_.notices.push_back(
      fmt::format("{}, but '{}' cannot go on.", handover.found, successor.method->name));
  Candidate same = run.candidate;
  same.when_stiff.reset();
  same.when_singular.reset();
  same.when_failed.reset();
  return handover.resumes ? resume_run(same, handover.from, context_)
                          : prepare_run(same, handover.from, context_);
}

/// What would have been chosen if series were not the fastest.
solve_detail::PreparedRun Simulation::Impl::without_series() {
  return first_that_fits(
      solve_detail::candidates(context_.options, context_.reading->prepared, false), start_of_run(),
      context_, solution_.notices);
}

/// From the start of the run: by the successor, or with the tolerance asked for.
solve_detail::PreparedRun Simulation::Impl::after_failure(const PreparedRun& run,
                                                          const SegmentEnd& end) {
  const std::string found = fmt::format(
      "At t = {:.6g} '{}' with '{}' {}", end.t, run.candidate.method->name, run.integrator->name,
      end.projected_steps > 0.0
          ? fmt::format("was about to take {:.2g} steps in all", end.projected_steps)
          : fmt::format("stopped ({})", to_string(solution_.status)));
  start_again();
  const auto& successor = run.candidate.when_failed;
  if (end.follows_small && !(successor && successor->was_before) && !run.candidate.is_for_speed) {
    Candidate coarser = run.candidate;
    coarser.ignores_scales = true;
    solution_.notices.push_back(
        found + ": from the start on with one absolute tolerance for all variables.");
    return prepare_run(coarser, start_of_run(), context_);
  }
  if (successor) {
    return hand_over(run, {.successor = *successor, .found = found, .from = start_of_run()});
  }
  if (run.candidate.is_for_speed) {
    solution_.notices.push_back(found + ": from the start on without Taylor series.");
    return without_series();
  }
  Candidate plain = run.candidate;
  plain.tolerance_factor = 1.0;
  plain.is_sharpened = false;
  plain.most_steps = HUGE_VAL;
  solution_.notices.push_back(found + ": from the start on with the tolerance that was asked for.");
  return prepare_run(plain, start_of_run(), context_);
}

solve_detail::PreparedRun Simulation::Impl::successor_of(const PreparedRun& run, SegmentEnd end) {
  if (end.reason == SegmentEnd::Reason::length) return sharper(run, end);
  if (end.reason == SegmentEnd::Reason::singular) {
    // From the start of the run: what was computed on the way to a singular position is less
    // accurate the nearer it came.
    start_again();
    return hand_over(run,
                     {.successor = *run.candidate.when_singular,
                      .found = fmt::format("At t = {:.6g} the constraints became singular", end.t),
                      .from = start_of_run()});
  }
  if (end.reason == SegmentEnd::Reason::failed) return after_failure(run, end);
  const std::string found =
      fmt::format("At t = {:.6g} the model turned out to be stiff for '{}' with '{}'", end.t,
                  run.candidate.method->name, run.integrator->name);
  if (!run.candidate.when_stiff) {
    start_again();
    solution_.notices.push_back(found + ": from the start on without Taylor series.");
    return without_series();
  }
  // From where the segment ended, or from the start of the run for models that remember.
  const bool resumes = can_restart(run.from.model->model());
  if (!resumes) start_again();
  StartPoint from = resumes ? resumption(end) : start_of_run();
  // Stiff as it is, the run may be short enough for the method that found it so.
  std::optional<solve_detail::Successor> fallback;
  if (std::abs(context_.span.stop - end.t) <= bearable_steps * std::abs(end.last_step)) {
    fallback = {.method = run.candidate.method,
                .integrator = run.candidate.integrator,
                .reason = "the method before it goes on all the same.",
                .tolerance_factor = run.candidate.tolerance_factor,
                .was_before = true};
  }
  return hand_over(run, {.successor = *run.candidate.when_stiff,
                         .found = found,
                         .resumes = resumes,
                         .last_step = resumes ? end.last_step : 0.0,
                         .from = std::move(from),
                         .fallback = fallback});
}

solve_detail::Candidate Simulation::Impl::candidate_of(
    const solve_detail::Checkpoint& checkpoint) const {
  Candidate found{.method = &formulation::find_method(checkpoint.method)};
  if (checkpoint.has_successors) {
    for (const Candidate& one :
         solve_detail::candidates(context_.options, context_.reading->prepared)) {
      const bool is_it =
          one.method->name == checkpoint.method && one.integrator == checkpoint.integrator;
      if (is_it) found = one;
    }
  }
  if (!checkpoint.integrator.empty()) {
    found.integrator = integration::find_integrator(checkpoint.integrator).name;
  }
  found.tolerance_factor = checkpoint.tolerance_factor;
  found.minds_length = false;  // how long the run is was found out at its beginning
  found.is_sharpened = checkpoint.is_sharpened;
  return found;
}

solve_detail::PreparedRun Simulation::Impl::continuation(
    const solve_detail::Checkpoint& checkpoint) {
  context_.reading =
      checkpoint.is_complete ? &preparation_->complete() : &preparation_->shortened();
  StartPoint from{&context_.reading->prepared.restarted(), checkpoint.parameters, checkpoint.t};
  from.events = checkpoint.events;
  from.parameters.resize(context_.parameters.size());
  from.parameters.insert(from.parameters.end(), checkpoint.values.begin(), checkpoint.values.end());
  PreparedRun next = prepare_exactly(candidate_of(checkpoint), from, true);
  if (next.options.initial_step == 0.0) next.options.initial_step = checkpoint.last_step;
  next.start.notices.clear();  // what was found at the start of the run was told there
  return next;
}

solve_detail::Checkpoint Simulation::Impl::checkpoint_at(const solve_detail::RunSegment& segment) {
  const PreparedRun& run = segment.run();
  const Candidate& candidate = run.candidate;
  SegmentEnd place = segment.place();
  solve_detail::Checkpoint checkpoint{
      .problem = solve_detail::describe(preparation_->model(), context_),
      .span = context_.span,
      .is_exact = is_exact_,
      .is_changed = is_changed_,
      .is_complete = context_.reading == &preparation_->complete(),
      .method = std::string(candidate.method->name),
      .integrator = std::string(candidate.integrator),
      .tolerance_factor = candidate.tolerance_factor,
      .is_sharpened = candidate.is_sharpened,
      .has_successors = candidate.when_stiff || candidate.when_singular || candidate.when_failed ||
                        candidate.is_for_speed,
      .t = place.t,
      .last_step = place.last_step,
      .values = std::move(place.values),
      .parameters = std::move(place.parameters),
      .events = formulation::event_state(*run.run)};
  for (const auto& [name, value] : context_.options.parameters) {
    checkpoint.parameter_names.push_back(name);
    checkpoint.parameter_values.push_back(value);
  }
  for (const auto& [name, value] : context_.options.start_values) {
    checkpoint.start_names.push_back(name);
    checkpoint.start_values.push_back(value);
  }
  return checkpoint;
}

/// As it stood when the run was stopped: what an end says is said at the end of the run.
Solution Simulation::Impl::computed_before_stop() const {
  Solution computed = stop_.is_set_aside ? *context_.set_aside : solution_;
  computed.status = Status::success;
  computed.message.clear();
  computed.notices.resize(std::min(computed.notices.size(), stop_.n_notices));
  // What rows told that are not kept cannot be told again.
  if (context_.keeps_all()) {
    computed.warnings.resize(std::min(computed.warnings.size(), stop_.n_warnings));
  }
  return computed;
}

std::string Simulation::Impl::save() {
  const std::lock_guard turn(turns_);
  refuse_in_step("it is saved");
  const auto refuse = [](const std::string& why) {
    throw OptionError(ErrorCode::invalid_option, "The run cannot be saved: " + why);
  };
  apply();
  const bool is_stopped = stop_.segment != nullptr;
  if (!is_stopped && (!segment_ || segment_->is_over())) {
    refuse(fmt::format("it is over.{}{}", solution_.message.empty() ? "" : " ", solution_.message));
  }
  if (!bands_.empty()) refuse("it slides along a surface at which its equations jump.");
  if (passages_.is_trying())
    refuse("it has hardly left a point of infinite slope. Go on a little.");
  if (is_stopped) context_.stop = {};  // of this run, not of the one that goes on
  solve_detail::Checkpoint checkpoint = checkpoint_at(is_stopped ? *stop_.segment : *segment_);
  PreparedRun next;
  try {
    next = continuation(checkpoint);
  } catch (const Error&) {
    refuse("its method starts at the beginning of a run alone.");
  }
  if (next.start.status != Status::success) {
    refuse("no steps can begin just there, as in the middle of an impact. Go on a little.");
  }
  if (is_stopped) {
    checkpoint.solution = computed_before_stop();
  } else {
    (void)segment_->finish();
    add_growth(segment_->growth());
    context_.set_aside.reset();  // it is not saved
    segment_.reset();
    if (!is_success(solution_.status)) {
      finish();
      refuse(fmt::format("it is over. {}", solution_.message));
    }
    tell_rows();
    row_checks_.reset();
    checkpoint.solution = solution_;
  }
  checkpoint.log_growth = log_growth_;
  checkpoint.neglected = neglected_;
  if (!is_stopped) begin(std::move(next));
  return to_bytes(std::move(checkpoint));
}

/// What the rows told that the solution does not keep.
void Simulation::Impl::tell_rows() {
  if (!row_checks_) return;
  for (std::string& sentence : row_checks_->sentences()) {
    solution_.warnings.push_back(std::move(sentence));
  }
}

void Simulation::Impl::finish() {
  keep_the_longest();
  if (context_.keeps_all()) {
    for (std::string& sentence :
         solve_detail::look_at_rows(preparation_->model(), context_.reading->prepared, solution_)) {
      solution_.warnings.push_back(std::move(sentence));
    }
  }
  tell_rows();
  take_back_length_warning();
  tell_lost_digits();
  Statistics& statistics = solution_.statistics;
  statistics.recognitions = formulation::Recognized::n_recognitions() - recognitions_before_;
  statistics.compilations = kernel::Program::n_compilations() - compilations_before_;
  statistics.wall_time = context_.seconds();
}

namespace {

/// Of a step that is fixed, to look whether it is short enough.
constexpr double shorter_step = 0.5;
constexpr double smallest_rtol = 1e-14;
/// exp() of more is infinite.
constexpr double greatest_log = 700.0;

}  // namespace

void Simulation::Impl::add_growth(const solve_detail::GrowthEstimate& growth) {
  log_growth_ += growth.log_growth();
  neglected_ += growth.neglected();
  // std::min would take the place of a NaN.
  solution_.error_growth = std::exp(log_growth_ > greatest_log ? greatest_log : log_growth_);
}

Solution Simulation::Impl::other_run(double sharper) const {
  RunContext other = context_;
  other.set_aside.reset();
  other.dense.reset();
  other.row_checks = nullptr;
  SolveOptions& options = other.options;
  options.dense_output = false;
  options.on_progress = {};
  options.log = {};
  options.observer = {};
  if (options.fixed_step > 0.0) {
    options.fixed_step *= shorter_step;
  } else {
    options.rtol = std::max(sharper * options.rtol, smallest_rtol);
    options.atol *= sharper;
  }
  Impl run(preparation_, std::move(other), true);
  while (run.step()) {
  }
  return run.take_solution();
}

void Simulation::Impl::tell_lost_digits() {
  const bool is_fixed = context_.options.fixed_step > 0.0;
  if (is_confirmation_ || is_changed_ || solution_.status != Status::success ||
      context_.stop.is_raised()) {
    return;
  }
  // It would call code of the user a second time.
  if (has_action(preparation_->model(), WhenAction::Kind::call)) return;
  const double doubt = is_fixed ? neglected_ : solution_.error_growth * solution_.rtol;
  solve_detail::tell_lost_digits(
      {.size = doubt, .is_of_step = is_fixed}, preparation_->model(),
      [this](double sharper) { return other_run(sharper); }, solution_);
}

/// When the last segment failed short of what an earlier one had reached: that one's values.
void Simulation::Impl::keep_the_longest() {
  if (is_success(solution_.status) || !context_.set_aside) return;
  Solution& aside = *context_.set_aside;
  if (aside.status == Status::impasse_point || aside.status == Status::impulse) {
    // Nothing passed the fold, or the event: that is what there is to say.
    constexpr double same_place = 1e-3;
    const double here = reach(aside, context_.span);
    if (std::abs(reach(solution_, context_.span) - here) <= same_place * here) {
      solution_.status = aside.status;
      solution_.message = aside.message;
    }
  }
  if (reach(aside, context_.span) <= reach(solution_, context_.span)) return;
  solution_.notices.push_back(fmt::format(
      "'{}' stopped sooner than '{}' with '{}' before it, which came to t = {:.6g}: the values are "
      "those of the latter.",
      solution_.method.used, aside.method.used, aside.integrator.used, aside.times.back()));
  aside.status = solution_.status;
  aside.message = solution_.message;
  aside.notices = solution_.notices;
  aside.statistics = solution_.statistics;
  std::swap(solution_, aside);
  stop_.is_set_aside = stop_.segment != nullptr;
  if (!stop_.is_set_aside) context_.set_aside.reset();
}

double Simulation::Impl::value(std::string_view name) {
  const std::lock_guard turn(turns_);
  apply();
  return segment_ ? segment_->value(name) : solution_.final_value(name);
}

bool Simulation::Impl::is_over() const {
  const std::lock_guard turn(turns_);
  return !segment_;
}

double Simulation::Impl::time() const {
  const std::lock_guard turn(turns_);
  if (segment_) return segment_->time();
  if (stop_.segment) return stop_.segment->time();
  return solution_.times.empty() ? context_.span.start : solution_.times.back();
}

std::vector<double> Simulation::Impl::values() {
  const std::lock_guard turn(turns_);
  apply();
  std::vector<double> all(solution_.names.size());
  if (segment_) {
    segment_->values(all);
  } else if (solution_.n_rows() > 0) {
    std::ranges::copy(solution_.row(solution_.n_rows() - 1), all.begin());
  } else {
    throw OptionError(ErrorCode::invalid_option, "The run has no values: it did not start.");
  }
  return all;
}

const Solution& Simulation::Impl::solution() {
  const std::lock_guard turn(turns_);
  // In a step of its own the run shows itself.
  if (is_advancing_ && !is_stepping_) {
    throw OptionError(ErrorCode::invalid_option,
                      "Another thread advances the run, and its solution grows: look at it when "
                      "that has ended.");
  }
  apply();
  return solution_;
}

Solution Simulation::Impl::copy_solution() {
  const std::lock_guard turn(turns_);
  apply();
  Solution copy = solution_;
  // That of a run that goes on would grow with it.
  if (segment_ && context_.dense) {
    copy.set_dense_output(std::make_shared<Solution::Dense>(*context_.dense));
  }
  return copy;
}

Solution Simulation::Impl::take_solution() {
  const std::lock_guard turn(turns_);
  refuse_in_step("its solution is taken");
  (void)solution();
  return std::move(solution_);
}

}  // namespace daedal
