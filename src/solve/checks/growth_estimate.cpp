// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/growth_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "integrate/error_floor.hpp"
#include "integrate/weights.hpp"
#include "linalg/dense/spectrum.hpp"
#include "system/series_source.hpp"

namespace daedal::solve_detail {

namespace {

/// Eigenvalues cost about 25 n³ operations. For larger systems they would slow the run down.
constexpr Index most_unknowns = 30;
/// The step of difference quotients relative to the unknown: the square root of the round-off.
constexpr double quotient_step = 1.5e-8;
/// Real parts below this share of the greatest eigenvalue are errors of defective ones: a double
/// one has the root of those of the matrix, which differences leave at 1e-8 or so.
constexpr double defective_share = 1e-4;
/// Infinite eigenvalues of a DAE of index k are computed as ε^(-1/k) at best. An eigenvalue that is
/// faster than the step by the inverse of this is one of them.
constexpr double infinite_share = 1e-2;
/// Steps of Euler's method, which the perturbation of an implicit system takes in one of the run.
constexpr double n_substeps = 64.0;
/// The same as defective_share for exact matrices.
constexpr double exact_defective_share = 1e-6;
/// Shares of the value at which the absolute tolerance is as large as the relative one: below the
/// first a state has lost two digits, above the second it matters again.
constexpr double decayed_share = 1e-2;
constexpr double grown_share = 0.1;
/// A value counts as decayed after so many small steps in a row, for it may pass 0 slowly.
constexpr int lasting_steps = 4;
/// A state is driven by others if these make up this share of its rate.
constexpr double driven_share = 0.1;
/// So many looks are taken after events whatever they cost.
constexpr std::int64_t most_forced = 16;
/// Every step adds errors of its own, of this share of a tolerance as a rule.
constexpr double added = 0.1;
/// So many looks are taken where errors grow whatever they cost.
constexpr std::int64_t most_grown = 4;
/// A look is taken where what is carried has grown by this factor since the last one.
const double seen_growth = std::log(10.0);
/// A step that changes the unknowns by this share of their sizes.
constexpr double seen_motion = 1e-2;
/// A motion has died out by e^-20.
constexpr double died_out = 20.0;
/// Padé's approximations of e^z are not smaller than it up to this z. Beyond it a scheme which
/// damps may have damped what grows, and the rate stands for it.
double followed(int order) {
  return order > 2 ? 1.3 * order : 1.0;
}

/// Steps that have the work of one look, for n unknowns, times 30, or 8 where looks are so cheap
/// that even a short run can have many: a step is taken for ten evaluations of some 20 operations
/// an unknown.
std::int64_t steps_for_a_look(double n) {
  const double evaluations = (n + 1.0) / 10.0;
  const double spectrum = 25.0 * n * n * n / (10.0 * (20.0 * n + 100.0));
  return static_cast<std::int64_t>(std::ceil((n <= 3.0 ? 8.0 : 30.0) * (evaluations + spectrum)));
}

}  // namespace

bool GrowthEstimate::is_possible(const System& system) {
  return system.size() > 0 && system.size() <= most_unknowns;
}

GrowthEstimate::GrowthEstimate(const System& system, bool damps)
    : system_(system),
      explicit_(dynamic_cast<const ExplicitSystem*>(&system)),
      implicit_(dynamic_cast<const ImplicitSystem*>(&system)),
      damps_(damps),
      is_known_(is_possible(system) && (explicit_ != nullptr || implicit_ != nullptr)) {
  // Schemes that damp take steps that are too long for it.
  may_follow_ = is_known_ && explicit_ != nullptr && !damps;
  // Rows beyond the square ones choose a solution of least squares: that has no spectrum.
  if (implicit_ != nullptr && implicit_->n_constraints() > 0) is_known_ = false;
  if (!is_known_) return;
  x_.resize(to_size(system.size()));
  slope_.resize(x_.size());
  moved_.resize(x_.size());
  peak_.resize(x_.size());
  n_small_.resize(x_.size(), 0);
  is_decayed_.resize(x_.size(), false);
  const auto* series = dynamic_cast<const SeriesSource*>(&system);
  for (Index j = 0; j < system.size(); ++j)
    if (series == nullptr || series->is_state(j)) states_.push_back(j);
  matrix_.resize(to_index(states_.size()), to_index(states_.size()));
  // Series take few steps, and a slope of theirs costs a good part of one.
  const bool is_dear = series != nullptr && !explicit_->has_jacobian();
  most_between_ = steps_for_a_look(static_cast<double>(states_.size()));
  // A spectrum of more than a few unknowns costs several steps: half as many of them in short runs.
  looks_apart_ = is_dear || states_.size() > 3 ? 4 : 2;
  // Nor are there any before the first steps have taken more work than one. Steps of schemes that
  // damp take more, and carry errors along by themselves.
  const std::int64_t first = most_between_ / (damps ? 32 : 64);
  next_look_ = std::clamp<std::int64_t>(first, is_dear || damps ? 4 : 1, damps ? 64 : 16);
}

void GrowthEstimate::look(const integration::StepReport& report,
                          const integration::Stepper& stepper, Run& run) {
  if (!is_known_) return;
  const double length = std::abs(report.t1 - report.t0);
  if (length == 0.0) return;
  way_ += length;
  direction_ = report.t1 < report.t0 ? -1.0 : 1.0;
  // A growth that is nearly too fast for a step does not last long, or is not what the steps
  // follow.
  const bool is_fast = !carried_.v.empty() && rate_ * length > 0.6 * followed(report.order);
  // What is carried may grow between two looks, or seem to, by matrices of old places.
  const double grown = carried_.log_size - carried_.log_size_seen;
  const bool may_look = n_grown_ < most_grown + 8 * n_steps_ / most_between_;
  const bool has_grown = grown > seen_growth && may_look;
  n_grown_ += has_grown ? 1 : 0;
  if (++n_steps_ >= next_look_ || is_fast || has_grown) {
    next_look_ = n_steps_ + std::min((looks_apart_ - 1) * n_steps_, most_between_);
    const Failure before = run.failure;
    const double now = rate(stepper, length, run);
    run.failure = before;
    if (std::isfinite(now)) rate_ = now;
    if (has_grown) log_growth_ += std::clamp(rate_ * (way_ - way_seen_), 0.0, grown);
    carried_.log_size_seen = carried_.log_size;
    way_seen_ = way_;
  }
  log_growth_ = std::max(0.0, log_growth_ + rate_ * length);
  look_for_regrowth(stepper, length, run);
  const std::span<const double> x = stepper.x();
  for (std::size_t j = 0; j < x.size(); ++j) peak_[j] = std::max(peak_[j], std::abs(x[j]));
  if (may_follow_ && !tangent_ && log_growth_ > 0.0) tangent_.emplace(*explicit_, peak_);
  if (damps_) {
    carry(stepper, report.order, length);
    last_slope_.assign(stepper.xp().begin(), stepper.xp().end());
    last_x_.assign(x.begin(), x.end());
  }
  if (tangent_) {
    const Failure before = run.failure;
    may_follow_ = tangent_->follow(report, stepper, run);
    run.failure = before;
    if (!may_follow_) tangent_.reset();
  }
  neglected_ += std::pow(std::min(1.0, greatest_ * length), report.order + 1);
}

void GrowthEstimate::carry(const integration::Stepper& stepper, int order, double length) {
  if (!carried_.is_possible) return;
  // What a step adds is a share of these.
  const integration::ErrorWeights* norm = stepper.norm();
  sizes_ = peak_;
  for (std::size_t j = 0; norm != nullptr && j < sizes_.size(); ++j) sizes_[j] += norm->limit(j);
  shares_.resize(sizes_.size());
  for (std::size_t j = 0; j < sizes_.size(); ++j)
    shares_[j] = sizes_[j] > 0.0 ? 1.0 / sizes_[j] : 0.0;
  std::vector<double>& v = carried_.v;
  const bool is_first = v.empty();
  if (is_first) {
    carried_.log_size = 0.0;
    v = sizes_;
    for (std::size_t j = 0; j < v.size(); ++j) v[j] *= 1.0 + 0.3 * integration::irregular_sign(j);
  }
  const double share = take_out_motion(stepper, length);
  const double before = share_of_sizes(v);
  carried_.is_possible = stepper.carry(v);
  const double after = share_of_sizes(v);
  if (rate_ * length > followed(order) && after > 0.0 && !is_first) {
    const double least = std::exp(std::min(rate_ * length, 700.0)) * before / after;
    for (double& value : v) value *= std::max(1.0, least);
  }
  for (std::size_t j = 0; share != 0.0 && j < v.size(); ++j) v[j] += share * stepper.xp()[j];
  const double size = share_of_sizes(v);
  carried_.is_possible = carried_.is_possible && std::isfinite(size);
  if (!(size > 0.0)) v.clear();  // all follows from constraints
  if (!carried_.is_possible || v.empty()) return;
  // The first step makes algebraic unknowns fit the others.
  carried_.log_size =
      is_first ? 0.0 : std::max(std::log(added), carried_.log_size + std::log(size));
  carried_.log_size_seen = std::min(carried_.log_size_seen, carried_.log_size);
  const double fresh = added * std::exp(-carried_.log_size);
  for (std::size_t j = 0; j < v.size(); ++j)
    v[j] = std::copysign(std::max(std::abs(v[j]) / size, fresh * sizes_[j]), v[j]);
}

double GrowthEstimate::share_of_sizes(std::span<const double> values) const {
  double size = 0.0;
  for (std::size_t j = 0; j < values.size(); ++j)
    size = std::max(size, std::abs(values[j]) * shares_[j]);
  return size;
}

/// Where time does not enter the equations, x' is itself a perturbation that solves the linearised
/// ones: along jumps, in which their matrices change within a step, nothing else tells how one
/// goes on. Where the motion is small, matrices hardly change, and x' is full of errors.
double GrowthEstimate::take_out_motion(const integration::Stepper& stepper, double length) {
  const std::span<const double> before = last_slope_;
  const bool is_known = is_autonomous_ && !before.empty();
  const double motion =
      is_known ? length * std::max(share_of_sizes(before), share_of_sizes(stepper.xp())) : 0.0;
  if (!(motion > seen_motion)) return 0.0;
  double product = 0.0;
  double square = 0.0;
  for (std::size_t j = 0; j < before.size(); ++j) {
    const double own = before[j] * shares_[j];
    product += own * (carried_.v[j] * shares_[j]);
    square += own * own;
  }
  const double share = product / square;
  if (!std::isfinite(share)) return 0.0;
  for (std::size_t j = 0; j < before.size(); ++j) carried_.v[j] -= share * before[j];
  return share;
}

void GrowthEstimate::look_for_regrowth(const integration::Stepper& stepper, double length,
                                       Run& run) {
  const integration::ErrorWeights* norm = stepper.norm();
  if (norm == nullptr || has_regrown_) return;
  const std::span<const double> x = stepper.x();
  const std::span<const double> xp = stepper.xp();
  bool has_grown = false;
  for (std::size_t j = 0; j < x.size(); ++j) {
    // A value that only passes 0 has not decayed. Slopes in x' = f(x) have errors of x times rates.
    const bool is_known = explicit_ != nullptr && damps_ && !last_x_.empty();
    const double change = is_known ? x[j] - last_x_[j] : xp[j] * length;
    const double size = std::max(std::abs(x[j]), std::abs(change));
    const double limit = norm->limit(j);
    if (size >= decayed_share * limit) {
      n_small_[j] = 0;
      has_grown = has_grown || (size > grown_share * limit && is_decayed_[j]);
      continue;
    }
    n_small_[j] = peak_[j] > grown_share * limit ? n_small_[j] + 1 : 0;
    if (n_small_[j] == lasting_steps) is_decayed_[j] = true;
    has_decayed_ = has_decayed_ || is_decayed_[j];
  }
  if (!has_grown) return;
  const Failure before = run.failure;
  has_regrown_ = grows_by_itself(stepper, run);
  run.failure = before;
  std::fill(is_decayed_.begin(), is_decayed_.end(), false);
}

bool GrowthEstimate::grows_by_itself(const integration::Stepper& stepper, Run& run) {
  const double t = stepper.time();
  // Without the others that have decayed as well.
  for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = is_decayed_[j] ? 0.0 : stepper.x()[j];
  double driven = 0.0;
  double whole = 0.0;
  if (explicit_ != nullptr) {
    if (explicit_->rhs(t, x_, run, slope_) != Evaluation::ok) return false;
    for (std::size_t j = 0; j < x_.size(); ++j) {
      if (!is_decayed_[j]) continue;
      driven = std::max(driven, std::abs(slope_[j]));
      whole = std::max(whole, std::abs(stepper.xp()[j]));
    }
  } else {
    for (std::size_t j = 0; j < x_.size(); ++j) slope_[j] = is_decayed_[j] ? 0.0 : stepper.xp()[j];
    if (implicit_->residual(t, x_, slope_, run, moved_) != Evaluation::ok) return false;
    for (const double left : moved_) driven = std::max(driven, std::abs(left));
    if (implicit_->residual(t, stepper.x(), slope_, run, moved_) != Evaluation::ok) return false;
    for (const double left : moved_) whole = std::max(whole, std::abs(left));
  }
  return driven < driven_share * whole;
}

void GrowthEstimate::forget() {
  last_slope_.clear();
  last_x_.clear();
  if (n_forced_ > most_forced + n_steps_ / most_between_ || next_look_ <= n_steps_ + 1) return;
  ++n_forced_;
  next_look_ = n_steps_ + 1;
}

double GrowthEstimate::log_growth() const {
  if (!is_known_ || n_steps_ == 0) return std::numeric_limits<double>::quiet_NaN();
  if (carried_.is_possible && !carried_.v.empty()) {
    return std::clamp(carried_.log_size, 0.0, log_growth_);
  }
  if (implicit_ != nullptr) {
    const double since = std::max(0.0, rate_) * (way_ - last_look_);
    return std::min(log_growth_, log_size_ - least_ + since);
  }
  return tangent_ ? std::min(log_growth_, tangent_->log_growth()) : log_growth_;
}

double GrowthEstimate::rate(const integration::Stepper& stepper, double length, Run& run) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  // One over a step of Euler's method, of which a power of two fit into the way from the last look.
  const double way = way_ - last_look_;
  const double n_squares = std::ceil(std::log2(n_substeps * way / length));
  const double shift = direction_ * std::exp2(n_squares) / way;
  if (damps_ && is_autonomous_) is_autonomous_ = holds_at_other_times(stepper, length, run);
  const bool is_linear = explicit_ != nullptr ? linearize_explicit(stepper, length, run)
                                              : linearize_implicit(stepper, shift, run);
  if (!is_linear) return none;
  const auto found = linalg::eigenvalues(matrix_);
  if (found.empty()) return none;
  double size = 0.0;
  for (const auto& value : found) size = std::max(size, std::abs(value));
  const bool is_exact = explicit_ == nullptr || explicit_->has_jacobian();
  const double noise = (is_exact ? exact_defective_share : defective_share) *
                       (explicit_ != nullptr ? size : std::abs(shift));
  double rate = -infinity;
  greatest_ = 0.0;
  for (const auto& value : found) {
    std::complex<double> lambda = direction_ * value;
    if (explicit_ == nullptr) {
      // μ = 1/(s - λ).
      if (std::abs(value) <= infinite_share * size) continue;
      lambda = direction_ * (shift - 1.0 / value);
    }
    const bool is_motion = !damps_ || -lambda.real() * way_ < died_out;
    if (is_motion) greatest_ = std::max(greatest_, std::abs(lambda));
    rate = std::max(rate, lambda.real());
  }
  const bool is_carried = damps_ && carried_.is_possible;
  if (implicit_ != nullptr && !is_carried)
    follow_implicit(stepper, shift, static_cast<int>(n_squares));
  return std::abs(rate) > noise ? rate : 0.0;
}

bool GrowthEstimate::holds_at_other_times(const integration::Stepper& stepper, double length,
                                          Run& run) {
  const auto evaluate = [&](double t, std::vector<double>& values) {
    return explicit_ != nullptr ? explicit_->rhs(t, stepper.x(), run, values)
                                : implicit_->residual(t, stepper.x(), stepper.xp(), run, values);
  };
  return evaluate(stepper.time(), slope_) == Evaluation::ok &&
         evaluate(stepper.time() - direction_ * length, moved_) == Evaluation::ok &&
         slope_ == moved_;
}

bool GrowthEstimate::linearize_explicit(const integration::Stepper& stepper, double length,
                                        Run& run) {
  const double t = stepper.time();
  std::ranges::copy(stepper.x(), x_.begin());
  if (explicit_->has_jacobian()) {
    return explicit_->jacobian(t, x_, run, {matrix_.data(), x_.size() * x_.size()}) ==
               Evaluation::ok &&
           matrix_.allFinite();
  }
  if (explicit_->rhs(t, x_, run, slope_) != Evaluation::ok) return false;
  const auto nominals = system_.nominals();
  for (std::size_t column = 0; column < states_.size(); ++column) {
    const auto j = to_size(states_[column]);
    const double kept = x_[j];
    double size = std::max(std::abs(kept), std::abs(slope_[j]) * length);
    if (!(size > 0.0)) size = nominals.empty() ? 1.0 : std::abs(nominals[j]);
    x_[j] += quotient_step * size;
    const double step = x_[j] - kept;
    const Evaluation evaluation = explicit_->rhs(t, x_, run, moved_);
    x_[j] = kept;
    if (evaluation != Evaluation::ok) return false;
    for (std::size_t row = 0; row < states_.size(); ++row) {
      const auto i = to_size(states_[row]);
      matrix_(to_index(row), to_index(column)) = (moved_[i] - slope_[i]) / step;
    }
  }
  return matrix_.allFinite();
}

/// Euler's method takes v to s (s F_x' + F_x)⁻¹ F_x' v in a step of 1/s, and from the last point to
/// a power of it: by squaring.
void GrowthEstimate::follow_implicit(const integration::Stepper& stepper, double shift,
                                     int n_squares) {
  const Index n = matrix_.rows();
  const bool is_first = last_look_ == 0.0;
  if (is_first) scale_.setZero(n);
  for (Index j = 0; j < n; ++j) {
    scale_[j] = std::max(scale_[j], std::abs(stepper.x()[to_size(j)]));
    if (scale_[j] > 0.0) continue;
    scale_[j] = system_.nominals().empty() ? 1.0 : std::abs(system_.nominals()[to_size(j)]);
  }
  if (is_first) perturbations_ = scale_.asDiagonal();
  matrix_ *= shift;
  double log_factor = 0.0;
  for (int k = 0; k < n_squares; ++k) {
    matrix_ = (matrix_ * matrix_).eval();
    const double greatest = matrix_.cwiseAbs().maxCoeff();
    if (!(greatest > 0.0)) break;
    matrix_ /= greatest;
    log_factor = 2.0 * log_factor + std::log(greatest);
  }
  perturbations_ = (matrix_ * perturbations_).eval();
  const double size = (scale_.cwiseInverse().asDiagonal() * perturbations_).cwiseAbs().maxCoeff();
  if (!(size > 0.0) || !std::isfinite(size)) {
    last_look_ = log_size_ = least_ = 0.0;  // all follows from constraints, or nothing is known
    return;
  }
  perturbations_ /= size;
  log_size_ = is_first ? 0.0 : log_size_ + log_factor + std::log(size);
  least_ = std::min(least_, log_size_);
  last_look_ = way_;
}

/// (s F_x' + F_x)⁻¹ F_x', whose eigenvalues are 1/(s - λ).
bool GrowthEstimate::linearize_implicit(const integration::Stepper& stepper, double shift,
                                        Run& run) {
  const SparsityPattern& pattern = implicit_->pattern();
  std::vector<double> f_x(pattern.row.size());
  std::vector<double> f_xp(pattern.row.size());
  if (implicit_->jacobian(stepper.time(), stepper.x(), stepper.xp(), run, f_x, f_xp) !=
      Evaluation::ok) {
    return false;
  }
  matrix_.setZero();
  for (std::size_t j = 0; j < x_.size(); ++j) {
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const auto k = to_size(p);
      matrix_(pattern.row[k], to_index(j)) = f_xp[k];
      f_x[k] += shift * f_xp[k];
    }
  }
  if (!solver_) solver_ = linalg::make_real_solver(pattern);
  if (!solver_->factor(f_x).ok) return false;
  for (Index j = 0; j < matrix_.cols(); ++j) solver_->solve({matrix_.col(j).data(), x_.size()});
  return matrix_.allFinite();
}

}  // namespace daedal::solve_detail
