// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Searches a step for an instant at which a function has left its domain for certain: for all
/// values that its argument may have within the errors of the variables.

#include <limits>

#include "solve/watch/look/sampled_step.hpp"
#include "solve/watch/suspects.hpp"
#include "solve/watch/watch_options.hpp"

namespace daedal::solve_detail {

class DomainExit {
 public:
  DomainExit(SampledStep& step, const Suspects& suspects, const WatchOptions& options)
      : step_(step), suspects_(suspects), options_(options) {}

  /// Takes an instant and one before it. The first one found to be outside a domain is kept.
  void note(const Instant& before, const Instant& at);
  /// Takes some instants between two.
  void search(const Instant& a, const Instant& b);

  [[nodiscard]] bool is_found() const { return !std::isnan(outside_); }
  [[nodiscard]] std::size_t suspect() const { return suspect_; }  ///< if found
  [[nodiscard]] bool is_of(std::size_t suspect) const { return is_found() && suspect_ == suspect; }
  /// The instant found; NaN if none is.
  [[nodiscard]] double t() const { return outside_; }
  /// The last instant before it at which the function has a value, by bisection.
  [[nodiscard]] double last_inside();

 private:
  [[nodiscard]] bool is_outside(std::size_t suspect) const;

  SampledStep& step_;
  const Suspects& suspects_;
  const WatchOptions& options_;
  double outside_ = std::numeric_limits<double>::quiet_NaN();
  double before_ = outside_;  ///< an earlier instant, which need not be outside for certain
  std::size_t suspect_ = 0;
};

}  // namespace daedal::solve_detail
