// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/events/signal_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace daedal::formulation {

namespace {

constexpr std::size_t n_nodes = SignalHistory::n_nodes;
constexpr std::size_t degree = n_nodes - 1;
/// A step whose polynomial has a higher degree is divided so often at most.
constexpr int most_divisions = 10;
/// Of the tolerance of the run: what is read must not be seen beside what was computed.
constexpr double share_of_tolerance = 0.03;
/// Times that differ by less, relative to their size, are one.
constexpr double same_time = 8.0 * std::numeric_limits<double>::epsilon();

/// cos(jπ/N): the extrema of the Chebyshev polynomial of that degree, with both ends.
const SignalHistory::Numbers& nodes() {
  static const SignalHistory::Numbers points = [] {
    SignalHistory::Numbers x{};
    for (std::size_t j = 0; j < n_nodes; ++j)
      x[j] = std::cos(std::numbers::pi * static_cast<double>(j) / static_cast<double>(degree));
    return x;
  }();
  return points;
}

double time_of(double begin, double end, double s) {
  if (s >= 1.0) return end;
  return s <= -1.0 ? begin : 0.5 * (begin + end) + 0.5 * (end - begin) * s;
}

/// The polynomial through values at the nodes, by the barycentric formula.
double interpolated(const SignalHistory::Numbers& values, double s) {
  double above = 0.0;
  double below = 0.0;
  for (std::size_t j = 0; j < n_nodes; ++j) {
    const double distance = s - nodes()[j];
    if (distance == 0.0) return values[j];
    const double half = j == 0 || j == degree ? 0.5 : 1.0;
    const double weight = (j % 2 == 0 ? half : -half) / distance;
    above += weight * values[j];
    below += weight;
  }
  return above / below;
}

/// Coefficients of the powers of s: those of Chebyshev polynomials, expanded.
SignalHistory::Numbers powers(const SignalHistory::Numbers& values) {
  SignalHistory::Numbers result{};
  SignalHistory::Numbers before{};  // T of the degree before, and of this one
  SignalHistory::Numbers now{};
  now[0] = 1.0;
  for (std::size_t k = 0; k < n_nodes; ++k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n_nodes; ++j) {
      const double half = j == 0 || j == degree ? 0.5 : 1.0;
      sum += half * values[j] *
             std::cos(std::numbers::pi * static_cast<double>(k * j) / static_cast<double>(degree));
    }
    const double share = k == 0 || k == degree ? 1.0 : 2.0;
    for (std::size_t i = 0; i < n_nodes; ++i)
      result[i] += share / static_cast<double>(degree) * sum * now[i];
    SignalHistory::Numbers next{};
    for (std::size_t i = 0; i + 1 < n_nodes; ++i) next[i + 1] = (k == 0 ? 1.0 : 2.0) * now[i];
    for (std::size_t i = 0; i < n_nodes; ++i) next[i] -= before[i];
    before = now;
    now = next;
  }
  return result;
}

}  // namespace

void SignalHistory::add(double t0, double t1, const Signal& signal, double rtol) {
  for (const double t : {t0, 0.5 * (t0 + t1), t1})
    greatest_ = std::max(greatest_, std::abs(signal(t)));
  accuracy_ = share_of_tolerance * rtol * greatest_;
  const std::size_t first = pieces_.size();
  divide(t0, t1, signal, 0);
  if (is_after_event_ && (first == 0 || is_broken(pieces_[first - 1], pieces_[first])))
    breaks_.push_back(t0);
  is_after_event_ = false;
}

void SignalHistory::divide(double t0, double t1, const Signal& signal, int depth) {
  Piece piece{.begin = t0, .end = t1, .values = {}};
  for (std::size_t j = 0; j < n_nodes; ++j) piece.values[j] = signal(time_of(t0, t1, nodes()[j]));
  for (const double s : {-0.93, -0.3, 0.3, 0.93}) {
    const bool is_near =
        std::abs(interpolated(piece.values, s) - signal(time_of(t0, t1, s))) <= accuracy_;
    if (is_near || depth == most_divisions) continue;
    const double middle = 0.5 * (t0 + t1);
    divide(t0, middle, signal, depth + 1);
    divide(middle, t1, signal, depth + 1);
    return;
  }
  pieces_.push_back(piece);
}

bool SignalHistory::is_broken(const Piece& before, const Piece& after) const {
  const Numbers left = powers(before.values);
  const Numbers right = powers(after.values);
  const double h = std::min(before.end - before.begin, after.end - after.begin);
  const double shares[] = {h / (before.end - before.begin), h / (after.end - after.begin)};
  // Value, slope and curvature at s = 1 of the one and at s = -1 of the other, for steps of h.
  for (int k = 0; k < 3; ++k) {
    double jump = 0.0;
    for (std::size_t i = static_cast<std::size_t>(k); i < n_nodes; ++i) {
      double factor = 1.0;
      for (int m = 0; m < k; ++m) factor *= static_cast<double>(i) - m;
      const double sign = (i - static_cast<std::size_t>(k)) % 2 == 0 ? 1.0 : -1.0;
      jump +=
          factor * (sign * right[i] * std::pow(shares[1], k) - left[i] * std::pow(shares[0], k));
    }
    // Slopes of interpolants have the errors of the steps.
    if (std::abs(jump) > 1e3 * accuracy_) return true;
  }
  return false;
}

std::size_t SignalHistory::piece_at(double t) const {
  const auto after = std::ranges::partition_point(
      pieces_, [&](const Piece& piece) { return piece.end <= t + same_time * std::abs(t); });
  return static_cast<std::size_t>(after - pieces_.begin());
}

double SignalHistory::value(double t) const {
  const std::size_t k = std::min(piece_at(t), pieces_.size() - 1);
  const Piece& piece = pieces_[k];
  const double s = (2.0 * t - piece.begin - piece.end) / (piece.end - piece.begin);
  return interpolated(piece.values, std::clamp(s, -1.0, 1.0));
}

SignalHistory::Piece SignalHistory::joined(double t0, double t1) const {
  Piece piece{.begin = t0, .end = t1, .values = {}};
  for (std::size_t j = 0; j < n_nodes; ++j) piece.values[j] = value(time_of(t0, t1, nodes()[j]));
  // At a break the value on this side of it.
  const std::size_t last = piece_at(t1);
  const bool is_end =
      last == pieces_.size() || pieces_[last].begin >= t1 - same_time * std::abs(t1);
  if (is_end && last > 0) piece.values[0] = pieces_[last - 1].values[0];
  return piece;
}

bool SignalHistory::fits(const Piece& piece, std::size_t first, std::size_t last) const {
  for (std::size_t k = first; k <= last; ++k) {
    for (const double s : {-0.7, 0.1, 0.8}) {
      const double t = time_of(std::max(pieces_[k].begin, piece.begin), pieces_[k].end, s);
      const double place = (2.0 * t - piece.begin - piece.end) / (piece.end - piece.begin);
      if (!(std::abs(interpolated(piece.values, place) - value(t)) <= 2.0 * accuracy_))
        return false;
    }
  }
  return true;
}

SignalHistory::Stretch SignalHistory::from(double t) const {
  const std::size_t first = piece_at(t);
  if (first == pieces_.size()) {
    Stretch unknown{.begin = t,
                    .end = std::numeric_limits<double>::infinity(),
                    .middle = t,
                    .inverse = 1.0,
                    .coefficients = {}};
    unknown.coefficients.fill(std::numeric_limits<double>::quiet_NaN());
    return unknown;
  }
  std::size_t limit = pieces_.size() - 1;
  for (const double time : breaks_) {
    if (time <= t + same_time * std::abs(t)) continue;
    limit = std::min(limit, piece_at(time) - 1);
  }
  // Twice as many pieces as long as that goes, then half as many more of those that are left.
  Piece longest = joined(t, pieces_[first].end);
  std::size_t last = first;
  bool grows = true;
  for (std::size_t more = 1; more > 0 && last < limit;) {
    const std::size_t next = std::min(last + more, limit);
    const Piece longer = joined(t, pieces_[next].end);
    const bool is_good = fits(longer, first, next);
    if (is_good) {
      longest = longer;
      last = next;
    }
    grows = grows && is_good;
    more = grows ? 2 * more : more / 2;
  }
  return {.begin = longest.begin,
          .end = longest.end,
          .middle = 0.5 * (longest.begin + longest.end),
          .inverse = 2.0 / (longest.end - longest.begin),
          .coefficients = powers(longest.values)};
}

bool SignalHistory::breaks_at(double t) const {
  return std::ranges::any_of(
      breaks_, [&](double time) { return std::abs(time - t) <= same_time * std::abs(t); });
}

void SignalHistory::forget_before(double t) {
  // Often enough to be short, seldom enough to cost nothing.
  constexpr std::size_t many = 64;
  const std::size_t n_past = piece_at(t);
  if (n_past < many) return;
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(n_past));
  std::erase_if(breaks_, [&](double time) { return time < pieces_.front().begin; });
}

}  // namespace daedal::formulation
