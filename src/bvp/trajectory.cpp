// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/trajectory.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace daedal::bvp {

std::span<const double> Trajectory::node(Index i) const {
  return std::span(values.nodes).subspan(to_size(i * layout->n_d()), to_size(layout->n_d()));
}

std::span<const double> Trajectory::stage(Index interval, Index j) const {
  return std::span(values.stages)
      .subspan(to_size((interval * points->k + j) * layout->n), to_size(layout->n));
}

Index Trajectory::interval_of(double t) const {
  // The first mesh point, but for the last one, that is not before t ends the interval.
  const auto end = std::lower_bound(mesh.begin() + 1, mesh.end() - 1, t);
  return end - mesh.begin() - 1;
}

double Trajectory::time_at(Index interval, double theta) const {
  const double begin = mesh[to_size(interval)];
  return begin + theta * (mesh[to_size(interval) + 1] - begin);
}

void Trajectory::evaluate(Index interval, double theta, std::span<double> x,
                          std::span<double> xp) const {
  std::array<double, 8> slope{};
  std::array<double, 8> value{};
  std::array<double, 8> at_end{};
  points->evaluate(1.0, slope, at_end);
  points->evaluate(theta, slope, value);
  const double h = mesh[to_size(interval) + 1] - mesh[to_size(interval)];
  const double bubble = points->bubble_value(theta);
  const double bubble_slope = points->bubble_slope(theta);
  const auto left = node(interval);
  const auto right = node(interval + 1);
  for (Index d = 0; d < layout->n_d(); ++d) {
    double sum = left[to_size(d)];
    double end = sum;
    double rate = 0.0;
    for (Index j = 0; j < points->k; ++j) {
      const double k = stage(interval, j)[to_size(d)];
      sum += value[to_size(j)] * k;
      end += at_end[to_size(j)] * k;
      rate += slope[to_size(j)] * k;
    }
    const double jump = points->ends_at_one ? 0.0 : right[to_size(d)] - end;
    const auto i = to_size(layout->differential[to_size(d)]);
    x[i] = sum + jump * bubble;
    if (!xp.empty()) xp[i] = (rate + jump * bubble_slope) / h;
  }
  for (Index a = 0; a < layout->n_y(); ++a) {
    double sum = 0.0;
    for (Index j = 0; j < points->k; ++j) {
      sum += slope[to_size(j)] * stage(interval, j)[to_size(layout->n_d() + a)];
    }
    const auto i = to_size(layout->algebraic[to_size(a)]);
    x[i] = sum;
    if (!xp.empty()) xp[i] = 0.0;
  }
}

void Trajectory::at(double t, std::span<double> x, std::span<double> xp) const {
  const Index i = interval_of(t);
  const double h = mesh[to_size(i) + 1] - mesh[to_size(i)];
  evaluate(i, (t - mesh[to_size(i)]) / h, x, xp);
}

Trajectory sample(const Guess& guess, const Layout& layout, const Points& points,
                  std::vector<double> mesh, Index n_multipliers) {
  Trajectory result{.layout = &layout, .points = &points, .mesh = std::move(mesh), .values = {}};
  const Index n_intervals = result.n_intervals();
  const Index n_d = layout.n_d();
  Unknowns& values = result.values;
  values.nodes.resize(to_size((n_intervals + 1) * n_d));
  values.stages.resize(to_size(n_intervals * points.k * layout.n));
  values.multipliers.assign(to_size(n_intervals * n_multipliers), 0.0);
  std::vector<double> x(to_size(layout.n));
  std::vector<double> xp(to_size(layout.n));
  for (Index i = 0; i <= n_intervals; ++i) {
    guess(result.mesh[to_size(i)], x, xp);
    for (Index d = 0; d < n_d; ++d) {
      values.nodes[to_size(i * n_d + d)] = x[to_size(layout.differential[to_size(d)])];
    }
    if (i == n_intervals) break;
    const double h = result.mesh[to_size(i) + 1] - result.mesh[to_size(i)];
    for (Index j = 0; j < points.k; ++j) {
      guess(result.mesh[to_size(i)] + points.c[j] * h, x, xp);
      double* stage = values.stages.data() + (i * points.k + j) * layout.n;
      for (Index u = 0; u < layout.n; ++u) {
        const Index place = layout.place[to_size(u)];
        stage[place] = place < n_d ? h * xp[to_size(u)] : x[to_size(u)];
      }
    }
  }
  return result;
}

}  // namespace daedal::bvp
