// SPDX-License-Identifier: BSD-3-Clause
/// Structural analysis of a ladder of capacitors (index 2) from 10² to 10⁵ equations, and Andrews'
/// squeezer by dummy derivatives beside methods for mechanics.

#include <benchmark/benchmark.h>

#include <daedal/solve.hpp>
#include <string>

#include "analysis/structural_report.hpp"
#include "problems/problems.hpp"

namespace {

using namespace daedal;

/// a_i + b_i = b_(i−1), a_i' = c_i, b_i' = c_i − b_i.
Model ladder(std::int64_t cells) {
  ModelBuilder b("Ladder");
  Expr previous = sin(b.time());
  for (std::int64_t i = 0; i < cells; ++i) {
    const std::string number = std::to_string(i);
    const Expr first = b.variable("a" + number);
    const Expr second = b.variable("b" + number, {.start = 0.0, .fixed = true});
    const Expr current = b.variable("c" + number);
    b.equation(first + second == previous);
    b.equation(der(first) == current);
    b.equation(der(second) == current - second);
    previous = second;
  }
  return b.build();
}

void bm_structural_report(benchmark::State& state) {
  const Model model = ladder(state.range(0) / 3);
  for (auto _ : state) benchmark::DoNotOptimize(analysis::structural_report(model).index);
  state.counters["per_equation"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(bm_structural_report)
    ->RangeMultiplier(10)
    ->Range(100, 100000)
    ->Unit(benchmark::kMillisecond);

void bm_squeezer(benchmark::State& state, const char* method, const char* integrator) {
  const problems::Problem squeezer = problems::squeezer();
  SolveOptions options;
  options.method = method;
  options.integrator = integrator;
  options.rtol = options.atol = 1e-8;
  options.dense_output = false;
  for (auto _ : state) {
    const Solution solution = solve(squeezer.model, {0.0, squeezer.stop_time}, options);
    if (solution.status != Status::success) state.SkipWithError(solution.message.c_str());
  }
}
BENCHMARK_CAPTURE(bm_squeezer, dummy_derivatives_dop853, "dummy-derivatives", "dop853")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bm_squeezer, dummy_derivatives_radau, "dummy-derivatives", "radau")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bm_squeezer, dummy_derivatives_bdf, "dummy-derivatives", "bdf")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bm_squeezer, orthogonal_projection_dop853, "orthogonal-projection", "dop853")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bm_squeezer, ggl_radau, "ggl", "radau")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bm_squeezer, ggl_bdf, "ggl", "bdf")->Unit(benchmark::kMillisecond);

}  // namespace
