// SPDX-License-Identifier: BSD-3-Clause
/// From an exported text to the first step, phase by phase, for about 2,000 equations; memory over
/// the size of the text.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

#include "analysis/structural_report.hpp"
#include "bench/exported_chain.hpp"
#include "formulation/frame/registry.hpp"
#include "model/simplify/simplify.hpp"

namespace {

using namespace daedal;

constexpr std::int64_t n_links = 69;  // 2,003 equations

const std::string& text() {
  static const std::string chain = bench::exported_chain(n_links);
  return chain;
}

const Model& parsed() {
  static const Model model = parse_model(text());
  return model;
}

const Simplified& simplified() {
  static const Simplified result = simplify(parsed());
  return result;
}

formulation::Request request() {
  formulation::Request result;
  result.model = simplified().model;
  result.parameters = result.model.parameter_values();
  return result;
}

formulation::Formulation formulated() {
  return formulation::find_method("dummy-derivatives").make(request());
}

void bm_1_parse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_model(text()).equations().size());
  state.counters["equations"] = static_cast<double>(parsed().equations().size());
  state.counters["text_bytes"] = static_cast<double>(text().size());
}
BENCHMARK(bm_1_parse)->Unit(benchmark::kMillisecond);

void bm_2_simplify(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(simplify(parsed()).model.variables().size());
  state.counters["unknowns_left"] = static_cast<double>(simplified().model.variables().size());
}
BENCHMARK(bm_2_simplify)->Unit(benchmark::kMillisecond);

/// Structure, differentiation of the constraints, compilation of all programs.
void bm_3_analyse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(formulated().implicit_system);
}
BENCHMARK(bm_3_analyse)->Unit(benchmark::kMillisecond);

void bm_4_initialise(benchmark::State& state) {
  const auto formulation = formulated();
  for (auto _ : state) {
    const auto run = formulation.system().make_run();
    const formulation::Start start = formulation.start(0.0, *run);
    if (start.status != Status::success) state.SkipWithError(start.message.c_str());
  }
}
BENCHMARK(bm_4_initialise)->Unit(benchmark::kMillisecond);

/// Everything from the text to the end of a run of so many hundredths of a second; 0: one step.
void bm_5_text_to_time(benchmark::State& state) {
  SolveOptions options;
  options.method = "dummy-derivatives";
  options.dense_output = false;
  if (state.range(0) == 0) options.max_steps = 1;
  const double stop = state.range(0) == 0 ? 1.0 : 0.01 * static_cast<double>(state.range(0));
  std::int64_t steps = 0;
  for (auto _ : state) {
    const Solution solution = solve(parse_model(text()), {0.0, stop}, options);
    steps = solution.statistics.steps;
    const bool is_one_step = state.range(0) == 0 && solution.status == Status::max_steps_reached;
    if (solution.status != Status::success && !is_one_step)
      state.SkipWithError(solution.message.c_str());
  }
  state.counters["steps"] = static_cast<double>(steps);
}
BENCHMARK(bm_5_text_to_time)->Arg(0)->Arg(100)->Unit(benchmark::kMillisecond);

/// The greatest memory of the program so far. Sizes ascend, so each is its own; for the slope run
/// each in a process of its own.
void bm_memory_of_parsing(benchmark::State& state) {
  const std::string chain = bench::exported_chain(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(parse_model(chain).equations().size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["text_MB"] = static_cast<double>(chain.size()) / 1e6;
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1e3;
}
BENCHMARK(bm_memory_of_parsing)
    ->Arg(135)
    ->Arg(270)
    ->Arg(540)
    ->Arg(840)
    ->Arg(1680)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
