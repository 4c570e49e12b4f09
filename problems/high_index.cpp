// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "problems/problems.hpp"

namespace daedal::problems {

namespace {

struct TorusStart {
  double alpha = 1.0;
  bool is_exact = true;
};

Problem make_torus(const TorusStart& start) {
  const double alpha = start.alpha;
  const bool fixed = start.is_exact;
  ModelBuilder b("Torus");
  const Expr rho = b.parameter("rho", 5.0);
  const Expr r = b.parameter("r", 10.0);
  const Expr a = b.parameter("alpha", alpha);
  const Expr x1 = b.variable("x1", {.start = 15.0, .fixed = fixed});
  const Expr x2 = b.variable("x2", {.start = 0.0, .fixed = fixed});
  const Expr x3 = b.variable("x3", {.start = 0.0, .fixed = fixed});
  const Expr u1 = b.variable("u1", {.start = 0.0, .fixed = fixed});
  const Expr u2 = b.variable("u2", {.start = 15.0, .fixed = fixed});
  const Expr u3 = b.variable("u3", {.start = -5.0, .fixed = fixed});
  const Expr lambda = b.variable("lambda", {.start = 0.0, .fixed = fixed});
  const Expr t = b.time();
  const Expr d = sqrt(sqr(x1) + sqr(x2));
  const std::vector<Expr> f{
      der(x1) - u1,
      der(x2) - u2,
      der(x3) - u3,
      der(u1) - (u3 * cos(t) - x3 * sin(t) - u2 + 2.0 * x1 * (1.0 - r / d) * lambda),
      der(u2) - (u3 * sin(t) + x3 * cos(t) + u1 + 2.0 * x2 * (1.0 - r / d) * lambda),
      der(u3) - (-x3 + 2.0 * x3 * lambda),
      sqr(x1) + sqr(x2) + sqr(x3) - 2.0 * r * d + sqr(r) - sqr(rho)};
  Expr sum = sqr(f[0] - a);
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (i > 0) sum = sum + sqr(f[i] - a);
    b.equation(sum == static_cast<double>(i + 1) * sqr(a), "phi" + std::to_string(i + 1));
  }
  if (start.is_exact) {
    b.initial_equation(der(x1) == 0.0);
    b.initial_equation(der(x2) == 15.0);
    b.initial_equation(der(x3) == -5.0);
    b.initial_equation(der(u1) == -20.0);
    b.initial_equation(der(u2) == 0.0);
    b.initial_equation(der(u3) == 0.0);
    b.initial_equation(der(lambda) == 0.0);
  }
  b.experiment({.start_time = 0.0, .stop_time = 5.0});
  const double c = std::cos(5.0);
  const double s = std::sin(5.0);
  return {.model = b.build(),
          .stop_time = 5.0,
          .end_values = {{"x1", (5.0 * c + 10.0) * c},
                         {"x2", (5.0 * c + 10.0) * s},
                         {"x3", -5.0 * s},
                         {"u1", -10.0 * c * s - 10.0 * s},
                         {"u2", 5.0 * (c * c - s * s) + 10.0 * c},
                         {"u3", -5.0 * c},
                         {"lambda", 0.0}},
          .trusted = 1e-14};
}

}  // namespace

Problem torus() {
  return make_torus({});
}

Problem torus_from_guesses(double alpha) {
  return make_torus({.alpha = alpha, .is_exact = false});
}

Problem flexible_arm(int index) {
  ModelBuilder b("FlexibleArm" + std::to_string(index));
  const Expr t = b.time();
  const Expr q1 = b.variable("q1", {.start = 0.0});
  const Expr v1 = b.variable("v1", {.start = 1.0});
  const Expr q2 = b.variable("q2", {.start = 0.5});
  const Expr z = b.variable("z", {.start = 0.0, .fixed = true});
  const Expr w = b.variable("w", {.start = 1.0, .fixed = true});
  const Expr u = b.variable("u");
  const Expr d = q2 - q1;
  const Expr s = d + 0.5 * d * d * d;
  const Expr exact_d = 0.5 * cos(t);
  const Expr exact_s = exact_d + 0.5 * exact_d * exact_d * exact_d;
  const Expr exact_q2 = sin(t) + 0.5 * cos(t);
  b.equation(der(q1) == v1);
  b.equation(der(v1) == -sin(q1) + s + 0.3 * z - sin(t) + sin(sin(t)) - exact_s - 0.3 * sin(t),
             "link");
  if (index == 4) {
    b.equation(der(q2) == u - s + cos(t) - 0.5 * sin(t) - sin(2.0 * t) + exact_s, "motor");
  } else {
    const Expr v2 = b.variable("v2", {.start = 1.0});
    b.equation(der(q2) == v2);
    const Expr drive = index == 5 ? u : b.variable("tau", {.start = 1.0});
    const Expr exact_drive = index == 5 ? sin(2.0 * t) : cos(2.0 * t);
    b.equation(der(v2) == drive - s - exact_q2 - exact_drive + exact_s, "motor");
    if (index == 6) {
      b.equation(der(drive) == u - drive - 3.0 * sin(2.0 * t) + cos(2.0 * t), "actuator");
    }
  }
  b.equation(der(z) == w);
  b.equation(der(w) == -z - 0.1 * w * w * w + 0.2 * q1 * q2 + 0.1 * pow(cos(t), 3) -
                           0.2 * sin(t) * exact_q2,
             "load");
  b.equation(q1 == sin(t), "path");
  b.experiment({.start_time = 0.0, .stop_time = 20.0});
  const double end = 20.0;
  return {.model = b.build(),
          .stop_time = end,
          .index = index,
          .end_values = {{"q1", std::sin(end)},
                         {"q2", std::sin(end) + 0.5 * std::cos(end)},
                         {"u", std::sin(2.0 * end)},
                         {"z", std::sin(end)},
                         {"w", std::cos(end)}},
          .trusted = 1e-15};
}

Problem hessenberg_chain(int n) {
  ModelBuilder b("HessenbergChain");
  std::vector<Expr> x;
  Problem problem{.model = {}, .stop_time = 5.0, .index = n, .end_values = {}, .trusted = 1e-15};
  for (int i = 1; i <= n; ++i) {
    const std::string name = "x" + std::to_string(i);
    x.push_back(b.variable(name));
    problem.end_values[name] = std::sin(problem.stop_time + (i - 1) * 0.5 * std::numbers::pi);
  }
  for (std::size_t i = 0; i + 1 < x.size(); ++i) b.equation(der(x[i]) == x[i + 1]);
  b.equation(x[0] == sin(b.time()), "path");
  b.experiment({.start_time = 0.0, .stop_time = problem.stop_time});
  problem.model = b.build();
  return problem;
}

}  // namespace daedal::problems
