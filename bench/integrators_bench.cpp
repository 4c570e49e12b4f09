// SPDX-License-Identifier: BSD-3-Clause
// What the one-step integrators cost on hand-written systems: time, steps and evaluations to a
// tolerance, and the error that was reached. bench/integrators_peers.sh runs the same problems with
// the integrators of R's deSolve, where it is installed.
#include <benchmark/benchmark.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "integrate/registry.hpp"

namespace daedal {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

struct VanDerPol {
  static constexpr const char* name = "VanDerPol";
  static constexpr std::size_t n = 2;
  static constexpr double mu = 1e6, t1 = 2.0, atol_over_rtol = 1.0;
  static std::vector<double> x0() { return {2.0, 0.0}; }
  static double reference() { return 1.70616773217046; }  // tests/integrate/stiff_test.cpp
  static void rhs(In x, Out f) {
    f[0] = x[1];
    f[1] = mu * ((1.0 - x[0] * x[0]) * x[1] - x[0]);
  }
  static void jacobian(In x, Out f_x) {
    f_x[0] = 0.0;
    f_x[1] = -mu * (2.0 * x[0] * x[1] + 1.0);
    f_x[2] = 1.0;
    f_x[3] = mu * (1.0 - x[0] * x[0]);
  }
};

struct Robertson {
  static constexpr const char* name = "Robertson";
  static constexpr std::size_t n = 3;
  static constexpr double t1 = 40.0, atol_over_rtol = 1e-6;
  static std::vector<double> x0() { return {1.0, 0.0, 0.0}; }
  static double reference() { return 0.715827068719405; }  // tests/integrate/stiff_test.cpp
  static void rhs(In x, Out f) {
    const double fast = 3e7 * x[1] * x[1];
    const double exchange = 0.04 * x[0] - 1e4 * x[1] * x[2];
    f[0] = -exchange;
    f[1] = exchange - fast;
    f[2] = fast;
  }
  static void jacobian(In x, Out f_x) {
    f_x[0] = -0.04;
    f_x[1] = 0.04;
    f_x[2] = 0.0;
    f_x[3] = 1e4 * x[2];
    f_x[4] = -1e4 * x[2] - 6e7 * x[1];
    f_x[5] = 6e7 * x[1];
    f_x[6] = 1e4 * x[1];
    f_x[7] = -1e4 * x[1];
    f_x[8] = 0.0;
  }
};

/// The pendulum of index 1, λ eliminated, from the horizontal at rest.
struct Pendulum {
  static constexpr const char* name = "Pendulum";
  static constexpr std::size_t n = 4;
  static constexpr double g = 9.81, t1 = 10.0, atol_over_rtol = 1.0;
  static std::vector<double> x0() { return {1.0, 0.0, 0.0, 0.0}; }
  static double reference() { return std::nan(""); }
  static double lambda(In x) {
    return (x[2] * x[2] + x[3] * x[3] - g * x[1]) / (x[0] * x[0] + x[1] * x[1]);
  }
  static void rhs(In x, Out f) {
    const double force = lambda(x);
    f[0] = x[2];
    f[1] = x[3];
    f[2] = -force * x[0];
    f[3] = -force * x[1] - g;
  }
  static void jacobian(In x, Out f_x) {
    const double square = x[0] * x[0] + x[1] * x[1];
    const double force = lambda(x);
    const double slope[4] = {-2.0 * x[0] * force / square, (-g - 2.0 * x[1] * force) / square,
                             2.0 * x[2] / square, 2.0 * x[3] / square};
    for (std::size_t j = 0; j < 4; ++j) {
      f_x[4 * j + 0] = j == 2 ? 1.0 : 0.0;
      f_x[4 * j + 1] = j == 3 ? 1.0 : 0.0;
      f_x[4 * j + 2] = -slope[j] * x[0] - (j == 0 ? force : 0.0);
      f_x[4 * j + 3] = -slope[j] * x[1] - (j == 1 ? force : 0.0);
    }
  }
};

template <class Problem>
class HandWritten final : public ExplicitSystem {
 public:
  [[nodiscard]] std::int64_t size() const override { return Problem::n; }
  Evaluation rhs(double, In x, Run&, Out f) const override {
    Problem::rhs(x, f);
    return Evaluation::ok;
  }
  [[nodiscard]] bool has_jacobian() const override { return true; }
  Evaluation jacobian(double, In x, Run&, Out f_x) const override {
    Problem::jacobian(x, f_x);
    return Evaluation::ok;
  }
};

template <class Problem>
void run(benchmark::State& state, const char* integrator) {
  const HandWritten<Problem> system;
  const double rtol = std::pow(10.0, -static_cast<double>(state.range(0)));
  const integration::StepOptions options{.rtol = rtol, .atol = rtol * Problem::atol_over_rtol};
  Statistics counted;
  double end = 0.0;
  for (auto _ : state) {
    const auto stepper =
        integration::find_integrator(integrator).make_explicit(system, options, {});
    Run mutable_state;
    stepper->start(0.0, Problem::x0(), {}, mutable_state, Problem::t1);
    while (stepper->time() != Problem::t1) {
      if (stepper->advance(Problem::t1).status != Status::success) {
        state.SkipWithError("the run failed");
        return;
      }
    }
    end = stepper->x()[0];
    counted = {};
    stepper->count(counted);
  }
  state.counters["steps"] = static_cast<double>(counted.steps);
  state.counters["evaluations"] = static_cast<double>(counted.residual_evaluations);
  state.counters["factorizations"] = static_cast<double>(counted.factorizations);
  if (std::isfinite(Problem::reference())) {
    state.counters["error"] = std::abs(end - Problem::reference());
  }
}

template <class Problem>
void add(const char* integrator) {
  benchmark::RegisterBenchmark(
      (std::string(integrator) + "/" + Problem::name).c_str(),
      [integrator](benchmark::State& state) { run<Problem>(state, integrator); })
      ->Arg(5)
      ->Arg(8)
      ->Unit(benchmark::kMicrosecond);
}

[[maybe_unused]] const bool added = [] {
  add<VanDerPol>("radau");
  add<Robertson>("radau");
  add<Pendulum>("radau");
  add<Pendulum>("dop853");
  add<Pendulum>("dopri5");
  return true;
}();

}  // namespace
}  // namespace daedal
