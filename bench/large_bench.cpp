// SPDX-License-Identifier: BSD-3-Clause
// Whole runs of large systems, from the model to the end, and how time and memory grow: each case
// is run with n unknowns and with about a quarter of them, each in a process of its own, whose
// processor time and greatest resident size it tells with the exponents between the two.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <daedal/solve.hpp>
#include <vector>

namespace daedal {
namespace {

using Grid = std::vector<std::vector<Expr>>;

Grid variables(ModelBuilder& b, const std::string& name, int rows, int columns, bool is_fixed) {
  Grid grid(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (int j = 0; j < columns; ++j) {
      grid[i].push_back(
          b.variable(name + "[" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "]",
                     is_fixed ? VariableOptions{.start = 0.0, .fixed = true} : VariableOptions{}));
    }
  }
  return grid;
}

/// What the grid has there, or the boundary.
Expr at(const Grid& grid, int i, int j, double boundary) {
  const bool is_inside = i >= 0 && i < static_cast<int>(grid.size()) && j >= 0 &&
                         j < static_cast<int>(grid.front().size());
  return is_inside ? grid[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]
                   : Expr(boundary);
}

Expr laplacian(const Grid& u, int i, int j) {
  return at(u, i - 1, j, 0.0) + at(u, i + 1, j, 0.0) + at(u, i, j - 1, 0.0) + at(u, i, j + 1, 0.0) -
         4.0 * at(u, i, j, 0.0);
}

/// A plate of m by m points, heated evenly from 0 on and cold at its edges.
Model heat(int m) {
  ModelBuilder b("Heat");
  const Grid u = variables(b, "u", m, m, true);
  const double scale = (m + 1.0) * (m + 1.0);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j)
      b.equation(der(at(u, i, j, 0.0)) == 1.0 + scale * laplacian(u, i, j));
  }
  return b.build();
}

/// A rod of m² points.
Model rod(int m) {
  ModelBuilder b("Rod");
  const int n = m * m;
  const Grid u = variables(b, "u", 1, n, true);
  for (int j = 0; j < n; ++j) {
    b.equation(der(at(u, 0, j, 0.0)) ==
               1e4 * (at(u, 0, j - 1, 1.0) - 2.0 * at(u, 0, j, 0.0) + at(u, 0, j + 1, 0.0)));
  }
  return b.build();
}

/// A driven cavity of m by m cells, index 2: velocities on the faces, pressures in the cells that
/// keep what flows in and out of them equal. The pressure of the first cell is 0.
Model cavity(int m) {
  ModelBuilder b("Cavity");
  const Grid u = variables(b, "u", m - 1, m, true), v = variables(b, "v", m, m - 1, true);
  const Grid p = variables(b, "p", m, m, false);
  const double h = 1.0 / m, viscosity = 0.01 / (h * h);
  const Expr lid = 1.0 - exp(-5.0 * b.time());
  for (int i = 0; i < m - 1; ++i) {
    for (int j = 0; j < m; ++j) {
      const Expr x = at(u, i, j, 0.0);
      const Expr flow = x * (at(u, i + 1, j, 0.0) - at(u, i - 1, j, 0.0)) / (2.0 * h);
      b.equation(der(x) + flow ==
                 viscosity * (laplacian(u, i, j) + (j == m - 1 ? lid : Expr(0.0))) -
                     (at(p, i + 1, j, 0.0) - at(p, i, j, 0.0)) / h);
      const Expr y = at(v, j, i, 0.0);
      const Expr rise = y * (at(v, j, i + 1, 0.0) - at(v, j, i - 1, 0.0)) / (2.0 * h);
      b.equation(der(y) + rise ==
                 viscosity * laplacian(v, j, i) - (at(p, j, i + 1, 0.0) - at(p, j, i, 0.0)) / h);
    }
  }
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      if (i == 0 && j == 0) {
        b.equation(at(p, 0, 0, 0.0) == 0.0);
        continue;
      }
      b.equation(
          at(u, i, j, 0.0) - at(u, i - 1, j, 0.0) + at(v, i, j, 0.0) - at(v, i, j - 1, 0.0) == 0.0);
    }
  }
  return b.build();
}

struct Cost {
  double seconds = 0.0, megabytes = 0.0;
  bool is_done = false;
};

Cost cost_of(Model (*model)(int), int m) {
  const pid_t child = fork();
  if (child == 0) {
    const Solution s = solve(model(m), {0.0, 1.0}, {.keep_rows = false});
    _exit(is_success(s.status) ? 0 : 1);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .megabytes = static_cast<double>(usage.ru_maxrss) / 1024.0,
          .is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

void bm_large(benchmark::State& state, Model (*model)(int)) {
  const auto m = static_cast<int>(state.range(0));
  Cost small, large;
  for (auto _ : state) {
    small = cost_of(model, m / 2);
    large = cost_of(model, m);
    if (!small.is_done || !large.is_done) state.SkipWithError("a run failed");
  }
  state.counters["s"] = large.seconds;
  state.counters["MB"] = large.megabytes;
  state.counters["time_exponent"] = std::log(large.seconds / small.seconds) / std::log(4.0);
  state.counters["memory_exponent"] = std::log(large.megabytes / small.megabytes) / std::log(4.0);
}

void once(benchmark::internal::Benchmark* b) {
  b->Iterations(1)->Unit(benchmark::kSecond);
}

BENCHMARK_CAPTURE(bm_large, heat_2d, heat)->Arg(100)->Arg(200)->Arg(300)->Arg(600)->Apply(once);
BENCHMARK_CAPTURE(bm_large, heat_1d, rod)->Arg(100)->Arg(300)->Arg(1000)->Apply(once);
BENCHMARK_CAPTURE(bm_large, cavity_index_2, cavity)->Arg(16)->Arg(32)->Arg(64)->Apply(once);

}  // namespace
}  // namespace daedal
