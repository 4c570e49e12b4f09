// SPDX-License-Identifier: BSD-3-Clause
// What it costs to leave the choice to `auto`: whole solutions, from the model's equations to the
// end of the run at rtol 1e-6, beside the fastest method chosen by hand that is right to a hundred
// tolerances. The two are measured in turn; `ratio` is auto over the fastest.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/solve.hpp>
#include <limits>
#include <string>

#include "formulation/frame/registry.hpp"
#include "problems/problems.hpp"

namespace daedal {
namespace {

constexpr double rtol = 1e-6;

struct Timed {
  double seconds = std::numeric_limits<double>::infinity();
  bool is_right = false;
};

Timed time_once(const problems::Problem& problem, const std::string& method) {
  const auto begin = std::chrono::steady_clock::now();
  const Solution s = solve(problem.model, {0.0, problem.stop_time},
                           {.method = method, .rtol = rtol, .dense_output = false});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  bool is_right = is_success(s.status);
  for (const auto& [name, value] : problem.end_values) {
    const double bound = 100.0 * rtol * std::max(1.0, std::abs(value));
    is_right = is_right && std::abs(s.final_value(name) - value) <= bound;
  }
  return {seconds.count(), is_right};
}

/// The least of three runs; infinite for a method that does not fit or is not right.
double least_time(const problems::Problem& problem, const std::string& method) {
  double least = std::numeric_limits<double>::infinity();
  try {
    for (int i = 0; i < 3; ++i) {
      const Timed timed = time_once(problem, method);
      if (!timed.is_right) return std::numeric_limits<double>::infinity();
      least = std::min(least, timed.seconds);
    }
  } catch (const Error&) {
    return std::numeric_limits<double>::infinity();
  }
  return least;
}

std::string fastest_by_hand(const problems::Problem& problem) {
  std::string fastest;
  double least = std::numeric_limits<double>::infinity();
  for (const MethodInfo& method : methods()) {
    const double seconds = least_time(problem, std::string(method.name));
    if (seconds < least) {
      least = seconds;
      fastest = method.name;
    }
  }
  return fastest;
}

void automatic(benchmark::State& state, problems::Problem (*make)()) {
  const problems::Problem problem = make();
  const std::string fastest = fastest_by_hand(problem);
  double least_auto = std::numeric_limits<double>::infinity();
  double least_by_hand = least_auto;
  for (auto _ : state) {
    const Timed chosen = time_once(problem, "auto");
    if (!chosen.is_right) state.SkipWithError("auto is not right to a hundred tolerances");
    state.SetIterationTime(chosen.seconds);
    least_auto = std::min(least_auto, chosen.seconds);
    least_by_hand = std::min(least_by_hand, time_once(problem, fastest).seconds);
  }
  state.SetLabel("fastest by hand: " + fastest);
  state.counters["ratio"] = least_auto / least_by_hand;
}
BENCHMARK_CAPTURE(automatic, squeezer, problems::squeezer)->UseManualTime();
BENCHMARK_CAPTURE(automatic, car_axis, problems::car_axis)->UseManualTime();
BENCHMARK_CAPTURE(automatic, torus, problems::torus)->UseManualTime();
BENCHMARK_CAPTURE(automatic, four_bar, problems::four_bar)->UseManualTime();

}  // namespace
}  // namespace daedal
