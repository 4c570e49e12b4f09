// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "formulation/model_events.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// Event iterations at one instant before this counts as chattering.
constexpr int max_iterations = 100;
/// Searches for a start that may fail while the relations change from one to the next.
constexpr int max_failures = 4;
/// g within this fraction of |a| + |b| is zero to rounding.
constexpr double rounding_of_sides = 64.0 * round_off;
/// The root of g is found to rounding of time; what reinit leaves of it is of the same size.
constexpr double same_root = 16.0;
/// Instants this close, relative to the time or the interval, are one.
constexpr double same_instant = 1e-12;
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

Change stop(Status status, std::string message) {
  return {.kind = Change::Kind::stop, .status = status, .message = std::move(message)};
}

}  // namespace

/// One instant: the state of the iteration that ModelEvents describes.
class EventIteration {
 public:
  EventIteration(const ModelEvents& events, double t, std::span<double> x, std::span<double> xp,
                 ModelRun& run, const StateAccess& access)
      : events_(events), t_(t), x_(x), xp_(xp), run_(run), access_(access) {}

  Change initialize(const std::function<Change()>& solve);
  Change execute(std::span<const std::int64_t> fired);

 private:
  struct Near {
    bool fired = false;
    double tolerance = -1.0;  ///< |g| up to which the relation is still at its zero; < 0: it is not
  };

  void read() { access_.read(t_, x_, xp_, run_, run_.values, run_.derivatives); }
  auto blocks() { return run_.blocks(t_, run_.values, run_.derivatives); }
  double& mode(const ModelEvents::Relation& relation) {
    return run_.modes[static_cast<std::size_t>(relation.id)];
  }

  void enter(std::span<const std::int64_t> fired);
  [[nodiscard]] bool is_too_fast();
  bool take_samples();
  bool settle();
  bool update_discrete_relations();
  bool assign(std::int32_t discrete, double value);
  void activate(std::span<const double> conditions);
  bool run_actions(Change& outcome);
  bool update_relations();
  double relation_mode(std::size_t number, double g);
  Change iterate();
  void leave();
  Change failure() const;
  Change chattering() const;

  const ModelEvents& events_;
  double t_;
  std::span<double> x_;
  std::span<double> xp_;
  ModelRun& run_;
  const StateAccess& access_;
  std::vector<Near> near_;
  std::vector<const ModelEvents::Branch*> active_;
  std::vector<double> conditions_;
  bool equations_changed_ = false;
  std::string unsettled_;
};

Change ModelEvents::initialize(double t, std::span<double> x, std::span<double> xp, ModelRun& run,
                               const StateAccess& access,
                               const std::function<Change()>& solve) const {
  return EventIteration(*this, t, x, xp, run, access).initialize(solve);
}

Change ModelEvents::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                             std::span<double> xp, ModelRun& run, const StateAccess& access) const {
  return EventIteration(*this, t, x, xp, run, access).execute(fired);
}

Change EventIteration::initialize(const std::function<Change()>& solve) {
  near_.assign(events_.relations_.size(), {});
  run_.phase[0] = 1.0;
  run_.pre_values = run_.values;
  update_relations();
  bool settled = false;
  int n_failures = 0;
  for (int k = 0; k < max_iterations && !settled; ++k) {
    const Change change = solve();
    read();
    if (change.kind == Change::Kind::stop) {
      // The relations were read at guesses; where the search came to rest they may say better.
      if (++n_failures > max_failures || !update_relations()) return change;
      continue;
    }
    run_.pre_values = run_.values;
    const bool relations_changed = update_relations();
    const auto before = run_.discretes;
    if (!settle()) return chattering();
    settled = !relations_changed && run_.discretes == before;
  }
  if (!settled) return chattering();
  Change outcome;
  if (run_actions(outcome) && access_.make_consistent(t_, x_, xp_, run_) != Evaluation::ok)
    return failure();
  if (outcome.kind == Change::Kind::stop) return outcome;
  run_.phase[0] = 0.0;
  run_.pre = run_.discretes;
  leave();
  for (std::size_t i = 0; i < run_.events.n_taken.size(); ++i) {
    const double start = run_.events.sampler_starts[i];
    const double interval = run_.events.sampler_intervals[i];
    // Instants before the run are over; one at its very start is due.
    const double passed = std::ceil((t_ - start) / interval - same_instant);
    run_.events.n_taken[i] = static_cast<std::int64_t>(std::max(0.0, passed));
  }
  if (events_.next_time_event(t_, run_) <= t_) return execute({});
  return events_.check_assertions(t_, run_.values, run_.derivatives, run_);
}

Change EventIteration::execute(std::span<const std::int64_t> fired) {
  read();
  enter(fired);
  if (is_too_fast()) return chattering();
  Change outcome = iterate();
  if (outcome.kind == Change::Kind::stop) return outcome;
  const auto thresholds = run_.events.thresholds;
  leave();
  if (Change failed = events_.check_assertions(t_, run_.values, run_.derivatives, run_);
      failed.kind == Change::Kind::stop)
    return failed;
  if (equations_changed_ || thresholds != run_.events.thresholds)
    outcome.kind = Change::Kind::unknowns;
  return outcome;
}

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
    const double rounding =
        rounding_of_sides * (std::abs(sides[2 * i]) + std::abs(sides[2 * i + 1]));
    if (near_[i].fired)
      near_[i].tolerance = std::max(rounding, same_root * std::abs(g));
    else if (!relation.is_discrete && !relation.is_equality && std::abs(g) <= rounding)
      near_[i].tolerance = rounding;
    if (!near_[i].fired) continue;
    mode(relation) = mode_on_side(relation.op, -side_of(relation.op, mode(relation)));
    equations_changed_ |= relation.is_dynamic;
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

bool EventIteration::take_samples() {
  bool any = false;
  for (std::size_t i = 0; i < run_.samples.size(); ++i) {
    const double interval = run_.events.sampler_intervals[i];
    const double instant =
        run_.events.sampler_starts[i] + static_cast<double>(run_.events.n_taken[i]) * interval;
    const bool due = instant <= t_ + same_instant * std::max(std::abs(t_), interval);
    run_.samples[i] = due ? 1.0 : 0.0;
    if (due) ++run_.events.n_taken[i];
    any |= due;
  }
  return any;
}

Change EventIteration::iterate() {
  const bool sampled = take_samples();
  Change outcome;
  for (int k = 0; k < max_iterations; ++k) {
    if (!settle()) return chattering();
    for (std::size_t i = 0; i < run_.discretes.size(); ++i)
      equations_changed_ |= events_.dynamic_discrete_[i] && run_.discretes[i] != run_.pre[i];
    run_.reinitialized.clear();
    const bool reset = run_actions(outcome);
    equations_changed_ |= reset;
    if (equations_changed_ && access_.make_consistent(t_, x_, xp_, run_) != Evaluation::ok)
      return failure();
    read();
    const bool relations_changed = update_relations();
    const bool settled = !relations_changed && !reset && run_.discretes == run_.pre;
    run_.pre = run_.discretes;
    run_.pre_values = run_.values;
    run_.events.conditions = conditions_;
    if (outcome.kind == Change::Kind::stop) return outcome;
    if (settled) {
      if (!sampled) return outcome;
      std::fill(run_.samples.begin(), run_.samples.end(), 0.0);
      if (!settle()) return chattering();
      run_.pre = run_.discretes;
      return outcome;
    }
  }
  return chattering();
}

/// Discrete equations and active when-clauses to a fixed point, `pre` values and x held.
bool EventIteration::settle() {
  const std::size_t limit = run_.discretes.size() + events_.relations_.size() + 4;
  for (std::size_t pass = 0; pass < limit; ++pass) {
    bool changed = update_discrete_relations();
    const auto values = run_.events.discretes(blocks());
    const auto equations = events_.model_.discrete_equations();
    for (std::size_t i = 0; i < equations.size(); ++i)
      changed |= assign(equations[i].discrete, values[i]);
    const auto conditions = run_.events.when_conditions(blocks());
    conditions_.assign(conditions.begin(), conditions.end());
    activate(conditions);
    const auto when_values = run_.events.when_values(blocks());
    for (const auto* branch : active_)
      for (const auto& [action, value] : branch->actions)
        if (action->kind == WhenAction::Kind::assign)
          changed |= assign(action->target, when_values[value]);
    if (!changed) return true;
  }
  return false;
}

bool EventIteration::assign(std::int32_t discrete, double value) {
  double& current = run_.discretes[static_cast<std::size_t>(discrete)];
  if (current == value || (std::isnan(current) && std::isnan(value))) return false;
  current = value;
  unsettled_ = events_.model_.discretes()[static_cast<std::size_t>(discrete)].name;
  return true;
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

/// The first branch of each clause whose condition became true; at the start those alone that say
/// initial().
void EventIteration::activate(std::span<const double> conditions) {
  active_.clear();
  for (const auto& branches : events_.clauses_) {
    for (const auto& branch : branches) {
      const bool is_true = conditions[branch.condition] != 0.0;
      const bool starts = run_.phase[0] != 0.0;
      const bool became =
          starts ? branch.at_start : run_.events.conditions[branch.condition] == 0.0;
      if (!is_true || !became) continue;
      active_.push_back(&branch);
      break;
    }
  }
}

/// True when reinit changed a state.
bool EventIteration::run_actions(Change& outcome) {
  if (active_.empty()) return false;
  bool reset = false;
  const auto values = run_.events.when_values(blocks());
  for (const auto* branch : active_) {
    for (const auto& [action, value] : branch->actions) {
      const std::string place = place_suffix(action->where);
      switch (action->kind) {
        case WhenAction::Kind::assign:
          break;
        case WhenAction::Kind::reinit:
          reset = true;
          run_.reinitialized.push_back(action->target);
          if (!access_.assign(action->target, values[value], x_))
            outcome =
                stop(Status::inconsistent_start,
                     fmt::format(
                         "reinit of '{}'{} is not possible: it is no state of this formulation.",
                         events_.model_.variables()[static_cast<std::size_t>(action->target)].name,
                         place));
          break;
        case WhenAction::Kind::terminate:
          outcome = stop(Status::event_stop, action->message.empty()
                                                 ? fmt::format("The model ended the run{} at t = "
                                                               "{:.12g}.",
                                                               place, t_)
                                                 : action->message);
          break;
        case WhenAction::Kind::assertion:
          if (values[value] != 0.0) break;
          outcome = stop(Status::assertion_failed,
                         fmt::format("The assertion{} does not hold at t = {:.12g}: {}", place, t_,
                                     action->message));
          break;
      }
    }
  }
  return reset;
}

bool EventIteration::update_relations() {
  const auto sides = run_.events.sides(blocks());
  bool changed = false;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& relation = events_.relations_[i];
    const double value = relation_mode(i, sides[2 * i] - sides[2 * i + 1]);
    if (value == mode(relation)) continue;
    mode(relation) = value;
    equations_changed_ |= relation.is_dynamic;
    unsettled_ = events_.relation_text(i);
    changed = true;
  }
  return changed;
}

double EventIteration::relation_mode(std::size_t number, double g) {
  const auto& relation = events_.relations_[number];
  const Near& near = near_[number];
  if (std::abs(g) > near.tolerance) return holds(relation.op, g) ? 1.0 : 0.0;
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
    const double rounding = round_off * (std::abs(sides[2 * i]) + std::abs(sides[2 * i + 1])) +
                            std::numeric_limits<double>::min();
    // Just enough: what is added here is missing at the next event, and must not add up.
    memory.offsets[i] = g * side > 0.0 ? 0.0 : side * (std::abs(g) + rounding);
  }
  const auto conditions = memory.when_conditions(blocks());
  memory.conditions.assign(conditions.begin(), conditions.end());
  const auto thresholds = memory.time_thresholds(blocks());
  memory.thresholds.assign(thresholds.begin(), thresholds.end());
}

Change EventIteration::failure() const {
  return stop(run_.failure.status, run_.failure.detail);
}

Change EventIteration::chattering() const {
  return stop(Status::chattering,
              fmt::format("The events at t = {:.12g} do not come to rest: {} changes again and "
                          "again. Give the switching a hysteresis, or a mode in which it stays.",
                          t_, unsettled_.empty() ? "a condition" : "'" + unsettled_ + "'"));
}

}  // namespace daedal::formulation
