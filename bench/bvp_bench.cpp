// SPDX-License-Identifier: BSD-3-Clause
/// Boundary value problems: the cost of one mesh interval from 100 to 100,000 intervals.

#include <benchmark/benchmark.h>

#include <cmath>
#include <daedal/bvp.hpp>

namespace daedal {
namespace {

/// Bratu's problem u'' + e^u = 0.
Model bratu() {
  ModelBuilder b("Bratu");
  const Expr u = b.variable("u"), v = b.variable("v");
  b.equation(der(u) == v);
  b.equation(der(v) == -exp(u));
  b.boundary_equation(u == 0.0);
  b.boundary_equation(b.final_value(u) == 0.0);
  return b.build();
}

/// On the circle, turned by t²: index 2, nonlinear, projected.
Model circle() {
  ModelBuilder b("Circle");
  const Expr t = b.time();
  const Expr x1 = b.variable("x1", {.start = 1.0}), x2 = b.variable("x2");
  const Expr w = b.variable("w"), y = b.variable("y");
  b.equation(der(x1) == -w * x2 + x1 * (exp(t) - y));
  b.equation(der(x2) == w * x1 + x2 * (exp(t) - y));
  b.equation(der(w) == 2.0 + (x1 - cos(t * t)));
  b.equation(x1 * x1 + x2 * x2 == 1.0);
  b.boundary_equation(x2 == 0.0);
  b.boundary_equation(b.final_value(w) == 2.0);
  return b.build();
}

void solve_on_mesh(benchmark::State& state, const Model& model) {
  BvpOptions options;
  options.intervals = state.range(0);
  options.max_intervals = state.range(0);
  options.adapt = false;
  std::int64_t factorizations = 0;
  for (auto _ : state) {
    const BvpSolution s = solve_bvp(model, {0.0, 1.0}, options);
    if (!is_success(s.status)) state.SkipWithError(s.message.c_str());
    factorizations = s.statistics.factorizations;
  }
  state.SetComplexityN(state.range(0));
  state.counters["factorizations"] = static_cast<double>(factorizations);
  state.counters["s/interval"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void index_one(benchmark::State& state) {
  solve_on_mesh(state, bratu());
}
BENCHMARK(index_one)->RangeMultiplier(10)->Range(100, 100000)->Complexity();

void index_two(benchmark::State& state) {
  solve_on_mesh(state, circle());
}
BENCHMARK(index_two)->RangeMultiplier(10)->Range(100, 100000)->Complexity();

}  // namespace
}  // namespace daedal
