// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/segmented_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <utility>

#include "analysis/structural_report.hpp"
#include "model/labels.hpp"
#include "model/usage.hpp"
#include "model/variants.hpp"
#include "solve/checks/lost_digits.hpp"

namespace daedal::solve_detail {

namespace {

/// A run of so many steps costs little, whatever else they are.
constexpr double bearable_steps = 1e5;
/// Of the greatest variable: what rounding errors may have left of another one.
constexpr double rounding_share = 1e-13;

/// Of a step that is fixed, to look whether it is short enough.
constexpr double shorter_step = 0.5;
constexpr double smallest_rtol = 1e-14;

}  // namespace

SegmentedRun::SegmentedRun(std::shared_ptr<const Preparation> preparation, RunContext context)
    : preparation_(std::move(preparation)),
      context_(std::move(context)),
      record_(preparation_, context_) {
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

SegmentedRun::SegmentedRun(std::shared_ptr<const Preparation> preparation, RunContext context,
                           Checkpoint checkpoint)
    : preparation_(std::move(preparation)),
      context_(std::move(context)),
      record_(preparation_, context_, checkpoint),
      is_exact_(checkpoint.is_exact),
      is_changed_(checkpoint.is_changed) {
  begin(continuation(checkpoint));
}

/// The reading with all variables where only that is a mechanism, otherwise the shorter one.
PreparedRun SegmentedRun::choose() {
  std::vector<std::string> notices;
  const auto first_of = [&](const Reading& reading) {
    context_.reading = &reading;
    notices.clear();
    return first_that_fits(candidates(context_.options, reading.prepared), start_of_run(), context_,
                           notices);
  };
  const auto is_mechanism = [&] {
    return bool(preparation_->complete().prepared.recognized()->mechanical());
  };
  const auto keep = [&](PreparedRun run) {
    record_.solution.notices.insert(record_.solution.notices.end(), notices.begin(), notices.end());
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

StartPoint SegmentedRun::start_of_run() const {
  return {&context_.reading->prepared, context_.parameters, context_.span.start};
}

void SegmentedRun::begin(PreparedRun run) {
  record_.solution.method.used = run.candidate.method->name;
  record_.solution.integrator.used = run.integrator->name;
  const formulation::Start& start = run.start;
  record_.solution.notices.insert(record_.solution.notices.end(), start.notices.begin(),
                                  start.notices.end());
  if (start.status != Status::success) {
    record_.solution.status = start.status;
    record_.solution.message = start.message;
    finish();
    return;
  }
  record_.begin_rows();
  segment_ = std::make_unique<RunSegment>(std::move(run), context_, record_.solution);
  segment_->aim_at(target_);
}

void SegmentedRun::abandon() {
  record_.solution.status = Status::cancelled;
  record_.solution.message = fmt::format("An exception ended the run at t = {:.12g}.", time());
  record_.solution.statistics.wall_time = context_.seconds();
  segment_.reset();
}

void SegmentedRun::end_segment() {
  SegmentEnd end = segment_->finish();
  record_.add_growth(segment_->growth());
  if (const auto before = passages_.come_back(segment_->time(), record_.solution)) {
    record_.rewind(before->end.t);
    return pass(before->candidate, before->end);
  }
  if (record_.solution.status == Status::chattering && slide()) return;
  if (give_up_sliding()) return;
  if (end.reason == SegmentEnd::Reason::passage) return pass(segment_->run().candidate, end);
  if (end.reason == SegmentEnd::Reason::none && take_any_index(end)) return;
  if (record_.solution.status == Status::success && end.reason == SegmentEnd::Reason::none &&
      follow_scales_found()) {
    return;
  }
  if (without_scales_ && !is_success(record_.solution.status) &&
      !is_limit(record_.solution.status)) {
    record_.replace(std::move(*without_scales_));
    record_.note(
        "With the scales of small variables the run comes to nothing: it is the one without them.");
    end.reason = SegmentEnd::Reason::none;
  }
  if (end.reason == SegmentEnd::Reason::none) {
    if (is_limit(record_.solution.status)) {
      stopped_ = std::move(segment_);
      record_.remember_stop();
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
StartPoint SegmentedRun::resumption(SegmentEnd end) const {
  StartPoint from{&context_.reading->prepared.restarted(), std::move(end.parameters), end.t};
  from.parameters.resize(context_.parameters.size());
  from.parameters.insert(from.parameters.end(), end.values.begin(), end.values.end());
  return from;
}

void SegmentedRun::read_anew(const std::vector<double>& scales) {
  const Reading& base = context_.reading->base ? *context_.reading->base : *context_.reading;
  Simplified other = base.simplified;
  other.model = with_bands(base.simplified.model, bands_, scales);
  Model model = other.model;
  own_readings_.emplace_back(
      new Reading{.simplified = std::move(other),
                  .prepared = PreparedModel(std::move(model), base.prepared.parameters()),
                  .base = &base,
                  .bands = bands_});
  context_.reading = own_readings_.back().get();
}

bool SegmentedRun::follow_scales_found() {
  Candidate candidate = segment_->run().candidate;
  if (!candidate.ignores_scales || !context_.follows_scales || without_scales_ || is_changed_ ||
      !record_.can_be_replaced() || !bands_.empty()) {
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
  candidate.most_steps =
      steps_beyond_projection * static_cast<double>(record_.solution.statistics.steps);
  without_scales_ = record_.solution;
  read_anew(scales);
  record_.start_again();
  segment_.reset();
  record_.note(
      "Some variables stayed small: once more from the start, with their largest values as "
      "scales.");
  begin(prepare_run(candidate, start_of_run(), context_));
  return true;
}

bool SegmentedRun::take_any_index(const SegmentEnd& end) {
  constexpr std::string_view any_index = "derivative-array";
  constexpr std::size_t most_unknowns = 50;  // a second run that is dense must be cheap
  const Status status = record_.solution.status;
  const bool may_have_risen =
      status == Status::non_finite_value || status == Status::index_too_high ||
      status == Status::singular_iteration_matrix || status == Status::impulse;
  const bool is_at_event =
      !record_.solution.events.empty() && record_.solution.events.back().time == end.t;
  if (!may_have_risen || !is_at_event || !context_.is_automatic()) return false;
  const PreparedModel& model = context_.reading->prepared;
  for (const Candidate& candidate : candidates(context_.options, model)) {
    const bool fits = model.model().variables().size() <= most_unknowns;
    if (candidate.method->name != any_index || !fits) continue;
    if (segment_->run().candidate.method == candidate.method) return false;
    std::string found = fmt::format(
        "After the event at t = {:.6g} '{}' finds no solution, because the index may have changed",
        end.t, segment_->run().candidate.method->name);
    record_.start_again();
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

bool SegmentedRun::slide() {
  const bool is_free = context_.is_automatic() && context_.options.integrator.is_automatic();
  if (!is_free || !context_.may_slide) return false;
  std::vector<std::string> along;
  for (const Band& band : segment_->bands()) {
    const bool is_known = std::ranges::find(bands_, band.surface, &Band::surface) != bands_.end();
    if (is_known) continue;
    bands_.push_back(band);
    along.push_back(fmt::format("'{}' (within {:.2g})", band.surface.text, band.width));
  }
  if (along.empty()) return false;
  SegmentEnd place = segment_->place();
  // Who crawled may have done so for another reason, and another method may do without; who crossed
  // to and fro has not.
  const Candidate& before = segment_->run().candidate;
  if (segment_->is_crawling() && before.when_failed) before_sliding_ = {before, place.t};
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
  if (!resumes) record_.start_again();
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
  record_.note(notice);
  begin(
      prepare_sliding(candidate, resumes ? resumption(std::move(place)) : start_of_run(), resumes));
  return true;
}

/// In bands a mechanism may be none: what is left of its multipliers in a mean is not linear in
/// them for whoever does not work it out.
PreparedRun SegmentedRun::prepare_sliding(const Candidate& candidate, const StartPoint& from,
                                          bool resumes) {
  try {
    return prepare_exactly(candidate, from, resumes);
  } catch (const ModelError& error) {
    if (error.code() != ErrorCode::not_recognized) throw;
  }
  if (resumes) record_.start_again();
  return without_series();
}

bool SegmentedRun::give_up_sliding() {
  const Solution& solution = record_.solution;
  // Modes that chatter where the run slides do so without it, too.
  if (!before_sliding_ || is_success(solution.status) || is_limit(solution.status) ||
      solution.status == Status::chattering) {
    return false;
  }
  const double way = std::abs(before_sliding_->t - context_.span.start);
  if (std::abs(segment_->time() - context_.span.start) >= way) return false;
  context_.may_slide = false;
  forget_bands();
  record_.start_again();
  record_.note(fmt::format(
      "Sliding, the run stopped at t = {:.6g} ({}): from the start on it does not slide.",
      segment_->time(), to_string(solution.status)));
  const Candidate candidate = std::exchange(before_sliding_, std::nullopt)->candidate;
  segment_.reset();
  begin(prepare_run(candidate, start_of_run(), context_));
  return true;
}

void SegmentedRun::forget_bands() {
  if (!bands_.empty()) context_.reading = context_.reading->base;
  bands_.clear();
}

/// Beyond a point where the solution seems to end; where there is nothing beyond it, by a method
/// that jumps at folds.
void SegmentedRun::pass(const Candidate& candidate, const SegmentEnd& end) {
  std::optional<PreparedRun> next = passages_.beyond(candidate, end, context_, record_.solution);
  const bool is_fold = record_.solution.status == Status::impasse_point && candidate.when_failed &&
                       candidate.when_failed->passes_folds;
  if (!next && is_fold) next = after_failure(segment_->run(), end);
  segment_.reset();
  if (next) {
    begin(std::move(*next));
  } else {
    finish();
  }
}

/// The same method from the start, with a sharper local tolerance.
PreparedRun SegmentedRun::sharper(const PreparedRun& run, const SegmentEnd& end) {
  record_.start_again();
  const double n_steps = end.projected_steps;
  PreparedRun next =
      prepare_run(sharpened(run.candidate, n_steps, end.step_room), start_of_run(), context_);
  record_.note(
      fmt::format("The run would take about {:.2g} steps, over which errors add up: its local "
                  "relative tolerance is {:.2g}.",
                  n_steps, next.options.rtol));
  record_.doubt_length(n_steps, long_run_factor(n_steps, end.step_room));
  return next;
}

PreparedRun SegmentedRun::prepare_exactly(const Candidate& candidate, const StartPoint& from,
                                          bool resumes) {
  const auto prepare = [&](const StartPoint& start) {
    return resumes ? resume_run(candidate, start, context_)
                   : prepare_run(candidate, start, context_);
  };
  PreparedRun run = prepare(from);
  if (from.model->holds_for(from.parameters)) return run;
  StartPoint exact = from;
  exact.model =
      own_models_
          .emplace_back(std::make_unique<const PreparedModel>(from.model->model(), from.parameters))
          .get();
  return prepare(exact);
}

/// The successor, or else the same method once more, no longer asking whether it should go on.
PreparedRun SegmentedRun::hand_over(const PreparedRun& run, const Handover& handover) {
  const Successor& successor = handover.successor;
  try {
    const Candidate candidate{.method = successor.method,
                              .integrator = successor.integrator,
                              .when_failed = handover.fallback,
                              .tolerance_factor = successor.tolerance_factor,
                              .minds_length = run.candidate.minds_length && !handover.resumes,
                              .ignores_scales = run.candidate.ignores_scales && handover.resumes};
    PreparedRun next = prepare_exactly(candidate, handover.from, handover.resumes);
    // Where one method was in the middle of its steps another does not begin with any that it
    // likes: near a position of rest that might be one step to the end.
    if (next.options.initial_step == 0.0) next.options.initial_step = handover.last_step;
    if (next.start.status == Status::success) {
      record_.note(fmt::format("{}: from {} on {}", handover.found,
                               handover.resumes ? "there" : "the start", successor.reason));
      return next;
    }
  } catch (const Error&) {
    // The model has not the shape that the successor needs.
  }
  record_.note(fmt::format("{}, but '{}' cannot go on.", handover.found, successor.method->name));
  Candidate same = run.candidate;
  same.when_stiff.reset();
  same.when_singular.reset();
  same.when_failed.reset();
  return handover.resumes ? resume_run(same, handover.from, context_)
                          : prepare_run(same, handover.from, context_);
}

/// What would have been chosen if series were not the fastest.
PreparedRun SegmentedRun::without_series() {
  return first_that_fits(candidates(context_.options, context_.reading->prepared, false),
                         start_of_run(), context_, record_.solution.notices);
}

/// From the start of the run: by the successor, or with the tolerance asked for.
PreparedRun SegmentedRun::after_failure(const PreparedRun& run, const SegmentEnd& end) {
  const std::string found = fmt::format(
      "At t = {:.6g} '{}' with '{}' {}", end.t, run.candidate.method->name, run.integrator->name,
      end.projected_steps > 0.0
          ? fmt::format("was about to take {:.2g} steps in all", end.projected_steps)
          : fmt::format("stopped ({})", to_string(record_.solution.status)));
  record_.start_again();
  forget_bands();  // what one method slides along may be no surface for the next
  const auto& successor = run.candidate.when_failed;
  if (end.follows_small && !(successor && successor->was_before) && !run.candidate.is_for_speed) {
    Candidate coarser = run.candidate;
    coarser.ignores_scales = true;
    record_.note(found + ": from the start on with one absolute tolerance for all variables.");
    return prepare_run(coarser, start_of_run(), context_);
  }
  if (successor) {
    return hand_over(run, {.successor = *successor, .found = found, .from = start_of_run()});
  }
  if (run.candidate.is_for_speed) {
    record_.note(found + (run.integrator->name == TaylorSteps::name
                              ? ": from the start on without Taylor series."
                              : ": from the start on with all unknowns."));
    return without_series();
  }
  Candidate plain = run.candidate;
  plain.tolerance_factor = 1.0;
  plain.is_sharpened = false;
  plain.most_steps = HUGE_VAL;
  record_.note(found + ": from the start on with the tolerance that was asked for.");
  return prepare_run(plain, start_of_run(), context_);
}

PreparedRun SegmentedRun::successor_of(const PreparedRun& run, SegmentEnd end) {
  if (end.reason == SegmentEnd::Reason::length) return sharper(run, end);
  if (end.reason == SegmentEnd::Reason::singular) {
    // From the start of the run: what was computed on the way to a singular position is less
    // accurate the nearer it came.
    record_.start_again();
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
    record_.start_again();
    record_.note(found + ": from the start on without Taylor series.");
    return without_series();
  }
  // From where the segment ended, or from the start of the run for models that remember.
  const bool resumes = can_restart(run.from.model->model());
  if (!resumes) record_.start_again();
  StartPoint from = resumes ? resumption(end) : start_of_run();
  // Stiff as it is, the run may be short enough for the method that found it so.
  std::optional<Successor> fallback;
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

Candidate SegmentedRun::candidate_of(const Checkpoint& checkpoint) const {
  Candidate found{.method = &formulation::find_method(checkpoint.method)};
  if (checkpoint.has_successors) {
    for (const Candidate& one : candidates(context_.options, context_.reading->prepared)) {
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

PreparedRun SegmentedRun::continuation(const Checkpoint& checkpoint) {
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

Checkpoint SegmentedRun::checkpoint_at(const RunSegment& segment) const {
  const PreparedRun& run = segment.run();
  const Candidate& candidate = run.candidate;
  SegmentEnd place = segment.place();
  Checkpoint checkpoint{.problem = describe(preparation_->model(), context_),
                        .span = context_.span,
                        .is_exact = is_exact_,
                        .is_changed = is_changed_,
                        .is_complete = context_.reading == &preparation_->complete(),
                        .method = std::string(candidate.method->name),
                        .integrator = std::string(candidate.integrator),
                        .tolerance_factor = candidate.tolerance_factor,
                        .is_sharpened = candidate.is_sharpened,
                        .has_successors = candidate.when_stiff || candidate.when_singular ||
                                          candidate.when_failed || candidate.is_for_speed,
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

void SegmentedRun::advance() {
  if (!segment_->advance()) end_segment();
}

void SegmentedRun::aim_at(double t) {
  target_ = t;
  if (segment_) segment_->aim_at(t);
}

void SegmentedRun::set_parameters(const Overrides& parameters, const std::vector<double>& values,
                                  const std::string& what) {
  is_changed_ = true;
  passages_ = {};
  record_.forget_set_aside();
  context_.options.parameters = parameters;
  const auto n = to_index(context_.parameters.size() - context_.options.start_values.size());
  std::copy_n(values.begin(), n, context_.parameters.begin());
  segment_->set_parameters(values, what);
}

std::string SegmentedRun::save() {
  const auto refuse = [](const std::string& why) {
    throw OptionError(ErrorCode::invalid_option, "The run cannot be saved: " + why);
  };
  const Solution& solution = record_.solution;
  if (!stopped_ && (!segment_ || segment_->is_over())) {
    refuse(fmt::format("it is over.{}{}", solution.message.empty() ? "" : " ", solution.message));
  }
  if (!bands_.empty()) refuse("it slides along a surface at which its equations jump.");
  if (passages_.is_trying())
    refuse("it has hardly left a point of infinite slope. Go on a little.");
  if (stopped_) context_.stop = {};  // of this run, not of the one that goes on
  Checkpoint checkpoint = checkpoint_at(stopped_ ? *stopped_ : *segment_);
  PreparedRun next;
  try {
    next = continuation(checkpoint);
  } catch (const Error&) {
    refuse("its method starts at the beginning of a run alone.");
  }
  if (next.start.status != Status::success) {
    refuse("no steps can begin just there, as in the middle of an impact. Go on a little.");
  }
  if (!stopped_) {
    (void)segment_->finish();
    record_.add_growth(segment_->growth());
    record_.forget_set_aside();  // it is not saved
    segment_.reset();
    if (!is_success(solution.status)) {
      finish();
      refuse(fmt::format("it is over. {}", solution.message));
    }
    record_.tell_rows();
  }
  checkpoint.solution = stopped_ ? record_.before_stop() : solution;
  checkpoint.log_growth = record_.log_growth();
  checkpoint.neglected = record_.neglected();
  if (!stopped_) begin(std::move(next));
  return to_bytes(std::move(checkpoint));
}

void SegmentedRun::finish() {
  record_.finish();
  tell_lost_digits();
  record_.finish_counts();
}

Solution SegmentedRun::other_run(double sharper) const {
  RunContext other = context_;
  other.is_confirmation = true;
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
  SegmentedRun run(preparation_, std::move(other));
  while (run.segment() != nullptr) run.advance();
  return std::move(run.solution());
}

void SegmentedRun::tell_lost_digits() {
  if (context_.is_confirmation || is_changed_ || record_.solution.status != Status::success ||
      context_.stop.is_raised()) {
    return;
  }
  // It would call code of the user a second time.
  if (has_action(preparation_->model(), WhenAction::Kind::call)) return;
  solve_detail::tell_lost_digits(
      {.size = record_.doubt(), .is_of_step = context_.options.fixed_step > 0.0},
      preparation_->model(), [this](double sharper) { return other_run(sharper); },
      record_.solution);
}

double SegmentedRun::time() const {
  if (segment_) return segment_->time();
  if (stopped_) return stopped_->time();
  return record_.solution.times.empty() ? context_.span.start : record_.solution.times.back();
}

}  // namespace daedal::solve_detail
