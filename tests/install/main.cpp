// SPDX-License-Identifier: BSD-3-Clause
// The pendulum of the README, in C++.
#include <cmath>
#include <cstdio>
#include <daedal/solve.hpp>

int main() {
  using namespace daedal;
  ModelBuilder b("Pendulum");
  Expr g = b.parameter("g", 9.81);
  Expr x = b.variable("x", {.start = 1.0}), y = b.variable("y", {.start = 0.0, .fixed = true});
  Expr vx = b.variable("vx"), vy = b.variable("vy", {.start = 0.0, .fixed = true});
  Expr lambda = b.variable("lambda");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(vx) == -lambda * x);
  b.equation(der(vy) == -lambda * y - g);
  b.equation(x * x + y * y == 1, "rod");
  Solution s = solve(b.build(), {0.0, 10.0});
  std::printf("%s\nx(10) = %.6f\n", s.message.c_str(), s.final_value("x"));
  // The reference was computed in quadruple precision; 100 times the default tolerance.
  return is_success(s.status) && std::abs(s.final_value("x") - 0.275087462576) < 1e-4 ? 0 : 1;
}
