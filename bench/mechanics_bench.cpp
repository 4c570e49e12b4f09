// SPDX-License-Identifier: BSD-3-Clause
// What constrained mechanics costs from the model's own equations: Andrews' squeezer by explicit
// and implicit methods, time to a number of correct digits of q, and the right-hand side of a
// closed chain over the number of its links. Analysis and compilation are done once, outside the
// times.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "formulation/registry.hpp"
#include "integrate/driver.hpp"
#include "integrate/registry.hpp"
#include "model/simplify.hpp"
#include "problems/problems.hpp"

namespace daedal {
namespace {

using formulation::Formulation;

/// Keeps the last point only.
class LastPoint final : public integrate::Observer {
 public:
  void on_output(double, std::span<const double> x, std::span<const double>, Run&) override {
    x_.assign(x.begin(), x.end());
  }
  void on_step(const integrate::StepReport&, const integrate::Stepper&, Run&) override {}
  void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}
  [[nodiscard]] const std::vector<double>& x() const { return x_; }

 private:
  std::vector<double> x_;
};

std::unique_ptr<Formulation> make(const Model& model, const std::string& method, bool implicit) {
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
  const auto& integrator = integrate::find_integrator(choice.integrator);
  const auto formulation = make(problem.model, choice.method, integrator.can.implicit_systems);
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(0)));
  const integrate::StepOptions step{.rtol = tolerance, .atol = tolerance};
  integrate::DriverOptions driver;
  driver.t1 = problem.stop_time;
  driver.interval = problem.stop_time;
  driver.rtol = tolerance;
  driver.atol = tolerance;
  const auto run = formulation->system().make_run();
  const formulation::Start start = formulation->start(0.0, *run);
  LastPoint last;
  Statistics statistics;
  for (auto _ : state) {
    const auto stepper = formulation->implicit_system() != nullptr
                             ? integrator.make_implicit(*formulation->implicit_system(), step, {})
                             : integrator.make_explicit(*formulation->explicit_system(), step, {});
    const integrate::Outcome outcome =
        integrate::drive(formulation->system(), *stepper, *run, start.x, start.xp, driver, last);
    if (outcome.status != Status::success) state.SkipWithError(outcome.message.c_str());
    statistics = outcome.statistics;
  }
  state.counters["digits"] = correct_digits(problem, last.x());
  state.counters["steps"] = static_cast<double>(statistics.steps);
  state.counters["evaluations"] = static_cast<double>(statistics.residual_evaluations);
}
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

void evaluate_rhs(benchmark::State& state, const Model& model) {
  const auto formulation = make(model, "orthogonal-projection", false);
  const ExplicitSystem& system = *formulation->explicit_system();
  const auto run = system.make_run();
  const formulation::Start start = formulation->start(0.0, *run);
  std::vector<double> xp(start.x.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(system.rhs(0.0, start.x, *run, xp));
    benchmark::ClobberMemory();
  }
}

void squeezer_rhs(benchmark::State& state) {
  evaluate_rhs(state, problems::squeezer().model);
}
BENCHMARK(squeezer_rhs);

void squeezer_projection(benchmark::State& state) {
  const auto formulation = make(problems::squeezer().model, "orthogonal-projection", false);
  const ExplicitSystem& system = *formulation->explicit_system();
  const auto run = system.make_run();
  const formulation::Start start = formulation->start(0.0, *run);
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
  evaluate_rhs(state, problems::closed_chain(static_cast<int>(state.range(0))).model);
  state.SetComplexityN(state.range(0));
  state.counters["links"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(chain_rhs)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Complexity(benchmark::oN);

}  // namespace
}  // namespace daedal
