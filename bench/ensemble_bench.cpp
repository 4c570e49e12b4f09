// SPDX-License-Identifier: BSD-3-Clause
// What many runs of one prepared problem cost beside the runs themselves: 10,000 pendula of
// index 3. `share` is the wall clock in threads over the time of the runs added up (1 / threads
// where nothing is lost), `setup` the seconds of prepare(), `KB` what each member adds to the
// memory. `ratio`: how many times faster lanes are than one run after the other in the same
// threads, in turns, by the time of the processors.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <daedal/ensemble.hpp>
#include <daedal/modelica.hpp>
#include <vector>

namespace daedal {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

double kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss);
}

Model pendulum() {
  return parse_model(R"(model Pendulum
  parameter Real g = 9.81;
  Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = 1;
end Pendulum;
)");
}

Members members_with_gravity(std::size_t n) {
  const std::vector<RandomAxis> axes{{.name = "g", .distribution = "uniform(9, 10)"}};
  return random_members(axes, n, 1);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void bm_lanes(benchmark::State& state) {
  const double stop = static_cast<double>(state.range(0));
  const Ensemble ensemble(prepare(pendulum()), {0.0, stop}, members_with_gravity(1000));
  const auto seconds = [&](EnsembleEngine engine) {
    const double began = processor_seconds();
    const EnsembleResult result = ensemble.solve({.workers = 1, .engine = engine});
    const double taken = processor_seconds() - began;
    for (const MemberResult& one : result.results) {
      if (one.in_lanes != (engine == EnsembleEngine::lanes)) state.SkipWithError("another engine");
    }
    return taken;
  };
  double lanes = 0.0;
  double threads = 0.0;
  for (auto _ : state) {
    threads += seconds(EnsembleEngine::threads);
    lanes += seconds(EnsembleEngine::lanes);
  }
  const auto n = static_cast<double>(1000 * state.iterations());
  state.counters["us_threads"] = 1e6 * threads / n;
  state.counters["us_lanes"] = 1e6 * lanes / n;
  state.counters["ratio"] = threads / lanes;
}
BENCHMARK(bm_lanes)->Arg(1)->Arg(10)->Iterations(3)->Unit(benchmark::kSecond);

void bm_pendula(benchmark::State& state) {
  const Members members = members_with_gravity(10'000);
  double run_seconds = 0.0;
  double wall_seconds = 0.0;
  double setup_seconds = 0.0;
  const double before = kilobytes();
  for (auto _ : state) {
    const auto began = Clock::now();
    const Ensemble ensemble(prepare(pendulum()), {0.0, 1.0}, members);
    setup_seconds += seconds_since(began);
    const auto ready = Clock::now();
    const EnsembleResult result = ensemble.solve({.workers = static_cast<int>(state.range(0))});
    wall_seconds += seconds_since(ready);
    for (const MemberResult& one : result.results) {
      run_seconds += one.seconds;
      if (!one.is_success) state.SkipWithError(one.message.c_str());
    }
  }
  const auto n = static_cast<double>(state.iterations());
  state.counters["setup"] = setup_seconds / n;
  state.counters["share"] = wall_seconds / run_seconds;
  state.counters["KB"] = (kilobytes() - before) / static_cast<double>(members.count);
}
BENCHMARK(bm_pendula)->Arg(1)->Arg(2)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

}  // namespace
}  // namespace daedal
