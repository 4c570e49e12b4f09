// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A run as its user holds it: advanced, looked at, changed and saved, by one thread at a time.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <daedal/problem.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "solve/run/segmented_run.hpp"

namespace daedal {

namespace solve_detail {

/// A lock that serves threads in the order in which they ask, so that a thread that steps without a
/// pause does not starve the others as it could with a mutex. The thread that holds it may lock it
/// again. For std::lock_guard and std::unique_lock.
class Turns {
 public:
  void lock() {
    std::unique_lock hold(mutex_);
    const std::thread::id me = std::this_thread::get_id();
    if (owner_ != me) {
      const std::uint64_t number = n_asked_++;
      comes_.wait(hold, [&] { return number == n_done_; });
      owner_ = me;
    }
    ++depth_;
  }
  void unlock() {
    {
      const std::lock_guard hold(mutex_);
      if (--depth_ > 0) return;
      owner_ = {};
      ++n_done_;
    }
    comes_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable comes_;
  std::uint64_t n_asked_ = 0, n_done_ = 0;
  std::thread::id owner_;
  int depth_ = 0;
};

}  // namespace solve_detail

class Simulation::Impl {
 public:
  /// Constructed like a SegmentedRun, from the start or from a checkpoint.
  template <typename... Arguments>
  explicit Impl(Arguments&&... arguments) : run_(std::forward<Arguments>(arguments)...) {}

  // The functions of Simulation; each waits for its turn.
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
  /// How many of the parameters of the run are parameters of the model.
  [[nodiscard]] std::size_t n_parameters() const;

  solve_detail::SegmentedRun run_;
  mutable solve_detail::Turns turns_;
  std::atomic<bool> is_advancing_ = false;  ///< also between the steps of advance()
  bool is_stepping_ = false;                ///< seen by who has the turn
  std::optional<Setting> setting_;
};

}  // namespace daedal
