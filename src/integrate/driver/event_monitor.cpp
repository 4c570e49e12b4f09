// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/driver/event_monitor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "integrate/driver/event_roots.hpp"

namespace daedal::integration {

namespace {

/// Parts into which a step is cut: three interior samples cost little beside the step itself.
constexpr std::size_t n_parts = 4;
/// A third sample between two shows whether these are enough. It is taken at no simple fraction of
/// the distance, because a periodic function might repeat there.
constexpr double check_fraction = 0.381966;
/// The third sample may differ from its prediction by the first share of the distance from 0 or by
/// the second share of the greatest value.
constexpr double foretold_share = 0.1;
constexpr double foretold_scale = 0.02;
/// A few samples of something much faster than their distance may fit a prediction by chance, but
/// their slopes do not. Slopes are taken over the first share of the distance. Over the distance
/// they may lead to changes of at most the second factor times the values.
constexpr double slope_fraction = 1e-6;
constexpr double steepest = 3.0;
/// Values below the first number, or below the second share of the greatest value seen, may be
/// rounding errors and remainders of iterations, as of a body at rest on the floor. No sampling
/// resolves these.
constexpr double absolute_noise = 1e-10;
constexpr double relative_noise = 1e-7;
/// Rounding errors far from a change of sign are harmless: changes of at most the first share of
/// the distance from 0 that bend by at least the second share of the change.
constexpr double harmless_share = 0.01;
constexpr double roughness = 0.5;
/// Stretches so much shorter than the whole hold a jump, which no sampling resolves.
constexpr double shortest_stretch = 1e-3;
/// Stretches of up to so many units of the round-off of time are not looked into either.
constexpr double clock_units = 1e3;
/// Over so many of these units the sign of a rate is visible.
constexpr double few_clock_units = 16.0;
constexpr std::size_t max_samples = 256;
constexpr std::size_t few_failures = 8;
/// A stretch that needs more samples is cut into this many, and one step into so many at the most.
constexpr double stretch_cut = 4.0;
constexpr int max_stretches = 256;
/// Halvings in the search along a line. More of them come no nearer.
constexpr int max_halvings = 200;
/// Probes approach an event by this factor, down to the resolution of the clock.
constexpr double probe_factor = 0.25;
/// The search for a vertex is repeated so many times, through the samples found near it.
constexpr int max_looks = 4;

int sign(double value) {
  return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
}

}  // namespace

EventMonitor::EventMonitor(const System& system, double direction)
    : system_(system),
      completed_(dynamic_cast<const ExplicitSystem*>(&system)),
      direction_(direction),
      n_(to_size(system.n_events())),
      crossings_(n_, Crossing::both),
      course_{.side = std::vector<int>(n_, 0),
              .heading = std::vector<int>(n_, 0),
              .last_values = std::vector<double>(n_),
              .peak = std::vector<double>(n_, 0.0)},
      before_(course_),
      x_(to_size(system.size())),
      xp_(x_.size()) {
  if (completed_ != nullptr && !completed_->has_complete()) completed_ = nullptr;
  const auto crossings = system.crossings();
  std::copy(crossings.begin(), crossings.end(), crossings_.begin());
  trial_.values.resize(n_);
  between_.values.resize(n_);
  beyond_.values.resize(n_);
  candidates_.reserve(n_);
  earlier_.reserve(n_);
  fired_.reserve(n_);
}

/// What has overflowed still has a sign, and is replaced by the greatest number that has it.
bool EventMonitor::have_signs(std::span<double> values) {
  constexpr double greatest = std::numeric_limits<double>::max();
  failed_function_ = -1;
  bool has_nan = false;
  for (double& value : values) {
    has_nan |= value != value;
    value = value > greatest ? greatest : value;
    value = value < -greatest ? -greatest : value;
  }
  if (!has_nan) return true;
  const auto first = std::ranges::find_if(values, [](double value) { return std::isnan(value); });
  failed_function_ = first - values.begin();
  return false;
}

/// Between steps dependent unknowns are known from the others, not from their own interpolants.
void EventMonitor::complete(const Stepper& stepper, double t, Run& run) {
  if (completed_ == nullptr || completed_->complete(t, x_, run) == Evaluation::ok) return;
  stepper.interpolate(t, x_, xp_);
}

bool EventMonitor::evaluate(const Stepper& stepper, double t, Run& run, Sample& sample) {
  stepper.interpolate(t, x_, xp_);
  complete(stepper, t, run);
  sample.t = t;
  failed_function_ = -1;
  return system_.event_functions(t, x_, xp_, run, sample.values) == Evaluation::ok &&
         have_signs(sample.values);
}

Evaluation EventMonitor::arm(double t, std::span<const double> x, std::span<const double> xp,
                             Run& run) {
  if (n_ == 0) return Evaluation::ok;
  if (!start_) start_ = t;
  failed_function_ = -1;
  Evaluation evaluation = system_.event_functions(t, x, xp, run, course_.last_values);
  if (evaluation != Evaluation::ok) return evaluation;
  if (!have_signs(course_.last_values)) return Evaluation::recoverable;
  for (std::size_t i = 0; i < n_; ++i) {
    course_.side[i] = sign(course_.last_values[i]);
    course_.peak[i] = std::max(course_.peak[i], std::abs(course_.last_values[i]));
  }

  std::fill(course_.heading.begin(), course_.heading.end(), 0);
  if (fired_.empty()) return Evaluation::ok;
  // The rate of each function that fired, by a difference along x': only its sign counts.
  const double way = std::max(searched_, std::abs(t - *start_));
  const double step =
      direction_ * std::max(std::sqrt(round_off) * way, few_clock_units * round_off * std::abs(t));
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = x[i] + step * xp[i];
  if (completed_ != nullptr) evaluation = completed_->complete(t + step, x_, run);
  if (evaluation != Evaluation::ok) {
    fired_.clear();
    return Evaluation::ok;
  }
  evaluation = system_.event_functions(t + step, x_, xp, run, trial_.values);
  for (const std::int64_t i : fired_) {
    const std::size_t k = to_size(i);
    if (evaluation != Evaluation::ok) continue;
    // A function that the event has thrown far away from 0 does not come back at once.
    const int heading = sign(trial_.values[k] - course_.last_values[k]);
    if (heading == sign(trial_.values[k])) course_.heading[k] = heading;
  }
  fired_.clear();
  return Evaluation::ok;
}

bool EventMonitor::crosses(std::size_t i, double value) const {
  const int now = sign(value);
  if (now == 0 || course_.side[i] == 0 || now == course_.side[i]) return false;
  return crossings_[i] == Crossing::both || (crossings_[i] == Crossing::rising) == (now > 0);
}

void EventMonitor::pass(const Sample& sample) {
  for (std::size_t i = 0; i < n_; ++i) {
    const int now = sign(sample.values[i]);
    if (now != 0) course_.side[i] = now;
    course_.last_values[i] = sample.values[i];
    course_.peak[i] = std::max(course_.peak[i], std::abs(sample.values[i]));
  }
}

EventMonitor::Sample& EventMonitor::next_sample() {
  if (n_samples_ == samples_.size()) {
    samples_.emplace_back();
    samples_.back().values.resize(n_);
  }
  return samples_[n_samples_++];
}

bool EventMonitor::sample_step(const Stepper& stepper, double from, double to, Run& run) {
  n_samples_ = 0;
  Sample& first = next_sample();
  first.t = from;
  first.values = course_.last_values;
  first.is_settled = false;
  for (std::size_t k = 1; k <= n_parts; ++k) {
    const double part = static_cast<double>(k) / n_parts;
    const double t = k == n_parts ? to : from + part * (to - from);
    if (t == samples_[n_samples_ - 1].t) continue;
    Sample& sample = next_sample();
    sample.is_settled = false;
    if (!evaluate(stepper, t, run, sample)) return false;
  }
  is_resolved_ = true;
  if (n_samples_ == 1) return true;
  if (!refine(stepper, run)) return false;
  if (!sample_vertices(stepper, run)) return false;
  return probe_returns(stepper, from, samples_[1].t, run);
}

double EventMonitor::noise(std::size_t i) const {
  return std::max(absolute_noise, relative_noise * course_.peak[i]);
}

bool EventMonitor::is_foretold(std::size_t k, const Sample& between) const {
  // The polynomial through the four samples around the stretch, or those that there are.
  constexpr std::size_t n_around = 4;
  const std::size_t n_used = std::min(n_around, n_samples_);
  const std::size_t first = std::min(k > 0 ? k - 1 : 0, n_samples_ - n_used);
  std::array<double, n_around> weights{};
  for (std::size_t i = 0; i < n_used; ++i) {
    weights[i] = 1.0;
    for (std::size_t j = 0; j < n_used; ++j) {
      if (j == i) continue;
      weights[i] *=
          (between.t - samples_[first + j].t) / (samples_[first + i].t - samples_[first + j].t);
    }
  }
  for (std::size_t f = 0; f < n_; ++f) {
    const double here = between.values[f];
    double foretold = 0.0;
    double scale = std::abs(here);
    for (std::size_t i = 0; i < n_used; ++i) {
      const double value = samples_[first + i].values[f];
      foretold += weights[i] * value;
      scale = std::max(scale, std::abs(value));
    }
    const double nearest = std::min(
        {std::abs(samples_[k].values[f]), std::abs(here), std::abs(samples_[k + 1].values[f])});
    const double allowed = std::max({foretold_share * nearest, foretold_scale * scale, noise(f)});
    if (!(std::abs(foretold - here) <= allowed)) return false;
  }
  return true;
}

bool EventMonitor::is_slow(std::size_t k, const Sample& here, const Sample& beside,
                           const Sample& beyond) const {
  const double length = samples_[k + 1].t - samples_[k].t;
  for (std::size_t f = 0; f < n_; ++f) {
    const double scale = std::max({std::abs(samples_[k].values[f]), std::abs(here.values[f]),
                                   std::abs(samples_[k + 1].values[f])});
    const double change = beside.values[f] - here.values[f];
    const double slope = change / (beside.t - here.t);
    if (std::abs(slope * length) <= steepest * std::max(scale, noise(f))) continue;
    // What is 0 but for rounding, or far from 0 with rounding on it, has no slope to be followed.
    const double nearest = std::min({std::abs(samples_[k].values[f]), std::abs(here.values[f]),
                                     std::abs(beside.values[f]), std::abs(beyond.values[f]),
                                     std::abs(samples_[k + 1].values[f])});
    const double bend = beyond.values[f] - 2.0 * beside.values[f] + here.values[f];
    const bool is_rough = std::abs(bend) >= roughness * std::abs(change);
    if (!is_rough || std::abs(change) > std::max(harmless_share * nearest, noise(f))) return false;
  }
  return true;
}

void EventMonitor::sort_samples() {
  std::sort(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(n_samples_),
            [&](const Sample& a, const Sample& b) { return (b.t - a.t) * direction_ > 0.0; });
}

bool EventMonitor::refine(const Stepper& stepper, Run& run) {
  const Sample& last = samples_[n_samples_ - 1];
  const double resolution =
      clock_units * round_off * std::max(std::abs(last.t), std::abs(samples_[0].t));
  const double shortest = std::max(shortest_stretch * std::abs(last.t - samples_[0].t), resolution);
  for (;;) {
    const std::size_t n_before = n_samples_;
    std::size_t n_failed = 0;
    for (std::size_t k = 0; k + 1 < n_before; ++k) {
      Sample& sample = samples_[k];
      if (sample.is_settled) continue;
      const double length = samples_[k + 1].t - sample.t;
      const double t = sample.t + check_fraction * length;
      sample.is_foretold = sample.is_settled = std::abs(length) <= shortest || t == sample.t;
      if (sample.is_settled) continue;
      if (n_samples_ == max_samples) {
        is_resolved_ = false;
        sort_samples();
        return true;
      }
      if (!evaluate(stepper, t, run, trial_)) return false;
      trial_.is_settled = false;
      trial_.is_foretold = is_foretold(k, trial_);
      const double beside = slope_fraction * length;
      if (trial_.is_foretold && std::abs(beside) > resolution) {
        std::swap(trial_, between_);
        if (!evaluate(stepper, t + beside, run, trial_)) return false;
        if (!evaluate(stepper, t + 2.0 * beside, run, beyond_)) return false;
        between_.is_foretold = is_slow(k, between_, trial_, beyond_);
        std::swap(trial_, between_);
      }
      samples_[k].is_foretold = trial_.is_foretold;
      if (!trial_.is_foretold) ++n_failed;
      next_sample() = trial_;
    }
    sort_samples();
    if (n_failed == 0) return true;
    // Samples of something fast may fit a polynomial by chance. Those that fit are trusted only if
    // few others do not fit, and not beside these.
    if (few_failures * n_failed > n_before) continue;
    for (std::size_t k = 0; k + 1 < n_samples_; ++k) {
      const bool is_before_one = k + 2 < n_samples_ && !samples_[k + 1].is_foretold;
      const bool is_after_one = k > 0 && !samples_[k - 1].is_foretold;
      if (samples_[k].is_foretold && !is_before_one && !is_after_one) samples_[k].is_settled = true;
    }
  }
}

bool EventMonitor::sample_vertices(const Stepper& stepper, Run& run) {
  const std::size_t n_regular = n_samples_;
  for (std::size_t k = 1; k + 1 < n_regular; ++k) {
    for (std::size_t i = 0; i < n_; ++i) {
      const auto at = [&](std::size_t j) { return Point{samples_[j].t, samples_[j].values[i]}; };
      Bend bend{at(k - 1), at(k), at(k + 1)};
      for (int n_looks = 0; n_looks < max_looks; ++n_looks) {
        const auto vertex = nearest_to_zero(bend);
        if (!vertex) break;
        if (!evaluate(stepper, *vertex, run, trial_)) return false;
        const Point found{*vertex, trial_.values[i]};
        if (sign(found.value) != sign(bend.middle.value)) {
          next_sample() = trial_;
          break;
        }
        bend = closer(bend, found);
      }
    }
  }
  sort_samples();
  return true;
}

bool EventMonitor::probe_returns(const Stepper& stepper, double from, double first, Run& run) {
  for (std::size_t i = 0; i < n_; ++i) {
    if (course_.heading[i] == 0) continue;
    const int wanted = std::exchange(course_.heading[i], 0);
    if (sign(samples_[1].values[i]) == wanted) continue;
    double distance = first - from;
    bool is_seen = false;
    while (!is_seen && from + probe_factor * distance != from) {
      distance *= probe_factor;
      if (!evaluate(stepper, from + distance, run, trial_)) return false;
      is_seen = sign(trial_.values[i]) == wanted;
    }
    if (is_seen) {
      next_sample();
      std::rotate(samples_.begin() + 1,
                  samples_.begin() + static_cast<std::ptrdiff_t>(n_samples_) - 1,
                  samples_.begin() + static_cast<std::ptrdiff_t>(n_samples_));
      std::swap(samples_[1], trial_);
    } else {
      // It came back before the clock could tell: the crossing is at the event itself.
      course_.side[i] = wanted;
    }
  }
  return true;
}

bool EventMonitor::collect_candidates(const Sample& sample) {
  candidates_.clear();
  for (std::size_t i = 0; i < n_; ++i) {
    if (crosses(i, sample.values[i])) candidates_.push_back(i);
  }
  return !candidates_.empty();
}

// Shrinks the bracket of one candidate, then of those that crossed even before it, until none did.
// Most often the candidate whose chord crosses first is the only one that has to be followed.
bool EventMonitor::locate(const Stepper& stepper, const Sample& before, const Sample& after,
                          Run& run) {
  const double tolerance = 2.0 * round_off * std::max(std::abs(before.t), std::abs(after.t));
  double end = after.t;
  while (!candidates_.empty()) {
    if (!evaluate(stepper, end, run, trial_)) return false;
    const std::size_t i = *std::ranges::min_element(candidates_, {}, [&](std::size_t j) {
      return std::abs(before.values[j]) / std::abs(trial_.values[j] - before.values[j]);
    });
    const RootBracket bracket = shrink_bracket(
        {.a = before.t, .value_a = before.values[i], .b = end, .value_b = trial_.values[i]},
        tolerance,
        [&](double t) { return evaluate(stepper, t, run, trial_) ? trial_.values[i] : NAN; });
    if (std::isnan(bracket.value_b)) return false;
    event_time_ = bracket.b;
    located_ = to_index(i);
    time_before_ = bracket.a;
    if (bracket.a == before.t) break;
    if (!evaluate(stepper, bracket.a, run, trial_)) return false;
    earlier_.clear();
    for (const std::size_t j : candidates_) {
      if (j != i && crosses(j, trial_.values[j])) earlier_.push_back(j);
    }
    std::swap(candidates_, earlier_);
    end = bracket.a;
  }
  return evaluate(stepper, event_time_, run, trial_);
}

EventMonitor::Search EventMonitor::search(const Stepper& stepper, double from, double to,
                                          Run& run) {
  fired_.clear();
  is_hidden_ = false;
  if (n_ == 0 || from == to) return Search::nothing;
  before_ = course_;
  searched_ = std::abs(to - from);
  double length =
      std::copysign(std::min(std::abs(to - from), stretch_cut * course_.stretch), to - from);
  for (int n_stretches = 0;; ++n_stretches) {
    // What is left at last is looked at as a whole, resolved or not.
    const bool is_last = std::abs(to - from) <= std::abs(length) || n_stretches >= max_stretches;
    const double end = is_last ? to : from + length;
    if (!sample_step(stepper, from, end, run)) return Search::failed;
    if (!is_resolved_ && n_stretches < max_stretches) {
      length = (end - from) / stretch_cut;
      continue;
    }
    const bool is_whole = is_last && n_stretches == 0;
    if (is_resolved_) course_.stretch = is_whole ? HUGE_VAL : std::abs(end - from);
    if (!is_resolved_) course_.has_lost_sight = true;
    const Search found = search_samples(stepper, run);
    const Sample& last = samples_[n_samples_ - 1];
    comes_back_ = last.t != to || std::ranges::any_of(fired_, [&](std::int64_t i) {
                    return sign(last.values[to_size(i)]) != course_.side[to_size(i)];
                  });
    if (found != Search::nothing || is_last) return found;
    from = end;
  }
}

std::optional<double> EventMonitor::search_ahead(const Ray& ray, double length, Run& run) {
  fired_.clear();
  const auto look = [&](double distance) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = ray.x[i] + distance * ray.xp[i];
    trial_.t = ray.t + distance;
    return system_.event_functions(trial_.t, x_, ray.xp, run, trial_.values) == Evaluation::ok &&
           have_signs(trial_.values) && collect_candidates(trial_);
  };
  if (n_ == 0 || !look(length)) return std::nullopt;
  searched_ = std::abs(length);
  double before = 0.0;
  double after = length;
  for (int k = 0; k < max_halvings && std::abs(after - before) > round_off * std::abs(after); ++k) {
    const double middle = 0.5 * (before + after);
    (look(middle) ? after : before) = middle;
  }
  if (!look(after)) return std::nullopt;
  event_time_ = trial_.t;
  for (const std::size_t i : candidates_) fired_.push_back(to_index(i));
  pass(trial_);
  return before;
}

EventMonitor::Search EventMonitor::search_samples(const Stepper& stepper, Run& run) {
  for (std::size_t k = 1; k < n_samples_; ++k) {
    if (!collect_candidates(samples_[k])) {
      pass(samples_[k]);
      continue;
    }
    if (!locate(stepper, samples_[k - 1], samples_[k], run)) return Search::failed;
    for (std::size_t i = 0; i < n_; ++i) {
      if (crosses(i, trial_.values[i])) fired_.push_back(to_index(i));
    }
    // Unknowns that are solved for again differ by rounding errors, which may hide the crossing at
    // the instant where it was seen. Nothing happens there then; a second time it counts as seen.
    if (fired_.empty()) {
      const double clock = few_clock_units * round_off * std::abs(event_time_);
      if (std::abs(event_time_ - last_unnamed_) <= clock) fired_.push_back(located_);
      last_unnamed_ = event_time_;
    }
    is_hidden_ = fired_.empty();
    pass(trial_);
    return Search::found;
  }
  return Search::nothing;
}

}  // namespace daedal::integration
