// SPDX-License-Identifier: BSD-3-Clause
/// Linear algebra in the stepping loop: where dense LU gives way to KLU, and what the saddle-point
/// solver costs on the squeezer and on chains of links, beside KLU on the same matrix.

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "linalg/saddle_point.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace {

using namespace daedal;
using namespace daedal::linalg;

struct Sparse {
  SparsityPattern pattern;
  std::vector<double> values;

  explicit Sparse(Index rows, Index columns)
      : pattern{.rows = rows, .columns = columns, .column_start = {0}, .row = {}} {}
  void add(Index row, double value) {
    pattern.row.push_back(row);
    values.push_back(value);
  }
  void end_column() { pattern.column_start.push_back(to_index(pattern.row.size())); }
};

/// A diagonally dominant matrix with `per_row` entries a row beside the diagonal, on average.
Sparse random_matrix(Index n, double per_row) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Sparse a(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const bool chosen = std::abs(uniform(random)) * static_cast<double>(n) < per_row;
      if (i == j) {
        a.add(i, 4.0 + uniform(random));
      } else if (chosen) {
        a.add(i, uniform(random));
      }
    }
    a.end_column();
  }
  return a;
}

void factor_and_solve(benchmark::State& state, const Sparse& a, Storage storage) {
  const auto solver = make_real_solver(a.pattern, storage);
  std::vector<double> x(to_size(a.pattern.columns), 1.0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(solver->factor(a.values));
    solver->solve(x);
    benchmark::DoNotOptimize(x.data());
  }
  state.counters["nonzeros"] = static_cast<double>(a.pattern.nonzeros());
}

void bm_dense(benchmark::State& state) {
  factor_and_solve(state, random_matrix(state.range(0), static_cast<double>(state.range(1))),
                   Storage::dense);
}
void bm_klu(benchmark::State& state) {
  factor_and_solve(state, random_matrix(state.range(0), static_cast<double>(state.range(1))),
                   Storage::sparse);
}
// Entries a row: about 3 (bodies, circuits), about 8 (coupled models), all.
#define CROSSOVER ArgsProduct({{4, 8, 12, 16, 24, 32, 48, 64, 96}, {2, 8, 1000}})
BENCHMARK(bm_dense)->CROSSOVER;
BENCHMARK(bm_klu)->CROSSOVER;

/// I + 100·(five-point Laplacian) on m by m points.
Sparse grid(Index m) {
  Sparse a(m * m, m * m);
  for (Index k = 0; k < m * m; ++k) {
    if (k >= m) a.add(k - m, -100.0);
    if (k % m > 0) a.add(k - 1, -100.0);
    a.add(k, 401.0);
    if (k % m < m - 1) a.add(k + 1, -100.0);
    if (k < m * (m - 1)) a.add(k + m, -100.0);
    a.end_column();
  }
  return a;
}

void bm_grid_klu(benchmark::State& state) {
  factor_and_solve(state, grid(state.range(0)), Storage::sparse);
}
void bm_grid_fronts(benchmark::State& state) {
  factor_and_solve(state, grid(state.range(0)), Storage::frontal);
}
#define GRIDS Arg(20)->Arg(40)->Arg(60)->Arg(80)->Arg(100)->Arg(200)->Arg(300)
BENCHMARK(bm_grid_klu)->GRIDS->Unit(benchmark::kMillisecond);
BENCHMARK(bm_grid_fronts)->GRIDS->Unit(benchmark::kMillisecond);

struct Mechanism {
  Sparse mass;
  Sparse constraints;
};

/// Andrews' squeezer: the patterns of M and G and values of the right magnitudes at its start.
Mechanism squeezer() {
  Mechanism result{Sparse(7, 7), Sparse(6, 7)};
  const double full[7][7] = {{2.9e-6, 7.2e-7, 0, 0, 0, 0, 0}, {7.2e-7, 9.2e-7, 0, 0, 0, 0, 0},
                             {0, 0, 1.6e-5, 0, 0, 0, 0},      {0, 0, 0, 8.0e-7, 1.2e-6, 0, 0},
                             {0, 0, 0, 1.2e-6, 6.8e-5, 0, 0}, {0, 0, 0, 0, 0, 8.0e-7, 1.2e-6},
                             {0, 0, 0, 0, 0, 1.2e-6, 4.3e-5}};
  const double g[6][7] = {
      {-1.3e-3, -1.7e-3, -3.1e-2, 0, 0, 0, 0},      {-2.1e-2, -2.8e-2, -1.5e-2, 0, 0, 0, 0},
      {-1.3e-3, -1.7e-3, 0, -1.5e-2, 3.5e-3, 0, 0}, {-2.1e-2, -2.8e-2, 0, -1.3e-2, -4.8e-2, 0, 0},
      {-1.3e-3, -1.7e-3, 0, 0, 0, 1.7e-2, 3.5e-3},  {-2.1e-2, -2.8e-2, 0, 0, 0, -1.1e-2, -4.8e-2}};
  for (Index j = 0; j < 7; ++j) {
    for (Index i = 0; i < 7; ++i) {
      if (full[i][j] != 0.0) result.mass.add(i, full[i][j]);
    }
    result.mass.end_column();
    for (Index i = 0; i < 6; ++i) {
      if (g[i][j] != 0.0) result.constraints.add(i, g[i][j]);
    }
    result.constraints.end_column();
  }
  return result;
}

/// An open chain of links in the plane: coordinates x, y, θ and two joint constraints a link.
Mechanism chain(Index n_links) {
  Mechanism result{Sparse(3 * n_links, 3 * n_links), Sparse(2 * n_links, 3 * n_links)};
  for (Index i = 0; i < n_links; ++i) {
    const double phi = 0.7 * static_cast<double>(i);
    const double arm[2] = {0.5 * std::sin(phi), -0.5 * std::cos(phi)};
    const bool has_next = i + 1 < n_links;
    for (Index c = 0; c < 3; ++c) {
      result.mass.add(3 * i + c, c < 2 ? 1.0 : 1.0 / 12.0);
      result.mass.end_column();
    }
    for (Index c = 0; c < 2; ++c) {
      result.constraints.add(2 * i + c, 1.0);
      if (has_next) result.constraints.add(2 * i + 2 + c, -1.0);
      result.constraints.end_column();
    }
    for (Index r = 0; r < (has_next ? 4 : 2); ++r) result.constraints.add(2 * i + r, arm[r % 2]);
    result.constraints.end_column();
  }
  return result;
}

/// [M Gᵀ; G 0] as one matrix.
Sparse assembled(const Mechanism& mechanism) {
  const SparsityPattern& m = mechanism.mass.pattern;
  const SparsityPattern& g = mechanism.constraints.pattern;
  const Index n = m.columns;
  Sparse k(n + g.rows, n + g.rows);
  for (Index j = 0; j < n; ++j) {
    for (Index p = m.column_start[to_size(j)]; p < m.column_start[to_size(j + 1)]; ++p) {
      k.add(m.row[to_size(p)], mechanism.mass.values[to_size(p)]);
    }
    for (Index p = g.column_start[to_size(j)]; p < g.column_start[to_size(j + 1)]; ++p) {
      k.add(n + g.row[to_size(p)], mechanism.constraints.values[to_size(p)]);
    }
    k.end_column();
  }
  const TransposedPattern t = transpose(g);
  for (Index i = 0; i < g.rows; ++i) {
    for (Index p = t.pattern.column_start[to_size(i)]; p < t.pattern.column_start[to_size(i + 1)];
         ++p) {
      k.add(t.pattern.row[to_size(p)], mechanism.constraints.values[to_size(t.source[to_size(p)])]);
    }
    k.end_column();
  }
  return k;
}

void saddle_point(benchmark::State& state, const Mechanism& mechanism) {
  SaddlePointSolver solver(mechanism.mass.pattern, mechanism.constraints.pattern);
  const auto& mass = mechanism.mass.values;
  const auto& g = mechanism.constraints.values;
  std::vector<double> x(to_size(solver.n_coordinates() + solver.n_constraints()), 1.0);
  const auto n = to_size(solver.n_coordinates());
  const SaddlePointSolver::Sides sides{std::span(x).first(n), std::span(x).subspan(n)};
  for (auto _ : state) {
    const SaddlePointReport report = solver.factor_and_solve(mass, g, sides);
    if (!report.ok || report.pivoted) state.SkipWithError("the static order failed");
    benchmark::DoNotOptimize(x.data());
    for (double& v : x) v = 1.0;
  }
  state.counters["nonzeros"] = static_cast<double>(solver.nonzeros());
  state.counters["operations"] = static_cast<double>(solver.n_operations());
}

/// The benchmark's third column of figures: seconds a link.
void per_link(benchmark::State& state) {
  state.counters["per_link"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void bm_squeezer_saddle_point(benchmark::State& state) {
  saddle_point(state, squeezer());
}
void bm_squeezer_dense(benchmark::State& state) {
  factor_and_solve(state, assembled(squeezer()), Storage::dense);
}
void bm_squeezer_klu(benchmark::State& state) {
  factor_and_solve(state, assembled(squeezer()), Storage::sparse);
}
BENCHMARK(bm_squeezer_saddle_point);
BENCHMARK(bm_squeezer_dense);
BENCHMARK(bm_squeezer_klu);

void bm_chain_saddle_point(benchmark::State& state) {
  saddle_point(state, chain(state.range(0)));
  per_link(state);
}
void bm_chain_klu(benchmark::State& state) {
  factor_and_solve(state, assembled(chain(state.range(0))), Storage::sparse);
  per_link(state);
}
BENCHMARK(bm_chain_saddle_point)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK(bm_chain_klu)->RangeMultiplier(10)->Range(10, 100000);

}  // namespace
