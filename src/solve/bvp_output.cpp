// SPDX-License-Identifier: BSD-3-Clause
#include "solve/bvp_output.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "bvp/refinement.hpp"
#include "solve/run/dense.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

void record(const bvp::Result& result, BvpSolution& solution) {
  solution.status = result.status;
  solution.message = result.message;
  solution.error_estimate = result.error;
  solution.mesh = result.trajectory.mesh;
  solution.statistics.steps = result.trajectory.n_intervals();
  solution.statistics.residual_evaluations += result.work.residuals;
  solution.statistics.jacobian_evaluations += result.work.jacobians;
  solution.statistics.factorizations += result.work.factorizations;
  for (const bvp::Round& round : result.rounds) {
    solution.rounds.push_back({round.intervals, round.newton_iterations, round.error});
    solution.statistics.newton_iterations += round.newton_iterations;
  }
}

namespace {

/// Mesh points and equidistant points, each once.
std::vector<double> output_times(const std::vector<double>& mesh, std::int64_t n_points) {
  std::vector<double> times = mesh;
  const double length = mesh.back() - mesh.front();
  for (std::int64_t i = 0; i < n_points; ++i) {
    const double share =
        n_points == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(n_points - 1);
    times.push_back(std::min(mesh.front() + share * length, mesh.back()));
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Values of the unknowns on one interval.
class Evaluator {
 public:
  Evaluator(const bvp::Trajectory& trajectory, const bvp::Problem* problem, Run& run)
      : trajectory_(trajectory) {
    if (problem != nullptr) refinement_.emplace(*problem, *trajectory.layout, run);
  }

  void operator()(Index interval, double t, std::span<double> x, std::span<double> xp) {
    const double t0 = trajectory_.mesh[to_size(interval)];
    const double h = trajectory_.mesh[to_size(interval) + 1] - t0;
    trajectory_.evaluate(interval, (t - t0) / h, x, xp);
    if (refinement_) refinement_->refine(t, x, xp);
  }

 private:
  const bvp::Trajectory& trajectory_;
  std::optional<bvp::Refinement> refinement_;
};

void write_rows(const OutputMap& map, const bvp::Trajectory& trajectory, Evaluator& evaluate,
                Run& run, BvpSolution& solution) {
  const auto& formulation = map.formulation();
  const auto n = to_size(formulation.system().size());
  std::vector<double> x(n), xp(n);
  auto workspace = map.make_workspace();
  const std::size_t width = solution.names.size();
  solution.values.resize(solution.times.size() * width);
  for (std::size_t row = 0; row < solution.times.size(); ++row) {
    const double t = solution.times[row];
    evaluate(trajectory.interval_of(t), t, x, xp);
    map.evaluate(t, x, xp, run, std::span(solution.values).subspan(row * width, width), workspace);
    for (ConstraintLevel& level : solution.constraints) {
      const double residual = formulation.levels.residual(t, x, xp, level.level, run);
      if (!(residual <= level.max_residual)) level.max_residual = residual;
    }
  }
}

}  // namespace

void write_solution(OutputRequest request, BvpSolution& solution) {
  const bvp::Trajectory& trajectory = request.trajectory;
  const auto map = std::make_shared<const OutputMap>(
      std::make_shared<const formulation::Formulation>(std::move(request.formulation)),
      std::move(request.recovery), request.n_variables);
  const auto own = map->formulation().system().make_run();
  Evaluator evaluate(trajectory, request.problem, *own);
  solution.names.assign(map->names().begin(), map->names().end());
  for (int level = 0; level < map->formulation().levels.n; ++level) {
    solution.constraints.push_back({level, 0.0});
  }
  solution.times = output_times(trajectory.mesh, request.n_points);
  write_rows(*map, trajectory, evaluate, *own, solution);
  auto dense = std::make_shared<Solution::Dense>();
  dense->begin_leg(map);
  for (Index i = 0; i < trajectory.n_intervals(); ++i) {
    dense->add_segment(
        trajectory.mesh[to_size(i)], trajectory.mesh[to_size(i) + 1],
        to_size(trajectory.points->k) + 2,
        [&](double t, std::span<double> x, std::span<double> xp) { evaluate(i, t, x, xp); }, *own);
  }
  solution.set_dense_output(std::move(dense));
  for (const std::string& name : request.free_parameters) {
    solution.parameters[name] = solution.final_value(name);
  }
}

}  // namespace daedal::solve_detail
