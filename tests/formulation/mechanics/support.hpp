// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The pendulum of the mechanical tests: m = l = 1, g(p) = (p·p − 1)/2, with its motion in closed
/// form as reference.

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::test {

constexpr double pendulum_gravity = 9.81;

/// sn(u | k) by the arithmetic-geometric mean (Abramowitz, Stegun 16.4).
inline double jacobi_sn(double u, double k) {
  const double quarter = std::comp_ellint_1(k);
  u -= 4.0 * quarter * std::round(u / (4.0 * quarter));
  std::vector<double> ratio;  // c_n / a_n
  double a = 1.0;
  double b = std::sqrt(1.0 - k * k);
  double c = k;
  while (c > 1e-8 * a) {  // its square is next: below round-off
    c = 0.5 * (a - b);
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
    ratio.push_back(c / a);
  }
  double phi = std::ldexp(a * u, static_cast<int>(ratio.size()));
  for (std::size_t n = ratio.size(); n-- > 0;) {
    phi = 0.5 * (phi + std::asin(ratio[n] * std::sin(phi)));
  }
  return std::sin(phi);
}

/// Released at rest from (1, 0): sin(θ/2) = k sn(K − ω₀t, k), k = sin(π/4), θ from the vertical.
inline std::array<double, 2> pendulum_position(double t) {
  const double k = std::numbers::sqrt2 / 2.0;
  const double rate = std::sqrt(pendulum_gravity);
  const double half = std::asin(k * jacobi_sn(std::comp_ellint_1(k) - rate * t, k));
  return {std::sin(2.0 * half), -std::cos(2.0 * half)};
}

/// The time of one full swing.
inline double pendulum_period() {
  return 4.0 * std::comp_ellint_1(std::numbers::sqrt2 / 2.0) / std::sqrt(pendulum_gravity);
}

/// The variables x, y, vx, vy, lambda of a model under construction, with its equations.
struct PendulumVariables {
  Expr x, y, vx, vy, lambda;
};
inline PendulumVariables add_pendulum(ModelBuilder& b) {
  PendulumVariables p{.x = b.variable("x", {.start = 1.0}),
                      .y = b.variable("y", {.start = 0.0}),
                      .vx = b.variable("vx", {.start = 0.0}),
                      .vy = b.variable("vy", {.start = 0.0}),
                      .lambda = b.variable("lambda")};
  b.equation(der(p.x) == p.vx);
  b.equation(der(p.y) == p.vy);
  b.equation(der(p.vx) == -p.lambda * p.x, "horizontal");
  b.equation(der(p.vy) == -p.lambda * p.y - pendulum_gravity, "vertical");
  b.equation((p.x * p.x + p.y * p.y - 1.0) / 2.0 == 0.0, "rod");
  return p;
}
inline Model half_square_pendulum() {
  ModelBuilder b("Pendulum");
  add_pendulum(b);
  return b.build();
}

/// A method and what steps it.
struct Scheme {
  std::string method;
  FieldValues method_parameters{};
  std::string integrator{};
  FieldValues integrator_parameters{};
};

inline SolveOptions options_of(const Scheme& scheme, double h = 0.0) {
  return {.method = Method(scheme.method, scheme.method_parameters),
          .integrator = Integrator(scheme.integrator.empty() ? "auto" : scheme.integrator,
                                   scheme.integrator_parameters),
          .fixed_step = h,
          .dense_output = false};
}

inline Solution run_pendulum(const Scheme& scheme, double h, double duration) {
  return solve(half_square_pendulum(), {0.0, duration}, options_of(scheme, h));
}

/// The greatest distance from the closed form over all steps.
inline double position_error(const Solution& solution) {
  const std::size_t x = solution.column("x");
  const std::size_t y = solution.column("y");
  double worst = 0.0;
  for (std::size_t i = 0; i < solution.n_rows(); ++i) {
    const auto exact = pendulum_position(solution.times[i]);
    const auto row = solution.row(i);
    worst = std::max(worst, std::hypot(row[x] - exact[0], row[y] - exact[1]));
  }
  return worst;
}

/// The mean change of energy a second, from means over whole swings at both ends of the run.
inline double energy_slope(const Solution& solution, int swings) {
  const std::size_t y = solution.column("y");
  const std::size_t vx = solution.column("vx");
  const std::size_t vy = solution.column("vy");
  const double window = swings * pendulum_period();
  const double end = solution.times.back();
  double first = 0.0, last = 0.0;
  double n_first = 0.0, n_last = 0.0;
  for (std::size_t i = 0; i < solution.n_rows(); ++i) {
    const auto row = solution.row(i);
    const double energy = 0.5 * (row[vx] * row[vx] + row[vy] * row[vy]) + pendulum_gravity * row[y];
    if (solution.times[i] < window) {
      first += energy;
      n_first += 1.0;
    }
    if (solution.times[i] > end - window) {
      last += energy;
      n_last += 1.0;
    }
  }
  return (last / n_last - first / n_first) / (end - window);
}

}  // namespace daedal::test
