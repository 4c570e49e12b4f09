// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/suspects.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

Suspects::Suspects(const WatchedFunctions& functions, const StepBounds& bounds, double rtol)
    : functions_(&functions),
      rtol_(rtol),
      greatest_(bounds.leaves().size(), 0.0),
      peak_(functions.watched().size(), 0.0),
      rests_(peak_.size(), false),
      n_futile_(peak_.size(), 0),
      n_touches_(peak_.size(), 0),
      is_undefined_(peak_.size(), false) {}

void Suspects::note_step(const Sample& begin, const Sample& end, StepBounds& bounds) {
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
    if (n_futile_[i] > 0 && functions_->is_calm(function, bounds.all(), strain_of_exponentials_)) {
      n_futile_[i] = 0;
    }
  }
  find_rests(begin, end, bounds);
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
  const bool is_calm = functions_->is_calm(function, bounds.all(), strain_of_exponentials_);
  if (!is_calm && n_futile_[number] < most_futile_looks) {
    const bool is_noise = functions_->is_fast_wave(function, bounds.all()) ||
                          (rests_[number] && is_next_to_nothing(number, bounds));
    if (!is_noise) return true;
  }
  return function.kind == Watched::Kind::steep && !is_undefined_[number] &&
         n_touches_[number] < most_touches &&
         functions_->beyond_domain(function, bounds.all()) > 0.0;
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
    if (functions_->watched()[i].is_implicit && !is_suspect(i, bounds)) found.push_back(i);
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
