// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Finds where event functions change sign within an accepted step, on the step's interpolant.
///
/// An event function fires where its sign becomes the opposite of the last one seen. A value of
/// exactly 0 is no sign: a function that is 0 at the start or after an event is silent until it has
/// left 0, whichever way, and one that only touches 0 never fires. (A relation, which holds a value
/// at 0, should return the smallest number of that value's sign there: then it fires when, and only
/// when, it leaves 0 against what it holds.) The time of an event is the first found at which the
/// new sign stands, within two units of round-off of the root.
///
/// Each step is sampled at interior points until a polynomial through the samples foretells what
/// lies between them: the integrator's steps follow the solution, not the event functions, and may
/// span many periods of one (a square wave made of a sine). Where three samples bend towards 0 the
/// vertex of their parabola is looked at too, so that two close roots are not easily missed. After
/// an event, a function that starts back to where it came from (a ball that bounces) is probed
/// closer and closer to the event: a flight much shorter than the step is not missed either.

#include <cmath>
#include <daedal/system.hpp>
#include <optional>
#include <span>
#include <vector>

#include "integrate/stepper.hpp"

namespace daedal::integration {

/// A state and its rates.
struct Ray {
  double t = 0.0;
  std::span<const double> x, xp;
};

class EventMonitor {
 public:
  /// `direction` of time: 1 or -1. A function rises when it does so along the run.
  EventMonitor(const System& system, double direction);

  /// After an event that changed nothing: what it crossed goes on as the step has it.
  void keep_course() { fired_.clear(); }
  /// Starts anew from a state: at the start of a run, and after events.
  Evaluation arm(double t, std::span<const double> x, std::span<const double> xp, Run& run);

  enum class Search { nothing, found, failed };
  /// The first event in (from, to], a part of the last step of `stepper`. After `found`, time()
  /// and fired() describe it, and a further search may start from there.
  Search search(const Stepper& stepper, double from, double to, Run& run);
  /// Whether some function varied too fast to be followed.
  [[nodiscard]] bool has_lost_sight() const { return course_.has_lost_sight; }
  /// After `found`: what fired is seen to be as it was before at the end of what was searched. It
  /// may have crossed by errors between the ends of the step alone.
  [[nodiscard]] bool comes_back() const { return comes_back_; }
  /// The step that was searched last is taken again.
  void go_back() { course_ = before_; }

  /// The first event on the line from a state along its rates, no further than `length`: where an
  /// event function ends the domain of the equations (a tank that runs empty) no step passes it.
  /// Returns the way up to which nothing fires.
  std::optional<double> search_ahead(const Ray& ray, double length, Run& run);

  [[nodiscard]] double time() const { return event_time_; }
  /// After `found`: rounding errors hide the crossing at the instant where it was seen. It is found
  /// again there.
  [[nodiscard]] bool is_hidden() const { return is_hidden_; }
  /// After `found`: the last instant seen before it, at which no function has crossed.
  [[nodiscard]] double time_before() const { return time_before_; }
  /// After search_ahead() the state there; after `found` the rates of the step as well.
  [[nodiscard]] std::span<const double> state() const { return x_; }
  [[nodiscard]] std::span<const double> rates() const { return xp_; }
  [[nodiscard]] std::span<const std::int64_t> fired() const { return fired_; }
  /// After `failed`: the function without a finite value, or -1.
  [[nodiscard]] Index failed_function() const { return failed_function_; }

 private:
  struct Sample {
    double t = 0.0;
    std::vector<double> values;
    bool is_foretold = true;  ///< what lies between it and the next one is no surprise
    bool is_settled = false;  ///< nor will it be looked at again
  };

  /// What was seen on the way to where the run stands.
  struct Course {
    std::vector<int> side;     ///< the last sign seen, 0 before there was one
    std::vector<int> heading;  ///< the sign of the rate at which it left the last event, or 0
    std::vector<double> last_values;
    std::vector<double> peak;   ///< the greatest absolute value seen
    double stretch = HUGE_VAL;  ///< the length that was resolved last where a step had to be cut
    bool has_lost_sight = false;
  };

  [[nodiscard]] bool evaluate(const Stepper& stepper, double t, Run& run, Sample& sample);
  void complete(const Stepper& stepper, double t, Run& run);
  [[nodiscard]] bool have_signs(std::span<double> values);
  Sample& next_sample();
  [[nodiscard]] bool sample_step(const Stepper& stepper, double from, double to, Run& run);
  [[nodiscard]] bool probe_returns(const Stepper& stepper, double from, double first, Run& run);
  [[nodiscard]] bool refine(const Stepper& stepper, Run& run);
  [[nodiscard]] bool is_foretold(std::size_t k, const Sample& between) const;
  [[nodiscard]] double noise(std::size_t i) const;
  [[nodiscard]] bool is_slow(std::size_t k, const Sample& here, const Sample& beside,
                             const Sample& beyond) const;
  void sort_samples();
  [[nodiscard]] bool sample_vertices(const Stepper& stepper, Run& run);
  [[nodiscard]] bool crosses(std::size_t i, double value) const;
  [[nodiscard]] bool collect_candidates(const Sample& sample);
  [[nodiscard]] Search search_samples(const Stepper& stepper, Run& run);
  [[nodiscard]] bool locate(const Stepper& stepper, const Sample& before, const Sample& after,
                            Run& run);
  void pass(const Sample& sample);

  const System& system_;
  const ExplicitSystem* completed_;  ///< if it solves for dependent unknowns
  double direction_;
  double searched_ = 0.0;        ///< the length of what was searched last
  std::optional<double> start_;  ///< of the run
  std::size_t n_;
  std::vector<Crossing> crossings_;
  Course course_, before_;       ///< now, and before the last search
  std::vector<Sample> samples_;  ///< reused: the first n_samples_ count
  std::size_t n_samples_ = 0;
  bool is_resolved_ = true;  ///< the samples tell all of their stretch
  Sample trial_, between_, beyond_;
  std::vector<std::size_t> candidates_, earlier_;
  std::vector<std::int64_t> fired_;
  std::vector<double> x_, xp_;
  double event_time_ = 0.0;
  std::int64_t located_ = 0;  ///< the function whose crossing is the event
  bool is_hidden_ = false;
  double last_unnamed_ = not_a_number;  ///< the instant of the last event at which none crossed
  double time_before_ = 0.0;
  bool comes_back_ = false;
  Index failed_function_ = -1;
};

}  // namespace daedal::integration
