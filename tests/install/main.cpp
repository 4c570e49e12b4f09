// SPDX-License-Identifier: BSD-3-Clause
// The pendulum of the README, and the system in C++ of docs/integrators.md. What the
// README shows stands here word for word (scripts/test-install.sh).
#include <cmath>
#include <cstdio>
#include <daedal/integrate.hpp>
#include <daedal/solve.hpp>

namespace {

using namespace daedal;

bool solves_the_pendulum() {
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
  Model model = b.build();
  Solution s = solve(model, {0.0, 10.0});

  Problem p = prepare(model, {.method = Ggl{}, .rtol = 1e-8});  // or "ggl"
  Solution heavy = p.solve({0.0, 10.0}, {.parameters = {{"g", 20.0}}});

  std::printf("%s\nx(10) = %.6f\n", s.message.c_str(), s.final_value("x"));
  // The motion depends on g t² alone.
  Solution light = solve(model, {0.0, 10.0 * std::sqrt(20.0 / 9.81)}, {.rtol = 1e-8});
  // The reference was computed in quadruple precision; 100 times the default tolerance.
  return is_success(s.status) && std::abs(s.final_value("x") - 0.275087462576) < 1e-4 &&
         is_success(heavy.status) && is_success(light.status) &&
         std::abs(heavy.final_value("x") - light.final_value("x")) < 1e-5;
}

class Oscillator final : public ExplicitSystem {
 public:
  std::int64_t size() const override { return 2; }
  Evaluation rhs(double, std::span<const double> x, Run&, std::span<double> xp) const override {
    xp[0] = x[1];
    xp[1] = -x[0];
    return Evaluation::ok;
  }
};

bool integrates_the_oscillator() {
  Solution s = integrate(Oscillator{}, {1.0, 0.0}, {0.0, 10.0}, {.rtol = 1e-9});
  double x = s.at(2.5, "x[1]");
  return is_success(s.status) && std::abs(x - std::cos(2.5)) < 1e-6;
}

}  // namespace

int main() {
  return solves_the_pendulum() && integrates_the_oscillator() ? 0 : 1;
}
