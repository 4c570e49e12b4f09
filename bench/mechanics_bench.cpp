// SPDX-License-Identifier: BSD-3-Clause
// What constrained mechanics costs from the model's own equations: Andrews' squeezer by explicit
// and implicit methods, time to a number of correct digits of q, and the right-hand side of a
// closed chain over the number of its links. Analysis and compilation are done once, outside the
// times.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formulation/frame/registry.hpp"
#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"
#include "model/simplify/simplify.hpp"
#include "problems/problems.hpp"
#include "squeezer_by_hand.hpp"

namespace daedal {
namespace {

using formulation::Formulation;

/// Keeps the last point only.
class LastPoint final : public integration::Observer {
 public:
  void on_output(double, std::span<const double> x, std::span<const double>, Run&) override {
    x_.assign(x.begin(), x.end());
  }
  void on_step(const integration::StepReport&, const integration::Stepper&, Run&) override {}
  void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}
  [[nodiscard]] const std::vector<double>& x() const { return x_; }

 private:
  std::vector<double> x_;
};

Formulation make(const Model& model, const std::string& method, bool implicit) {
  formulation::Request request;
  request.model = simplify(model, {}).model;
  request.parameters = request.model.parameter_values();
  request.prefers_implicit = implicit;
  return formulation::find_method(method).make(request);
}

struct Choice {
  const char* method;
  const char* integrator;
};

/// The correct digits of q at the end; positions come first in x, in the order of the model.
double correct_digits(const problems::Problem& problem, std::span<const double> x) {
  double worst = 0.0;
  std::size_t i = 0;
  for (const Variable& variable : problem.model.variables()) {
    const auto exact = problem.end_values.find(variable.name);
    const bool is_angle = exact != problem.end_values.end() && !variable.name.starts_with("v_") &&
                          !variable.name.starts_with("lambda");
    if (is_angle) worst = std::max(worst, std::abs(x[i++] / exact->second - 1.0));
  }
  return -std::log10(worst);
}

void squeezer(benchmark::State& state, const Choice& choice) {
  const problems::Problem problem = problems::squeezer();
  const auto& integrator = integration::find_integrator(choice.integrator);
  const auto formulation = make(problem.model, choice.method, integrator.can.implicit_systems);
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(0)));
  const integration::StepOptions step{.rtol = tolerance, .atol = tolerance};
  integration::DriverOptions driver;
  driver.t1 = problem.stop_time;
  driver.interval = problem.stop_time;
  driver.rtol = tolerance;
  driver.atol = tolerance;
  const auto run = formulation.system().make_run();
  const formulation::Start start = formulation.start(0.0, *run);
  LastPoint last;
  Statistics statistics;
  for (auto _ : state) {
    const auto stepper = formulation.implicit_system != nullptr
                             ? integrator.make_implicit(*formulation.implicit_system, step, {})
                             : integrator.make_explicit(*formulation.explicit_system, step, {});
    const integration::DriveOutcome outcome =
        integration::drive(formulation.system(), *stepper, *run, start.x, start.xp, driver, last);
    if (outcome.status != Status::success) state.SkipWithError(outcome.message.c_str());
    statistics = outcome.statistics;
  }
  state.counters["digits"] = correct_digits(problem, last.x());
  state.counters["steps"] = static_cast<double>(statistics.steps);
  state.counters["evaluations"] = static_cast<double>(statistics.residual_evaluations);
}
/// One way to the end of the squeezer's run: q of the end for a tolerance, empty when it fails.
using Road = std::function<std::vector<double>(double tolerance)>;

Road road(const Choice& choice) {
  const auto problem = std::make_shared<problems::Problem>(problems::squeezer());
  const auto& integrator = integration::find_integrator(choice.integrator);
  const Formulation formulation =
      make(problem->model, choice.method, integrator.can.implicit_systems);
  const std::shared_ptr<Run> run = formulation.system().make_run();
  const auto start = std::make_shared<formulation::Start>(formulation.start(0.0, *run));
  return [=, &integrator](double tolerance) -> std::vector<double> {
    const integration::StepOptions step{.rtol = tolerance, .atol = tolerance};
    integration::DriverOptions driver;
    driver.t1 = problem->stop_time;
    driver.interval = problem->stop_time;
    driver.rtol = tolerance;
    driver.atol = tolerance;
    LastPoint last;
    const auto stepper = formulation.implicit_system != nullptr
                             ? integrator.make_implicit(*formulation.implicit_system, step, {})
                             : integrator.make_explicit(*formulation.explicit_system, step, {});
    const integration::DriveOutcome outcome =
        integration::drive(formulation.system(), *stepper, *run, start->x, start->xp, driver, last);
    return outcome.status == Status::success ? last.x() : std::vector<double>{};
  };
}

/// IDA with a residual that a person wrote.
Road road_by_hand() {
  const problems::Problem problem = problems::squeezer();
  const auto formulation = make(problem.model, "index1", true);
  const auto run = formulation.system().make_run();
  const formulation::Start start = formulation.start(0.0, *run);
  return [x = start.x, xp = start.xp, stop = problem.stop_time](double tolerance) {
    std::vector<double> end(7);
    return bench::run_ida_by_hand(x, xp, stop, tolerance, end) ? end : std::vector<double>{};
  };
}

/// The least processor time of some runs: other work on the machine does not count.
double seconds(const Road& road, double tolerance) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 15; ++i) {
    const std::clock_t begin = std::clock();
    benchmark::DoNotOptimize(road(tolerance));
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

/// The time to a number of correct digits, given in tenths: the loosest tolerance that reaches
/// them. `ratio` is to projection with dop853, measured in the same run.
void digits(benchmark::State& state, Road (*make_road)()) {
  static std::map<std::int64_t, double> baseline;
  const problems::Problem problem = problems::squeezer();
  const Road road = make_road();
  const double wanted = 0.1 * static_cast<double>(state.range(0));
  double tolerance = 0.0;
  for (double exponent = 3.0; exponent <= 14.0 && tolerance == 0.0; exponent += 0.25) {
    const std::vector<double> end = road(std::pow(10.0, -exponent));
    const bool enough = !end.empty() && correct_digits(problem, end) >= wanted;
    if (enough) tolerance = std::pow(10.0, -exponent);
  }
  if (tolerance == 0.0) {
    state.SkipWithError("these digits are not reached");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(road(tolerance));
  const double taken = seconds(road, tolerance);
  baseline.try_emplace(state.range(0), taken);
  state.counters["digits"] = correct_digits(problem, road(tolerance));
  state.counters["tolerance"] = tolerance;
  state.counters["least_us"] = 1e6 * taken;
  state.counters["ratio"] = taken / baseline[state.range(0)];
}

template <const Choice& choice>
Road road_of() {
  return road(choice);
}
constexpr Choice projection_dop853{"orthogonal-projection", "dop853"};
constexpr Choice index1_radau{"index1", "radau"};
constexpr Choice ggl_radau{"ggl", "radau"};
constexpr Choice index1_bdf{"index1", "bdf"};
constexpr Choice overdetermined_bdf{"overdetermined-index2", "bdf"};
BENCHMARK_CAPTURE(digits, projection_dop853, road_of<projection_dop853>)
    ->Arg(50)
    ->Arg(80)
    ->Arg(85)
    ->Arg(110)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, index1_radau, road_of<index1_radau>)
    ->Arg(50)
    ->Arg(80)
    ->Arg(85)
    ->Arg(110)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, ggl_radau, road_of<ggl_radau>)
    ->Arg(50)
    ->Arg(80)
    ->Arg(85)
    ->Arg(110)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, index1_bdf, road_of<index1_bdf>)
    ->Arg(50)
    ->Arg(80)
    ->Arg(85)
    ->Arg(110)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, overdetermined_bdf, road_of<overdetermined_bdf>)
    ->Arg(50)
    ->Arg(80)
    ->Arg(85)
    ->Arg(110)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits, index1_ida_by_hand, road_by_hand)
    ->Arg(50)
    ->Arg(80)
    ->Arg(85)
    ->Arg(110)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_CAPTURE(squeezer, projection_dop853, Choice{"orthogonal-projection", "dop853"})
    ->Arg(5)
    ->Arg(7)
    ->Arg(8)
    ->Arg(10)
    ->Arg(12)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(squeezer, index1_radau, Choice{"index1", "radau"})
    ->Arg(6)
    ->Arg(10)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(squeezer, ggl_radau, Choice{"ggl", "radau"})
    ->Arg(6)
    ->Arg(10)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(squeezer, overdetermined_bdf, Choice{"overdetermined-index2", "bdf"})
    ->Arg(7)
    ->Arg(10)
    ->Unit(benchmark::kMicrosecond);

/// A right-hand side that is ready to be evaluated.
class Ready {
 public:
  explicit Ready(const Model& model)
      : formulation_(make(model, "orthogonal-projection", false)),
        run_(formulation_.system().make_run()),
        x_(formulation_.start(0.0, *run_).x),
        xp_(x_.size()) {}

  void evaluate(benchmark::State& state) {
    for (auto _ : state) {
      benchmark::DoNotOptimize(formulation_.explicit_system->rhs(0.0, x_, *run_, xp_));
      benchmark::ClobberMemory();
    }
  }

 private:
  Formulation formulation_;
  std::unique_ptr<Run> run_;
  std::vector<double> x_, xp_;
};

void squeezer_rhs(benchmark::State& state) {
  Ready(problems::squeezer().model).evaluate(state);
}
BENCHMARK(squeezer_rhs);

void squeezer_projection(benchmark::State& state) {
  const auto formulation = make(problems::squeezer().model, "orthogonal-projection", false);
  const ExplicitSystem& system = *formulation.explicit_system;
  const auto run = system.make_run();
  const formulation::Start start = formulation.start(0.0, *run);
  const std::vector<double> weights(start.x.size(), 1e8);
  std::vector<double> x(start.x.size());
  for (auto _ : state) {
    x = start.x;
    x[0] += 1e-9;
    benchmark::DoNotOptimize(system.manifold()->project(0.0, x, weights, *run));
  }
}
BENCHMARK(squeezer_projection);

void chain_rhs(benchmark::State& state) {
  // The library calls this several times for one figure, and long chains take seconds to set up.
  static std::unique_ptr<Ready> ready;
  static std::int64_t links = 0;
  static double set_up = 0.0;
  if (links != state.range(0)) {
    links = state.range(0);
    ready = nullptr;
    const auto begin = std::chrono::steady_clock::now();
    ready = std::make_unique<Ready>(problems::closed_chain(static_cast<int>(links)).model);
    set_up = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  ready->evaluate(state);
  state.counters["set_up_s"] = set_up;
  state.SetComplexityN(state.range(0));
  state.counters["links"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(chain_rhs)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Arg(100000)->Complexity(
    benchmark::oN);

}  // namespace
}  // namespace daedal
