// SPDX-License-Identifier: BSD-3-Clause
// The memory of long runs: a heat equation of n unknowns with an observer that is shown 100 columns
// at `points` output points. `MB` is the greatest resident size of the process, so that each case
// needs a process of its own: streaming_bench --benchmark_filter=bm_streaming/100000/10000
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <daedal/solve.hpp>
#include <string>
#include <vector>

namespace daedal {
namespace {

constexpr int n_columns = 100;

std::string name_of(int i) {
  return "T[" + std::to_string(i) + "]";
}

Model heat(int n) {
  ModelBuilder b("Heat");
  std::vector<Expr> t;
  for (int i = 0; i < n; ++i) {
    t.push_back(b.variable(name_of(i), {.start = i < n / 2 ? 1.0 : 0.0, .fixed = true}));
  }
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int k) { return t[static_cast<std::size_t>(k)]; };
    const Expr left = i > 0 ? at(i - 1) : Expr(1.0), right = i + 1 < n ? at(i + 1) : Expr(0.0);
    b.equation(der(at(i)) == 1e4 * (left - 2 * at(i) + right));
  }
  return b.build();
}

void bm_streaming(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  SolveOptions options{.interval = 1.0 / static_cast<double>(state.range(1)), .keep_rows = false};
  for (int i = 0; i < n_columns; ++i) options.columns.push_back(name_of(i * (n / n_columns)));
  std::size_t n_rows = 0;
  options.observer.on_output = [&](double, std::span<const double>) {
    ++n_rows;
    return Flow::go_on;
  };
  for (auto _ : state) {
    const Solution s = solve(heat(n), {0.0, 1.0}, options);
    if (!is_success(s.status)) state.SkipWithError(s.message.c_str());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["MB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  state.counters["rows"] = static_cast<double>(n_rows);
}
BENCHMARK(bm_streaming)
    ->Args({100'000, 100})
    ->Args({100'000, 10'000})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace daedal
