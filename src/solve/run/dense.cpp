// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <numbers>

namespace daedal {

namespace {

/// Chebyshev points of the second kind on [0, 1], ends included.
double node(std::size_t j, std::size_t n) {
  const double angle = std::numbers::pi * static_cast<double>(j) / static_cast<double>(n - 1);
  return 0.5 * (1.0 - std::cos(angle));
}

/// Nearer to a node than this, as a share of the step, the quotients of the general formula cancel.
constexpr double node_width = 1e-7;

/// Their barycentric weights (Berrut, Trefethen (5.4)): alternating signs, halved at the ends.
double weight(std::size_t j, std::size_t n) {
  const double sign = j % 2 == 0 ? 1.0 : -1.0;
  return j == 0 || j + 1 == n ? 0.5 * sign : sign;
}

}  // namespace

void Solution::Dense::begin_leg(std::shared_ptr<const solve_detail::OutputMap> map) {
  const std::size_t n = to_size(map->formulation().system().size());
  legs_.push_back({n, std::move(map)});
  n_before_leg_ = snapshots_.size();
}

void Solution::Dense::begin_leg(std::size_t n) {
  legs_.push_back({n, nullptr});
}

void Solution::Dense::add_step(double t0, double t1, int order, const integration::Stepper& stepper,
                               Run& run) {
  const auto n_nodes = static_cast<std::size_t>(std::clamp(order, 1, 15)) + 1;
  add_segment(
      t0, t1, n_nodes,
      [&stepper](double t, std::span<double> x, std::span<double> xp) {
        stepper.interpolate(t, x, xp);
      },
      run);
}

void Solution::Dense::add_segment(double t0, double t1, std::size_t n_nodes,
                                  const Interpolant& interpolant, Run& run) {
  const std::size_t n = legs_.back().n;
  if (legs_.back().map) take_snapshot(run);
  segments_.push_back({t0, t1, states_.size(), n_nodes, snapshots_.size() - 1, legs_.size() - 1});
  states_.resize(states_.size() + 2 * n * n_nodes);
  double* data = states_.data() + segments_.back().first;
  for (std::size_t j = 0; j < n_nodes; ++j) {
    const double t = j + 1 == n_nodes ? t1 : t0 + (t1 - t0) * node(j, n_nodes);
    interpolant(t, {data, n}, {data + n, n});
    data += 2 * n;
  }
}

void Solution::Dense::take_snapshot(Run& run) {
  if (snapshots_.size() == n_before_leg_ || snapshots_.back().modes != run.modes ||
      snapshots_.back().discretes != run.discretes ||
      snapshots_.back().parameters != solve_detail::parameters_of(run) ||
      snapshots_.back().memory != solve_detail::memory_of(run)) {
    snapshots_.push_back(
        {run.modes, run.discretes, solve_detail::parameters_of(run), solve_detail::memory_of(run)});
  }
}

void Solution::Dense::interpolate(const Segment& segment, double t, std::span<double> x,
                                  std::span<double> xp) const {
  const std::size_t n = x.size();
  const double theta =
      segment.t1 == segment.t0 ? 1.0 : (t - segment.t0) / (segment.t1 - segment.t0);
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(xp.begin(), xp.end(), 0.0);
  double total = 0.0;
  for (std::size_t j = 0; j < segment.n_nodes; ++j) {
    const double* data = states_.data() + segment.first + 2 * n * j;
    const double distance = theta - node(j, segment.n_nodes);
    if (distance == 0.0) {
      std::copy_n(data, n, x.begin());
      std::copy_n(data + n, n, xp.begin());
      return;
    }
    const double w = weight(j, segment.n_nodes) / distance;
    total += w;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += w * data[i];
      xp[i] += w * data[n + i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    x[i] /= total;
    xp[i] /= total;
  }
}

const Solution::Dense::Segment& Solution::Dense::segment_at(double t, Side side) const {
  if (segments_.empty()) {
    throw OptionError(ErrorCode::invalid_option, "The solution is empty: the run made no step.");
  }
  const bool forward = segments_.front().t0 <= segments_.back().t1;
  const double first = segments_.front().t0;
  const double last = segments_.back().t1;
  if (!(std::min(first, last) <= t && t <= std::max(first, last))) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("Time {} is outside the run [{}, {}].", t, first, last));
  }
  // The first segment that ends at or after t has the values before an event; the last one that
  // starts at or before t those after it.
  auto found = std::lower_bound(
      segments_.begin(), segments_.end(), t,
      [&](const Segment& s, double time) { return forward ? s.t1 < time : s.t1 > time; });
  if (side == Side::right) {
    while (found + 1 != segments_.end() && found->t1 == t) ++found;
  }
  return *found;
}

std::unique_ptr<Run> Solution::Dense::run_of(const Segment& segment) const {
  if (!legs_[segment.leg].map) return nullptr;
  std::unique_ptr<Run> run = legs_[segment.leg].map->formulation().system().make_run();
  const Snapshot& snapshot = snapshots_[segment.discrete];
  run->modes = snapshot.modes;
  run->discretes = snapshot.discretes;
  run->pre = run->discretes;
  solve_detail::parameters_of(*run) = snapshot.parameters;
  solve_detail::memory_of(*run) = snapshot.memory;
  return run;
}

void Solution::Dense::evaluate_in(const Segment& segment, double t, Run* run,
                                  std::span<double> all_values) const {
  const Leg& leg = legs_[segment.leg];
  std::vector<double> x(leg.n);
  std::vector<double> xp(leg.n);
  interpolate(segment, t, x, xp);
  if (!leg.map) {
    std::ranges::copy(x, all_values.begin());
    return;
  }
  auto workspace = leg.map->make_workspace();
  std::vector<double> all(leg.map->names().size());
  leg.map->evaluate(t, x, xp, *run, all, all_values, workspace);
}

void Solution::Dense::evaluate(double t, Side side, std::span<double> all_values) const {
  const Segment& segment = segment_at(t, side);
  evaluate_in(segment, t, run_of(segment).get(), all_values);
}

void Solution::Dense::differentiate(double t, std::span<double> all_values) const {
  const Segment& segment = segment_at(t, Side::left);
  const double h = segment.t1 - segment.t0;
  const std::unique_ptr<Run> run = run_of(segment);
  const std::size_t width = all_values.size();
  const std::size_t n = segment.n_nodes;
  std::vector<double> samples(n * width);
  std::vector<double> here(width);
  const auto sample = [&](std::size_t j) { return std::span(samples).subspan(j * width, width); };
  for (std::size_t j = 0; j < n; ++j) {
    evaluate_in(segment, segment.t0 + h * node(j, n), run.get(), sample(j));
  }
  evaluate_in(segment, t, run.get(), here);
  // p'(t) = Σ w_j/(θ − θ_j) (p(t) − p_j)/(θ − θ_j) / Σ w_j/(θ − θ_j), and at a node θ_i
  // p'_i = −Σ_(j≠i) (w_j/w_i) (p_i − p_j)/(θ_i − θ_j) (Berrut, Trefethen (9.1), (9.4)).
  const double theta = (t - segment.t0) / h;
  std::fill(all_values.begin(), all_values.end(), 0.0);
  std::size_t at_node = n;
  for (std::size_t j = 0; j < n; ++j) {
    if (std::abs(theta - node(j, n)) < node_width) at_node = j;
  }
  double total = at_node < n ? -weight(at_node, n) : 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    if (j == at_node) continue;
    const double distance = (at_node < n ? node(at_node, n) : theta) - node(j, n);
    const double w = weight(j, n) / distance;
    if (at_node == n) total += w;
    const double factor = at_node < n ? weight(j, n) / distance : w / distance;
    for (std::size_t i = 0; i < width; ++i) all_values[i] += factor * (here[i] - sample(j)[i]);
  }
  for (double& value : all_values) value /= total * h;
}

}  // namespace daedal
