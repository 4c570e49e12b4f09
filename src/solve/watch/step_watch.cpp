// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/step_watch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "solve/watch/look/step_parts.hpp"

namespace daedal::solve_detail {

namespace {

/// A calm step is followed by so many of its length that need not be looked at if they are calm by
/// extrapolation.
constexpr double steps_ahead = 3.0;
/// A state that differs by less than so many tolerances, as after a projection, is the same.
constexpr double same_tolerances = 100.0;

}  // namespace

StepWatch::StepWatch(const WatchedFunctions& functions, const Model& model,
                     std::shared_ptr<const OutputMap> map, const WatchOptions& options)
    : functions_(&functions),
      options_(options),
      bounds_(functions.enclosure(), model),
      sampler_(std::move(map), bounds_.variables(), model.variables().size()),
      suspects_(functions, bounds_, options),
      budget_(bounds_.size()),
      stops_(options),
      may_leap_(std::ranges::any_of(functions.watched(), &Watched::may_leap)),
      begin_(sampler_.make_sample()),
      end_(begin_) {}

const integration::Inspection* StepWatch::inspect(const integration::Ray& from,
                                                  const integration::Ray& to,
                                                  const integration::Stepper& stepper, Run& run) {
  const double gap = stepper.widest_gap();
  const bool sees_less = gap > std::exchange(gap_, gap);
  // Where the argument of an exponential goes as far as R over the step and has its peak in the
  // middle of the gap, as -4Ru² with u from -1/2 to 1/2, the ends of the gap see exp(-Rw²) of the
  // bump: with R/w² no less than the ends of a step see of a gentle one.
  suspects_.allow(1.0 / (gap * gap));
  const bool has_changed = bounds_.hold(run) || sees_less;
  if (has_changed) box_.clear();
  budget_.earn_step();
  if (is_safe(from, to, has_changed, run)) return nullptr;
  inspection_ = {};
  const bool is_significant = look_into(stepper, run);
  // The look has left what is solved for inside the equations at its last values within the step.
  // The values of the end are needed for the next step.
  sampler_.read(to, run, end_);
  const bool is_repeated = !inspection_.stops.empty();
  if (!is_significant && is_success(inspection_.status) && !is_repeated) return nullptr;
  if (is_repeated) end_ = std::exchange(begin_, end_);
  return &inspection_;
}

/// Whether all functions are calm in the step. If not, the functions that are suspect are known
/// afterwards.
bool StepWatch::is_safe(const integration::Ray& from, const integration::Ray& to, bool has_changed,
                        Run& run) {
  const double direction = to.t > from.t ? 1.0 : -1.0;
  if (!has_changed && (safe_until_ - to.t) * direction >= 0.0) return true;
  if (!budget_.allows_look()) {
    warn_of_unseen_steps(from.t, run);
    return true;
  }
  if (!has_changed && is_end_of_last_look(from)) {
    std::swap(begin_, end_);
  } else {
    sampler_.read(from, run, begin_);
  }
  sampler_.read(to, run, end_);
  end_x_.assign(to.x.begin(), to.x.end());

  const double ahead = steps_ahead * std::abs(to.t - from.t);
  const double ahead_of_end = to.t + direction * ahead;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  bounds_.set_between(begin_, end_);
  if (box_.contains(bounds_)) {
    const bool is_calm_ahead = !may_leap_ && !suspects_.has_implicit_bounds() &&
                               bounds_.set_ahead(begin_, end_, ahead) && box_.contains(bounds_);
    safe_until_ = is_calm_ahead ? ahead_of_end : unknown;
    return true;
  }
  budget_.charge_first_look();
  suspects_.note_step(begin_, end_, bounds_);
  numbers_ = suspects_.find(bounds_);
  safe_until_ = unknown;
  if (!numbers_.empty()) return false;
  box_.rebuild(*functions_, suspects_, {begin_, end_}, bounds_);
  if (!may_leap_ && !suspects_.is_near_bound() && (!box_.is_empty() || is_safe_ahead(ahead))) {
    safe_until_ = ahead_of_end;
  }
  return true;
}

bool StepWatch::is_safe_ahead(double length) {
  if (!bounds_.set_ahead(begin_, end_, length)) return false;
  bounds_.evaluate(functions_->arguments());
  return !suspects_.has_any(bounds_);
}

bool StepWatch::is_end_of_last_look(const integration::Ray& from) const {
  if (end_.t != from.t || end_x_.size() != from.x.size()) return false;
  for (std::size_t i = 0; i < from.x.size(); ++i) {
    const double size = options_.rtol * std::abs(from.x[i]) + options_.atol;
    if (!(std::abs(from.x[i] - end_x_[i]) <= same_tolerances * size)) return false;
  }
  return true;
}

/// Fills the inspection. Returns whether what was found in the step changes the solution.
bool StepWatch::look_into(const integration::Stepper& stepper, Run& run) {
  SampledStep step({*functions_, bounds_, sampler_}, numbers_, begin_, end_, stepper, run);
  StepParts parts(step, suspects_, options_, budget_);
  std::vector<UndefinedValues::Passage> passages;
  const auto end = undefined_values_.find_end(step, parts, suspects_, passages);
  StepStops::Choice choice = stops_.choose(step, parts, passages, end);
  if (end) {
    inspection_.status = Status::non_finite_value;
    inspection_.end = end->t;
    inspection_.message = end->message;
  }
  const bool is_significant = choice.is_significant;
  if (!is_significant && !end) parts.report_unresolved(suspects_);
  if (choice.stops.empty() || !options_.can_repeat) {
    parts.report_peaks(end ? end->t : end_.t, suspects_);
  }
  if (!std::isnan(parts.given_up())) warn_of_unseen_steps(parts.given_up(), run);
  set_stops(std::move(choice), run);
  return is_significant;
}

void StepWatch::set_stops(StepStops::Choice choice, Run& run) {
  if (options_.can_repeat) {
    inspection_.stops = std::move(choice.stops);
  } else if (!choice.stops.empty() && !std::exchange(has_warned_of_fixed_step_, true)) {
    run.warnings.push_back(fmt::format(
        "Between t = {:.9g} and t = {:.9g} the equations change faster than the fixed step can "
        "follow. Shorten the step.",
        begin_.t, end_.t));
  }
}

void StepWatch::warn_of_unseen_steps(double t, Run& run) {
  if (std::exchange(has_warned_of_unseen_steps_, true)) return;
  run.warnings.push_back(fmt::format(
      "From t = {:.9g} on steps were not all looked into to their ends, which would cost more than "
      "the steps: bumps and events that are shorter than these may be missing. Set max_step.",
      t));
}

}  // namespace daedal::solve_detail
