// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A run as its user holds it: advanced, looked at, changed and saved, by one thread at a time.

#include <atomic>
#include <daedal/problem.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solve/run/segmented_run.hpp"
#include "solve/run/turns.hpp"

namespace daedal {

class Simulation::Impl {
 public:
  /// As a SegmentedRun begins, or goes on from a checkpoint.
  template <typename... Arguments>
  explicit Impl(Arguments&&... arguments) : run_(std::forward<Arguments>(arguments)...) {}

  // Of a Simulation; each waits for its turn.
  bool step();
  bool advance(double t);
  void set_input(const std::string& name, double value);
  void set_parameter(const std::string& name, double value);
  [[nodiscard]] std::string save();
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] double time() const;
  [[nodiscard]] std::vector<double> values();
  [[nodiscard]] double value(std::string_view name);
  [[nodiscard]] const Solution& solution();
  [[nodiscard]] Solution copy_solution();
  [[nodiscard]] Solution take_solution();

  [[nodiscard]] solve_detail::SegmentedRun& run() { return run_; }
  [[nodiscard]] const TimeSpan& span() const { return run_.context().span; }

 private:
  /// What was set and has not happened yet.
  struct Setting {
    Overrides parameters;        ///< of the model
    std::vector<double> values;  ///< of the run
    std::string what;
  };

  bool take_step();
  /// Steps end at this time, too, as long as it lies ahead.
  void aim_at(double t);
  /// Throws OptionError while a step is on its way: in a callback of the run itself.
  void refuse_in_step(const char* what) const;
  [[nodiscard]] Setting& setting();
  void refuse_unfit(const Setting& set, const std::string& name) const;
  /// Makes the event of what was set since the last one.
  void apply();
  /// Of those that the run has, the parameters of the model.
  [[nodiscard]] std::size_t n_parameters() const;

  solve_detail::SegmentedRun run_;
  mutable solve_detail::Turns turns_;
  std::atomic<bool> is_advancing_ = false;  ///< also between the steps of advance()
  bool is_stepping_ = false;                ///< seen by who has the turn
  std::optional<Setting> setting_;
};

}  // namespace daedal
