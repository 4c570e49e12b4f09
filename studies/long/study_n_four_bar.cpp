// SPDX-License-Identifier: BSD-3-Clause
// The N-four-bar mechanism with N = 40 for 20 s by `trust-region` with automatic parameters: 81
// bars that lie flat, with a loss of rank of 40, every 1.4 s. Prints the greatest error of the
// first tip against the equation of the one angle, and the drift of the energy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/solve.hpp>
#include <string>

#include "problems/problems.hpp"

namespace {

using namespace daedal;

constexpr int loops = 40;

/// ((N+1)/3 + N) θ'' = 9.81 ((N+1)/2 + N) sin θ, θ(0) = 0, θ'(0) = 1.
Solution one_angle() {
  ModelBuilder b("Angle");
  const Expr th = b.variable("th", {.start = 0.0, .fixed = true});
  const Expr w = b.variable("w", {.start = 1.0, .fixed = true});
  const double inertia = (loops + 1) / 3.0 + loops, weight = 9.81 * ((loops + 1) / 2.0 + loops);
  b.equation(der(th) == w);
  b.equation(der(w) == weight / inertia * sin(th));
  return solve(b.build(), {0.0, 20.0},
               {.method = "ode", .integrator = "dop853", .rtol = 1e-13, .atol = 1e-14});
}

/// Bars of 1 kg and 1 m: T = (|ṗ|² + ṗ·q̇ + |q̇|²)/6 and V = 9.81 (p_y + q_y)/2 each.
double energy(const Solution& s, std::size_t row) {
  const auto value = [&](const char* name, int i) {
    return s.row(row)[s.column(fmt::format("{}[{}]", name, i))];
  };
  double sum = 0.0;
  for (int i = 0; i <= loops; ++i) {
    const double u = value("vx", i), v = value("vy", i), y = value("y", i);
    sum += (u * u + v * v) / 6 + 9.81 * y / 2;
    if (i == 0) continue;
    const double a = value("vx", i - 1), b = value("vy", i - 1);
    sum += (a * a + a * u + u * u + b * b + b * v + v * v) / 6;
    sum += 9.81 * (value("y", i - 1) + y) / 2;
  }
  return sum;
}

struct Bound {
  double tolerance, error, drift;
};

bool run(const Model& model, const Solution& angle, const Bound& bound) {
  const Solution s = solve(model, {0.0, 20.0},
                           {.method = "trust-region",
                            .rtol = bound.tolerance,
                            .atol = bound.tolerance,
                            .dense_output = false});
  double error = 0.0, drift = 0.0;
  const double begin = energy(s, 0);
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    const double th = angle.at(s.times[i], "th");
    error = std::max({error, std::abs(s.row(i)[s.column("x[0]")] - std::sin(th)),
                      std::abs(s.row(i)[s.column("y[0]")] - std::cos(th))});
    drift = std::max(drift, std::abs(energy(s, i) / begin - 1.0));
  }
  const bool is_met = is_success(s.status) && error <= bound.error && drift <= bound.drift &&
                      s.times.back() == 20.0;
  fmt::print(
      "tolerance {:g}: {} at t = {:g}, greatest error {:.2e} (bound {:g}), energy drift "
      "{:.2e} (bound {:g}), {} steps, {} singular positions, {:.1f} s{}\n",
      bound.tolerance, to_string(s.status), s.times.back(), error, bound.error, drift, bound.drift,
      s.statistics.steps, s.warnings.size(), s.statistics.wall_time, is_met ? "" : "  NOT MET");
  return is_met;
}

}  // namespace

int main() {
  const Model model = problems::n_four_bar(loops).model;
  const Solution angle = one_angle();
  bool is_met = true;
  for (const Bound& bound : {Bound{1e-8, 1e-4, 3e-7}, Bound{1e-9, 1e-5, 3e-8}}) {
    is_met = run(model, angle, bound) && is_met;
  }
  return is_met ? 0 : 1;
}
