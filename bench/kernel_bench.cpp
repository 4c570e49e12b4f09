// SPDX-License-Identifier: BSD-3-Clause
// Kernels against the same formulas compiled by the compiler.
//
// Counters, from the best of many short batches: ns_per_op is the time of one arithmetic operation
// of the expression (per lane, where there are lanes; per coefficient, where there are series);
// against_compiled and against_evaluation divide the time by that of compiled code and of one
// evaluation of the values by the interpreter, measured in the same run.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <daedal/native.hpp>
#include <limits>
#include <vector>

#include "kernel/jacobian_program.hpp"
#include "kernel/lanes/backends.hpp"
#include "kernel/native/native_code.hpp"
#include "kernel/program.hpp"
#include "kernel/taylor.hpp"
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
    // The machine code has a benchmark of its own: programs stay with the interpreter.
    set_native_code(false);
    program = kernel::Program::compile(pool, roots, inputs);
  }

  [[nodiscard]] double n_operations() const { return static_cast<double>(program.n_operations()); }
  [[nodiscard]] double evaluation_seconds() const;

  Pool pool;
  std::vector<NodeId> leaves;
  std::vector<NodeId> roots;
  std::vector<kernel::Input> inputs;
  kernel::Program program;
  std::array<double, Model::n_inputs> point{};
};

template <class Model>
[[gnu::noinline]] void straight(const std::array<double, Model::n_inputs>& x,
                                std::array<double, Model::n_outputs>& out) {
  Model::template evaluate<double>(x, out);
}

/// Seconds of one call, the best of many batches: what else runs on the machine counts least.
template <class Action>
double seconds_of(Action action) {
  constexpr int batch = 50;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 400; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < batch; ++k) {
      action();
      benchmark::ClobberMemory();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / batch);
  }
  return best;
}

/// Times `action` and reports the time of one of its `n_operations` operations.
template <class Action>
double measure(benchmark::State& state, double n_operations, Action action) {
  for (auto _ : state) {
    action();
    benchmark::ClobberMemory();
  }
  const double seconds = seconds_of(action);
  state.counters["ns_per_op"] = 1e9 * seconds / n_operations;
  return seconds;
}

/// One evaluation of the values by the interpreter.
template <class Model>
double Compiled<Model>::evaluation_seconds() const {
  kernel::Workspace workspace = program.make_workspace();
  std::vector<double> out(Model::n_outputs);
  const double* block = point.data();
  return seconds_of([&] { program.evaluate({&block, 1}, out, workspace); });
}

template <class Model>
double straight_seconds(const Compiled<Model>& model) {
  std::array<double, Model::n_outputs> out{};
  benchmark::DoNotOptimize(out.data());
  return seconds_of([&] { straight<Model>(model.point, out); });
}

template <class Model>
void compiled(benchmark::State& state) {
  const Compiled<Model> model;
  std::array<double, Model::n_outputs> out{};
  benchmark::DoNotOptimize(out.data());
  measure(state, model.n_operations(), [&] { straight<Model>(model.point, out); });
  state.counters["operations"] = model.n_operations();
}

template <class Model>
void interpreter(benchmark::State& state) {
  const Compiled<Model> model;
  kernel::Workspace workspace = model.program.make_workspace();
  std::vector<double> out(Model::n_outputs);
  const double* block = model.point.data();
  const double seconds = measure(state, model.n_operations(),
                                 [&] { model.program.evaluate({&block, 1}, out, workspace); });
  state.counters["against_compiled"] = seconds / straight_seconds(model);
  state.counters["instructions"] = static_cast<double>(model.program.n_instructions());
}

/// Machine code of our own, and what it takes to make it.
void measure_native(benchmark::State& state, const kernel::Program& program, const double* block) {
  const auto native = kernel::NativeCode::make(*program.code());
  if (native == nullptr) {
    state.SkipWithError("this machine runs the interpreter alone");
    return;
  }
  const auto n_operations = static_cast<double>(program.n_operations());
  kernel::Workspace workspace = program.make_workspace();
  std::vector<double> registers(to_size(program.n_registers()));
  std::ranges::copy(program.code()->constants, registers.begin());
  std::vector<double> out(to_size(program.n_outputs()));
  const double seconds =
      measure(state, n_operations, [&] { native->run(&block, out.data(), registers.data()); });
  state.counters["against_interpreter"] =
      seconds / seconds_of([&] { program.evaluate({&block, 1}, out, workspace); });
  const double latency =
      seconds_of([&] { benchmark::DoNotOptimize(kernel::NativeCode::make(*program.code())); });
  state.counters["assemble_ns_per_op"] = 1e9 * latency / n_operations;
  state.counters["assemble_us"] = 1e6 * latency;
}

template <class Model>
void native(benchmark::State& state) {
  const Compiled<Model> model;
  measure_native(state, model.program, model.point.data());
  state.counters["against_compiled"] =
      state.counters["ns_per_op"].value * 1e-9 * model.n_operations() / straight_seconds(model);
}

template <class Model>
void native_jacobian(benchmark::State& state) {
  Compiled<Model> model;
  const kernel::JacobianProgram program =
      kernel::JacobianProgram::compile(model.pool, {.roots = model.roots,
                                                    .groups = {model.leaves},
                                                    .inputs = model.inputs,
                                                    .with_values = true});
  measure_native(state, program.program(), model.point.data());
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
  constexpr double n_lanes = kernel::Program::n_lanes;
  std::vector<double> x;
  for (const double value : model.point) {
    for (int lane = 0; lane < kernel::Program::n_lanes; ++lane) x.push_back(value + 0.01 * lane);
  }
  kernel::LaneWorkspace workspace = model.program.make_lane_workspace(backends[number]->name);
  std::vector<double> out(Model::n_outputs * static_cast<std::size_t>(n_lanes));
  const double* block = x.data();
  const double seconds = measure(state, n_lanes * model.n_operations(), [&] {
    model.program.evaluate_lanes({&block, 1}, out, workspace);
  });
  state.counters["against_compiled"] = seconds / n_lanes / straight_seconds(model);
}

template <class Model>
void taylor(benchmark::State& state) {
  const auto order = static_cast<int>(state.range(0));
  const auto n_coefficients = static_cast<std::size_t>(order) + 1;
  const Compiled<Model> model;
  const std::size_t n = Model::n_inputs;
  std::vector<double> x(n_coefficients * n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = i < n ? model.point[i] : 0.1 / (1.0 + static_cast<double>(i));
  }
  const kernel::SeriesBlock block{x.data(), to_index(n), order + 1};
  kernel::TaylorEvaluator series(model.program, order);
  std::vector<double> out(n_coefficients * Model::n_outputs);
  const double seconds = measure(state, static_cast<double>(n_coefficients) * model.n_operations(),
                                 [&] { series.evaluate(order, {&block, 1}, out); });
  state.counters["against_evaluation"] = seconds / model.evaluation_seconds();
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
  const double seconds = measure(state, static_cast<double>(program.program().n_operations()),
                                 [&] { program.evaluate({&block, 1}, arrays, workspace, out); });
  state.counters["against_evaluation"] = seconds / model.evaluation_seconds();
  state.counters["nonzeros"] = static_cast<double>(nonzeros.size());
}

/// From expressions to a program.
template <class Model>
void compilation(benchmark::State& state) {
  const Compiled<Model> model;
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernel::Program::compile(model.pool, model.roots, model.inputs));
  }
}

BENCHMARK(compiled<Springs>);
BENCHMARK(interpreter<Springs>);
BENCHMARK(native<Springs>);
BENCHMARK(native_jacobian<Springs>);
BENCHMARK(lanes<Springs>)->DenseRange(0, 2);
BENCHMARK(taylor<Springs>)->Arg(3)->Arg(20);
BENCHMARK(jacobian<Springs>);
BENCHMARK(compilation<Springs>);
BENCHMARK(compiled<Squeezer>);
BENCHMARK(interpreter<Squeezer>);
BENCHMARK(native<Squeezer>);
BENCHMARK(native_jacobian<Squeezer>);
BENCHMARK(lanes<Squeezer>)->DenseRange(0, 2);
BENCHMARK(taylor<Squeezer>)->Arg(3)->Arg(20);
BENCHMARK(jacobian<Squeezer>);
BENCHMARK(compilation<Squeezer>);

}  // namespace
}  // namespace daedal::bench
