// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/singular/singularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formulation/frame/own_unit.hpp"
#include "formulation/mechanics/mechanics.hpp"
#include "formulation/singular/redundancy.hpp"
#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// A measure below this is zero, as for the scan.
constexpr double singular_measure = 1e-4;
/// Only below this measure a prescribed motion is suspected to lock.
constexpr double suspicious_measure = 0.1;
/// A locking mechanism is stopped here: σ² ~ t* − t, so the run ends about 1e-6 time scales early.
constexpr double locking_measure = 2e-3;
constexpr double least_push = 1e-6;
/// Smooth motions are stepped in strides that pass several singular positions: a step is looked at
/// in parts, in each of which no coordinate moves by more than about a quarter of its nominal value
/// (of a radian, for angles) and no constraint's normal turns by more.
constexpr double parts_per_nominal = 4.0;
constexpr double most_parts = 16.0;
/// A step is left alone when it moves by less than this and the conditioning of the constraints in
/// all its evaluations has not fallen by this factor. The evaluations of a step lie at most a third
/// of it apart: one of them comes nearer than 1/6 to a singular position that is passed, and the
/// conditioning, quadratic in the distance, falls to 1/36.
constexpr double quiet_movement = 1.0;
constexpr double quiet_fall = 0.25;
/// Below this share of the greatest σ² every step is looked at.
constexpr double near_share = 0.1;
/// Decompositions are dense. Beyond so many constraints the elimination at the start vouches for
/// their rank, and its pivots alone are watched until they fall.
constexpr Index many_constraints = 40;
/// Beyond so many a decomposition takes more than a second, and only what pivots show is reported.
constexpr Index too_many_constraints = 200;
/// A changed rank counts as lasting when the motion has gone so far with it: a position that is
/// passed is behind after a hundredth of that.
constexpr double lasting_movement = 0.01;
/// Constraints with a smaller share in the dependence are not named.
constexpr double least_motion_share = 0.1;

/// The greatest first, as the rank counts them.
double ranked(const Vector& values, Index rank, std::vector<double>& sorted) {
  sorted.assign(values.data(), values.data() + values.size());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return rank > 0 ? sorted[to_size(rank - 1)] : infinity;
}

/// What a singular position of a mechanism is. There the tangents v of motions, Gv = 0, need not
/// all belong to one: a motion also meets the second-order condition
///
///     uᵀ g_qq(v, v) = 0   for all u with uᵀG = 0.
///
/// Where that holds for every v, the position is passed smoothly; where it singles out some, they
/// are the branches of a bifurcation; where none is left, the position is isolated.
struct SingularPosition {
  enum class Kind { smooth, bifurcation, isolated };
  Kind kind = Kind::smooth;
  Index rank = 0;                ///< of G there
  std::vector<Vector> branches;  ///< tangents, where they are two lines
  Index n_tangents = 0;          ///< to first order
};

/// Singular values and second-order terms below this count as zero at a located position.
constexpr double located_tolerance = 1e-3;
constexpr std::size_t most_branch_names = 8;

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

/// The curvature of the constraints: D g_qq(v, v) at one position.
class ConstraintCurvature {
 public:
  ConstraintCurvature(const Mechanics& mechanics, const MechanicalPoint& at,
                      std::span<const double> scale, MechanicalRun& run)
      : mechanics_(mechanics), at_(at), scale_(scale), run_(run), velocity_(at.v.size()) {}

  /// Computed by polarisation of z, whose other terms are even or constant in v.
  Vector operator()(const Vector& v) {
    Vector sum = Vector::Zero(mechanics_.m());
    for (const double sign : {1.0, -1.0, 0.0}) {
      for (std::size_t i = 0; i < velocity_.size(); ++i) velocity_[i] = sign * v(to_index(i));
      const auto z = mechanics_.dynamics({at_.t, at_.q, velocity_}, run_).curvature;
      sum += (sign == 0.0 ? -1.0 : 0.5) * as_vector(z);
    }
    for (Index i = 0; i < sum.size(); ++i) sum(i) *= scale_[to_size(i)];
    return sum;
  }

  /// uᵀ D g_qq on the span of `tangents`.
  Matrix form(const Vector& u, const Matrix& tangents) {
    const Index k = tangents.cols();
    Matrix result(k, k);
    for (Index i = 0; i < k; ++i) {
      for (Index j = i; j < k; ++j) {
        const Vector both = (*this)(tangents.col(i) + tangents.col(j));
        const Vector apart = (*this)(tangents.col(i) - tangents.col(j));
        result(i, j) = result(j, i) = u.dot(both - apart) / 4.0;
      }
    }
    return result;
  }

 private:
  const Mechanics& mechanics_;
  MechanicalPoint at_;
  std::span<const double> scale_;
  MechanicalRun& run_;
  std::vector<double> velocity_;
};

/// G for positions in their units: lengths of its rows and angles between them then say the same in
/// all units.
void take_units(const Mechanics& mechanics, std::span<const double> units,
                std::span<double> jacobian) {
  const SparsityPattern& pattern = mechanics.jacobian_pattern();
  for (std::size_t j = 0; j < to_size(mechanics.n()); ++j) {
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      jacobian[p] *= units[j];
    }
  }
}

/// The position in `x`, which is known to a small multiple of the tolerance; rows of G are scaled
/// by `row_scale`.
SingularPosition classify_position(const Mechanics& mechanics, const MechanicalPoint& at,
                                   std::span<const double> units, std::span<const double> row_scale,
                                   MechanicalRun& run) {
  const Index m = mechanics.m(), n = mechanics.n();
  std::vector<double> residual(to_size(m)), values(mechanics.jacobian_pattern().row.size());
  SingularPosition found;
  if (!mechanics.position_level(at, run, residual, values)) return found;
  take_units(mechanics, units, values);
  Matrix jacobian = Matrix::Zero(m, n);
  scatter(mechanics.jacobian_pattern(), values, jacobian);
  for (Index i = 0; i < m; ++i) jacobian.row(i) *= row_scale[to_size(i)];
  const linalg::Svd svd = linalg::svd(jacobian);
  for (Index k = 0; k < svd.s.size(); ++k) {
    if (svd.s(k) > located_tolerance) ++found.rank;
  }
  const Matrix tangents = as_vector(units).asDiagonal() * svd.v.rightCols(n - found.rank);
  found.n_tangents = tangents.cols();
  ConstraintCurvature curvature(mechanics, at, row_scale, run);
  Matrix greatest = Matrix::Zero(tangents.cols(), tangents.cols());
  for (Index u = found.rank; u < m; ++u) {
    const Matrix form = curvature.form(svd.u.col(u), tangents);
    if (form.norm() > greatest.norm()) greatest = form;
  }
  if (greatest.norm() <= located_tolerance) return found;
  found.kind = SingularPosition::Kind::bifurcation;
  if (tangents.cols() != 2) return found;
  for (const Vector& pair : null_directions(greatest)) found.branches.emplace_back(tangents * pair);
  if (found.branches.empty()) found.kind = SingularPosition::Kind::isolated;
  return found;
}

/// "; it is a bifurcation, with branches along (th1 +1 and th2 +1), ...": the end of a sentence.
std::string describe(const SingularPosition& position, const Mechanics& mechanics) {
  using Kind = SingularPosition::Kind;
  if (position.kind == Kind::smooth) {
    return "; the dependence is one of first and second order, and the motion passes smoothly.";
  }
  if (position.kind == Kind::isolated) {
    return "; it is an isolated position, which the constraints do not let the motion leave: "
           "what "
           "follows is not to be trusted.";
  }
  if (position.branches.empty()) {
    return fmt::format(
        "; it is a bifurcation with {} directions of motion to first order. The run continued on "
        "the smooth branch.",
        position.n_tangents);
  }
  std::string branches;
  for (const Vector& direction : position.branches) {
    Index at = 0;
    direction.cwiseAbs().maxCoeff(&at);
    const double largest = direction(at);
    std::vector<std::string> parts;
    for (Index i = 0; i < direction.size(); ++i) {
      const double share = direction(i) / largest;
      if (std::abs(share) < located_tolerance) continue;
      parts.push_back(fmt::format("{} {:+.4g}", mechanics.coordinate_name(i), share));
    }
    branches += (branches.empty() ? "(" : ", (") + join_words(parts, most_branch_names) + ")";
  }
  return "; it is a bifurcation, with branches along " + branches +
         ". The run continued on the smooth branch.";
}

}  // namespace

SingularityMonitor::SingularityMonitor(const Mechanics& mechanics, double t0,
                                       std::span<const double> x, MechanicalRun& run)
    : mechanics_(mechanics),
      row_scale_(to_size(mechanics.m()), 1.0),
      values_(mechanics.jacobian_pattern().row.size()),
      before_(values_.size()),
      residual_(to_size(mechanics.m())),
      state_(x.size()),
      svd_(has_decompositions() ? mechanics.m() : 0, has_decompositions() ? mechanics.n() : 0) {
  for (std::size_t i = 0; i < to_size(mechanics.n()); ++i)
    units_.push_back(own_unit(mechanics.nominals()[i], std::abs(x[i])));
  if (!read(t0, x, run)) return;
  scale_rows();
  before_ = values_;
  if (mechanics_.m() > many_constraints) {
    rank_ = mechanics_.m();
    last_ = {t0, std::numeric_limits<double>::quiet_NaN()};
    return;
  }
  rank_ = linalg::decide_rank(scaled_jacobian()).rank;
  last_ = {t0, measure_square(t0, x, run)};
  usual_square_ = last_.square;
}

bool SingularityMonitor::has_decompositions() const {
  return mechanics_.m() <= too_many_constraints;
}

void SingularityMonitor::scale_rows() {
  std::ranges::fill(residual_, 0.0);
  for (std::size_t p = 0; p < values_.size(); ++p)
    residual_[to_size(mechanics_.jacobian_pattern().row[p])] += values_[p] * values_[p];
  for (std::size_t i = 0; i < residual_.size(); ++i)
    if (residual_[i] > 0.0) row_scale_[i] = 1.0 / std::sqrt(residual_[i]);
}

const Matrix& SingularityMonitor::scaled_jacobian() {
  if (jacobian_.size() == 0) jacobian_.setZero(mechanics_.m(), mechanics_.n());
  scatter(mechanics_.jacobian_pattern(), values_, jacobian_);
  for (Index i = 0; i < mechanics_.m(); ++i) jacobian_.row(i) *= row_scale_[to_size(i)];
  return jacobian_;
}

bool SingularityMonitor::read(double t, std::span<const double> x, MechanicalRun& run) {
  if (!mechanics_.position_level(mechanics_.point(t, x), run, residual_, values_)) return false;
  take_units(mechanics_, units_, values_);
  return true;
}

double SingularityMonitor::measure_square(double t, std::span<const double> x, MechanicalRun& run) {
  // A look at a step can take hundreds of decompositions: the run may be asked to end meanwhile.
  if (run.stop.is_raised() || !read(t, x, run)) return std::numeric_limits<double>::quiet_NaN();
  svd_.factor(scaled_jacobian());
  const double value = ranked(svd_.singular_values(), rank_, sorted_);
  return value * value;
}

double SingularityMonitor::measure_square(double t, const History& history, MechanicalRun& run) {
  history.derivative(t, 0, state_);
  return measure_square(t, state_, run);
}

double SingularityMonitor::movement(double step, std::span<const double> x) {
  const auto n = to_size(mechanics_.n());
  double farthest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    // What starts near 0 is as large as it has become, up to its nominal value: an angle turns on.
    const double size = std::max(units_[i], std::min(std::abs(x[i]), mechanics_.nominals()[i]));
    farthest = std::max(farthest, std::abs(step * x[n + i]) / size);
  }
  std::fill(residual_.begin(), residual_.end(), 0.0);
  const SparsityPattern& pattern = mechanics_.jacobian_pattern();
  for (std::size_t p = 0; p < values_.size(); ++p) {
    const auto row = to_size(pattern.row[p]);
    const double turned = (values_[p] - before_[p]) * row_scale_[row];
    residual_[row] += turned * turned;
  }
  for (const double square : residual_) farthest = std::max(farthest, std::sqrt(square));
  return farthest;
}

bool SingularityMonitor::is_quiet(double conditioning, double moved) {
  if (mechanics_.m() > many_constraints && reference_ == 0.0) reference_ = conditioning;
  if (is_near_ || moved > quiet_movement || reference_ == 0.0) return false;
  // Dependent constraints may become independent, which the conditioning does not tell.
  if (rank_ < mechanics_.m()) return false;
  if (!(conditioning > quiet_fall * reference_)) return false;
  reference_ = std::max(reference_, conditioning);
  return true;
}

Change SingularityMonitor::after_step(double t, std::span<const double> x, const History& history,
                                      MechanicalRun& run) {
  if (mechanics_.m() == 0 || !read(t, x, run)) return {};
  moved_ = movement(t - last_.t, x);
  before_ = values_;
  const double conditioning = run.work.regular        ? run.work.regular->conditioning().least()
                              : run.work.conditioning ? run.work.conditioning->least()
                                                      : 0.0;
  if (is_quiet(conditioning, moved_)) {
    last_ = {t, std::numeric_limits<double>::quiet_NaN()};
    return {};
  }
  if (!has_decompositions()) {
    // Where nothing was factored since the last step, nothing is known of them.
    if (conditioning > 0.0) report_pivots(t, conditioning, run);
    return {};
  }
  const std::size_t n_warnings = run.warnings.size();
  Change change = inspect(t, x, history, run);
  // The least conditioning of a step that passes a singular position says nothing of the next.
  const bool has_passed = run.warnings.size() > n_warnings;
  reference_ = std::max(has_passed ? 0.0 : conditioning, 0.5 * reference_);
  usual_square_ = std::max(usual_square_, last_.square);
  is_near_ = last_.square < near_share * usual_square_;
  return change;
}

void SingularityMonitor::report_pivots(double t, double conditioning, MechanicalRun& run) {
  reference_ = std::max(conditioning, 0.5 * reference_);
  last_ = {t, std::numeric_limits<double>::quiet_NaN()};
  const bool was_near = std::exchange(is_near_, conditioning < singular_measure * singular_measure);
  if (!is_near_ || was_near) return;
  run.warnings.push_back(
      fmt::format("Before t = {:.8g} the {} constraints come close to dependence: a singular "
                  "position may have been passed.",
                  t, mechanics_.m()));
}

Change SingularityMonitor::inspect(double t, std::span<const double> x, const History& history,
                                   MechanicalRun& run) {
  Sample begin = last_;
  const double step = t - begin.t;
  if (step == 0.0) return {};
  if (std::isnan(begin.square)) begin.square = measure_square(begin.t, history, run);
  last_ = {t, measure_square(t, x, run)};
  const Sample end = last_;
  if (std::isnan(begin.square) || std::isnan(end.square)) return {};
  if (end.square < suspicious_measure * suspicious_measure &&
      prescribed_push(t, x, run) > least_push) {
    return end.square < locking_measure * locking_measure ? lock(begin, end) : Change{};
  }
  follow_rank(t, x, run);
  if (rank_ == 0) return {};
  const int parts =
      static_cast<int>(std::clamp(std::ceil(parts_per_nominal * moved_), 1.0, most_parts));
  const auto square = [&](double at) { return measure_square(at, history, run); };
  for (const double at : scan_.find(begin, end, parts, square)) {
    history.derivative(at, 0, state_);
    const SingularPosition position =
        classify_position(mechanics_, mechanics_.point(at, state_), units_, row_scale_, run);
    run.warnings.push_back(fmt::format(
        "A singular position was passed at t = {:.8g}: the rank of the constraints drops from {} "
        "to {}{}",
        at, rank_, position.rank, describe(position, mechanics_)));
  }
  return {};
}

Index SingularityMonitor::vanishing_direction() const {
  std::vector<Index> order(to_size(svd_.singular_values().size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    return svd_.singular_values()(i) > svd_.singular_values()(j);
  });
  return order[to_size(rank_ - 1)];
}

double SingularityMonitor::prescribed_push(double t, std::span<const double> x,
                                           MechanicalRun& run) {
  if (rank_ == 0) return 0.0;
  std::copy(x.begin(), x.end(), state_.begin());
  std::fill_n(state_.begin() + mechanics_.n(), mechanics_.n(), 0.0);
  if (!mechanics_.velocity_level(mechanics_.point(t, state_), run, residual_, {})) return 0.0;
  double length = 0.0;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    residual_[i] *= row_scale_[i];
    length += residual_[i] * residual_[i];
  }
  if (length == 0.0) return 0.0;
  return std::abs(svd_.project_left(vanishing_direction(), residual_)) / std::sqrt(length);
}

std::string SingularityMonitor::vanishing_constraints() const {
  const Index direction = vanishing_direction();
  std::vector<double> unit(residual_.size(), 0.0);
  Vector shares(mechanics_.m());
  for (Index i = 0; i < mechanics_.m(); ++i) {
    unit[to_size(i)] = 1.0;
    shares(i) = std::abs(svd_.project_left(direction, unit));
    unit[to_size(i)] = 0.0;
  }
  std::vector<std::string> names;
  for (Index i = 0; i < mechanics_.m(); ++i) {
    if (shares(i) >= least_motion_share * shares.maxCoeff()) {
      names.push_back(mechanics_.constraint_name(i));
    }
  }
  return join_words(names);
}

Change SingularityMonitor::lock(const Sample& before, const Sample& now) const {
  // σ² is linear in t* − t.
  const double slope = (before.square - now.square) / (now.t - before.t);
  const double end = slope > 0.0 ? now.t + now.square / slope : now.t;
  return {Change::Kind::stop, Status::lock_up,
          fmt::format("The mechanism locks at t = {:.8g}: {} demand a motion there that no "
                      "velocity meets.",
                      end, vanishing_constraints())};
}

void SingularityMonitor::follow_rank(double t, std::span<const double> x, MechanicalRun& run) {
  const double least = singular_measure * std::min(1.0, std::sqrt(usual_square_));
  Index rank = 0;
  for (const double value : svd_.singular_values()) {
    if (value > least) ++rank;
  }
  if (rank == rank_) {
    changed_rank_ = -1;
    return;
  }
  changed_since_ = rank == changed_rank_ ? changed_since_ + moved_ : 0.0;
  changed_rank_ = rank;
  if (changed_since_ > lasting_movement) report_rank(t, x, rank, run);
}

void SingularityMonitor::report_rank(double t, std::span<const double> x, Index rank,
                                     MechanicalRun& run) {
  if (!read(t, x, run)) return;
  std::string text =
      fmt::format("The rank of the constraints has changed from {} to {} of {} before t = {:.8g}",
                  rank_, rank, mechanics_.m(), t);
  if (rank > rank_) {
    text += ": constraints that were dependent at first, or vanished, are independent now.";
    scale_rows();
  } else {
    const Redundancy found =
        find_scaled_redundancy(scaled_jacobian(), Vector::Zero(mechanics_.m()), singular_measure);
    text += ": " + describe_sets(found, [&](Index i) { return mechanics_.constraint_name(i); });
  }
  run.warnings.push_back(std::move(text));
  rank_ = rank;
  changed_rank_ = -1;
}

}  // namespace daedal::formulation
