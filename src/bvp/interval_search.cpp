// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/interval_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace daedal::bvp {

namespace {

/// Between the points of the mesh, residuals are computed at so many points in all, and at least so
/// many in each interval. Those that exceed the usual residual by the third factor are examined.
constexpr Index n_looks = 8192;
constexpr Index fewest_looks = 16;
constexpr double conspicuous = 10.0;
/// An interval is examined in parts down to the first share of it and the second of the time, and
/// in at most so many parts on average. What is found inside it matters if it moves the solution by
/// so many tolerances.
constexpr double shortest_part = 0x1p-36;
constexpr double shortest_of_time = 0x1p-44;
constexpr Index most_parts_per_interval = 200;
constexpr double significant = 10.0;

}  // namespace

Index looks_in(const Trajectory& solution, Index interval) {
  const std::vector<double>& mesh = solution.mesh;
  const double share =
      (mesh[to_size(interval) + 1] - mesh[to_size(interval)]) / (mesh.back() - mesh.front());
  return std::max(fewest_looks, static_cast<Index>(static_cast<double>(n_looks) * share));
}

std::vector<double> IntervalSearch::overlooked() {
  constexpr std::array<double, 5> usual_places = {0.02, 0.27, 0.5, 0.73, 0.98};
  if (layout_.n_g() > 0) return {};
  std::vector<double> x(to_size(layout_.n)), xp(x.size()), f(x.size()), usual(x.size());
  std::vector<std::array<double, usual_places.size()>> at_places(x.size());
  std::vector<double> times;
  const auto residual_at = [&](Index i, double theta) {
    solution_.evaluate(i, theta, x, xp);
    return problem_.system.residual(solution_.time_at(i, theta), x, xp, run_, f) == Evaluation::ok;
  };
  for (Index i = 0; i < solution_.n_intervals(); ++i) {
    // The median: one of the places may lie in a bump.
    std::ranges::fill(at_places, std::array<double, usual_places.size()>{});
    for (std::size_t k = 0; k < usual_places.size(); ++k) {
      if (!residual_at(i, usual_places[k])) continue;
      for (std::size_t r = 0; r < f.size(); ++r) at_places[r][k] = std::abs(f[r]);
    }
    for (std::size_t r = 0; r < f.size(); ++r) {
      std::ranges::sort(at_places[r]);
      usual[r] =
          std::max(at_places[r][usual_places.size() / 2], std::numeric_limits<double>::min());
    }
    double greatest = conspicuous;
    double where = -1.0;
    const Index n_parts = looks_in(solution_, i);
    for (Index k = 0; k < n_parts; ++k) {
      const double theta = (static_cast<double>(k) + 0.5) / static_cast<double>(n_parts);
      if (!residual_at(i, theta)) continue;
      for (std::size_t r = 0; r < f.size(); ++r) {
        if (std::abs(f[r]) <= greatest * usual[r]) continue;
        greatest = std::abs(f[r]) / usual[r];
        where = theta;
      }
    }
    const double length = (solution_.mesh[to_size(i) + 1] - solution_.mesh[to_size(i)]) /
                          static_cast<double>(n_parts);
    if (where >= 0.0 && matters(i, where, length)) times.push_back(solution_.time_at(i, where));
  }
  return times;
}

std::vector<double> IntervalSearch::hidden() {
  std::vector<double> points;
  if (lookout_ == nullptr || layout_.n_g() > 0) return points;
  Index n_parts_left = most_parts_per_interval * solution_.n_intervals() + n_looks;
  for (Index i = 0; i < solution_.n_intervals() && n_parts_left > 0; ++i) {
    std::vector<double> ends{0.0};
    for (std::vector<double> open{1.0}; !open.empty() && n_parts_left-- > 0;) {
      const double begin = ends.back();
      const double end = open.back();
      const double length = solution_.time_at(i, end) - solution_.time_at(i, begin);
      const bool is_shortest = end - begin < shortest_part ||
                               length < shortest_of_time * std::abs(solution_.time_at(i, end));
      if (is_shortest || is_gentle(i, begin, end)) {
        ends.push_back(end);
        open.pop_back();
      } else {
        open.push_back(0.5 * (begin + end));
      }
    }
    if (ends.size() <= 2 || !hides(i, ends)) continue;
    for (const double theta : ends) points.push_back(solution_.time_at(i, theta));
  }
  return points;
}

/// The cubic through values and slopes lies between its Bézier points.
bool IntervalSearch::is_gentle(Index interval, double begin, double end) {
  const auto n = to_size(layout_.n);
  std::array<std::vector<double>, 2> x{std::vector<double>(n), std::vector<double>(n)}, xp = x;
  solution_.evaluate(interval, begin, x[0], xp[0]);
  solution_.evaluate(interval, end, x[1], xp[1]);
  const kernel::Interval time{solution_.time_at(interval, begin), solution_.time_at(interval, end)};
  const double third = time.width() / 3.0;
  std::vector<kernel::Interval> of_x(n), of_xp(n);
  for (std::size_t u = 0; u < n; ++u) {
    const auto [low, high] =
        std::minmax({x[0][u], x[0][u] + third * xp[0][u], x[1][u] - third * xp[1][u], x[1][u]});
    const auto [slowest, fastest] = std::minmax(xp[0][u], xp[1][u]);
    of_x[u] = {low, high};
    of_xp[u] = {slowest, fastest};
  }
  return lookout_->is_gentle(time, of_x, of_xp, end - begin == 1.0);
}

/// Whether slopes that the equations ask for in parts of an interval, but not elsewhere in it,
/// move the solution by several tolerances.
bool IntervalSearch::hides(Index interval, std::span<const double> ends) {
  std::vector<double> x(to_size(layout_.n)), xp(x.size()), asked(x.size());
  struct Excess {
    double size, length;
  };
  std::vector<std::vector<Excess>> excess(x.size());
  for (std::size_t k = 1; k < ends.size(); ++k) {
    const double theta = 0.5 * (ends[k - 1] + ends[k]);
    solution_.evaluate(interval, theta, x, xp);
    if (!refinement_.slopes(solution_.time_at(interval, theta), x, xp, asked)) return false;
    for (std::size_t u = 0; u < x.size(); ++u) {
      excess[u].push_back({std::abs(asked[u] - xp[u]), ends[k] - ends[k - 1]});
    }
  }
  for (std::size_t u = 0; u < x.size(); ++u) {
    if (layout_.place[u] >= layout_.n_d()) continue;
    // What is usual is so over half of the interval.
    std::ranges::sort(excess[u], {}, &Excess::size);
    double usual = 0.0, length = 0.0, moved = 0.0;
    for (const Excess& part : excess[u]) {
      if (length < 0.5) usual = part.size;
      length += part.length;
      if (part.size > conspicuous * usual) moved += part.size * part.length;
    }
    const double h = solution_.time_at(interval, 1.0) - solution_.time_at(interval, 0.0);
    if (moved * h * weights_[to_size(layout_.place[u])] > significant) return true;
  }
  return false;
}

/// Whether slopes that the equations ask for at a place, over this length, move the solution by
/// more than the tolerance.
bool IntervalSearch::matters(Index interval, double theta, double length) {
  std::vector<double> x(to_size(layout_.n)), xp(x.size()), asked(x.size());
  solution_.evaluate(interval, theta, x, xp);
  if (!refinement_.slopes(solution_.time_at(interval, theta), x, xp, asked)) return false;
  for (std::size_t u = 0; u < x.size(); ++u) {
    const auto place = to_size(layout_.place[u]);
    if (layout_.place[u] >= layout_.n_d()) continue;
    if (std::abs(asked[u] - xp[u]) * length * weights_[place] > 1.0) return true;
  }
  return false;
}

}  // namespace daedal::bvp
