// SPDX-License-Identifier: BSD-3-Clause
// What sequential regularisation costs: the slider crank to t = 0.9, before its singular position,
// and to t = 2, through it, at rtol 1e-6, in times of what `index1` and `trust-region` take for the
// same. Each run includes recognition, compilation and the start.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <daedal/solve.hpp>
#include <string>

#include "problems/problems.hpp"

namespace daedal {
namespace {

constexpr int repetitions = 20;

Solution run(const char* method, const char* integrator, double stop) {
  return solve(problems::slider_crank().model, {0.0, stop},
               {.method = method, .integrator = integrator, .dense_output = false});
}

/// The shortest of some runs: the machine may be busy.
double seconds(const char* method, double stop) {
  double shortest = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(run(method, "dop853", stop).statistics.steps);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, time.count());
  }
  return shortest;
}

void cost(benchmark::State& state, const char* method, const char* integrator,
          const char* reference, double stop) {
  const double unit = seconds(reference, stop);
  double shortest = 1e300;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const Solution solution = run(method, integrator, stop);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    if (!is_success(solution.status)) state.SkipWithError(solution.message.c_str());
    shortest = std::min(shortest, time.count());
    state.SetIterationTime(time.count());
  }
  state.counters["ratio"] = shortest / unit;
}

BENCHMARK_CAPTURE(cost, srm_radau_over_index1, "srm", "radau", "index1", 0.9)->UseManualTime();
BENCHMARK_CAPTURE(cost, srm_dop853_over_index1, "srm", "dop853", "index1", 0.9)->UseManualTime();
BENCHMARK_CAPTURE(cost, srm_radau_over_trust_region, "srm", "radau", "trust-region", 2.0)
    ->UseManualTime();
BENCHMARK_CAPTURE(cost, srm_dop853_over_trust_region, "srm", "dop853", "trust-region", 2.0)
    ->UseManualTime();

}  // namespace
}  // namespace daedal
