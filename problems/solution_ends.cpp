// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include "problems/problems.hpp"

namespace daedal::problems {

Problem impasse() {
  ModelBuilder b("Impasse");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 1.0});
  b.equation(der(x) == -1);
  b.equation(x - y * y == 0, "parabola");
  b.experiment({.start_time = 0.0, .stop_time = 2.0});
  return {.model = b.build(), .stop_time = 2.0, .index = 1, .end_values = {}};
}

Problem lock_up() {
  ModelBuilder b("LockUp");
  const double start = std::numbers::pi / 4.0;
  const Expr th1 = b.variable("th1", {.start = start});
  const Expr th2 = b.variable("th2", {.start = 2.4746});
  const Expr w1 = b.variable("w1", {.start = -1.0}), w2 = b.variable("w2");
  const Expr lambda = b.variable("lambda"), torque = b.variable("torque");
  const Expr c = 0.9 * cos(th2 - th1), s = 0.9 * sin(th2 - th1);
  b.equation(der(th1) == w1);
  b.equation(der(th2) == w2);
  b.equation(2 * der(w1) + c * der(w2) ==
             s * w2 * w2 - 19.6 * sin(th1) - sin(th1) * lambda - torque);
  b.equation(c * der(w1) + 0.81 * der(w2) ==
             -s * w1 * w1 - 8.82 * sin(th2) - 0.9 * sin(th2) * lambda);
  b.equation(-cos(th1) - 0.9 * cos(th2) == 0, "slider");
  b.equation(th1 == start - b.time(), "drive");
  b.experiment({.start_time = 0.0, .stop_time = 1.0});
  return {.model = b.build(), .stop_time = 1.0, .index = 3, .end_values = {}};
}

}  // namespace daedal::problems
