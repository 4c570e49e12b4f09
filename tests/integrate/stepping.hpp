// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Driving a stepper by hand, for the tests of the schemes.

#include <algorithm>
#include <cmath>
#include <functional>

#include "integrate/stepper.hpp"
#include "support/function_systems.hpp"

namespace daedal::test {

/// Steps to t1; ends at the first report that is not a success.
inline integration::StepReport run_to(
    integration::Stepper& stepper, double t1,
    const std::function<void(const integration::StepReport&)>& on_step = {}) {
  integration::StepReport report;
  for (int steps = 0; stepper.time() != t1 && steps < 2'000'000; ++steps) {
    report = stepper.advance(t1);
    if (report.status != Status::success) return report;
    if (on_step) on_step(report);
  }
  return report;
}

/// The greatest difference of components.
inline double distance(In a, In b) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    greatest = std::max(greatest, std::abs(a[i] - b[i]));
  }
  return greatest;
}

}  // namespace daedal::test
