// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "formulation/events/event_iteration.hpp"

namespace daedal::formulation {

namespace {

/// g within this fraction of |a| + |b| is zero to rounding.
constexpr double rounding_of_sides = 64.0 * round_off;
/// The root of g is found to rounding of time; what reinit leaves of it is of the same size.
constexpr double same_root = 16.0;
/// Events this few units of round-off apart are not told from each other by the clock.
constexpr double clock_resolution = 64.0 * round_off;
/// Where the rate of g is not known, a relation that the event turned round is crossed a second
/// time as soon as roots can be told apart. Crossed in this haste so often, it does not rest.
constexpr double root_resolution = 1e-11;
constexpr int most_hasty_crossings = 4;
/// Crossed again within so much of the time, and where its rate is not known so often, the relation
/// may have been by errors of the steps. What then holds it grows from this share of the tolerance
/// of the run, by this factor, up to it.
constexpr double moment = 1e-9;
constexpr int quick_crossings = 2;
constexpr int most_quick_crossings = 16;
constexpr int before_first = -1;
constexpr double first_band = 1e-3;
constexpr double band_growth = 10.0;
/// g at rest is zero up to this fraction of its nominal value: far below the tolerances that a run
/// can be asked for, far above the rounding errors of the linear systems it comes from.
constexpr double dead_band = 1e-11;
/// Differential variables may have rounding errors of this share of the greatest of them.
constexpr double noise_of_states = 1e-13;
/// What consistent values move differential variables by is drift up to this fraction of g's terms,
/// and a jump beyond.
constexpr double greatest_drift = 1e-4;
/// Where g is an algebraic unknown, the event is found at a value that was solved for to some
/// digits, and solving again gives others: so many bands from zero it is still there.
constexpr double unknown_rate_bands = 1e3;
/// After the event g rests if its rate is this small beside what it was.
constexpr double rate_of_rest = 1e-9;

bool holds(Op op, double g) {
  switch (op) {
    case Op::less:
      return g < 0.0;
    case Op::less_equal:
      return g <= 0.0;
    case Op::greater:
      return g > 0.0;
    case Op::greater_equal:
      return g >= 0.0;
    case Op::equal:
      return g == 0.0;
    default:
      return g != 0.0;
  }
}

double mode_on_side(Op op, double side) {
  return holds(op, side) ? 1.0 : 0.0;
}

/// |a − b| up to which a and b are equal but for rounding.
double rounding(double a, double b) {
  return rounding_of_sides * (std::abs(a) + std::abs(b));
}

}  // namespace

void EventRelations::enter(std::span<const std::int64_t> fired) {
  run_.pre_values = run_.values;
  run_.pre = run_.discretes;
  const auto sides = run_.events.sides(blocks());
  weigh_states();
  near_.assign(events_.relations_.size(), {});
  for (const std::int64_t number : fired) near_[events_.exported_[to_size(number)]].fired = true;
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    const double g = sides[2 * i] - sides[2 * i + 1];
    if (relation.threshold >= 0) {
      const double threshold = run_.events.thresholds[static_cast<std::size_t>(relation.threshold)];
      const bool is_before = side_of(relation.op, mode(relation)) == relation.side_before;
      if (t_ == threshold && is_before) near_[i].fired = true;
    }
    const double smallest = rounding(sides[2 * i], sides[2 * i + 1]);
    // Rounding errors take g back over 0 where it has just left it.
    const double pause = std::abs(t_ - run_.events.crossed[i]);
    const bool may_be_noise =
        relation.has_rate && std::abs(g) <= smallest && pause <= root_resolution * std::abs(t_);
    if (near_[i].fired && may_be_noise && rates_ahead()[i] * side(i) > 0.0) near_[i].fired = false;
    const double band = std::max(smallest, width_of_band(i, sides[2 * i], sides[2 * i + 1]));
    if (near_[i].fired)
      near_[i].tolerance = std::max(
          {smallest, same_root * std::abs(g), relation.has_rate ? 0.0 : unknown_rate_bands * band});
    else if (!relation.is_discrete && !relation.is_equality && std::abs(g) <= band)
      near_[i].tolerance = band;
    if (!near_[i].fired) continue;
    cross(i);
  }
  const auto rates = rates_ahead();
  rates_before_.assign(rates.begin(), rates.end());
}

double EventRelations::width_of_band(std::size_t number, double left, double right) const {
  const auto& relation = events_.relations_[number];
  if (relation.threshold >= 0 || relation.nominal == 0.0) return 0.0;
  return dead_band * scale(number, left, right);
}

void EventRelations::weigh_states() {
  greatest_state_ = 0.0;
  for (const std::size_t j : events_.differential_)
    greatest_state_ = std::max(greatest_state_, std::abs(run_.values[j]));
}

double EventRelations::scale(std::size_t number, double left, double right) const {
  const auto& relation = events_.relations_[number];
  const double here = std::max(std::abs(left), std::abs(right));
  // A nominal value of 1 may just not have been given. Algebraic unknowns have the rounding errors
  // of the equations that they come from, whatever they are themselves.
  if (!relation.is_continuous || relation.nominal != 1.0)
    return std::max(run_.events.scales[number], here);
  if (here > noise_of_states * greatest_state_) return here;
  return greatest_state_ > 0.0 ? std::min(1.0, greatest_state_) : 1.0;
}

bool EventRelations::rests(std::size_t number, double rate, double scale) const {
  const auto& relation = events_.relations_[number];
  if (!relation.has_rate || std::isnan(rate)) return true;
  const double before = number < rates_before_.size() ? std::abs(rates_before_[number]) : 0.0;
  // What no event has touched may rest with rounding errors in its rate: at this one it would not
  // leave the band within a second.
  const double noise = near_[number].fired ? 0.0 : dead_band * scale;
  return std::abs(rate) <= std::max(rate_of_rest * before, noise);
}

void EventRelations::flip(const ModelEvents::Relation& relation) {
  mode(relation) = mode_on_side(relation.op, -side_of(relation.op, mode(relation)));
  state_.equations_changed |= relation.is_dynamic;
}

void EventRelations::cross(std::size_t number) {
  EventMemory& memory = run_.events;
  Near& near = near_[number];
  near.pause = std::abs(t_ - std::exchange(memory.crossed[number], t_));
  int& n_quick = memory.n_quick[number];
  n_quick = near.pause <= moment * std::abs(t_) ? n_quick + 1 : 0;
  flip(events_.relations_[number]);
  const double target = side(number);
  near.is_back = std::exchange(memory.targets[number], target) == -target;
}

std::span<const double> EventRelations::rates_ahead() {
  run_.events.rates(blocks());
  const std::span<double> rates = run_.events.rates.out();
  for (double& rate : rates) rate *= run_.direction;
  return rates;
}

std::vector<double> EventRelations::differences() {
  const auto sides = run_.events.sides(blocks());
  std::vector<double> result;
  for (std::size_t i = 0; i < near_.size(); ++i) result.push_back(sides[2 * i] - sides[2 * i + 1]);
  return result;
}

void EventRelations::forgive_drift(std::span<const double> before) {
  const auto sides = run_.events.sides(blocks());
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    if (!near_[i].fired) continue;
    const double left = sides[2 * i];
    const double right = sides[2 * i + 1];
    const double moved = std::abs(left - right - before[i]);
    const double here = std::max(std::abs(left), std::abs(right));
    // Algebraic unknowns come from within a step with its errors, which solving removes.
    const double greatest = relation.is_continuous
                                ? greatest_drift * std::max(run_.events.scales[i], here)
                                : run_.rtol * std::max(run_.events.peaks[i], here);
    if (moved > greatest) continue;
    near_[i].tolerance = std::max(near_[i].tolerance, 2.0 * moved);
  }
}

void EventRelations::fire_at_end() {
  weigh_states();
  const auto sides = run_.events.sides(blocks());
  const auto rates = rates_ahead();
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    if (near_[i].fired || near_[i].tolerance < 0.0 || !relation.has_rate) continue;
    const bool rests_here = rests(i, rates[i], scale(i, sides[2 * i], sides[2 * i + 1]));
    if (!(rates[i] * side_of(relation.op, mode(relation)) < 0.0) || rests_here) continue;
    near_[i].fired = true;
    cross(i);
  }
}

std::optional<std::size_t> EventRelations::too_fast() {
  for (std::size_t i = 0; i < near_.size(); ++i) {
    if (!near_[i].fired || near_[i].is_settled) continue;
    const double pause = near_[i].pause;
    int& n_hasty = run_.events.n_hasty[i];
    n_hasty = pause > root_resolution * std::abs(t_) ? 1 : n_hasty + 1;
    const bool is_turned = events_.relations_[i].has_rate;
    if (is_turned ? pause > clock_resolution * std::abs(t_) : n_hasty < most_hasty_crossings)
      continue;
    state_.unsettled = events_.relation_text(i);
    return i;
  }
  return std::nullopt;
}

std::vector<std::size_t> EventRelations::crossed_again() const {
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < near_.size(); ++i) {
    if (!near_[i].fired) continue;
    const int enough = events_.relations_[i].has_rate ? 1 : quick_crossings;
    if (run_.events.n_quick[i] >= enough || run_.events.bands[i] > 0.0) again.push_back(i);
  }
  return again;
}

void EventRelations::forget_crossings() {
  for (std::size_t i = 0; i < near_.size(); ++i) {
    if (!near_[i].fired) continue;
    run_.events.n_quick[i] = before_first;
    run_.events.bands[i] = 0.0;
  }
}

void EventRelations::follow() {
  for (std::size_t i = 0; i < near_.size(); ++i) {
    if (!events_.relations_[i].is_followed) continue;
    near_[i].tolerance = -1.0;
    near_[i].is_settled = true;
    run_.events.n_quick[i] = before_first;
    run_.events.bands[i] = 0.0;
  }
}

double EventRelations::side(std::size_t number) {
  const auto& relation = events_.relations_[number];
  return side_of(relation.op, mode(relation));
}

void EventRelations::let_pass(std::size_t number) {
  Near& near = near_[number];
  near.is_settled |= near.is_back && run_.events.n_quick[number] <= most_quick_crossings;
}

void EventRelations::hold(std::size_t number) {
  const auto sides = run_.events.sides(blocks());
  const double scale = std::max(
      {run_.events.peaks[number], std::abs(sides[2 * number]), std::abs(sides[2 * number + 1])});
  double& band = run_.events.bands[number];
  const double wider = std::max(first_band * run_.rtol * scale, band_growth * band);
  near_[number].is_held = true;
  near_[number].is_settled = wider <= run_.rtol * scale;
  if (near_[number].is_settled) band = wider;
}

void EventRelations::forgive_noise() {
  weigh_states();
  const auto sides = run_.events.sides(blocks());
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    if (relation.is_discrete || relation.is_equality || near_[i].tolerance >= 0.0) continue;
    const double band = width_of_band(i, sides[2 * i], sides[2 * i + 1]);
    if (std::abs(sides[2 * i] - sides[2 * i + 1]) <= band) near_[i].tolerance = band;
  }
}

bool EventRelations::update_discrete() {
  const auto sides = run_.events.sides(blocks());
  bool changed = false;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    if (!relation.is_discrete && !relation.is_equality) continue;
    const double value = holds(relation.op, sides[2 * i] - sides[2 * i + 1]) ? 1.0 : 0.0;
    if (value == mode(relation)) continue;
    mode(relation) = value;
    state_.equations_changed |= relation.is_dynamic;
    changed = true;
  }
  return changed;
}

bool EventRelations::update_timers() {
  const auto sides = run_.events.sides(blocks());
  bool changed = false;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    const double g = sides[2 * i] - sides[2 * i + 1];
    if (relation.threshold < 0 || near_[i].fired || std::abs(g) <= near_[i].tolerance) continue;
    changed |= set_mode(i, relation_mode(i, sides[2 * i], sides[2 * i + 1]));
  }
  return changed;
}

bool EventRelations::update_mixed(Pace pace) {
  weigh_states();
  const auto sides = run_.events.sides(blocks());
  bool changed = false;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const double left = sides[2 * i];
    const double right = sides[2 * i + 1];
    if (std::abs(left - right) <= near_[i].tolerance) continue;
    if (!set_mode(i, relation_mode(i, left, right))) continue;
    changed = true;
    if (pace == Pace::one_at_a_time) break;
  }
  return changed;
}

bool EventRelations::set_mode(std::size_t number, double value) {
  const auto& relation = events_.relations_[number];
  if (value == mode(relation)) return false;
  mode(relation) = value;
  state_.equations_changed |= relation.is_dynamic;
  state_.unsettled = events_.relation_text(number);
  return true;
}

bool EventRelations::update() {
  weigh_states();
  const auto sides = run_.events.sides(blocks());
  bool changed = false;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i)
    changed |= set_mode(i, relation_mode(i, sides[2 * i], sides[2 * i + 1]));
  return changed;
}

double EventRelations::relation_mode(std::size_t number, double left, double right) {
  const auto& relation = events_.relations_[number];
  const Near& near = near_[number];
  const double g = left - right;
  if (std::abs(g) > near.tolerance) {
    // The event has moved the boundary onto the value itself: but for rounding it would be equal.
    const bool is_undecided = near.tolerance < 0.0 && run_.phase[0] == 0.0 && g != 0.0 &&
                              !relation.is_discrete && !relation.is_equality &&
                              std::abs(g) <= rounding(left, right);
    return is_undecided ? mode(relation) : holds(relation.op, g) ? 1.0 : 0.0;
  }
  // Only what an event does to the motion turns it round.
  if (!near.fired || !relation.has_rate || near.is_held || !state_.equations_changed)
    return mode(relation);
  const double rate = rates_ahead()[number];
  return rests(number, rate, scale(number, left, right))
             ? mode(relation)
             : mode_on_side(relation.op, rate > 0.0 ? 1.0 : -1.0);
}

void EventRelations::leave() {
  EventMemory& memory = run_.events;
  weigh_states();
  const auto sides = memory.sides(blocks());
  const auto rates = rates_ahead();
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    const double g = sides[2 * i] - sides[2 * i + 1];
    const double side = side_of(relation.op, mode(relation));
    const double unit = round_off * (std::abs(sides[2 * i]) + std::abs(sides[2 * i + 1])) +
                        std::numeric_limits<double>::min();
    // Just enough: what is added here is missing at the next event, and must not add up.
    const double distance = rests(i, rates[i], scale(i, sides[2 * i], sides[2 * i + 1]))
                                ? std::max(unit, width_of_band(i, sides[2 * i], sides[2 * i + 1]))
                                : unit;
    const double held = std::max(distance, memory.bands[i]);
    memory.offsets[i] = g * side >= held ? 0.0 : side * held - g;
  }
  const auto conditions = memory.when_conditions(blocks());
  memory.conditions.assign(conditions.begin(), conditions.end());
  const auto thresholds = memory.time_thresholds(blocks());
  memory.thresholds.assign(thresholds.begin(), thresholds.end());
  memory.left_at = t_;
}

}  // namespace daedal::formulation
