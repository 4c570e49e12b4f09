// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Models that the tests of the formulations share.

#include <daedal/model.hpp>
#include <string>

#include "formulation/frame/registry.hpp"

namespace daedal::formulation::test {

inline Formulation make(const std::string& method, const Model& model,
                        const Overrides& starts = {}) {
  Request request;
  request.model = model;
  request.parameters = model.parameter_values();
  request.starts = starts;
  return find_method(method).make(request);
}

/// Robertson's kinetics with the conservation law as third equation.
inline Model robertson() {
  ModelBuilder b("Robertson");
  const Expr y1 = b.variable("y1", {.start = 1.0, .fixed = true});
  const Expr y2 = b.variable("y2", {.start = 0.0, .fixed = true, .nominal = 1e-6});
  const Expr y3 = b.variable("y3");
  b.equation(der(y1) == -0.04 * y1 + 1e4 * y2 * y3, "y1");
  b.equation(der(y2) == 0.04 * y1 - 1e4 * y2 * y3 - 3e7 * sqr(y2), "y2");
  b.equation(y1 + y2 + y3 == 1.0, "conservation");
  return b.build();
}

/// The pendulum of length 1 with the constraint as written (index 3).
inline Model pendulum() {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 0.0});
  const Expr u = b.variable("u", {.start = 0.0, .fixed = true});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x, "horizontal");
  b.equation(der(v) == -lambda * y - 9.81, "vertical");
  b.equation(sqr(x) + sqr(y) == 1.0, "rod");
  return b.build();
}

/// The same with the constraint differentiated twice (index 1): λ = u² + v² − 9.81·y on x²+y²=1.
inline Model pendulum_index_1() {
  ModelBuilder b("PendulumIndex1");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
  const Expr u = b.variable("u", {.start = 0.0, .fixed = true});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -lambda * x, "horizontal");
  b.equation(der(v) == -lambda * y - 9.81, "vertical");
  b.equation(sqr(u) + sqr(v) - lambda * (sqr(x) + sqr(y)) - 9.81 * y == 0.0, "rod");
  return b.build();
}

}  // namespace daedal::formulation::test
