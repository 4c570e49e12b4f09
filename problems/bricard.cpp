// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <daedal/lagrangian.hpp>

#include "problems/problems.hpp"
#include "problems/vectors.hpp"

namespace daedal::problems {

namespace {

using Coordinates = std::array<double, 3>;

/// A point or a direction of the mechanism and its rate: coordinates, or constants on the ground.
struct Moving {
  Triple at, rate;
};

Triple minus(const Triple& a, const Triple& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

constexpr std::array<Coordinates, 6> joints{
    {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}}};
constexpr std::array<Coordinates, 6> axes{
    {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};

/// Number k of the six from 0: the first and the last are on the ground.
Moving make(Lagrangian& mechanism, const std::array<Coordinates, 6>& starts, std::size_t k,
            const char* name, const char* rate) {
  Moving result;
  for (std::size_t i = 0; i < 3; ++i) {
    if (k == 0 || k == 5) {
      result.at[i] = starts[k][i];
      result.rate[i] = 0.0;
      continue;
    }
    const auto [value, velocity] =
        mechanism.coordinate(fmt::format("{}[{},{}]", name, k, i + 1),
                             {.start = starts[k][i],
                              .velocity_start = 0.0,
                              .velocity_name = fmt::format("{}[{},{}]", rate, k, i + 1)});
    result.at[i] = value;
    result.rate[i] = velocity;
  }
  return result;
}

}  // namespace

Problem bricard() {
  Lagrangian mechanism("Bricard");
  std::vector<Moving> p, u;
  for (std::size_t k = 0; k < 6; ++k) p.push_back(make(mechanism, joints, k, "p", "v"));
  for (std::size_t k = 0; k < 6; ++k) u.push_back(make(mechanism, axes, k, "u", "w"));
  // A rod between the joints k and k+1, whose axes are at right angles to it and to each other:
  // r = p + ξ e + η u + ζ u₊ with ξ in [0, 1] and η, ζ in [−.05, .05], so that
  // T = (|ṗ|² + ṗ·ṗ₊ + |ṗ₊|²)/6 + (.1²/12)(|u̇|² + |u̇₊|²)/2.
  const double gravity = 9.81, section = 0.1 * 0.1 / 12.0;
  for (std::size_t k = 0; k < 5; ++k) {
    const Moving &a = p[k], &b = p[k + 1], &x = u[k], &y = u[k + 1];
    const Triple rod = minus(b.at, a.at);
    mechanism.kinetic_energy((dot(a.rate, a.rate) + dot(a.rate, b.rate) + dot(b.rate, b.rate)) / 6);
    mechanism.kinetic_energy(section / 2 * (dot(x.rate, x.rate) + dot(y.rate, y.rate)));
    mechanism.potential_energy(gravity / 2 * (a.at[1] + b.at[1]));
    const auto name = [&](const char* what) { return fmt::format("{} {}", what, k + 1); };
    mechanism.constraint((dot(rod, rod) - 1) / 2, name("length"));
    mechanism.constraint(dot(rod, x.at), name("first axis"));
    mechanism.constraint(dot(rod, y.at), name("second axis"));
    mechanism.constraint(dot(x.at, y.at), name("twist"));
  }
  for (std::size_t k = 1; k < 5; ++k) {
    mechanism.constraint((dot(u[k].at, u[k].at) - 1) / 2, fmt::format("unit {}", k));
  }
  mechanism.builder().experiment({.start_time = 0.0, .stop_time = 10.0});
  return {.model = mechanism.build(), .stop_time = 10.0, .end_values = {}};
}

}  // namespace daedal::problems
