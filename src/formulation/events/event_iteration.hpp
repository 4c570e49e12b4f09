// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The iteration at one instant that ModelEvents describes. Where even changes of one relation at a
/// time run in circles, all combinations of those that turned are tried.

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulation/events/model_events.hpp"

namespace daedal::formulation {

/// What an iteration has come to so far.
struct IterationState {
  bool equations_changed = false;
  std::string unsettled;  ///< what changed last
};

/// On which side of its zero each relation is, at one instant.
class EventRelations {
 public:
  EventRelations(const ModelEvents& events, const double& t, ModelRun& run, IterationState& state)
      : events_(events), t_(t), run_(run), state_(state), near_(events.relations_.size()) {}

  /// Which relations are at their zero, and which were crossed.
  void enter(std::span<const std::int64_t> fired);
  /// A relation that is at its zero at the last instant of the run, and on its way across, crosses:
  /// there is no later step in which it would.
  void fire_at_end();
  /// Impacts that accumulate come to an end where a flight is shorter than the clock resolves: a
  /// relation is crossed, turned round and crossed again at what seems one instant. Its number.
  [[nodiscard]] std::optional<std::size_t> too_fast();
  /// Relations that are crossed again and again within a moment.
  [[nodiscard]] std::vector<std::size_t> crossed_again() const;
  /// The sign of left − right on the side that the relation is held on.
  [[nodiscard]] double side(std::size_t number);
  /// The relation was crossed by errors of the steps alone: it stays on its side until left − right
  /// has moved back by more than they are, but for no more than the tolerance of the run.
  void hold(std::size_t number);
  /// The relation was crossed back, and no mode of it leads into the other.
  void let_pass(std::size_t number);
  /// The event has thrown states elsewhere: what was crossed before does not count.
  void forget_crossings();
  /// Stretches of the past have new ends: relations with them are not where they were.
  void follow();
  /// Sides that differ by less than the rounding errors of their equations count as equal from now
  /// on: such relations keep the modes that they have.
  void forgive_noise();
  /// The relation is not at its zero.
  [[nodiscard]] bool is_clear(std::size_t number) {
    return std::abs(differences()[number]) > near_[number].tolerance;
  }
  /// The rates of left − right in the direction of the run.
  [[nodiscard]] std::span<const double> rates_ahead();
  /// left − right of all relations.
  [[nodiscard]] std::vector<double> differences();
  /// Where the equations alone have changed, differential variables are what they were. If
  /// consistent values differ, they take back the drift of the steps before, and of algebraic
  /// unknowns the errors of the step: that does not undo a crossing.
  void forgive_drift(std::span<const double> before);

  bool update_discrete();
  /// Relations between time and discrete values that have not brought about this event.
  bool update_timers();
  enum class Pace { all_at_once, one_at_a_time };
  /// `pre` values held: relations at their zero keep the side that they crossed into, because what
  /// this does is not known yet; of the others all that are wrong change, or the first of them.
  bool update_mixed(Pace pace);
  bool update();
  /// Offsets, thresholds and conditions for the time until the next event.
  void leave();

 private:
  struct Near {
    bool fired = false;
    bool is_back = false;     ///< crossed into the side that it left when it was last crossed
    bool is_held = false;     ///< see hold()
    bool is_settled = false;  ///< what follows is no chattering
    double pause = HUGE_VAL;  ///< since it was crossed before
    double tolerance = -1.0;  ///< |g| up to which the relation is still at its zero; < 0: it is not
  };

  auto blocks() { return run_.blocks(t_, run_.values, run_.derivatives); }
  double& mode(const ModelEvents::Relation& relation) {
    return run_.modes[static_cast<std::size_t>(relation.id)];
  }
  void flip(const ModelEvents::Relation& relation);
  /// Into the other side, now.
  void cross(std::size_t number);
  bool set_mode(std::size_t number, double value);
  /// Notes how great the states are, for scale(): once for all relations that are then looked at.
  void weigh_states();
  /// The size of what the relation compares, as far as it is known.
  [[nodiscard]] double scale(std::size_t number, double left, double right) const;
  /// How far from zero g may be where it rests. Time does not rest, and is exact.
  [[nodiscard]] double width_of_band(std::size_t number, double left, double right) const;
  /// Whether g stays where it is: its rate is zero, but for rounding, or not known.
  [[nodiscard]] bool rests(std::size_t number, double rate, double scale) const;
  double relation_mode(std::size_t number, double left, double right);

  const ModelEvents& events_;
  const double& t_;
  ModelRun& run_;
  IterationState& state_;
  std::vector<Near> near_;
  double greatest_state_ = 0.0;       ///< among the differential variables
  std::vector<double> rates_before_;  ///< of the relations, at the end of the last step
};

class EventIteration {
 public:
  EventIteration(const ModelEvents& events, double t, std::span<double> x, std::span<double> xp,
                 ModelRun& run, const StateAccess& access)
      : events_(events),
        t_(t),
        x_(x),
        xp_(xp),
        run_(run),
        access_(access),
        relations_(events_, t_, run_, state_) {}

  Change initialize(const std::function<Change()>& solve);
  /// Where the run has `resumed`: continuous values for the modes of a checkpoint.
  Change resume(const std::function<Change()>& solve);
  Change execute(std::span<const std::int64_t> fired);

 private:
  void read() { access_.read(t_, x_, xp_, run_, run_.values, run_.derivatives); }
  auto blocks() { return run_.blocks(t_, run_.values, run_.derivatives); }

  void count_samples();
  bool take_samples();
  /// Rows of the schedules that are due; at the start the first ones are.
  void follow_schedules();
  void follow_signal(std::size_t number, const Schedule& schedule);
  /// Bounds of the place at which a past is read, if that place moves.
  struct Bounds {
    bool is_present = false;
    double lower, upper;
  };
  bool follow_places();
  bool follow_place(std::size_t number, const Schedule& schedule);
  void hand_over(const Schedule& schedule, const SignalHistory::Stretch& stretch, double shift);
  void bound(const Schedule& schedule, const Bounds& bounds);
  void await_past(const Schedule& schedule, double start);
  bool settle();
  bool assign(std::int32_t discrete, double value);
  void activate(std::span<const double> conditions);
  bool run_actions(Change& outcome);
  /// An active clause gives a state a new value.
  [[nodiscard]] bool reinitializes() const;
  Change solve_mixed();
  Change settle_start(const std::function<Change()>& solve);
  /// Notes which relations turn.
  bool update_mixed(EventRelations::Pace pace);
  bool search_modes(
      std::span<const std::size_t> turned, const std::function<bool()>& make_consistent,
      const std::function<bool()>& is_wanted = [] { return true; }, bool goes_on = false);
  [[nodiscard]] std::vector<std::size_t> flipped() const;
  [[nodiscard]] std::vector<std::size_t> algebraic_relations(std::size_t relation) const;
  /// The rate of left − right with consistent values in this mode of the relation, as far as its
  /// sign counts; NaN where there are none.
  double rate_in_mode(std::size_t relation, double mode);
  /// Decides for a relation that is crossed repeatedly whether errors of the steps alone cross it,
  /// or the solution ends there.
  bool look_again(std::size_t relation);
  bool leap(std::size_t relation);
  bool leap_from_flipped();
  Change iterate();
  Change failure() const;
  Change chattering() const;

  const ModelEvents& events_;
  double t_;
  std::span<double> x_;
  std::span<double> xp_;
  ModelRun& run_;
  const StateAccess& access_;
  std::vector<const ModelEvents::Branch*> active_;
  std::vector<double> conditions_;
  std::vector<bool> has_flipped_;  ///< relations, by their ids, in the mixed system under way
  std::vector<bool> claimed_;      ///< discrete variables that an active clause has assigned
  IterationState state_;
  EventRelations relations_;
};

}  // namespace daedal::formulation
