// SPDX-License-Identifier: BSD-3-Clause
#include "problems/problems.hpp"

namespace daedal::problems {

Problem elastic_robot() {
  ModelBuilder b("ElasticRobot");
  const Expr k = b.parameter("k", 20.0);
  const Expr inertia = b.parameter("J", 0.1);
  const Expr g = b.parameter("g", 9.81);
  const Expr t = b.time();
  const Expr q1 = b.variable("q1", {.start = 0.5});
  const Expr q2 = b.variable("q2", {.start = 1.3});
  const Expr v1 = b.variable("v1", {.start = 0.4});
  const Expr v2 = b.variable("v2", {.start = 0.0});
  const Expr theta1 = b.variable("theta1", {.start = 1.2});
  const Expr theta2 = b.variable("theta2", {.start = 1.2});
  const Expr omega1 = b.variable("omega1");
  const Expr omega2 = b.variable("omega2");
  const Expr u1 = b.variable("u1");
  const Expr u2 = b.variable("u2");
  b.equation(der(q1) == v1);
  b.equation(der(q2) == v2);
  b.equation(der(theta1) == omega1);
  b.equation(der(theta2) == omega2);
  // Spong's model: the motors turn the links through springs; point masses of 1 kg at the ends of
  // links of 1 m, the angle q2 against the first link.
  const Expr c = cos(q2), s = sin(q2);
  b.equation((3.0 + 2.0 * c) * der(v1) + (1.0 + c) * der(v2) - s * (2.0 * v1 * v2 + sqr(v2)) +
                     2.0 * g * cos(q1) + g * cos(q1 + q2) ==
                 k * (theta1 - q1),
             "link 1");
  b.equation((1.0 + c) * der(v1) + der(v2) + s * sqr(v1) + g * cos(q1 + q2) == k * (theta2 - q2),
             "link 2");
  b.equation(inertia * der(omega1) == u1 - k * (theta1 - q1), "motor 1");
  b.equation(inertia * der(omega2) == u2 - k * (theta2 - q2), "motor 2");
  const Expr path1 = 0.5 + 0.4 * sin(t);
  const Expr path2 = path1 + 1.0 + 0.3 * cos(t);
  b.equation(cos(q1) + cos(q1 + q2) == cos(path1) + cos(path2), "tip x");
  b.equation(sin(q1) + sin(q1 + q2) == sin(path1) + sin(path2), "tip y");
  b.experiment({.start_time = 0.0, .stop_time = 2.0});
  return {.model = b.build(),
          .stop_time = 2.0,
          .index = 5,
          .end_values = {{"q1", 0.8637189707302726781584},
                         {"q2", 0.8751559490358572839007},
                         {"v1", -0.1664587346188569547990},
                         {"v2", -0.2727892280477045086188},
                         {"theta1", 1.344968964957541214211},
                         {"theta2", 0.7705658318618982559894},
                         {"omega1", 0.2198498668000146620127},
                         {"omega2", -0.03248065455125084794144},
                         {"u1", 9.637569378444972739036},
                         {"u2", -2.062619317316188295701}},
          .trusted = 1e-15};
}

}  // namespace daedal::problems
