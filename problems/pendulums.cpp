// SPDX-License-Identifier: BSD-3-Clause
#include "problems/problems.hpp"

namespace daedal::problems {

namespace {

Model planar_pendulum(const char* name, double gravity, double stop_time) {
  ModelBuilder b(name);
  const Expr g = b.parameter("g", gravity, {.unit = "m/s2"});
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
  const Expr vx = b.variable("vx");
  const Expr vy = b.variable("vy", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(vx) == -lambda * x, "horizontal");
  b.equation(der(vy) == -lambda * y - g, "vertical");
  b.equation(x * x + y * y == 1, "rod");
  b.experiment({.start_time = 0.0, .stop_time = stop_time});
  return b.build();
}

}  // namespace

Problem pendulum() {
  return {.model = planar_pendulum("Pendulum", 9.81, 10.0),
          .stop_time = 10.0,
          .end_values = {{"x", 0.275087462576116860},
                         {"y", -0.961419205099125064},
                         {"vx", -4.17559810095172884},
                         {"vy", -1.19474905456047527},
                         {"lambda", 28.2945672060672506}},
          .trusted = 1e-15};
}

Problem two_second_pendulum() {
  // The printed g gives a period shorter by 9.4e-11. After five of them the mass has been falling
  // again for 4.7e-10 s: positions are unchanged to 1e-17, the velocity is −6.4e-9.
  return {.model = planar_pendulum("TwoSecondPendulum", 13.7503716373294544, 10.0),
          .stop_time = 10.0,
          .end_values = {{"x", 1.0}, {"y", 0.0}},
          .trusted = 1e-15};
}

Problem spherical_pendulum() {
  ModelBuilder b("SphericalPendulum");
  const Expr g = b.parameter("g", 9.81, {.unit = "m/s2"});
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
  const Expr z = b.variable("z", {.start = 0.0, .fixed = true});
  const Expr vx = b.variable("vx");
  const Expr vy = b.variable("vy", {.start = 1.0, .fixed = true});
  const Expr vz = b.variable("vz", {.start = 0.0, .fixed = true});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(z) == vz);
  b.equation(der(vx) == -lambda * x);
  b.equation(der(vy) == -lambda * y);
  b.equation(der(vz) == -lambda * z - g);
  b.equation(x * x + y * y + z * z == 1, "rod");
  b.experiment({.start_time = 0.0, .stop_time = 10.0});
  return {.model = b.build(),
          .stop_time = 10.0,
          .end_values = {{"x", 0.218611337997},
                         {"y", 0.046728350148},
                         {"z", -0.974692538285},
                         {"vx", -1.25580103044},
                         {"vy", 4.30589967728},
                         {"vz", -0.075228600631}},
          .trusted = 1e-11};
}

Problem double_pendulum() {
  ModelBuilder b("DoublePendulum");
  const Expr g = b.parameter("g", 9.81, {.unit = "m/s2"});
  const Expr x1 = b.variable("x1", {.start = 1.0});
  const Expr y1 = b.variable("y1", {.start = 0.0, .fixed = true});
  const Expr x2 = b.variable("x2", {.start = 2.0});
  const Expr y2 = b.variable("y2", {.start = 0.0, .fixed = true});
  const Expr vx1 = b.variable("vx1"), vy1 = b.variable("vy1", {.start = 0.0, .fixed = true});
  const Expr vx2 = b.variable("vx2"), vy2 = b.variable("vy2", {.start = 0.0, .fixed = true});
  const Expr lambda1 = b.variable("lambda1"), lambda2 = b.variable("lambda2");
  b.equation(der(x1) == vx1);
  b.equation(der(y1) == vy1);
  b.equation(der(x2) == vx2);
  b.equation(der(y2) == vy2);
  b.equation(der(vx1) == -lambda1 * x1 + lambda2 * (x2 - x1));
  b.equation(der(vy1) == -lambda1 * y1 + lambda2 * (y2 - y1) - g);
  b.equation(der(vx2) == -lambda2 * (x2 - x1));
  b.equation(der(vy2) == -lambda2 * (y2 - y1) - g);
  b.equation(x1 * x1 + y1 * y1 == 1, "first rod");
  b.equation(sqr(x2 - x1) + sqr(y2 - y1) == 1, "second rod");
  b.experiment({.start_time = 0.0, .stop_time = 3.0});
  return {.model = b.build(),
          .stop_time = 3.0,
          .end_values = {{"x1", 0.97697656589},
                         {"y1", 0.21334664211},
                         {"x2", 1.87625085068},
                         {"y2", -0.22403849791},
                         {"vx1", -0.06997356385},
                         {"vy1", 0.32042937933}},
          .trusted = 1e-10};
}

}  // namespace daedal::problems
