// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "formulation/event_iteration.hpp"

namespace daedal::formulation {

namespace {

/// g within this fraction of |a| + |b| is zero to rounding.
constexpr double rounding_of_sides = 64.0 * round_off;
/// The root of g is found to rounding of time; what reinit leaves of it is of the same size.
constexpr double same_root = 16.0;
/// Events this few units of round-off apart are not told from each other by the clock.
constexpr double clock_resolution = 64.0 * round_off;

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

/// The sign of g on the side where the relation has this mode.
double side_of(Op op, double mode) {
  const bool rises = op == Op::greater || op == Op::greater_equal;
  return (mode != 0.0) == rises ? 1.0 : -1.0;
}

double mode_on_side(Op op, double side) {
  return holds(op, side) ? 1.0 : 0.0;
}

/// |a − b| up to which a and b are equal but for rounding.
double rounding(double a, double b) {
  return rounding_of_sides * (std::abs(a) + std::abs(b));
}

}  // namespace

/// Which relations are at their zero, and which were crossed.
void EventIteration::enter(std::span<const std::int64_t> fired) {
  run_.pre_values = run_.values;
  run_.pre = run_.discretes;
  const auto sides = run_.events.sides(blocks());
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
    if (near_[i].fired)
      near_[i].tolerance = std::max(smallest, same_root * std::abs(g));
    else if (!relation.is_discrete && !relation.is_equality && std::abs(g) <= smallest)
      near_[i].tolerance = smallest;
    if (!near_[i].fired) continue;
    flip(relation);
  }
}

void EventIteration::flip(const ModelEvents::Relation& relation) {
  mode(relation) = mode_on_side(relation.op, -side_of(relation.op, mode(relation)));
  equations_changed_ |= relation.is_dynamic;
}

/// A relation that is at its zero at the last instant of the run, and on its way across, crosses:
/// there is no later step in which it would.
void EventIteration::fire_at_end() {
  const auto rates = run_.events.rates(blocks());
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    if (near_[i].fired || near_[i].tolerance < 0.0 || !relation.has_rate) continue;
    if (!(rates[i] * side_of(relation.op, mode(relation)) < 0.0)) continue;
    near_[i].fired = true;
    flip(relation);
  }
}

/// Impacts that accumulate come to an end where a flight is shorter than the clock resolves: a
/// relation is crossed, turned round and crossed again at what seems one instant.
bool EventIteration::is_too_fast() {
  for (std::size_t i = 0; i < near_.size(); ++i) {
    if (!near_[i].fired) continue;
    const double before = std::exchange(run_.events.crossed[i], t_);
    if (std::abs(t_ - before) > clock_resolution * std::abs(t_)) continue;
    unsettled_ = events_.relation_text(i);
    return true;
  }
  return false;
}

bool EventIteration::update_discrete_relations() {
  const auto sides = run_.events.sides(blocks());
  bool changed = false;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    if (!relation.is_discrete && !relation.is_equality) continue;
    const double value = holds(relation.op, sides[2 * i] - sides[2 * i + 1]) ? 1.0 : 0.0;
    if (value == mode(relation)) continue;
    mode(relation) = value;
    equations_changed_ |= relation.is_dynamic;
    changed = true;
  }
  return changed;
}

bool EventIteration::update_relations() {
  const auto sides = run_.events.sides(blocks());
  bool changed = false;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    const double value = relation_mode(i, sides[2 * i], sides[2 * i + 1]);
    if (value == mode(relation)) continue;
    mode(relation) = value;
    equations_changed_ |= relation.is_dynamic;
    unsettled_ = events_.relation_text(i);
    changed = true;
  }
  return changed;
}

double EventIteration::relation_mode(std::size_t number, double left, double right) {
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
  if (!near.fired || !relation.has_rate) return mode(relation);
  const double rate = run_.events.rates(blocks())[number];
  return rate == 0.0 || std::isnan(rate) ? mode(relation)
                                         : mode_on_side(relation.op, rate > 0.0 ? 1.0 : -1.0);
}

/// Offsets, thresholds and conditions for the time until the next event.
void EventIteration::leave() {
  EventMemory& memory = run_.events;
  const auto sides = memory.sides(blocks());
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    const double g = sides[2 * i] - sides[2 * i + 1];
    const double side = side_of(relation.op, mode(relation));
    const double unit = round_off * (std::abs(sides[2 * i]) + std::abs(sides[2 * i + 1])) +
                        std::numeric_limits<double>::min();
    // Just enough: what is added here is missing at the next event, and must not add up.
    memory.offsets[i] = g * side > 0.0 ? 0.0 : side * (std::abs(g) + unit);
  }
  const auto conditions = memory.when_conditions(blocks());
  memory.conditions.assign(conditions.begin(), conditions.end());
  const auto thresholds = memory.time_thresholds(blocks());
  memory.thresholds.assign(thresholds.begin(), thresholds.end());
}

}  // namespace daedal::formulation
