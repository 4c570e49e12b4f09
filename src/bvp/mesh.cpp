// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedal::bvp {

namespace {

/// No interval gets less than this share of the mean density: a solution that looks straight on a
/// coarse mesh may not be.
constexpr double least_share = 0.1;
/// The density of a neighbour counts with this factor: jumps are known at mesh points only, and
/// layers widen before they are resolved.
constexpr double of_neighbour = 0.5;

/// Points of a mesh that are as near as this to a given one, by their distance from each other, are
/// left out for it.
constexpr double one_place = 0.05;

double factorial(int n) {
  double value = 1.0;
  for (int i = 2; i <= n; ++i) value *= i;
  return value;
}

/// The highest derivative of each unknown's polynomial on an interval, by place: x^(k), y^(k−1).
void highest_derivatives(const Trajectory& u, Index interval, std::span<double> out) {
  const Points& points = *u.points;
  const double h = u.mesh[to_size(interval) + 1] - u.mesh[to_size(interval)];
  const double scale = factorial(points.k - 1) / std::pow(h, points.k - 1);
  std::ranges::fill(out, 0.0);
  for (Index j = 0; j < points.k; ++j) {
    const auto stage = u.stage(interval, j);
    for (std::size_t place = 0; place < out.size(); ++place) {
      out[place] += scale * points.slopes(j, points.k - 1) * stage[place];
    }
  }
  for (Index d = 0; d < u.layout->n_d(); ++d) out[to_size(d)] /= h;
}

bool is_break(std::span<const double> breaks, double t) {
  return std::ranges::binary_search(breaks, t);
}

void smooth(std::vector<double>& density, std::span<const double> mesh,
            std::span<const double> breaks) {
  for (std::size_t i = 1; i < density.size(); ++i) {
    if (is_break(breaks, mesh[i])) continue;
    density[i] = std::max(density[i], of_neighbour * density[i - 1]);
  }
  for (std::size_t i = density.size() - 1; i-- > 0;) {
    if (is_break(breaks, mesh[i + 1])) continue;
    density[i] = std::max(density[i], of_neighbour * density[i + 1]);
  }
}

}  // namespace

std::vector<double> uniform_mesh(double t0, double t1, Index n_intervals) {
  std::vector<double> mesh(to_size(n_intervals) + 1);
  for (Index i = 0; i <= n_intervals; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(n_intervals);
    mesh[to_size(i)] = t0 + share * (t1 - t0);
  }
  mesh.back() = t1;
  return mesh;
}

std::vector<double> with_points(std::span<const double> mesh, std::span<const double> points) {
  std::vector<double> result{mesh.front(), mesh.back()};
  result.insert(result.end(), points.begin(), points.end());
  for (std::size_t i = 1; i + 1 < mesh.size(); ++i) {
    const double near = one_place * (mesh[i + 1] - mesh[i - 1]);
    const auto next = std::ranges::lower_bound(points, mesh[i] - near);
    if (next == points.end() || *next > mesh[i] + near) result.push_back(mesh[i]);
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<double> halved(std::span<const double> mesh) {
  std::vector<double> result{mesh.front()};
  for (std::size_t i = 1; i < mesh.size(); ++i) {
    result.push_back(0.5 * (mesh[i - 1] + mesh[i]));
    result.push_back(mesh[i]);
  }
  return result;
}

Density density_of(const Trajectory& u, std::span<const double> weights, bool algebraic,
                   std::span<const double> breaks) {
  const Points& points = *u.points;
  const auto n = to_size(u.layout->n);
  const auto n_d = to_size(u.layout->n_d());
  const std::size_t n_counted = algebraic ? n : n_d;
  const auto n_intervals = to_size(u.n_intervals());
  Density result;
  result.per_time.assign(n_intervals, 0.0);
  std::vector<double> before(n);
  std::vector<double> here(n);
  highest_derivatives(u, 0, before);
  for (std::size_t i = 1; i < n_intervals; ++i) {
    highest_derivatives(u, to_index(i), here);
    if (is_break(breaks, u.mesh[i])) {
      std::swap(before, here);
      continue;
    }
    const double distance = 0.5 * (u.mesh[i + 1] - u.mesh[i - 1]);
    double density = 0.0;
    for (std::size_t place = 0; place < n_counted; ++place) {
      const bool is_algebraic = place >= n_d;
      const double constant = is_algebraic ? points.slope_error : points.value_error;
      const double error =
          constant * weights[place] * std::abs(here[place] - before[place]) / distance;
      const double exponent = 1.0 / static_cast<double>(points.k + (is_algebraic ? 0 : 1));
      density = std::max(density, std::pow(error, exponent));
    }
    result.per_time[i - 1] = std::max(result.per_time[i - 1], density);
    result.per_time[i] = std::max(result.per_time[i], density);
    std::swap(before, here);
  }
  smooth(result.per_time, u.mesh, breaks);
  double total = 0.0;
  double greatest = 0.0;
  for (std::size_t i = 0; i < n_intervals; ++i) {
    const double share = result.per_time[i] * (u.mesh[i + 1] - u.mesh[i]);
    total += share;
    greatest = std::max(greatest, share);
  }
  const double length = u.mesh.back() - u.mesh.front();
  const double floor = least_share * total / length;
  for (double& density : result.per_time) density = std::max(density, floor);
  result.n_needed = total;
  result.imbalance = total > 0.0 ? greatest * static_cast<double>(n_intervals) / total : 1.0;
  return result;
}

std::vector<double> equidistributed(std::span<const double> mesh, const Density& density,
                                    Index n_intervals, std::span<const double> breaks) {
  std::vector<double> share(mesh.size(), 0.0);
  for (std::size_t i = 1; i < mesh.size(); ++i) {
    share[i] = share[i - 1] + density.per_time[i - 1] * (mesh[i] - mesh[i - 1]);
  }
  if (!(share.back() > 0.0) || !std::isfinite(share.back())) {
    return with_points(uniform_mesh(mesh.front(), mesh.back(), n_intervals), breaks);
  }
  std::vector<double> result{mesh.front()};
  std::size_t i = 1;
  for (std::size_t first = 0, last = 0; first + 1 < mesh.size(); first = last) {
    // From one break to the next.
    do ++last;
    while (last + 1 < mesh.size() && !is_break(breaks, mesh[last]));
    const double part = share[last] - share[first];
    const double exact = static_cast<double>(n_intervals) * part / share.back();
    const Index n =
        breaks.empty() ? n_intervals : std::max<Index>(static_cast<Index>(std::round(exact)), 2);
    for (Index point = 1; point < n; ++point) {
      const double wanted =
          share[first] + part * static_cast<double>(point) / static_cast<double>(n);
      while (i < last && share[i] < wanted) ++i;
      const double t = mesh[i - 1] + (wanted - share[i - 1]) / (share[i] - share[i - 1]) *
                                         (mesh[i] - mesh[i - 1]);
      // Layers narrower than the arithmetic resolves would give empty intervals.
      if (t > result.back()) result.push_back(t);
    }
    if (mesh[last] > result.back()) {
      result.push_back(mesh[last]);
    } else {
      result.back() = mesh[last];
    }
    i = last + 1;
  }
  return result;
}

}  // namespace daedal::bvp
