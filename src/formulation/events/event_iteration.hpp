// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The iteration at one instant that ModelEvents describes: event_iteration.cpp executes discrete
/// equations and when-clauses, event_relations.cpp decides on which side of its zero a relation is.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formulation/events/model_events.hpp"

namespace daedal::formulation {

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
  void fire_at_end();
  [[nodiscard]] std::vector<double> differences();
  void forgive_drift(std::span<const double> before);
  void flip(const ModelEvents::Relation& relation);
  [[nodiscard]] bool is_too_fast();
  bool take_samples();
  bool settle();
  bool update_discrete_relations();
  bool assign(std::int32_t discrete, double value);
  void activate(std::span<const double> conditions);
  bool run_actions(Change& outcome);
  enum class Pace { all_at_once, one_at_a_time };
  bool update_mixed_relations(Pace pace);
  bool update_relations();
  bool set_mode(std::size_t number, double value);
  [[nodiscard]] double width_of_band(std::size_t number, double left, double right) const;
  [[nodiscard]] bool rests(std::size_t number, double rate) const;
  Change solve_mixed();
  double relation_mode(std::size_t number, double left, double right);
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
  std::vector<double> rates_before_;  ///< of the relations, at the end of the last step
  std::vector<const ModelEvents::Branch*> active_;
  std::vector<double> conditions_;
  std::vector<bool> claimed_;  ///< discrete variables that an active clause has assigned
  bool equations_changed_ = false;
  std::string unsettled_;
};

}  // namespace daedal::formulation
