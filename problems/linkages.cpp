// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <daedal/lagrangian.hpp>
#include <numbers>

#include "problems/problems.hpp"

namespace daedal::problems {

Problem four_bar() {
  Lagrangian linkage("FourBar");
  const Expr g = linkage.parameter("g", 9.81, {.unit = "m/s2"});
  const Expr a = linkage.parameter("a", 1.0), b = linkage.parameter("b", 3.0);
  const Expr c = linkage.parameter("c", 2.5), d = linkage.parameter("d", 3.0);
  // With the crank upright the other two angles follow from two circles about its tip and the
  // second ground pivot.
  const auto [th1, w1] = linkage.coordinate("th1", {.start = std::numbers::pi / 2,
                                                    .fixed = true,
                                                    .velocity_start = 0.0,
                                                    .velocity_fixed = true,
                                                    .velocity_name = "w1"});
  const auto [th2, w2] =
      linkage.coordinate("th2", {.start = 0.51216119318615, .velocity_name = "w2"});
  const auto [th3, w3] =
      linkage.coordinate("th3", {.start = 1.7253864163355364, .velocity_name = "w3"});
  // Bars of 1 kg/m: the mass is the length; a bar about its end has inertia m l²/3.
  linkage.kinetic_energy(a * a * a * w1 * w1 / 6 + c * c * c * w3 * w3 / 6);
  const Expr xc = a * cos(th1) + b * cos(th2) / 2;
  const Expr yc = a * sin(th1) + b * sin(th2) / 2;
  linkage.kinetic_energy(b * (sqr(der(xc)) + sqr(der(yc))) / 2 + b * b * b * w2 * w2 / 24);
  linkage.potential_energy(g * (a * a * sin(th1) / 2 + b * yc + c * c * sin(th3) / 2));
  linkage.constraint(a * cos(th1) + b * cos(th2) - c * cos(th3) - d, "loop x");
  linkage.constraint(a * sin(th1) + b * sin(th2) - c * sin(th3), "loop y");
  linkage.builder().experiment({.start_time = 0.0, .stop_time = 5.0});
  return {.model = linkage.build(),
          .stop_time = 5.0,
          .end_values = {{"th1", 1.6804110590},
                         {"th2", 0.5075090918},
                         {"th3", 1.7670627259},
                         {"w1", -0.5502944231},
                         {"w2", 0.0166759780},
                         {"w3", -0.2131636488}},
          .trusted = 1e-9};
}

Problem slider_crank() {
  ModelBuilder b("SliderCrank");
  constexpr double quarter = std::numbers::pi / 4;
  const Expr th1 = b.variable("th1", {.start = quarter, .fixed = true});
  const Expr th2 = b.variable("th2", {.start = 3 * quarter});
  const Expr w1 = b.variable("w1", {.start = 0.0, .fixed = true});
  const Expr w2 = b.variable("w2"), lambda = b.variable("lambda");
  const Expr c = cos(th2 - th1), s = sin(th2 - th1);
  b.equation(der(th1) == w1);
  b.equation(der(th2) == w2);
  b.equation(2 * der(w1) + c * der(w2) == s * w2 * w2 - 19.6 * sin(th1) - sin(th1) * lambda);
  b.equation(c * der(w1) + der(w2) == -s * w1 * w1 - 9.8 * sin(th2) - sin(th2) * lambda);
  b.equation(-cos(th1) - cos(th2) == 0, "slider");
  b.experiment({.start_time = 0.0, .stop_time = 2.0});
  // On the branch th2 = π − th1 throughout.
  return {.model = b.build(),
          .stop_time = 2.0,
          .end_values = {{"th1", -0.7808943926}, {"th2", std::numbers::pi + 0.7808943926}},
          .trusted = 1e-10};
}

Problem closed_chain(int links) {
  if (links < 2) throw ModelError(ErrorCode::invalid_value, "A closed chain needs two links.");
  Lagrangian chain(fmt::format("ClosedChain{}", links));
  const double step = std::numbers::pi / links;
  const double length = 2.0 * std::sin(step / 2.0);
  const double mass = 1.0 / links;
  struct Joint {
    Expr x, y, vx, vy;
  };
  std::vector<Joint> joints{{-1.0, 0.0, 0.0, 0.0}};
  for (int i = 1; i < links; ++i) {
    const double angle = std::numbers::pi + step * i;
    const auto [x, vx] =
        chain.coordinate(fmt::format("x[{}]", i),
                         {.start = std::cos(angle), .velocity_name = fmt::format("vx[{}]", i)});
    const auto [y, vy] =
        chain.coordinate(fmt::format("y[{}]", i),
                         {.start = std::sin(angle), .velocity_name = fmt::format("vy[{}]", i)});
    joints.push_back({x, y, vx, vy});
  }
  joints.push_back({1.0, 0.0, 0.0, 0.0});
  for (std::size_t i = 1; i < joints.size(); ++i) {
    const Joint& p = joints[i - 1];
    const Joint& q = joints[i];
    // A uniform rod between p and q: T = m/6 (|ṗ|² + ṗ·q̇ + |q̇|²).
    chain.kinetic_energy(
        mass / 6 *
        (p.vx * p.vx + p.vx * q.vx + q.vx * q.vx + p.vy * p.vy + p.vy * q.vy + q.vy * q.vy));
    chain.potential_energy(mass * 9.81 / 2 * (p.y + q.y));
    chain.constraint((sqr(q.x - p.x) + sqr(q.y - p.y) - length * length) / 2,
                     fmt::format("link {}", i));
  }
  chain.builder().experiment({.start_time = 0.0, .stop_time = 1.0});
  return {.model = chain.build(), .stop_time = 1.0, .end_values = {}};
}

}  // namespace daedal::problems
