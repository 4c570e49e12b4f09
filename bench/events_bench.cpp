// SPDX-License-Identifier: BSD-3-Clause
// What an event costs in a model of many switches: thermostats with rates of their own, each of
// which switches now and then and cuts off a step of all. The counter `us_event` is the processor
// time of a run over its events: it should grow as the model does, and no faster.
#include <benchmark/benchmark.h>

#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>

namespace daedal {
namespace {

Model thermostats(int n) {
  return parse_model("model Thermostats\n  parameter Integer n = " + std::to_string(n) + R"(;
  parameter Real k[n] = {1 + 0.003*i for i in 1:n};
  Real T[n](each start = 20, each fixed = true);
  discrete Boolean on[n](each start = true, each fixed = true);
equation
  for i in 1:n loop
    der(T[i]) = k[i]*((if on[i] then 30 else 10) - T[i]);
    when {T[i] > 22, T[i] < 18} then
      on[i] = T[i] < 20;
    end when;
  end for;
end Thermostats;
)");
}

void bm_thermostats(benchmark::State& state) {
  const Model model = thermostats(static_cast<int>(state.range(0)));
  double n_events = 0.0;
  for (auto _ : state) {
    const Solution solution = solve(model, {0.0, 2.0});
    if (solution.status != Status::success) state.SkipWithError(solution.message.c_str());
    n_events += static_cast<double>(solution.statistics.events);
  }
  state.counters["us_event"] = benchmark::Counter(
      n_events * 1e-6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(bm_thermostats)->Arg(10)->Arg(30)->Arg(100)->Arg(300)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace daedal
