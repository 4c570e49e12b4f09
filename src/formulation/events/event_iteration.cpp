// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "formulation/events/event_iteration.hpp"
#include "formulation/frame/start_problem.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

using Pace = EventRelations::Pace;

/// Event iterations at one instant before this counts as chattering.
constexpr int most_event_iterations = 100;
/// In so many passes over a mixed system all relations may change at once, afterwards one at a
/// time.
constexpr int patience = 10;
/// After so many passes all combinations of the relations that turned are tried, if these are few.
constexpr int give_up_after = 25;
constexpr std::size_t most_searched = 10;
/// Relations are evaluated along the rates so far ahead, relative to the time.
constexpr double look_ahead = 1e-11;
/// Relations that may turn where the run leaps to another solution.
constexpr std::size_t most_leapt = 6;
constexpr std::size_t most_unknowns = 1000;
/// Searches for a start that may fail while the relations change from one to the next.
constexpr int max_failures = 4;
/// Instants this close, relative to the times that they are computed from, are one.
constexpr double same_instant = 1e-12;
/// Rows of schedules are given, not computed: only the same number, rounded twice, is one instant.
constexpr double same_row = 4.0 * std::numeric_limits<double>::epsilon();

/// A number beyond every time and every position.
constexpr double far_away = 1e300;
/// Places outside a stretch by less than this share of its length belong to it.
constexpr double same_place = 1e-9;
/// Delays below this share of the tolerance times the longest delay are none.
constexpr double shortest_delay = 1e-3;

double slack_of(double length, double t) {
  return std::max(same_place * length, 4.0 * same_instant * std::abs(t));
}

/// Both ends of a flow are read from what the schedule of the first one has.
std::size_t carrier(const Schedule& schedule, std::size_t number) {
  return schedule.past.is_downstream ? number - 1 : number;
}

Change stop(Status status, std::string message) {
  return {.kind = Change::Kind::stop, .status = status, .message = std::move(message)};
}

}  // namespace

/// Relations, discrete equations and a start that agree with each other.
Change EventIteration::settle_start(const std::function<Change()>& solve) {
  int n_failures = 0;
  for (int k = 0; k < most_event_iterations; ++k) {
    const Change change = solve();
    read();
    if (change.kind == Change::Kind::stop) {
      // The relations were read at guesses; where the search came to rest they may say better.
      if (++n_failures <= max_failures && relations_.update()) continue;
      const auto is_solved = [&] { return solve().kind != Change::Kind::stop; };
      return search_modes(algebraic_relations(0), is_solved) ? Change{} : change;
    }
    run_.pre_values = run_.values;
    // At rest everything is zero, but for rounding errors whose signs decide nothing.
    if (k >= patience) relations_.forgive_noise();
    const bool relations_changed =
        update_mixed(k < patience ? Pace::all_at_once : Pace::one_at_a_time);
    const auto before = run_.discretes;
    if (!settle()) return chattering();
    if (!relations_changed && run_.discretes == before) return {};
    const auto is_solved = [&] { return solve().kind != Change::Kind::stop; };
    // The guesses may lie where the equations of a mode are singular: there the search goes on from
    // where those of another one were met.
    const auto is_any = [] { return true; };
    if (k == give_up_after &&
        (search_modes(flipped(), is_solved) || search_modes(flipped(), is_solved, is_any, true)))
      return {};
  }
  return chattering();
}

Change EventIteration::initialize(const std::function<Change()>& solve) {
  run_.phase[0] = 1.0;
  run_.pre_values = run_.values;
  has_flipped_.assign(run_.modes.size(), false);
  follow_schedules();
  for (const auto& schedule : events_.model_.schedules())
    for (const std::int32_t i : schedule->discretes)
      run_.pre[to_size(i)] = run_.discretes[to_size(i)];
  relations_.update();
  if (double* share = homotopy_share(events_.model_, run_)) {
    // On which sides of their relations the simplified equations lie, the way to the actual ones
    // begins.
    *share = 0.0;
    (void)settle_start(solve);
    *share = 1.0;
  }
  if (Change stopped = settle_start(solve); stopped.kind == Change::Kind::stop) return stopped;
  Change outcome;
  if (run_actions(outcome) && access_.make_consistent(t_, x_, xp_, run_) != Evaluation::ok)
    return failure();
  if (outcome.kind == Change::Kind::stop) return outcome;
  count_samples();
  run_.phase[0] = 0.0;
  run_.pre = run_.discretes;
  relations_.leave();
  // What differs once initial() is over, and what is due at this very instant, comes now.
  return execute({});
}

Change EventIteration::resume(const std::function<Change()>& solve) {
  const EventState& state = *run_.resumed;
  EventMemory& memory = run_.events;
  run_.modes = state.modes;
  run_.discretes = state.discretes;
  run_.pre = state.pre;
  run_.pre_values = state.pre_values;
  memory.crossed = state.crossed;
  memory.conditions = state.conditions;
  memory.n_hasty.assign(state.n_hasty.begin(), state.n_hasty.end());
  memory.n_taken = state.n_taken;
  memory.next_rows.assign(state.next_rows.begin(), state.next_rows.end());
  memory.warned.assign(state.warned.begin(), state.warned.end());
  memory.stretch_ends = state.stretch_ends;
  memory.histories = state.histories;
  if (Change change = solve(); change.kind == Change::Kind::stop) return change;
  read();
  relations_.leave();
  events_.read_samplers(run_);
  return {};
}

Change EventIteration::execute(std::span<const std::int64_t> fired) {
  if (std::exchange(run_.has_new_parameters, false)) {
    state_.equations_changed = true;
    count_samples();
  }
  read();
  relations_.enter(fired);
  if (run_.is_at_end) relations_.fire_at_end();
  for (const std::size_t relation : relations_.crossed_again())
    if (look_again(relation)) break;
  if (const auto hasty = relations_.too_fast(); hasty && !leap(*hasty)) return chattering();
  run_.phase[1] = run_.is_at_end ? 1.0 : 0.0;
  Change outcome = iterate();
  run_.phase[1] = 0.0;
  if (outcome.kind == Change::Kind::stop) return outcome;
  const auto thresholds = run_.events.thresholds;
  relations_.leave();
  if (Change failed = events_.check_assertions(t_, run_.values, run_.derivatives, run_);
      failed.kind == Change::Kind::stop)
    return failed;
  if (state_.equations_changed || thresholds != run_.events.thresholds)
    outcome.kind = Change::Kind::unknowns;
  return outcome;
}

/// Instants before now are over, and one that is now is due: unless it has been taken already.
void EventIteration::count_samples() {
  EventMemory& memory = run_.events;
  const auto starts = std::exchange(memory.sampler_starts, {});
  const auto intervals = std::exchange(memory.sampler_intervals, {});
  events_.read_samplers(run_);
  for (std::size_t i = 0; i < memory.n_taken.size(); ++i) {
    const double start = memory.sampler_starts[i];
    const double interval = memory.sampler_intervals[i];
    if (run_.phase[0] == 0.0 && starts[i] == start && intervals[i] == interval) continue;
    const double passed = std::ceil((t_ - start) / interval - same_instant);
    memory.n_taken[i] = static_cast<std::int64_t>(std::max(0.0, passed));
  }
}

bool EventIteration::take_samples() {
  bool any = false;
  for (std::size_t i = 0; i < run_.samples.size(); ++i) {
    const double interval = run_.events.sampler_intervals[i];
    const double start = run_.events.sampler_starts[i];
    const double instant = start + static_cast<double>(run_.events.n_taken[i]) * interval;
    // The rounding of both sides, and no more where the interval is longer than all that passed.
    const double scale =
        std::max({std::abs(t_), std::abs(instant), std::min(std::abs(start), interval)});
    const bool due = instant <= t_ + same_instant * scale;
    run_.samples[i] = due ? 1.0 : 0.0;
    if (due) ++run_.events.n_taken[i];
    any |= due;
  }
  return any;
}

void EventIteration::follow_schedules() {
  const auto schedules = events_.model_.schedules();
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const Schedule& schedule = *schedules[i];
    if (!schedule.past.signal.empty()) {
      follow_signal(i, schedule);
      continue;
    }
    std::size_t& next = run_.events.next_rows[i];
    const std::size_t before = next;
    const double now = t_ + same_row * std::abs(t_);
    while (next < schedule.times.size() && (schedule.times[next] <= now || next == 0)) ++next;
    if (next == before) continue;
    const std::size_t n = schedule.discretes.size();
    for (std::size_t k = 0; k < n; ++k)
      assign(schedule.discretes[k], schedule.values[(next - 1) * n + k]);
  }
}

void EventIteration::follow_signal(std::size_t number, const Schedule& schedule) {
  const Past& past = schedule.past;
  double& due = run_.events.stretch_ends[number];
  if (due == -infinity) {
    for (const std::int32_t discrete : schedule.discretes) assign(discrete, 0.0);
    due = t_ + past.delay;
    if (past.is_moving()) await_past(schedule, past.is_carried() ? -far_away : due);
    return;
  }
  if (past.is_moving() || due > t_ + same_row * std::abs(t_)) return;
  SignalHistory& history = run_.events.histories[number];
  const auto stretch = history.from(due - past.delay);
  hand_over(schedule, stretch, past.delay);
  history.forget_before(stretch.begin);
  due = stretch.end + past.delay;
}

/// The coefficients stand last.
void EventIteration::hand_over(const Schedule& schedule, const SignalHistory::Stretch& stretch,
                               double shift) {
  auto place = schedule.discretes.begin();
  for (const double value : {1.0, stretch.middle + shift, stretch.inverse}) assign(*place++, value);
  place = schedule.discretes.end() - SignalHistory::n_nodes;
  for (const double coefficient : stretch.coefficients) assign(*place++, coefficient);
  if (!schedule.past.is_moving()) return;
  // What lies at an end belongs to the stretch, rounded or not.
  const double slack = slack_of(stretch.end - stretch.begin, t_);
  bound(schedule, {.lower = stretch.begin - slack, .upper = stretch.end + slack});
}

void EventIteration::bound(const Schedule& schedule, const Bounds& bounds) {
  auto place = schedule.discretes.begin() + 3;
  for (const double value : {bounds.is_present ? 1.0 : 0.0, bounds.lower, bounds.upper})
    assign(*place++, value);
}

/// Before the start there is no past.
void EventIteration::await_past(const Schedule& schedule, double start) {
  assign(schedule.discretes.front(), 0.0);
  bound(schedule, {.lower = -far_away, .upper = start});
}

/// A new stretch where the place at which a signal is read has left the one before.
bool EventIteration::follow_place(std::size_t number, const Schedule& schedule) {
  const Past& past = schedule.past;
  const double side = run_.discretes[to_size(past.side)];
  if (side == 0.0) return false;
  const double at = run_.discretes[to_size(past.place)];
  const auto now = [&](std::size_t k) { return run_.discretes[to_size(schedule.discretes[k])]; };
  const bool was_present = now(3) != 0.0;
  const double lower = now(4);
  const double upper = now(5);
  const double shortest = shortest_delay * run_.rtol * past.longest;
  // Relations tell the side until they are read again: a new stretch lies ahead of the place.
  const double place = was_present ? at - t_ : at;
  const double ahead = side > 0.0 ? upper - place : place - lower;
  const double none = 0.5 * (was_present ? shortest : slack_of(upper - lower, t_));
  if (ahead > none && place >= lower && place <= upper) return false;
  using End = SignalHistory::End;
  SignalHistory& history = run_.events.histories[carrier(schedule, number)];
  if (past.is_carried()) {
    const double begin = past.is_downstream ? at - 1.0 : at;
    if (history.is_empty()) history.begin_with(past.points, past.values, begin);
    hand_over(schedule, history.from(at, past.is_downstream ? End::front : End::back), 0.0);
    return true;
  }
  const double start = run_.events.stretch_ends[number];
  const bool is_back = side < 0.0 && !was_present;
  if (is_back && std::min(at, lower) <= start) {
    await_past(schedule, start);
  } else if (t_ - at <= shortest) {
    assign(schedule.discretes.front(), 1.0);
    bound(schedule, {.is_present = true, .lower = -2.0 * shortest, .upper = far_away});
  } else {
    // Where the place has jumped it goes on forward, as time does.
    const bool has_jumped = std::abs(at - (is_back ? lower : upper)) > same_place * past.longest;
    const bool goes_back = is_back && !has_jumped;
    const double edge = was_present || has_jumped ? at : (is_back ? lower : upper);
    hand_over(schedule, history.from(edge, goes_back ? End::front : End::back), 0.0);
    history.forget_before(t_ - (1.0 + 1e-3) * past.longest);
  }
  return true;
}

bool EventIteration::follow_places() {
  bool has_changed = false;
  const auto schedules = events_.model_.schedules();
  for (std::size_t i = 0; i < schedules.size() && run_.phase[0] == 0.0; ++i)
    if (schedules[i]->past.is_moving()) has_changed |= follow_place(i, *schedules[i]);
  if (has_changed) relations_.follow();
  return has_changed;
}

/// Relations, discrete equations and continuous unknowns together, `pre` values held.
Change EventIteration::solve_mixed() {
  const auto make_consistent = [&] {
    return access_.make_consistent(t_, x_, xp_, run_) == Evaluation::ok;
  };
  has_flipped_.assign(run_.modes.size(), false);
  const std::vector<double> begin = run_.discretes;
  for (int k = 0; k < most_event_iterations; ++k) {
    if (!settle()) return chattering();
    // A timer that has just started had run down: what clauses did by its old start never was.
    if (k < patience && relations_.update_timers()) {
      run_.discretes = begin;
      continue;
    }
    for (std::size_t i = 0; i < run_.discretes.size(); ++i)
      state_.equations_changed |= events_.dynamic_discrete_[i] && run_.discretes[i] != run_.pre[i];
    const Pace pace = k < patience ? Pace::all_at_once : Pace::one_at_a_time;
    if (!state_.equations_changed) {
      // A relation between time or a continuous variable and a discrete one that has just changed
      // holds its new value in the very equations of this instant.
      if (!relations_.update_mixed(pace)) return {};
      continue;
    }
    const std::vector<double> drifted = relations_.differences();
    if (!make_consistent()) {
      // States that would have to jump, and reinit says where to.
      if (run_.failure.status == Status::impulse && reinitializes()) return {};
      const Failure why = run_.failure;
      // Where a source goes, a diode that none of its relations tells so has to take over.
      if (search_modes(flipped(), make_consistent) ||
          search_modes(algebraic_relations(0), make_consistent))
        return {};
      run_.failure = why;
      return failure();
    }
    read();
    relations_.forgive_drift(drifted);
    const auto before = run_.discretes;
    const bool relations_changed = update_mixed(pace);
    if (!settle()) return chattering();
    if (!relations_changed && run_.discretes == before) return {};
    if (k == give_up_after && (search_modes(flipped(), make_consistent) || leap_from_flipped()))
      return {};
  }
  return chattering();
}

bool EventIteration::update_mixed(Pace pace) {
  const auto modes = run_.modes;
  const bool has_changed = relations_.update_mixed(pace);
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (run_.modes[i] != modes[i]) has_flipped_[i] = true;
  return has_changed;
}

std::vector<std::size_t> EventIteration::flipped() const {
  std::vector<std::size_t> turned;
  for (std::size_t i = 0; i < has_flipped_.size(); ++i)
    if (has_flipped_[i]) turned.push_back(i);
  return turned;
}

double EventIteration::rate_in_mode(std::size_t relation, double mode) {
  const auto& looked_at = events_.relations_[relation];
  double& held_mode = run_.modes[to_size(looked_at.id)];
  const double before = std::exchange(held_mode, mode);
  const double now = t_;
  std::vector<double> x(x_.begin(), x_.end());
  std::vector<double> xp(xp_.begin(), xp_.end());
  const auto make_consistent = [&] {
    const bool is_consistent = access_.make_consistent(t_, x, xp, run_) == Evaluation::ok;
    if (is_consistent) access_.read(t_, x, xp, run_, run_.values, run_.derivatives);
    return is_consistent;
  };
  double rate = std::numeric_limits<double>::quiet_NaN();
  if (make_consistent()) {
    if (looked_at.has_rate) {
      rate = relations_.rates_ahead()[relation];
    } else {
      const double here = relations_.differences()[relation];
      const double step = run_.direction * look_ahead * std::abs(t_);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += step * xp[i];
      t_ += step;
      if (make_consistent()) rate = relations_.differences()[relation] - here;
      t_ = now;
    }
  }
  run_.failure = {};
  held_mode = before;
  read();
  return rate;
}

/// A stiff state is off its slow manifold by the error of the step in which it crosses. The first
/// steps after the event take it back, across the relation, in both of its modes alike. Where the
/// modes of algebraic unknowns lead into each other instead, their solution has a fold there.
bool EventIteration::look_again(std::size_t relation) {
  const double side = relations_.side(relation);
  const double mode = run_.modes[to_size(events_.relations_[relation].id)];
  const double ahead = rate_in_mode(relation, mode) * side;
  const double behind = rate_in_mode(relation, 1.0 - mode) * side;
  if (ahead > 0.0 && behind > 0.0) relations_.let_pass(relation);
  if (!(ahead < 0.0)) return false;
  if (behind < 0.0) {
    relations_.hold(relation);
    return false;
  }
  return behind > 0.0 && leap(relation);
}

/// The relations of algebraic unknowns, as positions among the modes, those nearest to the given
/// one first. Empty for models in which a search from each of them would take long.
std::vector<std::size_t> EventIteration::algebraic_relations(std::size_t relation) const {
  std::vector<std::size_t> near;
  if (run_.values.size() > most_unknowns) return near;
  for (std::size_t i = 0; i < events_.relations_.size(); ++i) {
    const auto& other = events_.relations_[i];
    if (!other.is_discrete && !other.has_rate) near.push_back(i);
  }
  // Relations that one part of a model states are neighbours.
  const auto distance = [&](std::size_t i) {
    return std::max(i, relation) - std::min(i, relation);
  };
  std::ranges::stable_sort(near, {}, distance);
  near.resize(std::min(near.size(), most_leapt));
  for (std::size_t& number : near) number = to_size(events_.relations_[number].id);
  return near;
}

/// The relation of algebraic unknowns is crossed again as soon as it was crossed: the equations
/// have no solution near by, as at the threshold of a comparator with feedback. The run goes on
/// from another one, with the states held, in which the relation is not at its zero.
bool EventIteration::leap(std::size_t relation) {
  if (events_.relations_[relation].has_rate) return false;
  const std::vector<std::size_t> near = algebraic_relations(relation);
  const auto make_consistent = [&] {
    return access_.make_consistent(t_, x_, xp_, run_) == Evaluation::ok;
  };
  if (!search_modes(near, make_consistent, [&] { return relations_.is_clear(relation); })) {
    return false;
  }
  state_.equations_changed = true;
  run_.events.n_hasty[relation] = 0;
  run_.warnings.push_back(
      fmt::format("At t = {:.9g} the solution in which '{}' is at its threshold comes to an end: "
                  "the run goes on "
                  "from another one, with the states held.",
                  t_, events_.relation_text(relation)));
  return true;
}

bool EventIteration::leap_from_flipped() {
  for (std::size_t i = 0; i < events_.relations_.size(); ++i)
    if (has_flipped_[to_size(events_.relations_[i].id)] && leap(i)) return true;
  return false;
}

/// All sides of these relations, one combination after the other: the first that is wanted and with
/// which equations and relations agree.
bool EventIteration::search_modes(std::span<const std::size_t> turned,
                                  const std::function<bool()>& make_consistent,
                                  const std::function<bool()>& is_wanted, bool goes_on) {
  if (turned.empty() || turned.size() > most_searched) return false;
  const auto modes = run_.modes;
  const auto discretes = run_.discretes;
  const std::vector<double> x(x_.begin(), x_.end());
  const std::vector<double> xp(xp_.begin(), xp_.end());
  const auto agrees = [&] {
    read();
    const auto settled = run_.discretes;
    return !relations_.update_mixed(Pace::all_at_once) && settle() && run_.discretes == settled &&
           is_wanted();
  };
  for (std::size_t combination = 0; combination < (std::size_t{1} << turned.size());
       ++combination) {
    run_.modes = modes;
    run_.discretes = discretes;
    std::ranges::copy(x, x_.begin());
    std::ranges::copy(xp, xp_.begin());
    for (std::size_t k = 0; k < turned.size(); ++k)
      run_.modes[turned[k]] = (combination >> k & 1U) != 0 ? 1.0 : 0.0;
    if (!settle() || !make_consistent()) continue;
    if (agrees()) return true;
    if (!goes_on || !settle()) continue;
    run_.start_goes_on = true;
    const bool is_consistent = make_consistent();
    run_.start_goes_on = false;
    if (is_consistent && agrees()) return true;
  }
  run_.modes = modes;
  run_.discretes = discretes;
  std::ranges::copy(x, x_.begin());
  std::ranges::copy(xp, xp_.begin());
  return false;
}

Change EventIteration::iterate() {
  const bool sampled = take_samples();
  follow_schedules();
  Change outcome;
  for (int k = 0; k < most_event_iterations; ++k) {
    if (Change stopped = solve_mixed(); stopped.kind == Change::Kind::stop) return stopped;
    const bool reset = run_actions(outcome);
    state_.equations_changed |= reset;
    if (reset) relations_.forget_crossings();
    if (reset && access_.make_consistent(t_, x_, xp_, run_) != Evaluation::ok) return failure();
    run_.reinitialized.clear();
    run_.reinit_values.clear();
    read();
    const bool discretes_changed = run_.discretes != run_.pre;
    run_.pre = run_.discretes;
    run_.pre_values = run_.values;
    // Relations may hold `pre` values: they are read for the next pass, not for this one.
    const bool relations_changed = relations_.update();
    const bool settled = !relations_changed && !reset && !discretes_changed;
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
    bool changed = relations_.update_discrete();
    const auto values = run_.events.discretes(blocks());
    const auto equations = events_.model_.discrete_equations();
    for (std::size_t i = 0; i < equations.size(); ++i)
      changed |= assign(equations[i].discrete, values[i]);
    const auto conditions = run_.events.when_conditions(blocks());
    conditions_.assign(conditions.begin(), conditions.end());
    activate(conditions);
    const auto when_values = run_.events.when_values(blocks());
    // The last of several clauses of one algorithm counts: the search begins at the end.
    claimed_.assign(run_.discretes.size(), false);
    for (auto branch = active_.rbegin(); branch != active_.rend(); ++branch) {
      for (auto each = (*branch)->actions.rbegin(); each != (*branch)->actions.rend(); ++each) {
        if (each->action->kind != WhenAction::Kind::assign) continue;
        const auto target = static_cast<std::size_t>(each->action->target);
        if (claimed_[target]) continue;
        claimed_[target] = true;
        changed |= assign(each->action->target, when_values[each->value]);
      }
    }
    // Where a signal is to be read is known when nothing else changes.
    if (!changed && !follow_places()) return true;
  }
  return false;
}

bool EventIteration::assign(std::int32_t discrete, double value) {
  double& current = run_.discretes[static_cast<std::size_t>(discrete)];
  if (current == value || (std::isnan(current) && std::isnan(value))) return false;
  current = value;
  state_.unsettled = events_.model_.discretes()[static_cast<std::size_t>(discrete)].name;
  return true;
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

bool EventIteration::reinitializes() const {
  return std::ranges::any_of(active_, [](const ModelEvents::Branch* branch) {
    return std::ranges::any_of(branch->actions, [](const ModelEvents::Action& each) {
      return each.action->kind == WhenAction::Kind::reinit;
    });
  });
}

/// True when reinit changed a state.
bool EventIteration::run_actions(Change& outcome) {
  if (active_.empty()) return false;
  bool reset = false;
  const auto values = run_.events.when_values(blocks());
  for (const auto* branch : active_) {
    for (const auto& [action, value] : branch->actions) {
      const auto place = [&] { return place_suffix(action->where); };
      switch (action->kind) {
        case WhenAction::Kind::assign:
          break;
        case WhenAction::Kind::reinit:
          reset = true;
          run_.reinitialized.push_back(action->target);
          run_.reinit_values.push_back(values[value]);
          if (!access_.assign(action->target, values[value], x_))
            outcome =
                stop(Status::inconsistent_start,
                     fmt::format(
                         "reinit of '{}'{} is not possible: it is not a state of this formulation.",
                         events_.model_.variables()[static_cast<std::size_t>(action->target)].name,
                         place()));
          break;
        case WhenAction::Kind::terminate:
          if (values[value] == 0.0) break;
          outcome = stop(Status::event_stop, action->message.empty()
                                                 ? fmt::format("The model ended the run{} at t = "
                                                               "{:.12g}.",
                                                               place(), t_)
                                                 : action->message);
          break;
        case WhenAction::Kind::assertion:
          if (values[value] != 0.0) break;
          outcome = stop(Status::assertion_failed,
                         fmt::format("The assertion{} does not hold at t = {:.12g}: {}", place(),
                                     t_, action->message));
          break;
        case WhenAction::Kind::call:
          action->callback(t_, values.subspan(value + 1, action->arguments.size()));
          break;
      }
    }
  }
  return reset;
}

Change EventIteration::failure() const {
  return stop(run_.failure.status, run_.failure.detail);
}

Change EventIteration::chattering() const {
  return stop(
      Status::chattering,
      fmt::format("The events at t = {:.12g} do not settle: {} keeps changing. Add a hysteresis "
                  "to the switching, or a mode in which it stays.",
                  t_, state_.unsettled.empty() ? "a condition" : "'" + state_.unsettled + "'"));
}

}  // namespace daedal::formulation
