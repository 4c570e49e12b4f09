// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/singularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "linalg/rank.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// A minimum of the measure below this is a singular position: the interpolant of a step is
/// accurate to a small multiple of the tolerance.
constexpr double singular_measure = 1e-4;
/// Only minima of the square that samples predict to lie below this are looked at closely, and only
/// below this measure a prescribed motion is suspected to lock.
constexpr double suspicious_measure = 0.1;
/// A locking mechanism is stopped here: σ² ~ t* − t, so the run ends about 1e-6 time scales early.
constexpr double locking_measure = 2e-3;
constexpr double least_push = 1e-6;
/// Singular values and second-order terms below this count as zero at a located position.
constexpr double located_tolerance = 1e-3;
constexpr int golden_iterations = 60;
/// Smooth motions are stepped in strides that pass several singular positions: a step is looked at
/// in parts, in each of which no coordinate moves by more than about a quarter of its nominal value
/// (of a radian, for angles).
constexpr double parts_per_nominal = 4.0;
constexpr double most_parts = 16.0;
constexpr std::size_t most_names = 8;

/// The greatest first, as the rank counts them.
double ranked(const Vector& values, Index rank, std::vector<double>& sorted) {
  sorted.assign(values.data(), values.data() + values.size());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return rank > 0 ? sorted[to_size(rank - 1)] : infinity;
}

}  // namespace

SingularityMonitor::SingularityMonitor(const Mechanics& mechanics, double t0,
                                       std::span<const double> x, MechanicalRun& run)
    : mechanics_(mechanics),
      rank_(0),
      row_scale_(to_size(mechanics.m()), 1.0),
      jacobian_(Matrix::Zero(mechanics.m(), mechanics.n())),
      values_(mechanics.jacobian_pattern().row.size()),
      residual_(to_size(mechanics.m())),
      state_(x.size()),
      svd_(mechanics.m(), mechanics.n()) {
  if (!mechanics_.position_level(mechanics_.point(t0, x), run, residual_, values_)) return;
  scatter(mechanics_.jacobian_pattern(), values_, jacobian_);
  for (Index i = 0; i < mechanics_.m(); ++i) {
    const double length = jacobian_.row(i).norm();
    if (length > 0.0) row_scale_[to_size(i)] = 1.0 / length;
  }
  for (Index i = 0; i < mechanics_.m(); ++i) jacobian_.row(i) *= row_scale_[to_size(i)];
  rank_ = linalg::decide_rank(jacobian_).rank;
  last_ = {t0, measure_square(t0, x, run)};
}

double SingularityMonitor::measure_square(double t, std::span<const double> x, MechanicalRun& run) {
  if (!mechanics_.position_level(mechanics_.point(t, x), run, residual_, values_)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  scatter(mechanics_.jacobian_pattern(), values_, jacobian_);
  for (Index i = 0; i < mechanics_.m(); ++i) jacobian_.row(i) *= row_scale_[to_size(i)];
  svd_.factor(jacobian_);
  const double value = ranked(svd_.singular_values(), rank_, sorted_);
  return value * value;
}

double SingularityMonitor::measure_square(double t, const History& history, MechanicalRun& run) {
  history.derivative(t, 0, state_);
  return measure_square(t, state_, run);
}

// Golden-section search: the measure's square has one minimum on a step that resolves the motion.
SingularityMonitor::Sample SingularityMonitor::locate(const Sample& begin, const Sample& end,
                                                      const History& history, MechanicalRun& run) {
  const double share = (std::sqrt(5.0) - 1.0) / 2.0;
  double a = begin.t, b = end.t;
  Sample left{b - share * (b - a)}, right{a + share * (b - a)};
  left.square = measure_square(left.t, history, run);
  right.square = measure_square(right.t, history, run);
  for (int i = 0; i < golden_iterations; ++i) {
    if (left.square < right.square) {
      b = right.t;
      right = left;
      left.t = b - share * (b - a);
      left.square = measure_square(left.t, history, run);
    } else {
      a = left.t;
      left = right;
      right.t = a + share * (b - a);
      right.square = measure_square(right.t, history, run);
    }
  }
  const Sample inner = left.square < right.square ? left : right;
  const Sample outer = begin.square < end.square ? begin : end;
  return inner.square < outer.square ? inner : outer;
}

double SingularityMonitor::prescribed_push(double t, std::span<const double> x,
                                           MechanicalRun& run) {
  std::copy(x.begin(), x.end(), state_.begin());
  std::fill(state_.begin() + mechanics_.n(), state_.end(), 0.0);
  if (!mechanics_.velocity_level(mechanics_.point(t, state_), run, residual_, {})) return 0.0;
  double length = 0.0;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    residual_[i] *= row_scale_[i];
    length += residual_[i] * residual_[i];
  }
  if (length == 0.0) return 0.0;
  std::vector<Index> order(to_size(svd_.singular_values().size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    return svd_.singular_values()(i) > svd_.singular_values()(j);
  });
  const Index k = order[to_size(rank_ - 1)];
  return std::abs(svd_.project_left(k, residual_)) / std::sqrt(length);
}

Change SingularityMonitor::lock(const Sample& before, const Sample& now) const {
  // σ² is linear in t* − t.
  const double slope = (before.square - now.square) / (now.t - before.t);
  const double end = slope > 0.0 ? now.t + now.square / slope : now.t;
  return {Change::Kind::stop, Status::lock_up,
          fmt::format("The mechanism locks at t = {:.8g}: the constraints demand a motion that no "
                      "velocity meets there.",
                      end)};
}

int SingularityMonitor::n_parts(double step, std::span<const double> x) const {
  const auto n = to_size(mechanics_.n());
  double farthest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t variable = mechanics_.view().positions[i];
    const double nominal = mechanics_.view().model.variables()[to_size(variable)].nominal;
    farthest = std::max(farthest, std::abs(step * x[n + i]) / nominal);
  }
  return static_cast<int>(std::clamp(std::ceil(parts_per_nominal * farthest), 1.0, most_parts));
}

Change SingularityMonitor::after_step(double t, std::span<const double> x, const History& history,
                                      MechanicalRun& run) {
  if (rank_ == 0) return {};
  Sample begin = last_;
  const double step = t - begin.t;
  last_ = {t, measure_square(t, x, run)};
  const Sample end = last_;
  if (step == 0.0 || !std::isfinite(begin.square) || !std::isfinite(end.square)) return {};
  if (end.square < suspicious_measure * suspicious_measure &&
      prescribed_push(t, x, run) > least_push) {
    return end.square < locking_measure * locking_measure ? lock(begin, end) : Change{};
  }
  const int parts = n_parts(step, x);
  for (int i = 0; i < parts; ++i) {
    const double half = begin.t + step / (2 * parts);
    const Sample middle{half, measure_square(half, history, run)};
    const double to = begin.t + step / parts;
    const Sample next = i + 1 == parts ? end : Sample{to, measure_square(to, history, run)};
    inspect(begin, middle, next, history, run);
    begin = next;
  }
  return {};
}

void SingularityMonitor::inspect(const Sample& begin, const Sample& middle, const Sample& end,
                                 const History& history, MechanicalRun& run) {
  // The parabola through three samples of σ²: s in [0, 1] from begin to end.
  const double curvature = 2.0 * (begin.square - 2.0 * middle.square + end.square);
  const double slope = -3.0 * begin.square + 4.0 * middle.square - end.square;
  const double at = curvature > 0.0 ? -slope / (2.0 * curvature) : -1.0;
  const double predicted = begin.square + slope * at + curvature * at * at;
  const bool is_suspicious = at > -0.1 && at < 1.1 && predicted <= suspicious_measure;
  if (!is_suspicious) return;
  const Sample found = locate(begin, end, history, run);
  const bool is_new = std::abs(found.t - last_reported_) > 1e-3 * std::abs(end.t - begin.t);
  if (!(found.square <= singular_measure * singular_measure) || !is_new) return;
  last_reported_ = found.t;
  history.derivative(found.t, 0, state_);
  const std::vector<double> position = state_;
  run.warnings.push_back(classify(found.t, position, run));
}

namespace {

/// The two directions c, s with a c² + 2 b c s + d s² = 0; none when the form is definite.
std::vector<Vector> null_directions(const Matrix& form) {
  const double a = form(0, 0), b = form(0, 1), d = form(1, 1);
  const double root = b * b - a * d;
  if (root <= 0.0) return {};
  std::vector<Vector> result;
  for (const double sign : {1.0, -1.0}) {
    Vector v(2);
    // The better conditioned of (−b ± √root, a) and (d, −b ∓ √root).
    if (std::abs(-b + sign * std::sqrt(root)) + std::abs(a) >
        std::abs(d) + std::abs(-b - sign * std::sqrt(root))) {
      v << -b + sign * std::sqrt(root), a;
    } else {
      v << d, -b - sign * std::sqrt(root);
    }
    result.push_back(v);
  }
  return result;
}

}  // namespace

std::string SingularityMonitor::classify(double t, std::span<const double> x, MechanicalRun& run) {
  measure_square(t, x, run);
  const linalg::Svd svd = linalg::svd(jacobian_);
  const Index m = mechanics_.m(), n = mechanics_.n();
  Index rank = 0;
  for (Index k = 0; k < svd.s.size(); ++k) {
    if (svd.s(k) > located_tolerance) ++rank;
  }
  const Matrix tangents = svd.v.rightCols(n - rank);
  const std::string opening = fmt::format(
      "A singular position was passed at t = {:.8g}: the rank of the constraints drops from {} to "
      "{}",
      t, rank_, rank);
  // g_qq(v, w) by polarisation of z, whose other terms are even or constant in v.
  std::vector<double> probe(x.begin(), x.end());
  const auto curvature = [&](const Vector& v) {
    Vector sum = Vector::Zero(m);
    for (const double sign : {1.0, -1.0, 0.0}) {
      for (Index i = 0; i < n; ++i) probe[to_size(n + i)] = sign * v(i);
      const auto z = mechanics_.dynamics(mechanics_.point(t, probe), run).curvature;
      sum += (sign == 0.0 ? -1.0 : 0.5) * as_vector(z);
    }
    for (Index i = 0; i < m; ++i) sum(i) *= row_scale_[to_size(i)];
    return sum;
  };
  const Index k = tangents.cols();
  Matrix greatest = Matrix::Zero(k, k);
  for (Index u = rank; u < m; ++u) {
    Matrix form(k, k);
    for (Index i = 0; i < k; ++i) {
      for (Index j = i; j < k; ++j) {
        const Vector both = curvature(tangents.col(i) + tangents.col(j));
        const Vector apart = curvature(tangents.col(i) - tangents.col(j));
        form(i, j) = form(j, i) = svd.u.col(u).dot(both - apart) / 4.0;
      }
    }
    if (form.norm() > greatest.norm()) greatest = form;
  }
  if (greatest.norm() <= located_tolerance) {
    return opening +
           "; the dependence is one of first and second order, and the motion passes "
           "smoothly.";
  }
  if (k != 2) {
    return opening + fmt::format(
                         "; it is a bifurcation with {} directions of motion to first "
                         "order. The run continued on the smooth branch.",
                         k);
  }
  std::string branches;
  for (const Vector& pair : null_directions(greatest)) {
    const Vector direction = tangents * pair;
    const double largest = direction.cwiseAbs().maxCoeff();
    std::vector<std::string> parts;
    for (Index i = 0; i < n; ++i) {
      const double share = direction(i) / largest;
      if (std::abs(share) < located_tolerance) continue;
      parts.push_back(fmt::format("{} {:+.4g}", mechanics_.coordinate_name(i), share));
    }
    branches += (branches.empty() ? "(" : ", (") + join_words(parts, most_names) + ")";
  }
  if (branches.empty()) {
    return opening +
           "; it is an isolated position, which the constraints do not let the motion "
           "leave: what follows is not to be trusted.";
  }
  return opening + "; it is a bifurcation, with branches along " + branches +
         ". The run continued on the smooth branch.";
}

}  // namespace daedal::formulation
