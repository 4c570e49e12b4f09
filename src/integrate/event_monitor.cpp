// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/event_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/root_bracket.hpp"

namespace daedal::integrate {

namespace {

/// Parts into which a step is cut: three interior samples cost little beside the step itself.
constexpr std::size_t n_parts = 4;
/// Probes approach an event by this factor, down to the resolution of the clock.
constexpr double probe_factor = 0.25;
/// A parabola whose vertex comes this near to 0, relative to the middle sample, is looked at.
constexpr double vertex_nearness = 0.25;

int sign(double value) {
  return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
}

}  // namespace

EventMonitor::EventMonitor(const System& system, double direction)
    : system_(system),
      direction_(direction),
      n_(to_size(system.n_events())),
      crossings_(n_, Crossing::both),
      side_(n_, 0),
      heading_(n_, 0),
      last_values_(n_),
      x_(to_size(system.size())),
      xp_(x_.size()) {
  const auto crossings = system.crossings();
  std::copy(crossings.begin(), crossings.end(), crossings_.begin());
  trial_.values.resize(n_);
  candidates_.reserve(n_);
  earlier_.reserve(n_);
  fired_.reserve(n_);
}

bool EventMonitor::are_finite(std::span<const double> values) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  failed_function_ = bad == values.end() ? -1 : bad - values.begin();
  return bad == values.end();
}

bool EventMonitor::evaluate(const Stepper& stepper, double t, Run& run, Sample& sample) {
  stepper.interpolate(t, x_, xp_);
  sample.t = t;
  failed_function_ = -1;
  return system_.event_functions(t, x_, xp_, run, sample.values) == Evaluation::ok &&
         are_finite(sample.values);
}

Evaluation EventMonitor::arm(double t, std::span<const double> x, std::span<const double> xp,
                             Run& run) {
  if (n_ == 0) return Evaluation::ok;
  failed_function_ = -1;
  Evaluation evaluation = system_.event_functions(t, x, xp, run, last_values_);
  if (evaluation != Evaluation::ok) return evaluation;
  if (!are_finite(last_values_)) return Evaluation::recoverable;
  for (std::size_t i = 0; i < n_; ++i) side_[i] = sign(last_values_[i]);

  std::fill(heading_.begin(), heading_.end(), 0);
  if (fired_.empty()) return Evaluation::ok;
  // The rate of each function that fired, by a difference along x': only its sign counts.
  const double step = direction_ * std::sqrt(round_off) * std::max(std::abs(t), 1e-3);
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = x[i] + step * xp[i];
  evaluation = system_.event_functions(t + step, x_, xp, run, trial_.values);
  for (const std::int64_t i : fired_) {
    const std::size_t k = to_size(i);
    if (evaluation != Evaluation::ok) continue;
    // A function that the event has thrown far away from 0 does not come back at once.
    const int heading = sign(trial_.values[k] - last_values_[k]);
    if (heading == sign(trial_.values[k])) heading_[k] = heading;
  }
  fired_.clear();
  return Evaluation::ok;
}

bool EventMonitor::crosses(std::size_t i, double value) const {
  const int now = sign(value);
  if (now == 0 || side_[i] == 0 || now == side_[i]) return false;
  return crossings_[i] == Crossing::both || (crossings_[i] == Crossing::rising) == (now > 0);
}

void EventMonitor::pass(const Sample& sample) {
  for (std::size_t i = 0; i < n_; ++i) {
    const int now = sign(sample.values[i]);
    if (now != 0) side_[i] = now;
    last_values_[i] = sample.values[i];
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
  first.values = last_values_;
  for (std::size_t k = 1; k <= n_parts; ++k) {
    const double part = static_cast<double>(k) / n_parts;
    const double t = k == n_parts ? to : from + part * (to - from);
    if (t == samples_[n_samples_ - 1].t) continue;
    if (!evaluate(stepper, t, run, next_sample())) return false;
  }
  if (n_samples_ == 1) return true;
  if (!sample_vertices(stepper, run)) return false;
  return probe_returns(stepper, from, samples_[1].t, run);
}

bool EventMonitor::sample_vertices(const Stepper& stepper, Run& run) {
  const std::size_t n_regular = n_samples_;
  for (std::size_t k = 1; k + 1 < n_regular; ++k) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double before = samples_[k - 1].values[i];
      const double here = samples_[k].values[i];
      const double after = samples_[k + 1].values[i];
      const double curvature = before - 2.0 * here + after;
      const double slope = 0.5 * (after - before);
      // Bent away from 0 with the vertex between the neighbours?
      const bool bends = here * curvature > 0.0 && std::abs(slope) < std::abs(curvature);
      if (!bends || before * here <= 0.0 || here * after <= 0.0) continue;
      const double vertex_value = here - 0.5 * slope * slope / curvature;
      if (vertex_value * here > 0.0 && std::abs(vertex_value) > vertex_nearness * std::abs(here)) {
        continue;
      }
      const double t = samples_[k].t - slope / curvature * (samples_[k + 1].t - samples_[k].t);
      if (!evaluate(stepper, t, run, trial_)) return false;
      if (sign(trial_.values[i]) != sign(here)) next_sample() = trial_;
    }
  }
  const bool is_forward = samples_[n_regular - 1].t > samples_[0].t;
  std::sort(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(n_samples_),
            [&](const Sample& a, const Sample& b) { return is_forward ? a.t < b.t : a.t > b.t; });
  return true;
}

bool EventMonitor::probe_returns(const Stepper& stepper, double from, double first, Run& run) {
  for (std::size_t i = 0; i < n_; ++i) {
    if (heading_[i] == 0) continue;
    const int wanted = std::exchange(heading_[i], 0);
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
      side_[i] = wanted;
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
bool EventMonitor::locate(const Stepper& stepper, const Sample& before, const Sample& after,
                          Run& run) {
  const double tolerance = 2.0 * round_off * std::max(std::abs(before.t), std::abs(after.t));
  double end = after.t;
  while (!candidates_.empty()) {
    const std::size_t i = candidates_.front();
    if (!evaluate(stepper, end, run, trial_)) return false;
    const RootBracket bracket = shrink_bracket(
        {.a = before.t, .value_a = before.values[i], .b = end, .value_b = trial_.values[i]},
        tolerance,
        [&](double t) { return evaluate(stepper, t, run, trial_) ? trial_.values[i] : HUGE_VAL; });
    if (!std::isfinite(bracket.value_b)) return false;
    event_time_ = bracket.b;
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
  if (n_ == 0 || from == to) return Search::nothing;
  if (!sample_step(stepper, from, to, run)) return Search::failed;
  for (std::size_t k = 1; k < n_samples_; ++k) {
    if (!collect_candidates(samples_[k])) {
      pass(samples_[k]);
      continue;
    }
    if (!locate(stepper, samples_[k - 1], samples_[k], run)) return Search::failed;
    for (std::size_t i = 0; i < n_; ++i) {
      if (crosses(i, trial_.values[i])) fired_.push_back(to_index(i));
    }
    pass(trial_);
    return Search::found;
  }
  return Search::nothing;
}

}  // namespace daedal::integrate
