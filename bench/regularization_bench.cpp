// SPDX-License-Identifier: BSD-3-Clause
// What it costs to be ready for singular constraints where there are none: whole runs by
// `trust-region` with automatic parameters, which also watches for singular positions, against
// `orthogonal-projection`, which solves the same saddle points and projects as often. The counter
// `ratio` is the time of a step of the first over that of the second, the shortest of several runs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "formulation/frame/registry.hpp"
#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"
#include "model/simplify/simplify.hpp"
#include "problems/problems.hpp"

namespace daedal {
namespace {

class Silent final : public integration::Observer {
 public:
  void on_output(double, std::span<const double>, std::span<const double>, Run&) override {}
  void on_step(const integration::StepReport&, const integration::Stepper&, Run&) override {}
  void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}
};

constexpr double tolerance = 1e-8;

/// A model by one method, ready to be run again and again.
class Case {
 public:
  Case(const problems::Problem& problem, const std::string& method) {
    formulation::Request request;
    request.model = simplify(problem.model, {}).model;
    request.parameters = request.model.parameter_values();
    request.rtol = tolerance;
    request.atol = tolerance;
    formulation_ = formulation::find_method(method).make(request);
    driver_.t1 = problem.stop_time;
    driver_.interval = problem.stop_time;
    driver_.rtol = driver_.atol = tolerance;
  }

  /// Seconds a step, or −1 when the run failed.
  double run() {
    const auto run = formulation_.system().make_run();
    const formulation::Start start = formulation_.start(0.0, *run);
    const auto stepper = integration::find_integrator("dop853").make_explicit(
        *formulation_.explicit_system, {.rtol = tolerance, .atol = tolerance}, {});
    Silent silent;
    const auto begin = std::chrono::steady_clock::now();
    const integration::DriveOutcome outcome = integration::drive(
        formulation_.system(), *stepper, *run, start.x, start.xp, driver_, silent);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (outcome.status != Status::success) return -1.0;
    const auto n_steps = static_cast<double>(outcome.statistics.steps);
    return seconds / (n_steps + static_cast<double>(outcome.statistics.rejected));
  }

  double shortest(int repetitions) {
    double least = run();
    for (int i = 1; i < repetitions; ++i) least = std::min(least, run());
    return least;
  }

 private:
  formulation::Formulation formulation_;
  integration::DriverOptions driver_;
};

void regularised_steps(benchmark::State& state, const problems::Problem& problem) {
  Case plain(problem, "orthogonal-projection");
  Case regular(problem, "trust-region");
  const double reference = plain.shortest(20);
  double least = regular.shortest(20);
  for (auto _ : state) {
    const double seconds = regular.run();
    if (seconds < 0.0 || reference < 0.0) state.SkipWithError("the run failed");
    least = std::min(least, seconds);
  }
  state.counters["ratio"] = least / reference;
}

problems::Problem short_chain(int links) {
  problems::Problem problem = problems::closed_chain(links);
  problem.stop_time = 0.5;
  return problem;
}

BENCHMARK_CAPTURE(regularised_steps, squeezer, problems::squeezer())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(regularised_steps, four_bar, problems::four_bar())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(regularised_steps, car_axis, problems::car_axis())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(regularised_steps, closed_chain_10, short_chain(10))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(regularised_steps, closed_chain_40, short_chain(40))
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace daedal
