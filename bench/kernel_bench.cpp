// SPDX-License-Identifier: BSD-3-Clause
// Kernels against the same formulas compiled by the compiler.
//
// Counters: ns_per_op is the time for one arithmetic operation of the expression (and for one
// lane, where there are lanes; for one coefficient, where there are series); against_compiled
// divides it by that of compiled code, measured in the same run.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <vector>

#include "kernel/backends.hpp"
#include "kernel/jacobian_program.hpp"
#include "kernel/program.hpp"
#include "kernel_models.hpp"

namespace daedal::bench {
namespace {

template <class Model>
struct Compiled {
  Compiled() {
    std::array<Expr, Model::n_inputs> x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      leaves.push_back(pool.variable(static_cast<SymbolId>(i)));
      x[i] = Expr(pool, leaves.back());
      inputs.push_back({leaves.back(), 0, to_index(i)});
      point[i] = 0.3 + 0.01 * static_cast<double>(i * i % 17);
    }
    std::array<Expr, Model::n_outputs> out;
    Model::template evaluate<Expr>(x, out);
    for (const Expr& e : out) roots.push_back(e.in(pool));
    program = kernel::Program::compile(pool, roots, inputs);
  }
  Pool pool;
  std::vector<NodeId> leaves;
  std::vector<NodeId> roots;
  std::vector<kernel::Input> inputs;
  kernel::Program program;
  std::array<double, Model::n_inputs> point{};
};

template <class Model>
[[gnu::noinline]] void native(const std::array<double, Model::n_inputs>& x,
                              std::array<double, Model::n_outputs>& out) {
  Model::template evaluate<double>(x, out);
}

/// Seconds of one call, the best of several batches.
template <class Action>
double seconds_of(Action action) {
  constexpr int batch = 2000;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < batch; ++k) action();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / batch);
  }
  return best;
}

template <class Model>
double native_seconds(const Compiled<Model>& model) {
  std::array<double, Model::n_outputs> out{};
  return seconds_of([&] {
    native<Model>(model.point, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  });
}

/// Reports the time per operation; `work` is how many operations one iteration does.
void report(benchmark::State& state, double work) {
  state.counters["ns_per_op"] = benchmark::Counter(
      1e-9 * work, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void report_against(benchmark::State& state, double seconds) {
  state.counters["against_compiled"] = benchmark::Counter(
      seconds, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Model>
void compiled(benchmark::State& state) {
  const Compiled<Model> model;
  std::array<double, Model::n_outputs> out{};
  for (auto _ : state) {
    native<Model>(model.point, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  report(state, static_cast<double>(model.program.n_operations()));
  state.counters["operations"] = static_cast<double>(model.program.n_operations());
}

template <class Model>
void interpreter(benchmark::State& state) {
  const Compiled<Model> model;
  const double reference = native_seconds(model);
  kernel::Workspace workspace = model.program.make_workspace();
  std::vector<double> out(Model::n_outputs);
  const double* block = model.point.data();
  for (auto _ : state) {
    model.program.evaluate({&block, 1}, out, workspace);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  report(state, static_cast<double>(model.program.n_operations()));
  report_against(state, reference);
  state.counters["instructions"] = static_cast<double>(model.program.n_instructions());
}

template <class Model>
void lanes(benchmark::State& state) {
  const auto backends = kernel::available_lane_backends();
  const auto number = static_cast<std::size_t>(state.range(0));
  if (number >= backends.size()) {
    state.SkipWithError("this machine has no such instruction set");
    return;
  }
  state.SetLabel(backends[number]->name);
  const Compiled<Model> model;
  constexpr auto n_lanes = static_cast<std::size_t>(kernel::Program::n_lanes);
  std::vector<double> x;
  for (const double value : model.point) {
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      x.push_back(value + 0.01 * static_cast<double>(lane));
    }
  }
  const double reference = native_seconds(model);
  kernel::LaneWorkspace workspace = model.program.make_lane_workspace(backends[number]->name);
  std::vector<double> out(Model::n_outputs * n_lanes);
  const double* block = x.data();
  for (auto _ : state) {
    model.program.evaluate_lanes({&block, 1}, out, workspace);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  report(state, static_cast<double>(n_lanes) * static_cast<double>(model.program.n_operations()));
  report_against(state, static_cast<double>(n_lanes) * reference);
}

template <class Model>
void taylor(benchmark::State& state) {
  const auto order = static_cast<int>(state.range(0));
  const Compiled<Model> model;
  const std::size_t n = Model::n_inputs;
  std::vector<double> x((static_cast<std::size_t>(order) + 1) * n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = i < n ? model.point[i] : 0.1 / (1.0 + static_cast<double>(i));
  }
  const kernel::SeriesBlock block{x.data(), to_index(n), order + 1};
  kernel::TaylorWorkspace workspace = model.program.make_taylor_workspace(order);
  std::vector<double> out((static_cast<std::size_t>(order) + 1) * Model::n_outputs);
  for (auto _ : state) {
    model.program.evaluate_taylor(order, {&block, 1}, out, workspace);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  report(state, (order + 1.0) * static_cast<double>(model.program.n_operations()));
}

/// All nonzeros and the values in one program, against the values alone.
template <class Model>
void jacobian(benchmark::State& state) {
  Compiled<Model> model;
  const kernel::JacobianProgram program =
      kernel::JacobianProgram::compile(model.pool, {.roots = model.roots,
                                                    .groups = {model.leaves},
                                                    .inputs = model.inputs,
                                                    .with_values = true});
  kernel::JacobianWorkspace workspace = program.make_workspace();
  std::vector<double> nonzeros(to_size(program.pattern().nonzeros()));
  std::vector<double> out(Model::n_outputs);
  const std::array<std::span<double>, 1> arrays{nonzeros};
  const double* block = model.point.data();
  kernel::Workspace plain = model.program.make_workspace();
  const double reference = seconds_of([&] {
    model.program.evaluate({&block, 1}, out, plain);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  });
  for (auto _ : state) {
    program.evaluate({&block, 1}, arrays, workspace, out);
    benchmark::DoNotOptimize(nonzeros.data());
    benchmark::ClobberMemory();
  }
  state.counters["against_evaluation"] = benchmark::Counter(
      reference, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["nonzeros"] = static_cast<double>(nonzeros.size());
}

/// From expressions to a program.
template <class Model>
void compilation(benchmark::State& state) {
  const Compiled<Model> model;
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernel::Program::compile(model.pool, model.roots, model.inputs));
  }
  report(state, static_cast<double>(model.program.n_operations()));
}

BENCHMARK(compiled<Springs>);
BENCHMARK(interpreter<Springs>);
BENCHMARK(lanes<Springs>)->DenseRange(0, 2);
BENCHMARK(taylor<Springs>)->Arg(20);
BENCHMARK(jacobian<Springs>);
BENCHMARK(compilation<Springs>);
BENCHMARK(compiled<Squeezer>);
BENCHMARK(interpreter<Squeezer>);
BENCHMARK(lanes<Squeezer>)->DenseRange(0, 2);
BENCHMARK(taylor<Squeezer>)->Arg(20);
BENCHMARK(jacobian<Squeezer>);
BENCHMARK(compilation<Squeezer>);

}  // namespace
}  // namespace daedal::bench
