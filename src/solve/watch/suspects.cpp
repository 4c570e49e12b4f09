// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve_detail {

namespace {

/// The share of the tolerance below which a difference is next to nothing beside its peak, and
/// below which a variable is not told from its neighbours.
constexpr double rest_share = 0.01;
/// After so many futile looks a function is not looked at again until it has been calm.
constexpr int most_futile_looks = 2;
/// After so many looks that could not tell whether a function leaves its domain, its domain is not
/// watched any more.
constexpr int most_touches = 8;
/// A parabola rises above both ends of a step by an eighth of what its slope changes by over the
/// step. That change is taken from the mean slopes of this step and the one before.
constexpr double greatest_rise = 0.5;
/// What is solved for within the equations comes in the next few steps to at most so many times
/// what it has changed by.
constexpr double most_bound_growth = 100.0;

}  // namespace

Suspects::Suspects(const WatchedFunctions& functions, const StepBounds& bounds,
                   const WatchOptions& options)
    : functions_(&functions),
      rtol_(options.rtol),
      checks_(options.bounds),
      greatest_(bounds.leaves().size(), 0.0),
      peak_(functions.watched().size(), 0.0),
      rests_(peak_.size(), false),
      n_futile_(peak_.size(), 0),
      n_touches_(peak_.size(), 0),
      is_undefined_(peak_.size(), false) {
  if (checks_ == nullptr) return;
  rises_.resize(peak_.size(), -infinity);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < peak_.size(); ++i) {
    const Watched& function = functions.watched()[i];
    if (function.kind != Watched::Kind::bound || !function.is_implicit) continue;
    implicit_bounds_.push_back({.number = i});
    numbers.push_back(i);
  }
  of_implicit_bounds_ = functions.needed_for(numbers);
}

void Suspects::note_step(const Sample& begin, const Sample& end, StepBounds& bounds) {
  find_rises(begin, end, bounds);
  bounds.evaluate(functions_->arguments());
  for (std::size_t k = 0; k < greatest_.size(); ++k) {
    for (const Sample* sample : {&begin, &end}) {
      const double size = std::abs(bounds.leaves()[k].value(*sample));
      if (std::isfinite(size)) greatest_[k] = std::max(greatest_[k], size);
    }
  }
  for (std::size_t i = 0; i < peak_.size(); ++i) {
    const Watched& function = functions_->watched()[i];
    const double size = function.difference(bounds.all()).magnitude();
    if (std::isfinite(size)) peak_[i] = std::max(peak_[i], size);
    if (n_futile_[i] > 0 && is_gentle(i, bounds)) n_futile_[i] = 0;
    if (function.kind == Watched::Kind::bound && checks_ != nullptr) {
      const kernel::Interval& value = bounds[function.place];
      checks_->note_size(function.limit, std::max({value.low, -value.high, 0.0}));
    }
  }
  find_rests(begin, end, bounds);
}

/// What is solved for within the equations has no rates, and bounds from its values at both ends of
/// a step say nothing of a peak between these.
void Suspects::find_rises(const Sample& begin, const Sample& end, StepBounds& bounds) {
  if (implicit_bounds_.empty()) return;
  const auto excess_at = [&](const Sample& sample, double ImplicitBound::* excess) {
    bounds.set_at(sample, [](std::size_t) { return 0.0; });
    bounds.evaluate(of_implicit_bounds_);
    for (ImplicitBound& bound : implicit_bounds_) {
      bound.*excess = functions_->watched()[bound.number].difference(bounds.all()).low;
    }
  };
  excess_at(begin, &ImplicitBound::at_begin);
  excess_at(end, &ImplicitBound::at_end);
  const double length = end.t - begin.t;
  is_near_bound_ = false;
  for (ImplicitBound& bound : implicit_bounds_) {
    const double change = bound.at_end - bound.at_begin;
    is_near_bound_ = is_near_bound_ || bound.at_end + most_bound_growth * std::abs(change) > 0.0;
    const double slope = change / length;
    const double bend = std::abs((slope - std::exchange(bound.slope, slope)) * length);
    rises_[bound.number] = std::max(bound.at_begin, bound.at_end) + greatest_rise * bend;
  }
  bounds.set_between(begin, end);
}

double Suspects::slack(std::size_t number) const {
  return checks_->slack(functions_->watched()[number].limit);
}

void Suspects::note_peak(std::size_t number, const BoundChecks::Peak& peak) {
  checks_->note_peak(functions_->watched()[number].limit, peak);
}

/// Values beyond a bound are told once.
bool Suspects::is_within_bound(std::size_t number, const StepBounds& bounds) const {
  if (checks_ == nullptr) return true;
  const Watched& function = functions_->watched()[number];
  const double highest = std::max(function.difference(bounds.all()).high, rises_[number]);
  return !(highest > 0.0) || !(highest > slack(number)) || checks_->is_told(function.limit);
}

bool Suspects::is_gentle(std::size_t number, const StepBounds& bounds) const {
  const Watched& function = functions_->watched()[number];
  return function.kind == Watched::Kind::bound
             ? is_within_bound(number, bounds)
             : functions_->is_calm(function, bounds.all(), strain_of_exponentials_);
}

bool Suspects::is_calm(std::size_t number, const StepBounds& bounds) const {
  return !functions_->is_chosen(number, bounds.all()) ||
         (is_gentle(number, bounds) && !is_beyond_domain(number, bounds));
}

bool Suspects::is_beyond_domain(std::size_t number, const StepBounds& bounds) const {
  const Watched& function = functions_->watched()[number];
  return function.kind == Watched::Kind::steep &&
         functions_->beyond_domain(function, bounds.all()) > 0.0;
}

bool Suspects::is_next_to_nothing(std::size_t number, const StepBounds& bounds) const {
  const double size = functions_->watched()[number].difference(bounds.all()).magnitude();
  return size < rest_share * rtol_ * peak_[number];
}

/// Finds the differences that are at rest: next to nothing beside their peak, and zero at both ends
/// of the step as far as the variables are known. The second condition is needed because a high
/// power is next to nothing far from its zero too.
void Suspects::find_rests(const Sample& begin, const Sample& end, StepBounds& bounds) {
  bool has_candidate = false;
  for (std::size_t i = 0; i < rests_.size(); ++i) {
    const Watched& function = functions_->watched()[i];
    rests_[i] = function.has_sides() && functions_->is_open(function, bounds.all()) &&
                is_next_to_nothing(i, bounds);
    has_candidate = has_candidate || rests_[i];
  }
  if (!has_candidate) return;
  for (const Sample* sample : {&begin, &end}) {
    bounds.set_at(*sample, [&](std::size_t k) { return rest_share * rtol_ * greatest_[k]; });
    bounds.evaluate(functions_->arguments());
    for (std::size_t i = 0; i < rests_.size(); ++i) {
      rests_[i] = rests_[i] && functions_->watched()[i].difference(bounds.all()).contains(0.0);
    }
  }
  bounds.set_between(begin, end);
  bounds.evaluate(functions_->arguments());
}

bool Suspects::is_suspect(std::size_t number, const StepBounds& bounds) const {
  const Watched& function = functions_->watched()[number];
  if (!functions_->is_chosen(number, bounds.all())) return false;
  if (!is_gentle(number, bounds) && n_futile_[number] < most_futile_looks) {
    const bool is_noise = functions_->is_fast_wave(function, bounds.all()) ||
                          (rests_[number] && is_next_to_nothing(number, bounds));
    if (!is_noise) return true;
  }
  return !is_undefined_[number] && n_touches_[number] < most_touches &&
         is_beyond_domain(number, bounds);
}

std::vector<std::size_t> Suspects::find(const StepBounds& bounds) const {
  std::vector<std::size_t> found;
  const std::size_t n = functions_->watched().size();
  for (std::size_t i = 0; i < n; ++i) {
    if (is_suspect(i, bounds)) found.push_back(i);
  }
  if (found.empty()) return found;
  // What follows from any of these by equations that are to be solved may change with it.
  for (std::size_t i = 0; i < n; ++i) {
    const Watched& function = functions_->watched()[i];
    if (!function.is_implicit || is_suspect(i, bounds)) continue;
    const bool is_idle = function.kind == Watched::Kind::bound &&
                         (checks_ == nullptr || checks_->is_told(function.limit));
    if (!is_idle) found.push_back(i);
  }
  return found;
}

bool Suspects::has_any(const StepBounds& bounds) const {
  for (std::size_t i = 0; i < functions_->watched().size(); ++i) {
    if (is_suspect(i, bounds)) return true;
  }
  return false;
}

}  // namespace daedal::solve_detail
