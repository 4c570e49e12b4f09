// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// An interface to look into accepted steps before the driver takes them. What lies between the
/// points at which a scheme evaluates its equations is known only from the equations themselves.

#include <string>
#include <vector>

#include "integrate/driver/event_monitor.hpp"
#include "integrate/stepper.hpp"

namespace daedal::integration {

struct Inspection {
  struct Stop {
    double t = 0.0;
    bool is_break = false;  ///< the solution is not smooth there: its history ends
    bool is_jump = false;   ///< its rates jump there, or next to it
  };
  /// Instants inside the step at which steps must end for it to be seen. Where there are any, the
  /// step is taken again.
  std::vector<Stop> stops;
  /// The run cannot go beyond this instant inside the step, unless an event comes first: with a
  /// status that is no success.
  double end = 0.0;
  Status status = Status::success;
  std::string message;
};

class StepInspector {
 public:
  virtual ~StepInspector() = default;
  /// Looks at the last step of `stepper`, or the part of it between two events. Null when there is
  /// nothing to say; otherwise valid until the next call.
  virtual const Inspection* inspect(const Ray& from, const Ray& to, const Stepper& stepper,
                                    Run& run) = 0;
};

}  // namespace daedal::integration
