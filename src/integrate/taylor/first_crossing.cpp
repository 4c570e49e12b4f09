// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/taylor/first_crossing.hpp"

#include <algorithm>
#include <cmath>

#include "core/types.hpp"

namespace daedal::integration {

namespace {

/// Roots closer than this share of the interval count as a touch.
constexpr int most_halvings = 40;

double value(std::span<const double> p, double tau) {
  double sum = 0.0;
  for (std::size_t k = p.size(); k-- > 0;) sum = sum * tau + p[k];
  return sum;
}

int sign_changes(std::span<const double> b) {
  int changes = 0;
  double last = 0.0;
  for (const double value : b) {
    if (value == 0.0) continue;
    if (last * value < 0.0) ++changes;
    last = value > 0.0 ? 1.0 : -1.0;
  }
  return changes;
}

}  // namespace

/// Bisection keeps the sign before the root on the left.
FirstCrossing CrossingFinder::refine(std::span<const double> p, double from, double to) const {
  const double clear = to;
  const bool is_positive = value(p, to) > 0.0;
  while (true) {
    const double middle = 0.5 * (from + to);
    if (middle <= from || middle >= to) break;
    ((value(p, middle) > 0.0) == is_positive ? to : from) = middle;
  }
  return {.root = to, .clear = clear};
}

/// In θ = τ/end: q_, the sum of |q_k|, and the first of them that is more than rounding errors.
CrossingFinder::Scaled CrossingFinder::scale(std::span<const double> p, double end) {
  q_.assign(p.begin(), p.end());
  double factor = 1.0;
  Scaled scaled;
  for (std::size_t k = 0; k < q_.size(); ++k) {
    q_[k] *= factor;
    factor *= end;
    scaled.sum += std::abs(q_[k]);
  }
  const double noise = 64.0 * round_off * scaled.sum;
  while (scaled.first < q_.size() && std::abs(q_[scaled.first]) <= noise) ++scaled.first;
  return scaled;
}

std::optional<double> CrossingFinder::root_at_start(std::span<const double> p, double end) {
  const auto [sum, first] = scale(p, end);
  if (!std::isfinite(sum) || first == 0 || first == q_.size()) return std::nullopt;
  if (!(q_[0] * q_[first] < 0.0)) return std::nullopt;
  return end * std::pow(std::abs(q_[0] / q_[first]), 1.0 / static_cast<double>(first));
}

std::optional<FirstCrossing> CrossingFinder::find(std::span<const double> p, double end) {
  const auto [sum, first] = scale(p, end);
  if (!(sum > 0.0) || !std::isfinite(sum)) return std::nullopt;
  if (2.0 * std::abs(q_[0]) > sum) return std::nullopt;
  // What starts at zero leaves it one way: that is no crossing.
  if (first + 1 >= q_.size()) return std::nullopt;
  const std::span<const double> rest = std::span(q_).subspan(first);
  const std::size_t n = rest.size() - 1;
  // b_j = Σ_{k≤j} C(j, k)/C(n, k) q_k
  Part whole{.from = 0.0, .to = 1.0, .depth = 0, .b = std::vector<double>(n + 1)};
  for (std::size_t j = 0; j <= n; ++j) {
    double ratio = 1.0;
    for (std::size_t k = 0; k <= j; ++k) {
      whole.b[j] += ratio * rest[k];
      ratio *= static_cast<double>(j - k) / static_cast<double>(n - k);
    }
  }
  open_.clear();
  open_.push_back(std::move(whole));
  while (!open_.empty()) {
    Part part = std::move(open_.back());
    open_.pop_back();
    const int changes = sign_changes(part.b);
    if (changes == 0) continue;
    if (changes == 1) {
      const FirstCrossing found = refine(rest, part.from, part.to);
      return FirstCrossing{.root = found.root * end, .clear = found.clear * end};
    }
    if (part.depth >= most_halvings) continue;
    // de Casteljau at the middle.
    Part right{
        .from = 0.5 * (part.from + part.to), .to = part.to, .depth = part.depth + 1, .b = part.b};
    Part left{.from = part.from, .to = right.from, .depth = part.depth + 1, .b = {}};
    for (std::size_t level = 0; level <= n; ++level) {
      left.b.push_back(right.b[0]);
      for (std::size_t j = 0; j + level < n; ++j) right.b[j] = 0.5 * (right.b[j] + right.b[j + 1]);
    }
    open_.push_back(std::move(right));
    open_.push_back(std::move(left));
  }
  return std::nullopt;
}

}  // namespace daedal::integration
