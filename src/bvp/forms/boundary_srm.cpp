// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forms/boundary_srm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <utility>

#include "model/views/general_view.hpp"

namespace daedal::solve_detail {

namespace {

std::vector<Index> rows_of_dynamics(const ConstrainedView& view) {
  std::vector<Index> rows;
  const Index n = to_index(view.force.size());
  for (Index i = 0; i < n; ++i) rows.push_back(n * (view.order() - 1) + i);
  return rows;
}

/// A collocation point on a singular instant: the paper moves it away a little. Every second mesh
/// point moves, so that every interval keeps one of its ends and all points inside move.
std::vector<double> moved(std::vector<double> mesh) {
  for (std::size_t i = 1; i + 1 < mesh.size(); i += 2) mesh[i] += 0.08 * (mesh[i + 1] - mesh[i]);
  return mesh;
}

/// By from both directions: each has its layer where it began, so that the one from the end counts
/// at the beginning and the other way round, with a smooth passage in the middle.
bvp::Forcing blended(const bvp::Trajectory& u, const bvp::Forcing& back,
                     const bvp::Forcing& forth) {
  std::vector<double> values;
  const double t0 = u.mesh.front();
  const double length = u.mesh.back() - t0;
  for (Index i = 0; i < u.n_intervals(); ++i) {
    const double h = u.mesh[to_size(i) + 1] - u.mesh[to_size(i)];
    for (Index j = 0; j < u.points->k; ++j) {
      const double share = (u.mesh[to_size(i)] + u.points->c[j] * h - t0) / length;
      const double r = std::clamp(2.0 * share - 0.5, 0.0, 1.0);
      const double weight = r * r * r * (10.0 - 15.0 * r + 6.0 * r * r);
      const auto a = back.at_point(i, j);
      const auto b = forth.at_point(i, j);
      for (std::size_t c = 0; c < a.size(); ++c) values.push_back(a[c] + weight * (b[c] - a[c]));
    }
  }
  return {*u.points, u.mesh, std::move(values)};
}

}  // namespace

BoundarySrm::BoundarySrm(ConstrainedView view, const BoundarySrmSettings& settings,
                         double direction, std::vector<double> parameters)
    : view_(std::move(view)),
      settings_(settings),
      form_(srm_form(view_, settings, direction)),
      system_(general_view(form_.model), std::move(parameters)),
      rows_(rows_of_dynamics(view_)),
      forced_(system_, rows_) {}

std::vector<SrmIterate> BoundarySrm::run(const bvp::BoundaryConditions& conditions,
                                         const bvp::Forcing& start, const bvp::Guess& guess,
                                         const bvp::SolverOptions& options) {
  // z grows beyond all bounds where CB is singular: only the states are tested.
  std::vector<bool> is_free_of_tests(to_size(system_.size()), true);
  std::fill_n(is_free_of_tests.begin(), n_states(), false);
  problem_ = std::make_unique<bvp::Problem>(
      bvp::Problem{.system = forced_,
                   .conditions = conditions,
                   .is_constraint = std::vector<bool>(to_size(system_.size()), false),
                   .is_free_of_tests = std::move(is_free_of_tests),
                   .t0 = options.mesh.front(),
                   .t1 = options.mesh.back()});
  // Trajectories refer to the layout, which is the same for all runs.
  if (!layout_) layout_ = std::make_unique<bvp::Layout>(*problem_);
  bvp::SolverOptions own = options;
  std::vector<SrmIterate> iterates;
  iterates.reserve(to_size(settings_.iterations));  // Forcings are referred to by address
  for (int s = 0; s < settings_.iterations; ++s) {
    forced_.set_forcing(s == 0 ? &start : &iterates.back().by);
    const bvp::Guess last = [&](double t, std::span<double> x, std::span<double> xp) {
      iterates.back().result.trajectory.at(t, x, xp);
    };
    bvp::Result result = bvp::solve(*problem_, *layout_, s == 0 ? guess : last, own);
    if (result.status == Status::singular_iteration_matrix) {
      own.mesh = moved(own.mesh);
      result = bvp::solve(*problem_, *layout_, s == 0 ? guess : last, own);
    }
    const bool is_ok = result.status == Status::success;
    own.mesh = result.trajectory.mesh;
    own.adapt = false;
    bvp::Forcing by = product(result.trajectory);
    iterates.push_back({std::move(result), std::move(by)});
    if (!is_ok) break;
  }
  forced_.set_forcing(nullptr);
  return iterates;
}

/// By_s = f − M x' at the collocation points: the dynamics with z = 0, which they are linear in.
bvp::Forcing BoundarySrm::product(const bvp::Trajectory& u) const {
  const auto run = system_.make_run();
  const auto n = to_size(system_.size());
  std::vector<double> x(n), xp(n), f(n), values;
  for (Index i = 0; i < u.n_intervals(); ++i) {
    const double h = u.mesh[to_size(i) + 1] - u.mesh[to_size(i)];
    for (Index j = 0; j < u.points->k; ++j) {
      u.evaluate(i, u.points->c[j], x, xp);
      std::fill(x.begin() + n_states(), x.end(), 0.0);
      system_.residual(u.mesh[to_size(i)] + u.points->c[j] * h, x, xp, *run, f);
      for (const Index row : rows_) values.push_back(-f[to_size(row)]);
    }
  }
  return {*u.points, u.mesh, std::move(values)};
}

BoundarySrmSettings srm_settings(const BvpSrm& method, double rtol, double length) {
  // Theorem 3.1: the error is O(εˢ); and ε must be small against the interval.
  const double share = 0.3 * std::pow(rtol, 1.0 / method.iterations);
  return {.epsilon = method.epsilon.value_or(length * std::min(share, 0.05)),
          .gain = method.gain,
          .delta = method.delta,
          .gamma = method.gamma,
          .iterations = method.iterations,
          .shoots_back = method.shoot_back};
}

std::vector<SrmIterate> BoundarySrm::shoot_back(const bvp::BoundaryConditions& conditions,
                                                std::vector<SrmIterate> iterates,
                                                const bvp::SolverOptions& options) {
  const SrmIterate& last = iterates.back();
  const bvp::Trajectory& u = last.result.trajectory;
  const auto node = u.node(u.n_intervals());
  const EndValues end(u.layout->differential, {node.begin(), node.end()});
  const auto by_end = last.by.at_point(u.n_intervals() - 1, u.points->k - 1);
  bvp::SolverOptions fixed = options;
  fixed.mesh = u.mesh;
  fixed.adapt = false;
  const bvp::Guess from_last = [&u](double t, std::span<double> x, std::span<double> xp) {
    u.at(t, x, xp);
  };
  const auto parameters = system_.parameters();
  BoundarySrm backward(view_, settings_, -1.0, {parameters.begin(), parameters.end()});
  auto back = backward.run(end, bvp::Forcing(std::vector<double>(by_end.begin(), by_end.end())),
                           from_last, fixed);
  if (back.back().result.status != Status::success) {
    // The terminal value problem may be ill-conditioned where the given one is not.
    return iterates;
  }
  return run(conditions, blended(u, back.back().by, last.by), from_last, fixed);
}

double last_change(const std::vector<SrmIterate>& iterates, double rtol, double atol) {
  if (iterates.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const bvp::Trajectory& a = iterates[iterates.size() - 2].result.trajectory;
  const bvp::Trajectory& b = iterates.back().result.trajectory;
  const auto n_d = to_size(a.layout->n_d());
  std::vector<double> size(n_d, 0.0);
  std::vector<double> change(n_d, 0.0);
  for (std::size_t i = 0; i < b.values.nodes.size(); ++i) {
    size[i % n_d] = std::max(size[i % n_d], std::abs(b.values.nodes[i]));
    change[i % n_d] = std::max(change[i % n_d], std::abs(b.values.nodes[i] - a.values.nodes[i]));
  }
  double greatest = 0.0;
  for (std::size_t d = 0; d < n_d; ++d) {
    greatest = std::max(greatest, change[d] / (rtol * size[d] + atol));
  }
  return greatest;
}

Evaluation EndValues::residual(std::span<const double>, std::span<const double> last,
                               std::span<double> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = last[to_size(numbers_[i])] - values_[i];
  }
  return Evaluation::ok;
}

Evaluation EndValues::jacobian(std::span<const double> first, std::span<const double>,
                               Matrix& by_first, Matrix& by_last) const {
  by_first.setZero(size(), to_index(first.size()));
  by_last.setZero(size(), to_index(first.size()));
  for (Index i = 0; i < size(); ++i) by_last(i, numbers_[to_size(i)]) = 1.0;
  return Evaluation::ok;
}

std::string EndValues::name(Index row) const {
  return fmt::format("end value {}", row + 1);
}

}  // namespace daedal::solve_detail
