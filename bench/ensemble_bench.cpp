// SPDX-License-Identifier: BSD-3-Clause
// What many runs of one prepared problem cost beside the runs themselves: 10,000 pendula of
// index 3. `share` is the wall clock in threads over the time of the runs added up (1 / threads
// where nothing is lost), `setup` the seconds of prepare(), `KB` what each member adds to the
// memory. `ratio`: how many times faster lanes are than one run after the other in one thread, in
// turns, by the time of the processor; `in_lanes`: the share of the members that stayed in them.
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

Members members_with_gravity(std::size_t n) {
  const std::vector<RandomAxis> axes{{.name = "value", .distribution = "uniform(9, 10)"}};
  return random_members(axes, n, 1);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A model whose members differ in the parameter `value`.
struct LaneCase {
  const char* text;
  double stop;
  const char* distribution;
  std::size_t n = 1000;
};

constexpr const char* constrained = R"(model Constrained
  parameter Real value = 9.81;
  Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - value;
  x^2 + y^2 = 1;
end Constrained;
)";

constexpr const char* twofold = R"(model Twofold
  parameter Real value = 9.81;
  Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), l;
  Real p(start = 1.5, fixed = true), q(start = -0.9), vp, vq(start = 0, fixed = true), m;
equation
  der(x) = vx;
  der(y) = vy;
  der(p) = vp;
  der(q) = vq;
  der(vx) = -l*x + m*(p - x);
  der(vy) = -l*y + m*(q - y) - value;
  der(vp) = -m*(p - x);
  der(vq) = -m*(q - y) - value;
  x^2 + y^2 = 1;
  (p - x)^2 + (q - y)^2 = 1;
end Twofold;
)";

constexpr const char* four_equations = R"(model FourEquations
  parameter Real value = 0.5;
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), z(start = 0.5, fixed = true);
  Real w(start = 0, fixed = true);
equation
  der(x) = y - 0.1*x*z;
  der(y) = value*w - x;
  der(z) = 0.1*x*y - 0.2*z;
  der(w) = 0.1*(z - w) - value*y;
end FourEquations;
)";

constexpr const char* by_angle = R"(model ByAngle
  parameter Real value = 1;
  Real a(start = 1, fixed = true), w(start = 0, fixed = true);
equation
  der(a) = w;
  value*der(w) = -9.81*sin(a);
end ByAngle;
)";

constexpr const char* oscillator = R"(model Oscillator
  parameter Real value = 1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -value*x;
end Oscillator;
)";

void bm_lanes(benchmark::State& state, const LaneCase& lane_case) {
  const std::vector<RandomAxis> axes{{.name = "value", .distribution = lane_case.distribution}};
  const Ensemble ensemble(prepare(parse_model(lane_case.text)), {0.0, lane_case.stop},
                          random_members(axes, lane_case.n, 1));
  std::size_t n_in_lanes = 0;
  const auto seconds = [&](EnsembleEngine engine) {
    const double began = processor_seconds();
    const EnsembleResult result = ensemble.solve({.workers = 1, .engine = engine});
    const double taken = processor_seconds() - began;
    for (const MemberResult& one : result.results) {
      if (!one.is_success) state.SkipWithError(one.message.c_str());
      n_in_lanes += one.in_lanes ? 1 : 0;
    }
    return taken;
  };
  double lanes = 0.0;
  double threads = 0.0;
  for (auto _ : state) {
    threads += seconds(EnsembleEngine::threads);
    lanes += seconds(EnsembleEngine::lanes);
  }
  const auto n = static_cast<double>(lane_case.n) * static_cast<double>(state.iterations());
  state.counters["us_threads"] = 1e6 * threads / n;
  state.counters["us_lanes"] = 1e6 * lanes / n;
  state.counters["in_lanes"] = static_cast<double>(n_in_lanes) / n;
  state.counters["ratio"] = threads / lanes;
}

void in_turns(benchmark::internal::Benchmark* b) {
  b->Iterations(5)->Unit(benchmark::kSecond);
}

BENCHMARK_CAPTURE(bm_lanes, pendulum_1s, {constrained, 1.0, "uniform(9, 10)"})->Apply(in_turns);
BENCHMARK_CAPTURE(bm_lanes, pendulum_10s, {constrained, 10.0, "uniform(9, 10)"})->Apply(in_turns);
BENCHMARK_CAPTURE(bm_lanes, double_pendulum, {twofold, 1.0, "uniform(9, 10)"})->Apply(in_turns);
BENCHMARK_CAPTURE(bm_lanes, four_equations, {four_equations, 10.0, "uniform(0.4, 0.6)"})
    ->Apply(in_turns);
BENCHMARK_CAPTURE(bm_lanes, by_angle, {by_angle, 10.0, "uniform(0.9, 1.1)"})->Apply(in_turns);
BENCHMARK_CAPTURE(bm_lanes, oscillator, {oscillator, 2000.0, "uniform(0.9, 1.1)", 64})
    ->Apply(in_turns);

void bm_pendula(benchmark::State& state) {
  const Members members = members_with_gravity(10'000);
  double run_seconds = 0.0;
  double wall_seconds = 0.0;
  double setup_seconds = 0.0;
  const double before = kilobytes();
  for (auto _ : state) {
    const auto began = Clock::now();
    const Ensemble ensemble(prepare(parse_model(constrained)), {0.0, 1.0}, members);
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
