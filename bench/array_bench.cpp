// SPDX-License-Identifier: BSD-3-Clause
/// Derivative arrays on the torus of Campbell and Moore (n = 7, k = 3): assembly, factorisation,
/// correction, and the 500 steps of their Table 5 as a whole.

#include <benchmark/benchmark.h>

#include <daedal/solve.hpp>
#include <vector>

#include "formulation/derivative_array_system.hpp"
#include "problems/problems.hpp"

namespace {

using namespace daedal;

struct Torus {
  Model model = problems::torus().model;
  formulation::ArraySystem system{general_view(model), model.parameter_values(), {}, {}};
  std::unique_ptr<Run> base = system.make_run();
  formulation::ArrayRun& run = static_cast<formulation::ArrayRun&>(*base);
  Torus() { static_cast<void>(system.start(0.0, run)); }
  [[nodiscard]] analysis::ArrayPoint point() const { return system.point(0.0, run.base, run); }
};

void bm_array_residual(benchmark::State& state) {
  Torus torus;
  for (auto _ : state) benchmark::DoNotOptimize(torus.run.corrector->evaluate(torus.point()));
}
BENCHMARK(bm_array_residual);

void bm_array_assembly(benchmark::State& state) {
  Torus torus;
  auto workspace = torus.system.array().make_workspace();
  std::vector<double> r(28);
  Matrix jacobian(28, 35);
  for (auto _ : state) {
    torus.system.array().linearize(torus.point(), 3, r, workspace);
    torus.system.array().assemble(3, workspace, jacobian);
    benchmark::DoNotOptimize(jacobian.data());
  }
}
BENCHMARK(bm_array_assembly);

void bm_array_factorization(benchmark::State& state) {
  Torus torus;
  for (auto _ : state) benchmark::DoNotOptimize(torus.run.corrector->factor(torus.point()));
}
BENCHMARK(bm_array_factorization);

void bm_array_correction(benchmark::State& state) {
  Torus torus;
  std::vector<double> delta(35);
  torus.run.corrector->factor(torus.point());
  for (auto _ : state) {
    torus.run.corrector->correct(delta);
    benchmark::DoNotOptimize(delta.data());
  }
}
BENCHMARK(bm_array_correction);

void bm_array_torus_500_steps(benchmark::State& state) {
  const Model model = problems::torus().model;
  Options options;
  options.method = "derivative-array";
  options.integrator = "abm5";
  options.fixed_step = 0.01;
  options.keep_dense = false;
  for (auto _ : state) benchmark::DoNotOptimize(solve(model, {0.0, 5.0}, options).times.data());
}
BENCHMARK(bm_array_torus_500_steps)->Unit(benchmark::kMillisecond);

}  // namespace
