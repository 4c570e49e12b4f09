// SPDX-License-Identifier: BSD-3-Clause
/// Structural analysis per equation, from 100 to 100,000 equations: how near to linear it is.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "structure/block_triangular.hpp"
#include "structure/offsets.hpp"
#include "structure/tearing.hpp"

namespace daedal::structure {
namespace {

/// A chain of masses in the plane, joined by rods: x_p, y_p and the rod's force λ_p. Index 3.
Signature rod_chain(Index n_equations) {
  const Index n = n_equations / 3;
  Signature signature(3 * n);
  for (Index p = 0; p < n; ++p) {
    const Index x = 3 * p;
    const Index lambda = x + 2;
    std::vector<SignatureEntry> rod;
    for (const Index q : {x, x + 1}) {
      std::vector<SignatureEntry> force = {{q, 2}, {lambda, 0}};
      rod.push_back({q, 0});
      if (p > 0) {
        force.push_back({q - 3, 0});
        rod.push_back({q - 3, 0});
      }
      if (p + 1 < n) {
        force.push_back({q + 3, 0});
        force.push_back({lambda + 3, 0});
      }
      signature.add_row(force);
    }
    signature.add_row(rod);
  }
  return signature;
}

/// Every equation has a column of its own, by a random permutation, and three more at random, with
/// orders up to 2: the hardest graphs there are for an assignment.
Signature random_graph(Index n) {
  std::mt19937 random(1);
  std::vector<Index> own(to_size(n));
  std::iota(own.begin(), own.end(), Index{0});
  std::shuffle(own.begin(), own.end(), random);
  std::uniform_int_distribution<Index> column(0, n - 1);
  std::uniform_int_distribution<Index> order(0, 2);
  Signature signature(n);
  for (Index i = 0; i < n; ++i) {
    std::vector<SignatureEntry> row = {{own[to_size(i)], order(random)}};
    for (int k = 0; k < 3; ++k) row.push_back({column(random), order(random)});
    signature.add_row(row);
  }
  return signature;
}

void per_equation(benchmark::State& state, Index n) {
  state.SetComplexityN(n);
  state.counters["s/equation"] =
      benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate |
                                                     benchmark::Counter::kInvert);
}

void sigma_method(benchmark::State& state) {
  const Signature signature = rod_chain(state.range(0));
  for (auto _ : state) {
    const auto assignment = highest_value_transversal(signature);
    benchmark::DoNotOptimize(canonical_offsets(signature, *assignment));
  }
  per_equation(state, signature.n_rows());
}
BENCHMARK(sigma_method)->RangeMultiplier(10)->Range(100, 100000)->Complexity();

void sigma_method_on_random_graphs(benchmark::State& state) {
  const Signature signature = random_graph(state.range(0));
  for (auto _ : state) {
    const auto assignment = highest_value_transversal(signature);
    benchmark::DoNotOptimize(canonical_offsets(signature, *assignment));
  }
  per_equation(state, signature.n_rows());
}
BENCHMARK(sigma_method_on_random_graphs)->RangeMultiplier(10)->Range(100, 100000)->Complexity();

void blocks(benchmark::State& state) {
  const Signature signature = rod_chain(state.range(0));
  const auto assignment = highest_value_transversal(signature);
  const Offsets offsets = canonical_offsets(signature, *assignment);
  for (auto _ : state) {
    const Incidence pattern = system_jacobian_pattern(signature, offsets);
    benchmark::DoNotOptimize(block_triangular_form(pattern, assignment->transversal));
  }
  per_equation(state, signature.n_rows());
}
BENCHMARK(blocks)->RangeMultiplier(10)->Range(100, 100000)->Complexity();

void tearing(benchmark::State& state) {
  const Signature signature = rod_chain(state.range(0));
  const auto assignment = highest_value_transversal(signature);
  const Incidence pattern =
      system_jacobian_pattern(signature, canonical_offsets(signature, *assignment));
  for (auto _ : state) benchmark::DoNotOptimize(tear(pattern));
  per_equation(state, signature.n_rows());
}
BENCHMARK(tearing)->RangeMultiplier(10)->Range(100, 100000)->Complexity();

}  // namespace
}  // namespace daedal::structure
