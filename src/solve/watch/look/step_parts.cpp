// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/step_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/watch/look/greatest_values.hpp"
#include "solve/watch/look/kept_signs.hpp"

namespace daedal::solve_detail {

namespace {

/// A step with more parts is taken again, only as far as the first half of these parts reaches.
constexpr int usual_parts = 1000;
/// If they do not reach even this share of the step, more parts are looked at, up to this number.
constexpr double least_progress = 0x1p-13;
constexpr int most_parts = 32 * usual_parts;

/// A relation that changes in a part, or a kink that is passed in one, is taken to do so once where
/// the part is no longer than these shares of the step.
constexpr double longest_change_of_relation = 0x1p-10;
constexpr double longest_kink = 0.25;
/// Three values tell of a peak between them where the part is no longer than the first share of the
/// step and has nothing that is strained more than this, and where they bend by less than they lack
/// to the bound, or by less than the last share of what may be an error.
constexpr double longest_bend = 0.25;
constexpr double least_strain = 0.25;
constexpr double bend_share = 0.1;
/// A gentle curve, as of exp, rises from an end of a part by at most so many times what it changes
/// by between the ends of parts.
constexpr double most_growth = 100.0;
/// Functions of unknowns that the model solves for within its equations have known values at the
/// ends of parts only. Parts must be short for these to tell of all values between them.
constexpr double gentle_strain_of_implicit = 0x1p-4;

/// Parts that are nearer to each other than this share of the step are near one place. There a
/// function is given up after so many unresolved parts, and in the whole step after so many places:
/// it is at the rounding errors of a zero, as the direction of something that does not move.
constexpr double place_share = 0x1p-12;
constexpr int most_unresolved = 64;
constexpr int most_places = 3;
/// Poles are looked for in so many parts.
constexpr std::size_t most_poles = 8;

}  // namespace

StepParts::StepParts(SampledStep& step, const Suspects& suspects, const WatchOptions& options,
                     LookBudget& budget)
    : step_(step),
      suspects_(suspects),
      rtol_(options.rtol),
      can_repeat_(options.can_repeat),
      greatest_(greatest_values(step, budget)),
      sides_(step),
      exit_(step, suspects, options),
      unresolved_(step.n_suspects()),
      peaks_(step.n_suspects()),
      end_(step.end().t) {
  for (std::size_t i = 0; i < step.n_suspects(); ++i) {
    const Watched& function = step.function(i);
    if (function.kind == Watched::Kind::bound) {
      (function.is_implicit ? far_bounds_ : near_bounds_).push_back(i);
    } else if (function.is_implicit) {
      gentle_strain_ = gentle_strain_of_implicit;
    }
  }
  note_bounds(step.begin());
  note_bounds(step.end());
  divide(budget);
}

void StepParts::divide(LookBudget& budget) {
  const bool can_shorten = can_repeat_ && budget.is_positive();
  const int affordable = budget.affordable_parts(step_.n_needed(), most_parts);
  const double begin = step_.begin().t;
  const double least_way = least_progress * std::abs(step_.length());
  double half_way = std::numeric_limits<double>::quiet_NaN();
  Instant here = step_.begin();
  std::vector<Instant> ahead;
  ahead.push_back(step_.end());
  // Kinks alone are no reason to look at more parts than usual: a great number of them are the
  // rounding errors of a zero.
  bool has_found = false;
  int n = 0;
  while (!ahead.empty()) {
    ++n;
    const bool has_come_far = std::abs(here.t - begin) >= least_way;
    if (std::isnan(half_way) && 2 * n >= usual_parts && has_come_far) half_way = here.t;
    if (can_shorten && has_found && n > usual_parts && !std::isnan(half_way)) {
      end_ = half_way;
      break;
    }
    const int most = has_found ? most_parts : usual_parts;
    const bool are_too_many = n > std::min(most, affordable);
    if (are_too_many && has_found && std::isnan(given_up_)) given_up_ = here.t;
    Part part{here.t, ahead.back().t};
    if (are_too_many || is_resolved(here, ahead.back(), part)) {
      parts_.push_back(part);
      here = std::move(ahead.back());
      ahead.pop_back();
      const bool has_changed = sides_.note(here);
      has_found = has_found || part.is_active || has_changed;
      continue;
    }
    look_at_middle(here, ahead.back());
    ahead.push_back(std::exchange(middle_, {}));
    exit_.note(here, ahead.back());
  }
  budget.charge(n, step_.n_needed());
}

/// Whether all suspects are resolved between two instants, or cannot be.
bool StepParts::is_resolved(const Instant& a, const Instant& b, Part& part) {
  step_.bound(a, b);
  const double length = std::abs(step_.length());
  const double width = std::abs(b.t - a.t);
  const Extent extent{
      .a = a,
      .b = b,
      .share = std::abs((b.t - a.t) / step_.length()),
      .is_shortest = width <= integration::least_share_of_time * std::max(std::abs(a.t), length)};
  const std::size_t n_floor_changes = floor_changes_.size();
  const std::size_t n_poles = possible_poles_.size();
  const std::size_t n_sign_changes = sign_changes_.size();
  bool are_all_resolved = true;
  const auto resolve = [&](std::size_t i) {
    if (sides_.is_tie(i) || is_given_up(i, b.t) || !step_.is_chosen(i)) return;
    are_all_resolved = is_resolved(i, extent, part) && are_all_resolved;
  };
  for (std::size_t i = 0; i < step_.n_suspects(); ++i) {
    if (step_.function(i).kind != Watched::Kind::bound) resolve(i);
  }
  // Of what is no gentle curve yet few values tell nothing. A look at a bound may add others to
  // those that are near.
  for (std::size_t k = 0; k < near_bounds_.size() && are_all_resolved; ++k) {
    resolve(near_bounds_[k]);
  }
  if (!are_all_resolved) {
    // What was found here will be found again in the halves.
    floor_changes_.resize(n_floor_changes);
    possible_poles_.resize(n_poles);
    sign_changes_.resize(n_sign_changes);
  }
  return are_all_resolved;
}

bool StepParts::is_resolved(std::size_t suspect, const Extent& extent, Part& part) {
  switch (step_.function(suspect).kind) {
    case Watched::Kind::steep:
      return is_steep_resolved(suspect, extent, part);
    case Watched::Kind::divisor:
      return is_divisor_resolved(suspect, extent);
    case Watched::Kind::relation:
      return is_relation_resolved(suspect, extent);
    case Watched::Kind::kink:
    case Watched::Kind::jump:
      return is_kink_resolved(suspect, extent, part);
    case Watched::Kind::bound:
      return is_bound_resolved(suspect, extent, part);
  }
  return true;
}

bool StepParts::is_steep_resolved(std::size_t suspect, const Extent& extent, Part& part) {
  const WatchedFunctions& functions = step_.functions();
  const Watched& function = step_.function(suspect);
  const bool is_domain_done = is_domain_resolved(suspect, extent);
  const auto bounds = step_.bounds().all();
  if (functions.is_flat(step_.number(suspect), bounds, greatest_, flat_share * rtol_)) {
    return is_domain_done;
  }
  const double strain = functions.strain(function, bounds);
  if (strain <= gentle_strain_) {
    part.is_active = true;
    part.strain = std::max(part.strain, strain);
    return is_domain_done;
  }
  if (!is_left_unresolved(suspect, extent)) return false;
  if (std::isinf(strain) && functions.has_pole(function)) note_pole(suspect, extent);
  return is_domain_done;
}

bool StepParts::is_domain_resolved(std::size_t suspect, const Extent& extent) {
  const WatchedFunctions& functions = step_.functions();
  const Watched& function = step_.function(suspect);
  if (suspects_.is_known_undefined(step_.number(suspect)) || exit_.is_of(suspect)) return true;
  if (!(functions.beyond_domain(function, step_.bounds().all()) > 0.0)) return true;
  // The halves of a part that is outside the domain as a whole would show no more.
  const bool is_outside = functions.is_undefined(function, step_.bounds().all());
  if (is_outside) {
    exit_.search(extent.a, extent.b);
    step_.bound(extent.a, extent.b);
  }
  if (!is_left_unresolved(suspect, extent) && !is_outside) return false;
  unresolved_[suspect].touches = true;
  return true;
}

bool StepParts::is_divisor_resolved(std::size_t suspect, const Extent& extent) {
  if (!step_.bounds()[step_.function(suspect).a].contains(0.0)) return true;
  if (!is_left_unresolved(suspect, extent)) return false;
  note_pole(suspect, extent);
  return true;
}

bool StepParts::is_relation_resolved(std::size_t suspect, const Extent& extent) {
  if (!step_.is_open(suspect)) return true;
  const auto& [a, b, share, is_shortest] = extent;
  const bool changes = sign(a.differences[suspect]) != sign(b.differences[suspect]);
  if (changes && share <= longest_change_of_relation) return true;
  if (keeps_sign(suspect, a, b, step_, rtol_)) return true;
  return is_left_unresolved(suspect, extent);
}

bool StepParts::is_kink_resolved(std::size_t suspect, const Extent& extent, Part& part) {
  if (!step_.is_open(suspect)) return true;
  const auto& [a, b, share, is_shortest] = extent;
  const Watched& function = step_.function(suspect);
  if (step_.functions().enclosure()[function.place].op == Op::floor) {
    if (is_last(suspect, extent)) floor_changes_.push_back(b.t);
    return is_last(suspect, extent);
  }
  if (keeps_sign(suspect, a, b, step_, rtol_)) return true;
  const bool changes = sign(a.differences[suspect]) * sign(b.differences[suspect]) < 0;
  if (changes && share <= longest_kink) {
    part.strain = infinity;
    sign_changes_.push_back({a.t, b.t, suspect});
    return true;
  }
  return is_left_unresolved(suspect, extent);
}

void StepParts::look_at_middle(const Instant& a, const Instant& b) {
  const double t = 0.5 * (a.t + b.t);
  if (middle_.t == t) return;
  middle_ = step_.at(t);
  step_.bound(a, b);
  note_bounds(middle_);
}

/// Without rates, bounds of what is solved for within the equations tell nothing of a peak: of that
/// the values at the ends of parts tell, and in their middles where something changes.
bool StepParts::is_bound_resolved(std::size_t suspect, const Extent& extent, const Part& part) {
  const auto& [a, b, share, is_shortest] = extent;
  const double slack = suspects_.slack(step_.number(suspect));
  if (peaks_[suspect].excess > slack) return true;
  const double at_a = a.differences[suspect];
  const double at_b = b.differences[suspect];
  const bool is_within = !(step_.difference(suspect).high > slack);
  if (is_within && !(step_.function(suspect).is_implicit && part.is_active)) return true;
  if (share <= longest_bend && part.strain <= least_strain) {
    look_at_middle(a, b);
    const double at_middle = middle_.differences[suspect];
    const double bend = std::abs(at_a - 2.0 * at_middle + at_b);
    const bool is_far = std::max({at_a, at_middle, at_b}) + bend <= slack;
    if (is_far || bend <= bend_share * slack) return true;
  }
  return is_left_unresolved(suspect, extent);
}

void StepParts::note_bounds(const Instant& here) {
  std::erase_if(far_bounds_, [&](std::size_t i) {
    const double change = std::abs(here.differences[i] - step_.begin().differences[i]);
    if (!(here.differences[i] + most_growth * change > 0.0)) return false;
    near_bounds_.push_back(i);
    return true;
  });
  for (const std::size_t i : near_bounds_) {
    const double excess = here.differences[i];
    if (!(excess > 0.0)) continue;
    BoundChecks::Peak& peak = peaks_[i];
    if (peak.excess == 0.0 || step_.is_earlier(here.t, peak.t)) peak.t = here.t;
    if (excess > peak.excess) {
      peak.excess = excess;
      peak.seen_at = here.t;
    }
  }
}

void StepParts::report_peaks(double until, Suspects& suspects) const {
  for (std::size_t i = 0; i < peaks_.size(); ++i) {
    if (peaks_[i].excess > 0.0 && !step_.is_earlier(until, peaks_[i].seen_at)) {
      suspects.note_peak(step_.number(i), peaks_[i]);
    }
  }
}

/// Whether the part is too short to be halved for this suspect.
bool StepParts::is_last(std::size_t suspect, const Extent& extent) const {
  return extent.is_shortest ||
         (!step_.function(suspect).is_of_time && extent.share <= SampledStep::shortest_share);
}

/// Whether a suspect is not looked at any more in a part with this end.
bool StepParts::is_given_up(std::size_t suspect, double end) const {
  const Unresolved& found = unresolved_[suspect];
  const bool is_near = std::abs(end - found.from) <= place_share * std::abs(step_.length());
  return found.n_places >= most_places || (found.n >= most_unresolved && is_near);
}

/// Whether the part is not halved any more for a suspect that is not resolved in it. Keeps account
/// of these parts.
bool StepParts::is_left_unresolved(std::size_t suspect, const Extent& extent) {
  if (!is_last(suspect, extent)) return false;
  Unresolved& found = unresolved_[suspect];
  const double begin = extent.a.t;
  if (!(std::abs(begin - found.from) <= place_share * std::abs(step_.length()))) {
    found.from = begin;
    found.n = 0;
  }
  if (++found.n == most_unresolved) ++found.n_places;
  return true;
}

void StepParts::note_pole(std::size_t suspect, const Extent& extent) {
  if (possible_poles_.size() < most_poles) {
    possible_poles_.push_back({extent.a.t, extent.b.t, suspect});
  }
}

void StepParts::report_unresolved(Suspects& suspects) const {
  for (std::size_t i = 0; i < unresolved_.size(); ++i) {
    if (unresolved_[i].n_places >= most_places) suspects.note_futile_look(step_.number(i));
    if (unresolved_[i].touches) suspects.note_touch(step_.number(i));
  }
}

}  // namespace daedal::solve_detail
