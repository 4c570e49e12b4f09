// SPDX-License-Identifier: BSD-3-Clause
// What one call of a right-hand side costs that comes from a model, with its elimination of
// multipliers, against the same one written by hand in C++. Counters: `ns` of a call and
// `against_hand`, both the best of many short batches in turns, and `difference`, the greatest
// relative difference of the two results.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/modelica.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "formulation/frame/registry.hpp"
#include "model/simplify/simplify.hpp"
#include "problems/problems.hpp"
#include "right_sides_by_hand.hpp"

namespace daedal {
namespace {

using ByHand = void (*)(double, const double*, double*);

/// Twenty points on a sphere, from a spiral.
Model fekete() {
  return parse_model(R"(model Fekete
  parameter Integer n = 20;
  Real p[n,3](start = {{sqrt(1 - ((2*i - 1)/n - 1)^2)*cos(2.4*i), sqrt(1 - ((2*i - 1)/n - 1)^2)*sin(2.4*i),
                        (2*i - 1)/n - 1} for i in 1:n}, each fixed = false);
  Real v[n,3](each start = 0);
  Real l[n];
equation
  for i in 1:n loop
    for k in 1:3 loop
      der(p[i,k]) = v[i,k];
      der(v[i,k]) = sum(if j == i then 0 else (p[i,k] - p[j,k])/((p[i,1] - p[j,1])^2 + (p[i,2] - p[j,2])^2
                    + (p[i,3] - p[j,3])^2) for j in 1:n) - 0.5*v[i,k] - l[i]*p[i,k];
    end for;
    p[i,1]^2 + p[i,2]^2 + p[i,3]^2 = 1;
  end for;
end Fekete;
)");
}

template <class Action>
double batch_seconds(int calls, Action action) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < calls; ++k) {
    action();
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

void right_side(benchmark::State& state, const Model& model, ByHand by_hand) {
  formulation::Request request;
  request.model = simplify(model, {}).model;
  request.parameters = request.model.parameter_values();
  const formulation::Formulation formulation =
      formulation::find_method("orthogonal-projection").make(request);
  const std::unique_ptr<Run> run = formulation.system().make_run();
  const std::vector<double> x = formulation.start(0.0, *run).x;
  std::vector<double> ours(x.size());
  std::vector<double> theirs(x.size());
  const auto call_ours = [&] {
    benchmark::DoNotOptimize(formulation.explicit_system->rhs(0.1, x, *run, ours));
  };
  const auto call_theirs = [&] { by_hand(0.1, x.data(), theirs.data()); };
  // Often enough for machine code.
  for (int i = 0; i < 5000; ++i) call_ours();
  for (auto _ : state) {
    call_ours();
    benchmark::ClobberMemory();
  }
  double best_ours = std::numeric_limits<double>::infinity();
  double best_theirs = best_ours;
  for (int i = 0; i < 1000; ++i) {
    best_ours = std::min(best_ours, batch_seconds(50, call_ours));
    best_theirs = std::min(best_theirs, batch_seconds(50, call_theirs));
  }
  double scale = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    scale = std::max(scale, std::abs(theirs[i]));
    difference = std::max(difference, std::abs(ours[i] - theirs[i]));
  }
  state.counters["ns"] = 1e9 * best_ours;
  state.counters["against_hand"] = best_ours / best_theirs;
  state.counters["difference"] = difference / scale;
}

BENCHMARK_CAPTURE(right_side, pendulum, problems::pendulum().model, bench::pendulum_by_hand);
BENCHMARK_CAPTURE(right_side, car_axis, problems::car_axis().model, bench::car_axis_by_hand);
BENCHMARK_CAPTURE(right_side, squeezer, problems::squeezer().model, bench::squeezer_right_side);
BENCHMARK_CAPTURE(right_side, fekete, fekete(), bench::fekete_by_hand<20>);

}  // namespace
}  // namespace daedal
