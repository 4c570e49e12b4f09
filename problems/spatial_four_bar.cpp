// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <daedal/lagrangian.hpp>

#include "problems/problems.hpp"
#include "problems/vectors.hpp"

namespace daedal::problems {

namespace {

/// A bar free in space: its centre, and the axes of its own frame by Cardan angles,
/// R = R_x(α) R_y(β) R_z(γ). The first axis is along the bar.
struct Bar {
  double length = 0.0;
  Triple centre;
  std::array<Triple, 3> axes;

  [[nodiscard]] Triple end(double sign) const {
    Triple point;
    for (std::size_t i = 0; i < 3; ++i) {
      point[i] = centre[i] + sign * length / 2 * axes[0][i];
    }
    return point;
  }
};

struct BarStart {
  int number = 0;
  double length = 0.0;
  std::array<double, 2> centre{};
  double angle = 0.0;
};

/// 1 kg/m. The moment of inertia about every axis through the centre is that of a slender bar about
/// its normals, so that |ω|² is all that the angles contribute:
/// |ω|² = α'² + β'² + γ'² + 2 α'γ' sin β.
Bar make_bar(Lagrangian& linkage, const BarStart& start) {
  const auto coordinate = [&](const char* name, double value) {
    return linkage.coordinate(fmt::format("{}{}", name, start.number),
                              {.start = value,
                               .velocity_start = 0.0,
                               .velocity_name = fmt::format("v_{}{}", name, start.number)});
  };
  const auto [x, vx] = coordinate("x", start.centre[0]);
  const auto [y, vy] = coordinate("y", start.centre[1]);
  const auto [z, vz] = coordinate("z", 0.0);
  const auto [a, va] = coordinate("al", 0.0);
  const auto [b, vb] = coordinate("be", 0.0);
  const auto [c, vc] = coordinate("th", start.angle);
  const double mass = start.length, inertia = mass * start.length * start.length / 12;
  linkage.kinetic_energy(mass / 2 * (vx * vx + vy * vy + vz * vz));
  linkage.kinetic_energy(inertia / 2 * (va * va + vb * vb + vc * vc + 2 * va * vc * sin(b)));
  linkage.potential_energy(mass * 9.81 * y);
  return {start.length,
          {x, y, z},
          {Triple{cos(b) * cos(c), cos(a) * sin(c) + sin(a) * sin(b) * cos(c),
                  sin(a) * sin(c) - cos(a) * sin(b) * cos(c)},
           Triple{-cos(b) * sin(c), cos(a) * cos(c) - sin(a) * sin(b) * sin(c),
                  sin(a) * cos(c) + cos(a) * sin(b) * sin(c)},
           Triple{sin(b), -sin(a) * cos(b), cos(a) * cos(b)}}};
}

/// A hinge: one point in common, and the third axis of the one frame at right angles to the first
/// two of the other.
struct Side {
  Triple point;
  std::array<Triple, 3> axes;
};
void add_hinge(Lagrangian& linkage, const char* name, const Side& one, const Side& other) {
  for (std::size_t i = 0; i < 3; ++i) {
    linkage.constraint(one.point[i] - other.point[i], fmt::format("{} {}", name, "xyz"[i]));
  }
  linkage.constraint(dot(one.axes[2], other.axes[0]), fmt::format("{} first tilt", name));
  linkage.constraint(dot(one.axes[2], other.axes[1]), fmt::format("{} second tilt", name));
}

}  // namespace

Problem spatial_four_bar() {
  const Problem plane = four_bar();
  Lagrangian linkage("SpatialFourBar");
  constexpr double upright = 1.57079632679489662;
  constexpr double th2 = 0.51216119318615, th3 = 1.7253864163355364;
  const Bar crank = make_bar(linkage, {1, 1.0, {0.0, 0.5}, upright});
  const Bar coupler =
      make_bar(linkage, {2, 3.0, {1.5 * std::cos(th2), 1.0 + 1.5 * std::sin(th2)}, th2});
  const Bar rocker =
      make_bar(linkage, {3, 2.5, {3.0 + 1.25 * std::cos(th3), 1.25 * std::sin(th3)}, th3});
  const std::array<Triple, 3> ground{Triple{1.0, 0.0, 0.0}, Triple{0.0, 1.0, 0.0},
                                     Triple{0.0, 0.0, 1.0}};
  add_hinge(linkage, "first pivot", {{0.0, 0.0, 0.0}, ground}, {crank.end(-1.0), crank.axes});
  add_hinge(linkage, "crank pin", {crank.end(1.0), crank.axes}, {coupler.end(-1.0), coupler.axes});
  add_hinge(linkage, "rocker pin", {coupler.end(1.0), coupler.axes},
            {rocker.end(1.0), rocker.axes});
  add_hinge(linkage, "second pivot", {{3.0, 0.0, 0.0}, ground}, {rocker.end(-1.0), rocker.axes});
  linkage.builder().experiment({.start_time = 0.0, .stop_time = plane.stop_time});
  Problem problem{.model = linkage.build(), .stop_time = plane.stop_time, .end_values = {}};
  for (const int k : {1, 2, 3}) {
    problem.end_values[fmt::format("th{}", k)] = plane.end_values.at(fmt::format("th{}", k));
    problem.end_values[fmt::format("v_th{}", k)] = plane.end_values.at(fmt::format("w{}", k));
  }
  problem.trusted = plane.trusted;
  return problem;
}

}  // namespace daedal::problems
