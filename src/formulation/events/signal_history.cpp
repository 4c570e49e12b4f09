// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/events/signal_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace daedal::formulation {

namespace {

constexpr std::size_t n_nodes = SignalHistory::n_nodes;
constexpr std::size_t degree = n_nodes - 1;
/// One step is divided into at most so many stretches.
constexpr std::size_t most_stretches = 1024;
/// Errors that the halves of a stretch do not reduce by the factor `made_less`, `most_futile` times
/// in a row, may be rounding errors. Below `share_of_noise` of the signal they are not reduced.
constexpr int most_futile = 6;
constexpr double made_less = 0.25;
constexpr double share_of_noise = 1e-8;
/// Over so many units of the last place of time, rounding errors change by this share of
/// themselves.
constexpr double units_apart = 64.0;
constexpr double share_of_change = 0.05;
/// Polynomials through rounding errors may differ by so many times these.
constexpr double noise_joined = 20.0;
/// The share of the tolerance of the run that errors of a signal read later may have, so that they
/// do not show beside the errors of the run.
constexpr double share_of_tolerance = 0.03;
/// No stretch has to be shorter than this share of the whole past.
constexpr double shortest = 1e-8;
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

void SignalHistory::add(double t0, double t1, const Signal& signal, const Precision& precision,
                        End end) {
  // Between two events at what is one instant, rounded twice, nothing is to be known.
  if (t1 - t0 <= 2.0 * std::max(rounding(), same_time * std::max(std::abs(t0), std::abs(t1))))
    return;
  Piece whole = sampled(t0, t1, signal);
  for (const double value : whole.values) greatest_ = std::max(greatest_, std::abs(value));
  accuracy_ = share_of_tolerance * std::min(precision.rtol * greatest_, precision.tolerance);
  fresh_.clear();
  is_noise_ = false;
  divide(whole, signal, {.n_left = precision.most_divisions});
  has_lost_sight_ = has_lost_sight_ || fresh_.size() >= most_stretches;
  if (is_noise_) {
    whole.noise = whole.error;
    fresh_.assign(1, whole);
  }
  for (Piece& piece : fresh_) piece.accuracy = accuracy_;
  const bool is_back = end == End::back;
  if (std::exchange(is_after_event_[is_back ? 1 : 0], false)) {
    const bool is_first = pieces_.empty();
    if (is_first || (is_back ? is_broken(pieces_.back(), fresh_.front())
                             : is_broken(fresh_.back(), pieces_.front())))
      breaks_.push_back(is_back ? t0 : t1);
  }
  pieces_.insert(is_back ? pieces_.end() : pieces_.begin(), fresh_.begin(), fresh_.end());
}

void SignalHistory::begin_with(std::span<const double> points, std::span<const double> values,
                               double shift) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    greatest_ = std::max(greatest_, std::abs(values[i]));
    breaks_.push_back(points[i] + shift);
    if (i == 0 || !(points[i] > points[i - 1])) continue;
    Piece piece{.begin = points[i - 1] + shift, .end = points[i] + shift, .values = {}};
    for (std::size_t j = 0; j < n_nodes; ++j)
      piece.values[j] = time_of(values[i - 1], values[i], nodes()[j]);
    pieces_.push_back(piece);
  }
}

SignalHistory::Piece SignalHistory::sampled(double t0, double t1, const Signal& signal) {
  Piece piece{.begin = t0, .end = t1, .values = {}};
  for (std::size_t j = 0; j < n_nodes; ++j) piece.values[j] = signal(time_of(t0, t1, nodes()[j]));
  for (const double s : {-0.93, -0.3, 0.3, 0.93}) {
    const double error = std::abs(interpolated(piece.values, s) - signal(time_of(t0, t1, s)));
    piece.error = std::max(piece.error, error);
  }
  return piece;
}

/// A signal that varies fast does not do so between neighbouring numbers.
bool SignalHistory::is_noise(const Piece& piece, const Signal& signal) {
  const double apart = units_apart * std::numeric_limits<double>::epsilon() *
                       std::max(std::abs(piece.begin), std::abs(piece.end));
  double change = 0.0;
  for (const double s : {-0.8, -0.35, 0.15, 0.6}) {
    const double t = time_of(piece.begin, piece.end, s);
    change = std::max(change, std::abs(signal(t + apart) - signal(t)));
  }
  return change > share_of_change * piece.error;
}

void SignalHistory::divide(const Piece& whole, const Signal& signal, const Division& division) {
  is_noise_ = is_noise_ || (division.n_futile >= most_futile && is_noise(whole, signal));
  const bool is_over = division.n_left == 0 || fresh_.size() >= most_stretches;
  if (is_over || is_noise_ || division.is_fine || whole.error <= accuracy_) {
    fresh_.push_back(whole);
    if (division.is_fine) fresh_.back().noise = whole.error;
    return;
  }
  const double middle = 0.5 * (whole.begin + whole.end);
  const Piece left = sampled(whole.begin, middle, signal);
  const Piece right = sampled(middle, whole.end, signal);
  // A pulse lies in one of the halves, rounding errors in both.
  const bool is_futile = std::min(left.error, right.error) > made_less * whole.error;
  const Division next{.n_left = division.n_left - 1,
                      .n_futile = is_futile ? division.n_futile + 1 : 0,
                      .is_fine = is_futile && whole.error <= share_of_noise * greatest_};
  divide(left, signal, next);
  divide(right, signal, next);
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
    if (std::abs(jump) > 1e3 * std::max(before.accuracy, after.accuracy)) return true;
  }
  return false;
}

double SignalHistory::rounding() const {
  if (pieces_.empty()) return 0.0;
  return same_time * std::max(std::abs(pieces_.front().begin), std::abs(pieces_.back().end));
}

std::size_t SignalHistory::piece_at(double t) const {
  const auto after = std::ranges::partition_point(
      pieces_, [&](const Piece& piece) { return piece.end <= t + rounding(); });
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
  const bool is_end = last == pieces_.size() || pieces_[last].begin >= t1 - rounding();
  if (is_end && last > 0) piece.values[0] = pieces_[last - 1].values[0];
  return piece;
}

bool SignalHistory::fits(const Piece& piece, std::size_t first, std::size_t last) const {
  // First steps may be so short that what one ends with and what the next begins with differ more
  // by their errors than the signal does along them.
  if (piece.end - piece.begin <= shortest * (pieces_.back().end - pieces_.front().begin))
    return true;
  for (std::size_t k = first; k <= last; ++k) {
    for (const double s : {-0.7, 0.1, 0.8}) {
      const double t =
          time_of(std::max(pieces_[k].begin, piece.begin), std::min(pieces_[k].end, piece.end), s);
      const double place = (2.0 * t - piece.begin - piece.end) / (piece.end - piece.begin);
      if (!(std::abs(interpolated(piece.values, place) - value(t)) <=
            std::max(2.0 * pieces_[k].accuracy, noise_joined * pieces_[k].noise)))
        return false;
    }
  }
  return true;
}

SignalHistory::Stretch SignalHistory::from(double t, End towards) const {
  const bool is_back = towards == End::back;
  // Towards the front the piece that ends at t is the one to begin with.
  const std::size_t here = is_back ? piece_at(t) : piece_at(t - 2.0 * rounding());
  if (here == pieces_.size()) {
    Stretch unknown{.begin = t,
                    .end = std::numeric_limits<double>::infinity(),
                    .middle = t,
                    .inverse = 1.0,
                    .coefficients = {}};
    unknown.coefficients.fill(std::numeric_limits<double>::quiet_NaN());
    return unknown;
  }
  std::size_t limit = is_back ? pieces_.size() - 1 : 0;
  for (const double time : breaks_) {
    if (is_back && time > t + rounding()) limit = std::min(limit, piece_at(time) - 1);
    if (!is_back && time < t - rounding()) limit = std::max(limit, piece_at(time));
  }
  limit = is_back ? std::max(limit, here) : std::min(limit, here);
  const auto reaching = [&](std::size_t far) {
    return is_back ? joined(t, pieces_[far].end) : joined(pieces_[far].begin, t);
  };
  // Twice as many pieces as long as that goes, then half as many more of those that are left.
  Piece longest = reaching(here);
  std::size_t far = here;
  bool grows = true;
  for (std::size_t more = 1; more > 0 && far != limit;) {
    const std::size_t left = is_back ? limit - far : far - limit;
    const std::size_t step = std::min(more, left);
    const std::size_t next = is_back ? far + step : far - step;
    const Piece longer = reaching(next);
    const bool is_good = fits(longer, std::min(here, next), std::max(here, next));
    if (is_good) {
      longest = longer;
      far = next;
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
  return std::ranges::any_of(breaks_,
                             [&](double time) { return std::abs(time - t) <= rounding(); });
}

void SignalHistory::forget_before(double t) {
  // Often enough to be short, seldom enough to cost nothing.
  constexpr std::size_t many = 64;
  const std::size_t n_past = piece_at(t);
  if (n_past < many) return;
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(n_past));
  std::erase_if(breaks_, [&](double time) { return time < pieces_.front().begin; });
}

void SignalHistory::keep(double t0, double t1) {
  std::erase_if(pieces_, [&, none = rounding()](const Piece& piece) {
    return piece.end <= t0 + none || piece.begin >= t1 - none;
  });
  std::erase_if(breaks_, [&](double time) { return time < t0 || time > t1; });
  if (pieces_.empty()) return;
  if (pieces_.front().begin < t0) {
    pieces_.front() = joined(t0, pieces_.front().end);
    is_after_event_[0] = true;
  }
  if (pieces_.back().end > t1) {
    pieces_.back() = joined(pieces_.back().begin, t1);
    is_after_event_[1] = true;
  }
}

}  // namespace daedal::formulation
