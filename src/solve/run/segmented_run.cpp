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
#include "solve/run/confirmation.hpp"

namespace daedal::solve_detail {

namespace {

/// Values below this share of the greatest variable may consist of rounding errors.
constexpr double jump_noise = 1e-13;

/// The share of the tolerance at which the errors of two large states do not reach across the band
/// in which their difference stays, where a force follows from the place in it.
double sharpness_of(std::span<const Band> bands, std::span<const double> sizes,
                    const std::vector<bool>& is_differential, double rtol) {
  constexpr double sharpest = 1e-3;
  double result = 1.0;
  for (const Band& band : bands) {
    const bool is_of_states =
        band.scales.size() == 2 && std::ranges::all_of(band.scales, [&](const Band::Scale& scale) {
          return bool(is_differential[scale.variable]);
        });
    for (std::size_t k = 0; is_of_states && k < band.scales.size(); ++k) {
      const Band::Scale& scale = band.scales[k];
      result = std::min(result, scale.width / (rtol * sizes[scale.variable]));
    }
  }
  return std::max(result, sharpest);
}

}  // namespace

SegmentedRun::SegmentedRun(std::shared_ptr<const Preparation> preparation, RunContext context)
    : preparation_(std::move(preparation)),
      context_(std::move(context)),
      record_(preparation_, context_),
      handovers_(context_, record_) {
  PreparedRun run = choose();
  const bool has_failed = run.start.status != Status::success;
  is_doubtful_ = preparation_->parameters() != context_.parameters && !context_.stop.is_raised() &&
                 (has_failed || !preparation_->holds_for(context_.parameters));
  if (is_doubtful_) return;
  // What can never determine its unknowns is an error of the model, whichever method finds it.
  if (has_failed && !context_.stop.is_raised()) {
    (void)analysis::structural_report(preparation_->model());
    start_gradually(run);
  }
  begin(std::move(run));
}

SegmentedRun::SegmentedRun(std::shared_ptr<const Preparation> preparation, RunContext context,
                           Checkpoint checkpoint)
    : preparation_(std::move(preparation)),
      context_(std::move(context)),
      record_(preparation_, context_, checkpoint),
      handovers_(context_, record_),
      is_exact_(checkpoint.is_exact),
      is_changed_(checkpoint.is_changed) {
  begin(continuation(checkpoint).get());
}

/// The reading with all variables where only that is a mechanism, otherwise the shorter one.
PreparedRun SegmentedRun::choose() {
  std::vector<std::string> notices;
  const auto first_of = [&](const Reading& reading) {
    context_.reading = &reading;
    notices.clear();
    std::vector<Candidate> all =
        candidates(context_.options, reading.prepared, context_.may_take_series);
    if (context_.proven) all.insert(all.begin(), *context_.proven);
    return first_that_fits(all, start_of_run(), context_, notices);
  };
  const auto is_mechanism = [&] {
    return bool(preparation_->complete().prepared.recognized()->mechanical());
  };
  const auto keep = [&](PreparedRun run) {
    record_.solution.notices.insert(record_.solution.notices.end(), notices.begin(), notices.end());
    return run;
  };
  const Reading& shortened = preparation_->shortened();
  auto run = first_of(shortened);
  const bool may_be_mechanism =
      run ? may_hide_mechanics(*run, shortened, context_) : run.code() == ErrorCode::not_recognized;
  if (!may_be_mechanism || !is_mechanism()) return keep(std::move(run).get());
  const std::vector<std::string> notices_of_shortened = notices;
  PreparedRun other = first_of(preparation_->complete()).get();
  if (!run || other.start.status == Status::success) return keep(std::move(other));
  context_.reading = &shortened;
  notices = notices_of_shortened;
  return keep(std::move(*run));
}

bool SegmentedRun::start_gradually(PreparedRun& run) {
  const Model& model = context_.reading->prepared.model();
  const std::optional<Model> gradual = with_gradual_exponentials(model);
  if (!gradual) return false;
  std::vector<double> parameters = context_.parameters;
  parameters.resize(gradual->parameters().size(), 1.0);
  const PreparedModel way(*gradual, parameters);
  const auto found =
      try_prepare_run(run.candidate, {&way, parameters, context_.span.start}, context_);
  if (!found || found->start.status != Status::success) return false;
  guided_ = std::make_unique<const PreparedModel>(with_guesses(model, start_values_of(*found)),
                                                  context_.parameters);
  std::vector<std::string> notices;
  is_guided_ = true;
  auto next = first_that_fits(
      candidates(context_.options, context_.reading->prepared, context_.may_take_series),
      start_of_run(), context_, notices);
  is_guided_ = next && next->start.status == Status::success;
  if (!is_guided_) return false;
  run = std::move(*next);
  record_.solution.notices = std::move(notices);
  record_.note(
      "The equations were not met from the start values given. Others were found by way of "
      "equations with exponentials that are less steep.");
  return true;
}

StartPoint SegmentedRun::start_of_run() const {
  return {is_guided_ ? guided_.get() : &context_.reading->prepared, context_.parameters,
          context_.span.start};
}

void SegmentedRun::begin(PreparedRun run) {
  record_.solution.method.used = run.candidate.method->name;
  record_.solution.integrator.used = run.integrator->name;
  const formulation::Start& start = run.start;
  record_.note_start(start.notices);
  if (start.status != Status::success) {
    record_.solution.status = start.status;
    record_.solution.message = start.message;
    finish();
    return;
  }
  const bool is_as_read = context_.reading->base == nullptr && !is_guided_;
  if (run.from.t0 == context_.span.start) {
    last_from_start_ = is_as_read ? std::optional(run.candidate) : std::nullopt;
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
  if (segment_->go_on_implicitly(record_)) return;
  SegmentEnd end = segment_->finish();
  record_.add_growth(segment_->growth());
  if (const auto before = passages_.come_back(segment_->time(), record_.solution)) {
    record_.rewind(before->end.t);
    return pass(before->candidate, before->end);
  }
  // On a surface at which roots of either side begin, none may have a value.
  const bool is_lost =
      record_.solution.status == Status::non_finite_value && !has_slid_ && is_at_event(end.t);
  if ((is_lost || record_.solution.status == Status::chattering) && slide()) return;
  if (give_up_sliding()) return;
  if (end.reason == SegmentEnd::Reason::passage) return pass(segment_->run().candidate, end);
  if (end.reason == SegmentEnd::Reason::none && take_any_index(end)) return;
  if (record_.solution.status == Status::success && end.reason == SegmentEnd::Reason::none &&
      follow_scales_found()) {
    return;
  }
  if (without_scales_ && !is_success(record_.solution.status) &&
      !is_limit(record_.solution.status)) {
    const double failed_at = time();
    record_.replace(std::move(*without_scales_));
    record_.solution.warnings.push_back(
        fmt::format("A run with tolerances for small variables failed at t = {:.6g}: the result is "
                    "that of a run without them, in which values below {:.2g} need not be right.",
                    failed_at, record_.solution.atol));
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
  // What one method slides along may be no surface for the next.
  if (end.reason == SegmentEnd::Reason::failed) forget_bands();
  PreparedRun next = handovers_.next(segment_->run(), end, start_of_run());
  segment_.reset();
  begin(std::move(next));
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
                  .bands = bands_,
                  .bounds = base.bounds});
  context_.reading = own_readings_.back().get();
  is_guided_ = false;
}

bool SegmentedRun::follow_scales_found() {
  Candidate candidate = segment_->run().candidate;
  if (!candidate.ignores_scales || !context_.follows_scales || without_scales_ || is_changed_ ||
      !record_.can_be_replaced() || !bands_.empty()) {
    return false;
  }
  std::vector<double> scales = segment_->largest_values();
  const double noise = jump_noise * std::ranges::max(scales);
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
      "Some variables stayed small: the run was repeated from the start, with their largest values "
      "as scales.");
  begin(prepare_run(candidate, start_of_run(), context_));
  return true;
}

bool SegmentedRun::is_at_event(double t) const {
  return !record_.solution.events.empty() && record_.solution.events.back().time == t;
}

bool SegmentedRun::take_any_index(const SegmentEnd& end) {
  constexpr std::string_view any_index = "derivative-array";
  constexpr std::size_t most_unknowns = 50;  // a second run that is dense must be cheap
  const Status status = record_.solution.status;
  const bool may_have_risen =
      status == Status::non_finite_value || status == Status::index_too_high ||
      status == Status::singular_iteration_matrix || status == Status::impulse;
  // Where one side has no solution at the index of the other, both seem to drive it back.
  const bool had_surface = has_slid_ && status == Status::impasse_point;
  if (!(may_have_risen && is_at_event(end.t)) && !had_surface) return false;
  if (!context_.is_automatic()) return false;
  forget_bands();
  const PreparedModel& model = context_.reading->prepared;
  for (const Candidate& candidate : candidates(context_.options, model, context_.may_take_series)) {
    const bool fits = model.model().variables().size() <= most_unknowns;
    if (candidate.method->name != any_index || !fits) continue;
    if (segment_->run().candidate.method == candidate.method) return false;
    const Candidate& before = segment_->run().candidate;
    auto next = handovers_.prepare_exactly(
        {.method = candidate.method, .minds_length = before.minds_length}, start_of_run(), false);
    if (!next || next->start.status != Status::success) return false;
    record_.start_again();
    record_.note(fmt::format(
        "After the event at t = {:.6g} '{}' finds no solution, because the index may have changed: "
        "from the start on a method that takes any index is used.",
        end.t, before.method->name));
    segment_.reset();
    begin(std::move(*next));
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
  has_slid_ = true;
  SegmentEnd place = segment_->place();
  // A run that crawled may have done so for another reason, and another method may avoid it; a run
  // that crossed the surface back and forth has found it.
  const Candidate& before = segment_->run().candidate;
  if (segment_->is_crawling() && before.when_failed) before_sliding_ = {before, place.t};
  const std::string notice = fmt::format(
      "At t = {:.6g} the equations on either side of {} drive the solution into the other: it "
      "slides along it (Filippov's solution).",
      place.t, join_words(along));
  // Values of algebraic variables within the band are no scales of them; the scales of states are
  // known by now.
  std::vector<double> scales = segment_->largest_values();
  const auto& is_differential = context_.reading->prepared.written()->view().is_differential;
  const double sharpness = sharpness_of(bands_, scales, is_differential, *context_.options.rtol);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (!is_differential[i]) scales[i] = 0.0;
  }
  read_anew(scales);
  // A solution does not keep the steps back and forth across the surface.
  const bool resumes = can_restart(context_.reading->simplified.model) && !segment_->is_crawling();
  if (!resumes) record_.start_again();
  // In the band the equations are stiff, and details of less than a tolerance do not matter.
  Candidate candidate = segment_->run().candidate;
  if (const auto stiff = candidate.when_stiff) {
    candidate = {.method = stiff->method,
                 .integrator = stiff->integrator,
                 .tolerance_factor = stiff->tolerance_factor,
                 .minds_length = !resumes};
  }
  candidate.ignores_scales = true;
  candidate.tolerance_factor *= sharpness;
  segment_.reset();
  record_.note(notice);
  begin(prepare_sliding(
      candidate, resumes ? handovers_.resumption(std::move(place)) : start_of_run(), resumes));
  return true;
}

/// Within bands a model need not be recognised as a mechanism: the mean of its multipliers is not
/// linear in them unless it is worked out.
PreparedRun SegmentedRun::prepare_sliding(const Candidate& candidate, const StartPoint& from,
                                          bool resumes) {
  auto run = handovers_.prepare_exactly(candidate, from, resumes);
  if (run || run.code() != ErrorCode::not_recognized) return std::move(run).get();
  if (resumes) record_.start_again();
  return handovers_.without_series(start_of_run());
}

bool SegmentedRun::give_up_sliding() {
  const Solution& solution = record_.solution;
  // Modes that chatter while the run slides also chatter without sliding.
  if (!before_sliding_ || is_success(solution.status) || is_limit(solution.status) ||
      solution.status == Status::chattering) {
    return false;
  }
  const double way = std::abs(before_sliding_->t - context_.span.start);
  if (std::abs(segment_->time() - context_.span.start) >= way) return false;
  context_.may_slide = false;
  forget_bands();
  record_.start_again();
  record_.note(
      fmt::format("While sliding the run stopped at t = {:.6g} ({}): it was repeated from the "
                  "start without sliding.",
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

/// Continues beyond a point where the solution seems to end; where nothing lies beyond it, with a
/// method that jumps at folds.
void SegmentedRun::pass(const Candidate& candidate, const SegmentEnd& end) {
  std::optional<PreparedRun> next = passages_.beyond(candidate, end, context_, record_.solution);
  const bool is_fold = record_.solution.status == Status::impasse_point && candidate.when_failed &&
                       candidate.when_failed->passes_folds;
  if (!next && is_fold) {
    forget_bands();
    next = handovers_.after_failure(segment_->run(), end, start_of_run());
  }
  if (!next && take_any_index(end)) return;
  segment_.reset();
  if (next) {
    begin(std::move(*next));
  } else {
    finish();
  }
}

Candidate SegmentedRun::candidate_of(const Checkpoint& checkpoint) const {
  Candidate found{.method = &formulation::find_method(checkpoint.method)};
  if (checkpoint.has_successors) {
    for (const Candidate& one :
         candidates(context_.options, context_.reading->prepared, context_.may_take_series)) {
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

Expected<PreparedRun> SegmentedRun::continuation(const Checkpoint& checkpoint) {
  context_.reading =
      checkpoint.is_complete ? &preparation_->complete() : &preparation_->shortened();
  StartPoint from{&context_.reading->prepared.restarted(), checkpoint.parameters, checkpoint.t};
  from.events = checkpoint.events;
  from.parameters.resize(context_.parameters.size());
  from.parameters.insert(from.parameters.end(), checkpoint.values.begin(), checkpoint.values.end());
  auto next = handovers_.prepare_exactly(candidate_of(checkpoint), from, true);
  if (!next) return next;
  if (next->options.initial_step == 0.0) next->options.initial_step = checkpoint.last_step;
  next->start.notices.clear();  // what was found at the start of the run was told there
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
    refuse("it has only just left a point of infinite slope. Advance it a little.");
  if (stopped_) context_.stop = {};  // of this run, not of the one that goes on
  Checkpoint checkpoint = checkpoint_at(stopped_ ? *stopped_ : *segment_);
  auto next = continuation(checkpoint);
  if (!next) refuse("its method can start at the beginning of a run only.");
  if (next->start.status != Status::success) {
    refuse("no step can begin there, for example in the middle of an impact. Advance it a little.");
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
  if (!stopped_) begin(std::move(*next));
  return to_bytes(std::move(checkpoint));
}

void SegmentedRun::finish() {
  record_.finish();
  if (!is_changed_) confirm({preparation_, context_, last_from_start_, record_});
  record_.finish_counts();
}

double SegmentedRun::time() const {
  if (segment_) return segment_->time();
  if (stopped_) return stopped_->time();
  return record_.solution.times.empty() ? context_.span.start : record_.solution.times.back();
}

}  // namespace daedal::solve_detail
