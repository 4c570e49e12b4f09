// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/error.hpp>
#include <daedal/lagrangian.hpp>

#include "problems/problems.hpp"

namespace daedal::problems {

Problem n_four_bar(int loops) {
  if (loops < 1) throw ModelError(ErrorCode::invalid_value, "The mechanism needs one loop.");
  Lagrangian linkage(fmt::format("FourBarLoops{}", loops));
  struct Tip {
    Expr x, y, vx, vy;
  };
  const double gravity = 9.81;
  // A uniform bar of mass 1 between p and q: T = (|ṗ|² + ṗ·q̇ + |q̇|²)/6.
  const auto add_bar = [&](const Tip& p, const Tip& q, const std::string& name) {
    linkage.kinetic_energy(
        (p.vx * p.vx + p.vx * q.vx + q.vx * q.vx + p.vy * p.vy + p.vy * q.vy + q.vy * q.vy) / 6);
    linkage.potential_energy(gravity / 2 * (p.y + q.y));
    linkage.constraint((sqr(q.x - p.x) + sqr(q.y - p.y) - 1) / 2, name);
  };
  std::vector<Tip> tips;
  for (int i = 0; i <= loops; ++i) {
    const auto [x, vx] = linkage.coordinate(
        fmt::format("x[{}]", i),
        {.start = i, .velocity_start = 1.0, .velocity_name = fmt::format("vx[{}]", i)});
    const auto [y, vy] = linkage.coordinate(
        fmt::format("y[{}]", i),
        {.start = 1.0, .velocity_start = 0.0, .velocity_name = fmt::format("vy[{}]", i)});
    tips.push_back({x, y, vx, vy});
    add_bar({static_cast<double>(i), 0.0, 0.0, 0.0}, tips.back(), fmt::format("crank {}", i));
  }
  for (std::size_t i = 1; i < tips.size(); ++i) {
    add_bar(tips[i - 1], tips[i], fmt::format("coupler {}", i));
  }
  linkage.builder().experiment({.start_time = 0.0, .stop_time = 20.0});
  Problem problem{.model = linkage.build(), .stop_time = 20.0, .end_values = {}};
  const auto set_end = [&](double sine, double cosine) {
    for (int i = 0; i <= loops; ++i) {
      problem.end_values[fmt::format("x[{}]", i)] = i + sine;
      problem.end_values[fmt::format("y[{}]", i)] = cosine;
    }
  };
  if (loops == 2) set_end(0.8397465743, 0.5429785364);
  if (loops == 40) set_end(0.4109011537, 0.9116799010);
  problem.trusted = 1e-10;
  return problem;
}

}  // namespace daedal::problems
