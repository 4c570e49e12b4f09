// SPDX-License-Identifier: BSD-3-Clause
/// Derivative arrays on the torus of Campbell and Moore (n = 7, k = 3) and on Andrews' squeezer
/// (n = 20, k = 3): assembly, factorisation, correction, and the 500 steps of their Table 5.

#include <benchmark/benchmark.h>

#include <chrono>
#include <daedal/solve.hpp>
#include <limits>
#include <vector>

#include "analysis/array/array_jacobian.hpp"
#include "formulation/array/system.hpp"
#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"
#include "problems/problems.hpp"

namespace {

using namespace daedal;

/// A model at its start, everything made.
struct Started {
  Model model;
  formulation::ArraySystem system{general_view(model), model.parameter_values(), {}, {}};
  std::unique_ptr<Run> base = system.make_run();
  formulation::ArrayRun& run = formulation::run_of<formulation::ArrayRun>(*base);
  formulation::Start start;
  analysis::DerivativeArray::Workspace workspace = system.solver().array().make_workspace();

  explicit Started(const problems::Problem& problem) : model(problem.model) {
    start = system.start(0.0, run);
  }
  [[nodiscard]] analysis::ArrayPoint point() const {
    return system.solver().point(0.0, run.base, run);
  }
};

problems::Problem problem_of(const benchmark::State& state) {
  return state.range(0) == 7 ? problems::torus() : problems::squeezer();
}

void bm_array_residual(benchmark::State& state) {
  Started at(problem_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(at.run.corrector->evaluate(at.point()));
}
BENCHMARK(bm_array_residual)->ArgName("n")->Arg(7)->Arg(20);

void bm_array_assembly(benchmark::State& state) {
  Started at(problem_of(state));
  const analysis::ArrayJacobian jacobian(at.system.solver().array(), at.run.level);
  std::vector<double> r(to_size(jacobian.pattern().rows));
  std::vector<double> values(to_size(jacobian.pattern().nonzeros()));
  for (auto _ : state) {
    at.system.solver().array().linearize(at.point(), at.run.level, r, at.workspace);
    jacobian.assemble(at.workspace, values);
    benchmark::DoNotOptimize(values.data());
  }
  state.counters["entries"] = static_cast<double>(values.size());
}
BENCHMARK(bm_array_assembly)->ArgName("n")->Arg(7)->Arg(20);

/// Assembly in it.
void bm_array_factorization(benchmark::State& state) {
  Started at(problem_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(at.run.corrector->factor(at.point()));
}
BENCHMARK(bm_array_factorization)->ArgName("n")->Arg(7)->Arg(20);

void bm_array_correction(benchmark::State& state) {
  Started at(problem_of(state));
  std::vector<double> delta(at.run.base.size());
  for (auto _ : state) {
    at.run.corrector->correct(delta);
    benchmark::DoNotOptimize(delta.data());
  }
}
BENCHMARK(bm_array_correction)->ArgName("n")->Arg(7)->Arg(20);

void bm_array_start(benchmark::State& state) {
  const problems::Problem problem = problem_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(Started(problem).start.x.data());
}
BENCHMARK(bm_array_start)->ArgName("n")->Arg(7)->Arg(20)->Unit(benchmark::kMillisecond);

class Silent final : public integration::Observer {
 public:
  void on_output(double, std::span<const double>, std::span<const double>, Run&) override {}
  void on_step(const integration::StepReport&, const integration::Stepper&, Run&) override {}
  void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}
};

/// The least of many runs, in microseconds.
template <class Work>
double microseconds(Work work) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 200; ++i) {
    const auto begin = Clock::now();
    for (int k = 0; k < 10; ++k) work();
    const std::chrono::duration<double, std::micro> spent = Clock::now() - begin;
    least = std::min(least, spent.count() / 10.0);
  }
  return least;
}

/// What one of the 500 steps is made of: unit costs times their numbers.
void add_split(Started& at, benchmark::State& state) {
  constexpr double n_steps = 500.0;
  const double corrections = static_cast<double>(at.run.corrector->n_corrections()) / n_steps;
  const double factors = static_cast<double>(at.run.corrector->n_factorizations()) / n_steps;
  const analysis::ArrayJacobian jacobian(at.system.solver().array(), at.run.level);
  std::vector<double> r(to_size(jacobian.pattern().rows));
  std::vector<double> values(to_size(jacobian.pattern().nonzeros()));
  std::vector<double> delta(at.run.base.size());
  const auto point = at.system.solver().point(5.0, at.run.base, at.run);
  const double assembly = microseconds([&] {
    at.system.solver().array().linearize(point, at.run.level, r, at.workspace);
    jacobian.assemble(at.workspace, values);
  });
  const double factor = microseconds([&] { at.run.corrector->factor(point); });
  const double correction = microseconds([&] {
    at.run.corrector->evaluate(point);
    at.run.corrector->correct(delta);
  });
  state.counters["us_assembly"] = factors * assembly;
  state.counters["us_factorization"] = factors * (factor - assembly);
  state.counters["us_correction"] = corrections * correction;
  state.counters["corrections"] = corrections;
}

/// The steps alone: model, analysis and start are made before.
void bm_array_torus_500_steps(benchmark::State& state) {
  integration::StepOptions step;
  step.fixed_step = 0.01;
  integration::DriverOptions options;
  options.t1 = 5.0;
  Silent silent;
  std::optional<Started> at;
  for (auto _ : state) {
    state.PauseTiming();
    at.emplace(problems::torus());
    const auto stepper = integration::find_integrator("abm5").make_explicit(at->system, step, {});
    state.ResumeTiming();
    integration::drive(at->system, *stepper, at->run, at->start.x, at->start.xp, options, silent);
  }
  state.counters["us_step"] = benchmark::Counter(
      500e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  add_split(*at, state);
}
BENCHMARK(bm_array_torus_500_steps)->Unit(benchmark::kMillisecond);

/// From the model to the solution.
void bm_array_torus_solve(benchmark::State& state) {
  const Model model = problems::torus().model;
  SolveOptions options;
  options.method = "derivative-array";
  options.integrator = "abm5";
  options.fixed_step = 0.01;
  options.dense_output = false;
  for (auto _ : state) benchmark::DoNotOptimize(solve(model, {0.0, 5.0}, options).times.data());
}
BENCHMARK(bm_array_torus_solve)->Unit(benchmark::kMillisecond);

}  // namespace
