// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Mechanisms with redundant and singular constraints, and what their motion is by other means.

#include <algorithm>
#include <cmath>
#include <daedal/model.hpp>
#include <daedal/solve.hpp>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace daedal::test {

inline constexpr double pi = std::numbers::pi;

/// Petzold, Ren, Maly (5.2), (5.3) on the branch th2 = π − th1.
inline Model slider_crank(double angle, double rate = 0.0) {
  ModelBuilder b("SliderCrank");
  const Expr th1 = b.variable("th1", {.start = angle, .fixed = true});
  const Expr th2 = b.variable("th2", {.start = pi - angle});
  const Expr w1 = b.variable("w1", {.start = rate, .fixed = true});
  const Expr w2 = b.variable("w2", {.start = -rate});
  const Expr lambda = b.variable("lambda");
  const Expr c = cos(th2 - th1), s = sin(th2 - th1);
  b.equation(der(th1) == w1);
  b.equation(der(th2) == w2);
  b.equation(2 * der(w1) + c * der(w2) == s * w2 * w2 - 19.6 * sin(th1) - sin(th1) * lambda);
  b.equation(c * der(w1) + der(w2) == -s * w1 * w1 - 9.8 * sin(th2) - sin(th2) * lambda);
  b.equation(-cos(th1) - cos(th2) == 0, "slider");
  return b.build();
}

/// A solution in one dimension or in closed form, as a function of time for each variable compared.
using Exact = std::vector<std::pair<std::string, std::function<double(double)>>>;

/// The motion on the branch, (3 + 2 cos 2θ) θ'' = 2 sin 2θ θ'² − 9.8 sin θ: regular everywhere.
inline Exact slider_crank_branch(double angle, double rate, double stop) {
  ModelBuilder b("Branch");
  const Expr th = b.variable("th", {.start = angle, .fixed = true});
  const Expr w = b.variable("w", {.start = rate, .fixed = true});
  b.equation(der(th) == w);
  b.equation(der(w) == (2 * sin(2 * th) * w * w - 9.8 * sin(th)) / (3 + 2 * cos(2 * th)));
  const auto solution = std::make_shared<const Solution>(
      solve(b.build(), {0.0, stop},
            {.method = "ode", .integrator = "dop853", .rtol = 1e-13, .atol = 1e-14}));
  return {{"th1", [solution](double t) { return solution->at(t, "th"); }},
          {"th2", [solution](double t) { return pi - solution->at(t, "th"); }}};
}

/// A unit point mass on a unit rod with g = 9.8, released at (1, 0): by its angle.
inline Exact pendulum_motion(double stop) {
  ModelBuilder b("Angle");
  const Expr a = b.variable("a", {.start = 0.0, .fixed = true});
  const Expr w = b.variable("w", {.start = 0.0, .fixed = true});
  b.equation(der(a) == w);
  b.equation(der(w) == -9.8 * cos(a));
  const auto solution = std::make_shared<const Solution>(
      solve(b.build(), {0.0, stop},
            {.method = "ode", .integrator = "dop853", .rtol = 1e-13, .atol = 1e-14}));
  return {{"x", [solution](double t) { return std::cos(solution->at(t, "a")); }},
          {"y", [solution](double t) { return std::sin(solution->at(t, "a")); }}};
}

/// The pendulum with the constraints (q·q − 1)/2 and, `offset` = 0, the same again times two.
inline Model doubled_pendulum(double offset = 0.0) {
  ModelBuilder b("DoubledPendulum");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 0.0});
  const Expr u = b.variable("u", {.start = 0.0, .fixed = true});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true});
  const Expr l1 = b.variable("l1"), l2 = b.variable("l2");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -x * l1 - 2 * x * l2);
  b.equation(der(v) == -y * l1 - 2 * y * l2 - 9.8);
  b.equation((sqr(x) + sqr(y) - 1) / 2 == 0, "rod");
  b.equation(sqr(x) + sqr(y) - 1 - offset == 0, "second rod");
  return b.build();
}

/// Two cranks of length 1 and unit inertia at (0,0) and (2,0), a massless coupler of length 2
/// between their tips, torque ½ on one of them, and the coupler's constraint g once, or g and 2g.
inline Model parallelogram(int copies = 1) {
  ModelBuilder b("Parallelogram");
  const Expr th1 = b.variable("th1", {.start = -0.8, .fixed = true});
  const Expr th2 = b.variable("th2", {.start = -0.8});
  const Expr w1 = b.variable("w1", {.start = 2.0, .fixed = true});
  const Expr w2 = b.variable("w2", {.start = 2.0});
  const Expr dx = 2 + cos(th2) - cos(th1), dy = sin(th2) - sin(th1);
  Expr force = 0.0;
  for (int i = 1; i <= copies; ++i) force = force + i * b.variable("l" + std::to_string(i));
  b.equation(der(th1) == w1);
  b.equation(der(th2) == w2);
  b.equation(der(w1) == 0.5 - (dx * sin(th1) - dy * cos(th1)) * force);
  b.equation(der(w2) == -(dy * cos(th2) - dx * sin(th2)) * force);
  for (int i = 1; i <= copies; ++i) {
    b.equation(i * (sqr(dx) + sqr(dy) - 4) / 2 == 0, "coupler " + std::to_string(i));
  }
  return b.build();
}

/// θ = −.8 + 2t + t²/8 on the branch of equal angles.
inline Exact parallelogram_motion() {
  const auto angle = [](double t) { return -0.8 + 2.0 * t + t * t / 8.0; };
  return {{"th1", angle}, {"th2", angle}};
}

/// The slider crank with a connecting rod of length .9; the crank free, or at θ₁ = π/4 − t.
inline Model unequal_slider_crank(bool is_prescribed) {
  ModelBuilder b("UnequalSliderCrank");
  const double second = std::acos(-std::cos(pi / 4) / 0.9);
  const Expr th1 = b.variable("th1", {.start = pi / 4, .fixed = !is_prescribed});
  const Expr th2 = b.variable("th2", {.start = second});
  const Expr w1 = b.variable("w1", {.start = is_prescribed ? -1.0 : 0.0, .fixed = !is_prescribed});
  const Expr w2 = b.variable("w2", {.start = 0.0}), lambda = b.variable("lambda");
  const Expr c = 0.9 * cos(th2 - th1), s = 0.9 * sin(th2 - th1);
  Expr torque = 0.0;
  if (is_prescribed) torque = b.variable("torque");
  b.equation(der(th1) == w1);
  b.equation(der(th2) == w2);
  b.equation(2 * der(w1) + c * der(w2) == s * w2 * w2 - 19.6 * sin(th1) - sin(th1) * lambda -
                                              cos(th1 - pi / 4 + b.time()) * torque);
  b.equation(c * der(w1) + 0.81 * der(w2) ==
             -s * w1 * w1 - 8.82 * sin(th2) - 0.9 * sin(th2) * lambda);
  b.equation(-cos(th1) - 0.9 * cos(th2) == 0, "slider");
  // As an equation in the angles, so that th1 is not eliminated beforehand.
  if (is_prescribed) b.equation(sin(th1 - pi / 4 + b.time()) == 0, "drive");
  return b.build();
}

/// The times that warnings speak of.
inline std::vector<double> singular_times(const Solution& solution) {
  std::vector<double> times;
  const std::string mark = "singular position was passed at t = ";
  for (const std::string& warning : solution.warnings) {
    const auto place = warning.find(mark);
    if (place != std::string::npos) times.push_back(std::stod(warning.substr(place + mark.size())));
  }
  return times;
}

/// Theorem 3.2's family x' = 2 − tᵏy, 0 = tᵏ(x − t − 1); k = 1 is Example 5.1 with y's sign such
/// that GB = t² ≥ 0. The solution x = t + 1 passes the singularity at t = 0.
inline Model singular_family(int k, double sign = 1.0) {
  ModelBuilder b("SingularFamily");
  const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
  const Expr y = b.variable("y");
  Expr factor = b.time();
  for (int i = 1; i < k; ++i) factor = factor * b.time();
  b.equation(der(x) == 2 - sign * factor * y);
  b.equation(factor * (x - b.time() - 1) == 0, "line");
  return b.build();
}

/// x' = Ax − By + q, 0 = Cx + r with rank 1 of two constraints; the solution is known.
inline Model rank_deficient(bool is_transposed) {
  ModelBuilder b("RankDeficient");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1", {.start = 1.0, .fixed = true});
  const Expr x2 = b.variable("x2", {.start = 1.0, .fixed = true});
  const Expr x3 = b.variable("x3", {.start = 1.0});
  const Expr y1 = b.variable("y1"), y2 = b.variable("y2");
  const Expr c1 = cos(t), c2 = sin(t), c3 = 1 + 0.3 * sin(2 * t);
  const Expr s1 = exp(-t), s2 = 1 + sin(t), s3 = cos(2 * t);
  const Expr d1 = -exp(-t), d2 = cos(t), d3 = -2 * sin(2 * t);
  // B = Cᵀ = c (1, 2), or (2 + sin t) c (1, ½).
  const Expr force = is_transposed ? y1 + 2 * y2 : (2 + sin(t)) * (y1 + 0.5 * y2);
  const Expr known = 1.5 + cos(3 * t);
  // The paper's By is −(our By): the known one is subtracted in q.
  const auto row = [&](const Expr& x, const Expr& ax, const Expr& as, const Expr& d,
                       const Expr& c) {
    b.equation(der(x) == ax - c * force + (d - as - c * known));
  };
  row(x1, x2 + 0.3 * x3, s2 + 0.3 * s3, d1, c1);
  row(x2, -x1 - 0.2 * x2 + 0.1 * x3, -s1 - 0.2 * s2 + 0.1 * s3, d2, c2);
  row(x3, 0.2 * x1 - 0.5 * x3, 0.2 * s1 - 0.5 * s3, d3, c3);
  const Expr g = c1 * (x1 - s1) + c2 * (x2 - s2) + c3 * (x3 - s3);
  b.equation(g == 0, "first");
  b.equation(2 * g == 0, "second");
  return b.build();
}

inline Exact rank_deficient_solution() {
  return {{"x1", [](double t) { return std::exp(-t); }},
          {"x2", [](double t) { return 1 + std::sin(t); }},
          {"x3", [](double t) { return std::cos(2 * t); }}};
}

/// x = sin(t/T), z = cos(t/T) with the constraint x = sin(t/T) written twice: all times are
/// multiples of T.
inline Model slow_rank_deficient(double period) {
  ModelBuilder b("Slow");
  const Expr s = b.time() / period;
  const Expr x = b.variable("x", {.start = 0.0}),
             z = b.variable("z", {.start = 1.0, .fixed = true});
  const Expr y1 = b.variable("y1"), y2 = b.variable("y2");
  b.equation(der(x) == (x - y1 - 2 * y2) / period);
  b.equation(der(z) == -x / period);
  b.equation(x - sin(s) == 0, "first");
  b.equation(2 * x - 2 * sin(s) == 0, "second");
  return b.build();
}

/// The greatest deviation at the output points.
inline double max_error(const Solution& solution, const Exact& exact) {
  double greatest = 0.0;
  for (const auto& [name, function] : exact) {
    const std::size_t column = solution.column(name);
    for (std::size_t i = 0; i < solution.n_rows(); ++i) {
      const double error = std::abs(solution.row(i)[column] - function(solution.times[i]));
      if (!(error <= greatest)) greatest = error;
    }
  }
  return greatest;
}

}  // namespace daedal::test
