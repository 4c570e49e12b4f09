// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>
#include <vector>

#include "problems/problems.hpp"

namespace daedal::problems {

namespace {

/// z' = −z + x1 + forcing such that z = cos t: one state beside the variables without freedom.
void add_state(ModelBuilder& b, Expr x1, Expr exact_x1) {
  const Expr t = b.time();
  const Expr z = b.variable("z", {.start = 1.0, .fixed = true});
  b.equation(der(z) == -z + x1 - exact_x1 - sin(t) + cos(t), "state");
}

Problem finish(ModelBuilder& b, int index, std::map<std::string, double> end_values) {
  constexpr double end = 3.0;
  b.experiment({.start_time = 0.0, .stop_time = end});
  end_values["z"] = std::cos(end);
  return {.model = b.build(),
          .stop_time = end,
          .index = index,
          .end_values = std::move(end_values),
          .trusted = 1e-14};
}

/// x1 + ηt x2 = sin t, x1' + ηt x2' + (1+η) x2 = 2 cos t: the derivative of the first taken from
/// the second leaves x2 = 2 cos t − cos t.
Problem gear_petzold(double eta) {
  ModelBuilder b("GearPetzold");
  const Expr e = b.parameter("eta", eta);
  const Expr t = b.time();
  const Expr x1 = b.variable("x1");
  const Expr x2 = b.variable("x2");
  b.equation(x1 + e * t * x2 == sin(t), "sum");
  b.equation(der(x1) + e * t * der(x2) + (1.0 + e) * x2 == 2.0 * cos(t), "rate");
  add_state(b, x1, sin(t) - e * t * cos(t));
  const double end = 3.0;
  return finish(b, 2, {{"x1", std::sin(end) - eta * end * std::cos(end)}, {"x2", std::cos(end)}});
}

}  // namespace

Problem linear_time_varying(int index) {
  if (index == 2) return gear_petzold(-2.0);
  // The chain y_i + y_(i+1)' = f_i, y_n = f_n with n = index, seen through y = R(t) x, R the
  // rotations of neighbours by t, one after the other.
  ModelBuilder b("RotatedChain" + std::to_string(index));
  const auto n = static_cast<std::size_t>(index);
  const Expr t = b.time();
  std::vector<Expr> y;
  for (std::size_t i = 0; i < n; ++i) y.push_back(b.variable("x" + std::to_string(i + 1)));
  const Expr x1 = y.front();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Expr a = y[i], c = y[i + 1];
    y[i] = cos(t) * a - sin(t) * c;
    y[i + 1] = sin(t) * a + cos(t) * c;
  }
  // y_i = sin((n+1−i) t), so that f_i = y_i + y_(i+1)'.
  const auto frequency = [&](std::size_t i) { return static_cast<double>(n - i); };
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double own = frequency(i), next = frequency(i + 1);
    b.equation(y[i] + der(y[i + 1]) == sin(own * t) + next * cos(next * t));
  }
  b.equation(y.back() == sin(t), "end of the chain");
  // x = Rᵀ y: the rotations back, the last one first.
  std::vector<Expr> exact;
  std::vector<double> value;
  const double end = 3.0;
  for (std::size_t i = 0; i < n; ++i) {
    exact.push_back(sin(frequency(i) * t));
    value.push_back(std::sin(frequency(i) * end));
  }
  for (std::size_t i = n - 1; i-- > 0;) {
    const Expr a = exact[i], c = exact[i + 1];
    exact[i] = cos(t) * a + sin(t) * c;
    exact[i + 1] = cos(t) * c - sin(t) * a;
    const double va = value[i], vc = value[i + 1];
    value[i] = std::cos(end) * va + std::sin(end) * vc;
    value[i + 1] = std::cos(end) * vc - std::sin(end) * va;
  }
  add_state(b, x1, exact.front());
  std::map<std::string, double> end_values;
  for (std::size_t i = 0; i < n; ++i) end_values["x" + std::to_string(i + 1)] = value[i];
  return finish(b, index, std::move(end_values));
}

}  // namespace daedal::problems
