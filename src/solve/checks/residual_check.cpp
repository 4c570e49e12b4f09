// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/residual_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "linalg/dense/rank.hpp"
#include "linalg/sparse/independent_columns.hpp"
#include "model/labels.hpp"

namespace daedal::solve_detail {

namespace {

/// After so many checks the distance between them doubles.
constexpr std::int64_t checks_per_stride = 32;
/// So many bad steps are each followed by a look into the next.
constexpr std::int64_t most_followed = 64;
/// Steps of weight 1; twice as many have the weight 1/2, and so on. Equations that are wrong are so
/// from the start, while in a long run regularisations may be far from them for many steps near a
/// singular point.
constexpr double n_heaviest = 32.0;
/// A residual of so many tolerances is reported: drift and the lower order of dense output explain
/// factors of hundreds.
constexpr double many_tolerances = 1e4;
/// At the ends of steps nothing but the remainder of an iteration explains one.
constexpr double many_tolerances_at_ends = 100.0;
/// A residual is nothing up to so many rounding errors, a share of many tolerances.
constexpr double noise_share = 50.0 / many_tolerances_at_ends;
constexpr double small_move = 0x1p-8;
/// Of many tolerances, where one move tells of them; and of the shares in which unknowns are moved.
constexpr double clear_share = 0.1;
constexpr double golden_share = 0.6180339887;
/// A residual of this share of its terms is no approximation of zero.
constexpr double wrong_share = 0.05;
/// Fewer bad steps than this share may have kinks inside.
constexpr double tolerated_share = 0.2;
/// The ends of so many steps are looked at, and of all steps that are this much shorter than usual.
constexpr std::int64_t n_first_ends = 16;
constexpr double short_step = 0.1;
/// Of the absolute tolerance: values below are the rounding errors of something that is 0.
constexpr double rounding_share = 1e-6;
/// Of the terms of an equation: its residual cannot be told from 0 below.
constexpr double rounding_errors = 8.0 * round_off;
/// Variables below it are small; below this share of the greatest they are rounding errors.
constexpr double small_value = 1e-2;
constexpr double smallest_share = 1e-14;
/// What may be a jump: a change by this share and by so many tolerances of which half stays when
/// the step is halved so often, and never less than a quarter on the way: what is but steep is then
/// known after a few halvings.
constexpr double jump_share = 0.05;
constexpr double jump_tolerances = 1e3;
constexpr int n_bisections = 30;
constexpr double kept_share = 0.5;
constexpr double share_on_the_way = 0.25;
/// The stencil of the differences, in steps: its error h⁹x⁽⁹⁾·4e-17 is below any tolerance, also
/// where schemes of high order take steps that are a good part of the radius of convergence.
constexpr double stencil = 0.02;

/// Determinants of larger systems would be seen in the time of a run.
constexpr std::size_t most_unknowns_with_branches = 30;
linalg::PivotReport pivots_of(const Matrix& matrix) {
  linalg::ColumnPivoting pivoting;
  pivoting.start(matrix.rows(), matrix.cols());
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      if (matrix(i, j) != 0.0) pivoting.add(i, j, matrix(i, j));
    }
  }
  return pivoting.run();
}

/// The algebraic unknown that is least determined where a matrix is singular on the straight way
/// from one to another, with determinants of different signs.
Index undetermined_between(Matrix from, Matrix to, const std::vector<bool>& is_differential) {
  const int sign = pivots_of(from).sign;
  for (int k = 0; k < n_bisections; ++k) {
    const Matrix middle = 0.5 * (from + to);
    (pivots_of(middle).sign == sign ? from : to) = middle;
  }
  const Matrix v = linalg::svd(from).v;
  Index worst = -1;
  for (Index j = 0; j < v.rows(); ++j) {
    if (is_differential[to_size(j)]) continue;
    if (worst < 0 || std::abs(v(j, v.cols() - 1)) > std::abs(v(worst, v.cols() - 1))) worst = j;
  }
  return worst;
}

}  // namespace

ResidualCheck::ResidualCheck(std::shared_ptr<const formulation::WrittenEquations> system,
                             std::span<const NonlinearBlock> blocks, const Tolerances& tolerances)
    : system_(std::move(system)),
      tolerances_(tolerances),
      // Unknowns that order reduction added are derivatives; second differences would be needed.
      is_possible_(system_->view().n_given == system_->size()),
      branches_(system_, blocks,
                {tolerances.rtol, tolerances.follows_scales ? 0.0 : tolerances.atol}) {
  own_run_ = system_->make_model_run<formulation::ModelRun>();
  system_->prepare(*own_run_);
  const auto n = to_size(system_->size());
  x_.resize(n);
  peak_.resize(n);
  xp_.resize(n);
  sample_.resize(n);
  residual_.resize(n);
  allowed_.resize(n);
  terms_.resize(n);
  moved_rates_.resize(n);
  moved_residual_.resize(n);
  has_branches_ = is_possible_ && n <= most_unknowns_with_branches &&
                  !std::ranges::all_of(system_->view().is_differential, std::identity{}) &&
                  system_->gives_rates_by_each();
  // What every look will need is made before the steps begin.
  if (has_branches_) (void)system_->pattern();
}

bool ResidualCheck::values_at(double t, const integration::Stepper& stepper,
                              const formulation::Formulation& formulation, Run& run,
                              std::span<double> out) {
  const auto n_state = to_size(formulation.system().size());
  state_.resize(2 * n_state);
  outputs_.resize(formulation.outputs.names.size());
  const std::span<double> x(state_.data(), n_state);
  const std::span<double> xp(state_.data() + n_state, n_state);
  stepper.interpolate(t, x, xp);
  formulation.outputs.to_model(t, x, xp, run, outputs_, {});
  std::copy_n(outputs_.begin(), out.size(), out.begin());
  return std::all_of(out.begin(), out.end(), [](double value) { return std::isfinite(value); });
}

double ResidualCheck::tolerance(std::size_t unknown, double magnitude) const {
  const double nominal = system_->nominals().empty() ? 1.0 : system_->nominals()[unknown];
  const double peak = std::max(peak_[unknown], magnitude);
  const bool is_small = tolerances_.follows_scales && nominal == 1.0 && peak > least_;
  const double scale = is_small ? std::min(1.0, peak / small_value) : nominal;
  return tolerances_.rtol * magnitude + tolerances_.atol * scale;
}

bool ResidualCheck::differentiate_equations(double t) {
  f_x_.resize(to_size(system_->pattern().nonzeros()));
  f_xp_.resize(f_x_.size());
  return system_->jacobian(t, x_, xp_, *own_run_, f_x_, f_xp_) == Evaluation::ok;
}

/// Whether no residual is worth a closer look: moved by no more than the tolerances of all
/// unknowns, in signs and shares that cancel nowhere but by chance, each equation moves by no more
/// than measure() allows it.
bool ResidualCheck::is_clearly_within(double t, double h) {
  for (std::size_t j = 0; j < x_.size(); ++j) {
    const double share = 0.5 + 0.5 * std::fmod(golden_share * static_cast<double>(j), 1.0);
    const double move =
        std::copysign(share, j % 2 == 0 ? 1.0 : -1.0) * tolerance(j, std::abs(x_[j]));
    sample_[j] = x_[j] + move;
    moved_rates_[j] = xp_[j] + move / std::abs(h);
  }
  if (system_->residual(t, sample_, moved_rates_, *own_run_, moved_residual_) != Evaluation::ok)
    return false;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double allowed = clear_share * std::abs(moved_residual_[i] - residual_[i]);
    if (!(std::abs(residual_[i]) <= many_tolerances * allowed)) return false;
  }
  return true;
}

ResidualCheck::Worst ResidualCheck::measure(double t, double h, Rows rows) {
  Worst worst;
  worst.t = t;
  if (system_->residual(t, x_, xp_, *own_run_, residual_) != Evaluation::ok) return worst;
  for (const double value : x_) least_ = std::max(least_, smallest_share * std::abs(value));
  if (rows == Rows::all && is_clearly_within(t, h)) return worst;
  if (!differentiate_equations(t)) return worst;
  const double many = rows == Rows::all ? many_tolerances : many_tolerances_at_ends;
  const std::size_t n = x_.size();
  std::ranges::fill(allowed_, 0.0);
  std::ranges::fill(terms_, 0.0);
  const SparsityPattern& pattern = system_->pattern();
  for (std::size_t j = 0; j < n; ++j) {
    const double w = tolerance(j, std::abs(x_[j]));
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      const auto i = to_size(pattern.row[p]);
      allowed_[i] += std::abs(f_x_[p]) * w + std::abs(f_xp_[p]) * w / std::abs(h);
      terms_[i] += std::abs(f_x_[p] * x_[j]) + std::abs(f_xp_[p] * xp_[j]);
    }
  }
  const auto is_above = [&](std::size_t i) {
    return std::abs(residual_[i]) > many * (allowed_[i] + rounding_errors * terms_[i]);
  };
  bool is_alarming = false;
  for (std::size_t i = 0; i < n; ++i) is_alarming = is_alarming || is_above(i);
  if (is_alarming) allow_noise(t, h);
  for (std::size_t i = 0; i < n; ++i) {
    const double r = std::abs(residual_[i]);
    if (r == 0.0 || (rows == Rows::algebraic && !system_->is_algebraic_row()[i])) continue;
    const double in_tolerances = r / (allowed_[i] + rounding_errors * terms_[i]);
    // An equation is violated only when it is so in both measures: one whose terms all vanish has
    // no size of its own.
    const double relative = in_tolerances > many ? r / (terms_[i] + r) : 0.0;
    if (in_tolerances > worst.in_tolerances) {
      worst.in_tolerances = in_tolerances;
      worst.row = to_index(i);
    }
    worst.relative = std::max(worst.relative, relative);
  }
  return worst;
}

/// Terms that cancel inside an expression leave more than its derivatives tell.
void ResidualCheck::allow_noise(double t, double h) {
  const auto evaluate = [&](double share, std::span<double> values) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      // Algebraic unknowns have no rate here: any small move will do.
      sample_[i] = x_[i] + share * (xp_[i] != 0.0 ? h * xp_[i] : small_move * x_[i]);
    }
    return system_->residual(t + share * h, sample_, xp_, *own_run_, values);
  };
  if (!noise_.measure(x_.size(), evaluate)) return;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (std::isfinite(noise_.errors()[i])) allowed_[i] += noise_share * noise_.errors()[i];
  }
}

void ResidualCheck::look(const integration::StepReport& report, const integration::Stepper& stepper,
                         const formulation::Formulation& formulation, Run& run) {
  if (!is_possible_) return;
  branches_.look(report, stepper, formulation, run);
  if (static_cast<double>(n_steps_++) * weight_ >= n_heaviest * (2.0 - weight_)) weight_ *= 0.5;
  sum_of_weights_ += weight_;
  middle_ = 0.5 * (report.t0 + report.t1);
  const double length = std::abs(report.t1 - report.t0);
  last_length_ = length;
  sum_of_steps_ += length;
  const bool is_short = length * static_cast<double>(n_steps_) < short_step * sum_of_steps_;
  if (n_steps_ <= n_first_ends || is_short) look_at_end(report, stepper, formulation, run);
  if (is_short && jump_.empty()) look_for_jumps(report, stepper, formulation, run);
  if (n_steps_ < next_) return;
  next_ = n_steps_ + std::min(stride_, n_steps_);
  if (++n_checks_ % checks_per_stride == 0) stride_ *= 2;
  look_inside(report, stepper, formulation, run);
  last_ = n_steps_;
}

void ResidualCheck::finish(const integration::Stepper& stepper,
                           const formulation::Formulation& formulation, Run& run) {
  if (!has_branches_ || last_ == n_steps_) return;
  take_over(run);
  if (values_at(middle_, stepper, formulation, run, x_) &&
      differentiate(middle_, last_length_, stepper, formulation, run) &&
      differentiate_equations(middle_)) {
    look_for_branches(middle_);
  }
}

void ResidualCheck::BadSteps::add(bool is_bad, std::int64_t n_since, double weight) {
  const auto n = static_cast<double>(n_since);
  if (is_bad) weight_ += last_ ? n * weight + std::exchange(unseen_, 0.0) : weight;
  if (!last_) unseen_ = is_bad ? 0.5 * (n - 1.0) * weight : 0.0;
  last_ = is_bad;
}

void ResidualCheck::take_over(Run& run) {
  own_run_->modes = run.modes;
  own_run_->discretes = run.discretes;
  own_run_->pre = run.discretes;
  own_run_->parameters = parameters_of(run);
}

void ResidualCheck::note_peaks() {
  for (std::size_t j = 0; j < x_.size(); ++j) peak_[j] = std::max(peak_[j], std::abs(x_[j]));
}

bool ResidualCheck::has_gross_residual() const {
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    if (system_->is_algebraic_row()[i] && std::abs(residual_[i]) > tolerances_.rtol) return true;
  }
  return false;
}

void ResidualCheck::look_at_end(const integration::StepReport& report,
                                const integration::Stepper& stepper,
                                const formulation::Formulation& formulation, Run& run) {
  // The part of a step before an event ends at no state of the stepper's.
  if (stepper.time() != report.t1) return;
  take_over(run);
  outputs_.resize(formulation.outputs.names.size());
  formulation.outputs.to_model(report.t1, stepper.x(), stepper.xp(), run, outputs_, {});
  std::copy_n(outputs_.begin(), x_.size(), x_.begin());
  note_peaks();
  std::fill(xp_.begin(), xp_.end(), 0.0);
  if (system_->residual(report.t1, x_, xp_, *own_run_, residual_) != Evaluation::ok) return;
  if (!has_gross_residual()) return;
  const Worst here = measure(report.t1, report.t1 - report.t0, Rows::algebraic);
  if (here.relative > wrong_share && here.in_tolerances > worst_end_.in_tolerances) {
    worst_end_ = here;
  }
}

void ResidualCheck::look_for_jumps(const integration::StepReport& report,
                                   const integration::Stepper& stepper,
                                   const formulation::Formulation& formulation, Run& run) {
  double low = report.t0;
  double high = report.t1;
  if (!values_at(low, stepper, formulation, run, x_)) return;
  if (!values_at(high, stepper, formulation, run, sample_)) return;
  const auto change = [&](std::size_t j) { return std::abs(sample_[j] - x_[j]); };
  std::size_t suspect = x_.size();
  for (std::size_t j = 0; j < x_.size() && suspect == x_.size(); ++j) {
    const double size = std::max(std::abs(x_[j]), std::abs(sample_[j]));
    const double nominal = system_->nominals().empty() ? 1.0 : system_->nominals()[j];
    const double w = tolerances_.rtol * size + tolerances_.atol * nominal;
    if (change(j) > jump_share * size && change(j) > jump_tolerances * w) suspect = j;
  }
  if (suspect == x_.size()) return;
  const double whole = change(suspect);
  double before = x_[suspect];
  double after = sample_[suspect];
  for (int k = 0; k < n_bisections; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) return;
    if (!values_at(middle, stepper, formulation, run, sample_)) return;
    const double between = sample_[suspect];
    const bool is_in_first_half = std::abs(between - before) > std::abs(between - after);
    (is_in_first_half ? high : low) = middle;
    (is_in_first_half ? after : before) = between;
    if (std::abs(after - before) < share_on_the_way * whole) return;
  }
  if (!values_at(low, stepper, formulation, run, x_)) return;
  if (!values_at(high, stepper, formulation, run, sample_)) return;
  if (change(suspect) < kept_share * whole) return;
  jump_ = fmt::format(
      "At t = {:.9g} '{}' jumps from {:.6g} to {:.6g} with no event: the equations have several "
      "solutions there, or a discontinuity under noEvent. What follows may belong to another "
      "branch.",
      high, system_->unknown_name(to_index(suspect)), x_[suspect], sample_[suspect]);
}

void ResidualCheck::look_inside(const integration::StepReport& report,
                                const integration::Stepper& stepper,
                                const formulation::Formulation& formulation, Run& run) {
  const double h = report.t1 - report.t0;
  const double t = report.t0 + 0.5 * h;
  take_over(run);
  if (!values_at(t, stepper, formulation, run, x_)) return;
  if (!differentiate(t, h, stepper, formulation, run)) return;
  note_peaks();
  const Worst here = measure(t, h, Rows::all);
  const bool is_inexact = here.in_tolerances > many_tolerances;
  inexact_.add(is_inexact, n_steps_ - last_, weight_);
  wrong_.add(here.relative > wrong_share, n_steps_ - last_, weight_);
  if (is_inexact && n_followed_++ < most_followed) next_ = n_steps_ + 1;
  if (here.in_tolerances > worst_.in_tolerances) worst_ = here;
  if (has_branches_ && differentiate_equations(t)) look_for_branches(t);
}

/// The determinant of what gives x' and the algebraic unknowns has one sign along a solution. Two
/// solutions meet where it changes, and the last digits choose between them.
void ResidualCheck::look_for_branches(double t) {
  const auto& is_differential = system_->view().is_differential;
  const auto n = to_index(x_.size());
  const bool has_changed = modes_ != own_run_->modes || discretes_ != own_run_->discretes;
  if (has_changed) orientation_.reset();
  modes_ = own_run_->modes;
  discretes_ = own_run_->discretes;
  Matrix matrix = Matrix::Zero(n, n);
  const SparsityPattern& pattern = system_->pattern();
  for (Index j = 0; j < n; ++j) {
    const auto& values = is_differential[to_size(j)] ? f_xp_ : f_x_;
    for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j) + 1];
         ++p) {
      matrix(pattern.row[to_size(p)], j) = values[to_size(p)];
    }
  }
  for (Index i = 0; i < n; ++i) matrix.row(i) /= matrix.row(i).cwiseAbs().maxCoeff();
  for (Index j = 0; j < n; ++j) matrix.col(j) /= matrix.col(j).cwiseAbs().maxCoeff();
  if (!matrix.allFinite()) return;
  const linalg::PivotReport pivots = pivots_of(matrix);
  // Singular for another reason: the index is above 1.
  if (!(pivots.smallest_pivot > linalg::rank_tolerance)) return;
  if (orientation_ && orientation_->sign != pivots.sign && jump_.empty()) {
    jump_ = fmt::format(
        "Between t = {:.9g} and t = {:.9g} two solutions for '{}' meet, or come as near to each "
        "other as the tolerance is wide, with no event: which of them the run has followed since "
        "is a matter of chance. A sharper tolerance may tell them apart.",
        orientation_->t, t,
        system_->unknown_name(undetermined_between(orientation_->matrix, matrix, is_differential)));
  }
  orientation_ = {.t = t, .sign = pivots.sign, .matrix = std::move(matrix)};
}

bool ResidualCheck::differentiate(double t, double h, const integration::Stepper& stepper,
                                  const formulation::Formulation& formulation, Run& run) {
  if (stepper.max_derivative() > 0) {
    if (sources_ == Sources::not_sought) find_sources(t, formulation, run);
    if (sources_ == Sources::found && read_derivatives(t, stepper)) return true;
    // Where the choice of states has changed, the next look finds the sources anew.
    if (sources_ == Sources::found) sources_ = Sources::not_sought;
  }
  return take_differences(t, h, stepper, formulation, run);
}

/// Every unknown of the system is moved by rounding errors of its own: what has the same bits
/// afterwards is a copy.
void ResidualCheck::find_sources(double t, const formulation::Formulation& formulation, Run& run) {
  const std::size_t n_state = state_.size() / 2;
  std::vector<double> moved(state_);
  std::vector<std::pair<double, std::size_t>> known;
  for (std::size_t k = 0; k < n_state; ++k) {
    const double size = moved[k] != 0.0 ? moved[k] : 1.0;
    moved[k] += size * (std::exp2(-44.0) + std::exp2(-50.0) * static_cast<double>(k % 4096));
    known.emplace_back(moved[k], k);
  }
  std::ranges::sort(known);
  const Failure before = run.failure;
  formulation.outputs.to_model(t, {moved.data(), n_state}, {moved.data() + n_state, n_state}, run,
                               outputs_, {});
  run.failure = before;
  source_.clear();
  sources_ = Sources::none;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    if (!system_->view().is_differential[j]) continue;
    const auto range =
        std::ranges::equal_range(known, outputs_[j], {}, &std::pair<double, std::size_t>::first);
    if (range.size() != 1) return;
    source_.push_back({j, range.front().second});
  }
  sources_ = Sources::found;
}

bool ResidualCheck::read_derivatives(double t, const integration::Stepper& stepper) {
  const bool are_copies = std::ranges::all_of(
      source_, [this](const Source& s) { return x_[s.variable] == state_[s.unknown]; });
  if (!are_copies) return false;
  const std::span<double> derivatives(state_.data() + state_.size() / 2, state_.size() / 2);
  stepper.derivative(t, 1, derivatives);
  std::ranges::fill(xp_, 0.0);
  for (const Source& s : source_) xp_[s.variable] = derivatives[s.unknown];
  return std::ranges::all_of(xp_, [](double value) { return std::isfinite(value); });
}

/// Central differences of eighth order.
bool ResidualCheck::take_differences(double t, double h, const integration::Stepper& stepper,
                                     const formulation::Formulation& formulation, Run& run) {
  const double delta = stencil * h;
  bool finite = true;
  std::fill(xp_.begin(), xp_.end(), 0.0);
  constexpr std::array<double, 4> weights{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    for (const double side : {-1.0, 1.0}) {
      const double offset = side * static_cast<double>(k + 1) * delta;
      finite = values_at(t + offset, stepper, formulation, run, sample_) && finite;
      const double weight = side * weights[k] / delta;
      for (std::size_t j = 0; j < xp_.size(); ++j) xp_[j] += weight * sample_[j];
    }
  }
  return finite;
}

std::string ResidualCheck::unseen_states() const {
  std::vector<std::string> names;
  if (tolerances_.follows_scales) return {};
  for (std::size_t j = 0; j < peak_.size(); ++j) {
    if (!system_->view().is_differential[j]) continue;
    const double nominal = system_->nominals().empty() ? 1.0 : system_->nominals()[j];
    const double share = peak_[j] / (tolerances_.atol * nominal);
    if (share < 1.0 && share > rounding_share) {
      names.push_back("'" + system_->unknown_name(to_index(j)) + "'");
    }
  }
  if (names.empty()) return {};
  return fmt::format(
      "All values of {} are below the absolute tolerance, which asks for nothing then. Give {} a "
      "nominal value, or the run a smaller atol.",
      join_words(names, 4), names.size() == 1 ? "it" : "them");
}

ResidualCheck::Verdict ResidualCheck::verdict() const {
  const auto describe = [this](const Worst& worst) {
    return fmt::format("at t = {:.6g} the residual of {} is {:.2g} times what the tolerance allows",
                       worst.t, system_->row_name(worst.row), worst.in_tolerances);
  };
  constexpr std::string_view no_solution = "The result does not satisfy the model's equations: {}.";
  if (worst_end_.row >= 0) return {true, fmt::format(no_solution, describe(worst_end_))};
  if (n_checks_ == 0 || worst_.row < 0) return {};
  const double bad = tolerated_share * sum_of_weights_;
  if (wrong_.weight() > bad) {
    return {true, fmt::format(no_solution, describe(worst_))};
  }
  if (inexact_.weight() > bad) {
    return {false, fmt::format("The result is less accurate than the tolerance asks for: {}.",
                               describe(worst_))};
  }
  return {};
}

}  // namespace daedal::solve_detail
