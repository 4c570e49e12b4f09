// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/boundary_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/types.hpp"

namespace daedal::solve_detail {

namespace {

/// A difference that touches zero is not followed into shorter parts of the span than this.
constexpr double shortest_touch = 0x1p-30;
/// Instants as near as this to each other, in units of rounding, are one.
constexpr double one_instant = 64.0;
/// Parts of the span that are looked at for the switches of one function.
constexpr int most_parts_of_span = 20'000;

bool has_sides(const Watched& function) {
  return function.kind == Watched::Kind::kink || function.kind == Watched::Kind::jump;
}

}  // namespace

BoundaryWatch::BoundaryWatch(const Model& model, std::span<const double> parameters, double rtol)
    : functions_(model, {}), flat_(flat_share * rtol) {
  const kernel::Enclosure& enclosure = functions_.enclosure();
  bounds_.assign(enclosure.size(), Interval::everything());
  for (std::size_t place = 0; place < enclosure.size(); ++place) {
    if (enclosure.is_input(place) && enclosure[place].op == Op::parameter) {
      bounds_[place] = Interval::point(parameters[to_size(enclosure[place].symbol)]);
    }
  }
  enclosure.evaluate_held(bounds_);
  std::vector<std::size_t> all(functions_.watched().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  places_ = functions_.needed_for(all);
}

kernel::Interval BoundaryWatch::difference(const Watched& function, double a, double b) {
  const kernel::Enclosure& enclosure = functions_.enclosure();
  for (std::size_t place = 0; place < enclosure.size(); ++place) {
    if (enclosure[place].op == Op::time) bounds_[place] = {a, b};
  }
  const std::array<std::size_t, 2> sides{function.a, function.has_b ? function.b : function.a};
  enclosure.evaluate(enclosure.needed_by(sides), bounds_);
  return function.difference(bounds_);
}

bool BoundaryWatch::is_decided(const Interval& difference, bool is_floor) {
  if (is_floor) return std::floor(difference.low) == std::floor(difference.high);
  return difference.low > 0.0 || difference.high < 0.0;
}

std::vector<double> BoundaryWatch::switches(double start, double stop, std::size_t most) {
  std::vector<double> found;
  for (const Watched& function : functions_.watched()) {
    if (!function.is_of_time || !has_sides(function)) continue;
    const bool is_floor = functions_.enclosure()[function.place].op == Op::floor;
    const auto side = [&](double t) {
      const double value = difference(function, t, t).low;
      return is_floor ? std::floor(value) : value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0;
    };
    std::vector<std::pair<double, double>> parts{{start, stop}};
    for (int n_parts = 0; !parts.empty(); ++n_parts) {
      if (n_parts > most_parts_of_span || found.size() > most) return {};
      auto [a, b] = parts.back();
      parts.pop_back();
      if (is_decided(difference(function, a, b), is_floor)) continue;
      if (b - a > shortest_touch * (stop - start)) {
        const double middle = 0.5 * (a + b);
        parts.insert(parts.end(), {{middle, b}, {a, middle}});
        continue;
      }
      // As short as this it crosses once, or touches.
      const double before = side(a);
      if (side(b) == before) continue;
      for (double middle = 0.5 * (a + b); a < middle && middle < b; middle = 0.5 * (a + b)) {
        (side(middle) == before ? a : b) = middle;
      }
      found.push_back(b);
    }
  }
  std::ranges::sort(found);
  std::vector<double> apart;
  for (const double t : found) {
    const double rounding = one_instant * 0x1p-52 * std::max(std::abs(start), std::abs(stop));
    if (t - (apart.empty() ? start : apart.back()) > rounding && stop - t > rounding) {
      apart.push_back(t);
    }
  }
  return apart;
}

bool BoundaryWatch::is_gentle(const Interval& time, std::span<const Interval> x,
                              std::span<const Interval> xp, bool is_whole) {
  const kernel::Enclosure& enclosure = functions_.enclosure();
  for (std::size_t place = 0; place < enclosure.size(); ++place) {
    const Node& node = enclosure[place];
    if (node.op == Op::time) bounds_[place] = time;
    if (node.op == Op::variable && node.order <= 1) {
      bounds_[place] = (node.order == 0 ? x : xp)[to_size(node.symbol)];
    }
  }
  enclosure.evaluate(places_, bounds_);
  if (is_whole) greatest_ = functions_.greatest(bounds_);
  const auto watched = functions_.watched();
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (!functions_.is_chosen(i, bounds_)) continue;
    if (has_sides(watched[i])) {
      const bool is_floor = enclosure[watched[i].place].op == Op::floor;
      // The switches of functions of time alone are known.
      if (!watched[i].is_of_time && !is_decided(watched[i].difference(bounds_), is_floor)) {
        return false;
      }
    } else if (watched[i].kind == Watched::Kind::steep &&
               functions_.strain(watched[i], bounds_) > 1.0 &&
               !functions_.is_flat(i, bounds_, greatest_, flat_)) {
      return false;
    }
  }
  return true;
}

}  // namespace daedal::solve_detail
