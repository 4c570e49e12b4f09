// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The observer of a run, over all its segments. Callers need not check which callbacks are set,
/// and nothing is shown after a callback has asked to stop.

#include <algorithm>
#include <daedal/observer.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::solve_detail {

class Feed {
 public:
  explicit Feed(const Observer& observer) : observer_(observer) {}

  [[nodiscard]] bool has_stopped() const { return has_stopped_; }
  [[nodiscard]] bool wants_steps() const { return bool(observer_.on_step); }
  [[nodiscard]] bool wants_events() const { return bool(observer_.on_event); }
  [[nodiscard]] bool wants_more_than_rows() const { return wants_steps() || wants_events(); }

  void begin(std::span<const std::string> names) {
    if (has_begun_ && std::ranges::equal(names, names_)) return;
    has_begun_ = true;
    names_.assign(names.begin(), names.end());
    ask(observer_.on_begin, std::span<const std::string>(names_));
  }
  void output(double t, std::span<const double> row) { ask(observer_.on_output, t, row); }
  void step(const ObservedStep& step) { ask(observer_.on_step, step); }
  void event(double t, std::string_view what, std::span<const double> row) {
    ask(observer_.on_event, t, what, row);
  }
  void rewind(double t) { ask(observer_.on_rewind, t); }

 private:
  template <class Function, class... Shown>
  void ask(const Function& function, const Shown&... shown) {
    if (function && !has_stopped_) has_stopped_ = function(shown...) == Flow::stop;
  }

  const Observer& observer_;
  std::vector<std::string> names_;
  bool has_begun_ = false;
  bool has_stopped_ = false;
};

}  // namespace daedal::solve_detail
