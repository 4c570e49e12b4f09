// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/residual_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "model/labels.hpp"

namespace daedal::solve_detail {

namespace {

/// After so many checks the distance between them doubles.
constexpr std::int64_t checks_per_stride = 32;
/// So many bad steps are each followed by a look into the next.
constexpr std::int64_t most_followed = 64;
/// The first so many steps have the weight 1, twice as many have the weight 1/2, and so on.
/// Equations that are wrong are so from the start, while in a long run regularisations may be far
/// from them for many steps near a singular point.
constexpr double n_heaviest = 32.0;
/// A residual of this share of its terms is no approximation of zero.
constexpr double wrong_share = 0.05;
/// Bad steps of less than this share of all weights may have kinks inside.
constexpr double tolerated_share = 0.2;
/// The ends of so many steps are looked at, and of all steps that are this much shorter than usual.
constexpr std::int64_t n_first_ends = 16;
constexpr double short_step = 0.1;
/// Values below this share of the absolute tolerance are the rounding errors of something that
/// is 0.
constexpr double least_crossing_share = 1e-6;
/// A change by this share and by so many tolerances may be a jump.
constexpr double jump_share = 0.05;
constexpr double jump_tolerances = 1e3;
/// It is one if half of it remains when the step is halved so often. What is only steep has less
/// than a quarter left after a few halvings.
constexpr int halvings_of_jump = 30;
constexpr double kept_share = 0.5;
constexpr double share_on_the_way = 0.25;

}  // namespace

ResidualCheck::ResidualCheck(std::shared_ptr<const formulation::WrittenEquations> system,
                             std::span<const NonlinearBlock> blocks, const Tolerances& tolerances)
    : system_(std::move(system)),
      tolerances_(tolerances),
      // Unknowns that order reduction added are derivatives; second differences would be needed.
      is_possible_(system_->view().n_given == system_->size()),
      curve_(system_->view().is_differential),
      measure_(system_, tolerances),
      branches_(system_, blocks,
                {tolerances.rtol, tolerances.follows_scales ? 0.0 : tolerances.atol}),
      signs_(system_),
      x_(to_size(system_->size())),
      xp_(x_.size()) {}

void ResidualCheck::look(const integration::StepReport& report, const integration::Stepper& stepper,
                         const formulation::Formulation& formulation, Run& run) {
  if (!is_possible_) return;
  const AcceptedStep step{stepper, formulation, run};
  branches_.look(report, step);
  if (static_cast<double>(n_steps_++) * weight_ >= n_heaviest * (2.0 - weight_)) weight_ *= 0.5;
  sum_of_weights_ += weight_;
  middle_ = 0.5 * (report.t0 + report.t1);
  const double length = std::abs(report.t1 - report.t0);
  last_length_ = length;
  sum_of_steps_ += length;
  const bool is_short = length * static_cast<double>(n_steps_) < short_step * sum_of_steps_;
  const bool may_refuse = n_steps_ <= n_first_ends || is_short;
  if (may_refuse || n_steps_ >= next_) look_at_end(report, may_refuse, step);
  if (is_short && jump_.empty() && may_jump(formulation)) look_for_jumps(report, step);
  if (n_steps_ < next_) return;
  next_ = n_steps_ + std::min(stride_, n_steps_);
  if (++n_checks_ % checks_per_stride == 0) stride_ *= 2;
  look_inside(report, step);
  last_ = n_steps_;
}

void ResidualCheck::finish(const integration::Stepper& stepper,
                           const formulation::Formulation& formulation, Run& run) {
  if (!signs_.is_possible() || last_ == n_steps_) return;
  const AcceptedStep step{stepper, formulation, run};
  measure_.take_over(run);
  if (curve_.read(middle_, step, x_) &&
      curve_.differentiate(middle_, last_length_, step, x_, xp_)) {
    look_at_signs(middle_, last_length_);
  }
}

void ResidualCheck::BadSteps::add(bool is_bad, std::int64_t n_since, double weight) {
  const auto n = static_cast<double>(n_since);
  if (is_bad) weight_ += last_ ? n * weight + std::exchange(unseen_, 0.0) : weight;
  if (!last_) unseen_ = is_bad ? 0.5 * (n - 1.0) * weight : 0.0;
  last_ = is_bad;
}

void ResidualCheck::look_at_end(const integration::StepReport& report, bool may_refuse,
                                const AcceptedStep& step) {
  // A step that was cut at an event does not end at a state of the stepper.
  if (step.stepper.time() != report.t1) return;
  measure_.take_over(step.run);
  curve_.read_end(step, x_);
  measure_.note_peaks(x_);
  std::ranges::fill(xp_, 0.0);
  const auto here = measure_.at_end(point(report.t1, report.t1 - report.t0));
  const bool is_wrong = may_refuse && here.relative > wrong_share;
  if (is_wrong && here.in_tolerances > worst_end_.in_tolerances) worst_end_ = here;
}

/// What is a state, and nothing else, is a polynomial within a step.
bool ResidualCheck::may_jump(const formulation::Formulation& formulation) const {
  const ExplicitSystem* system = formulation.explicit_system.get();
  return system == nullptr || system->has_complete() || to_size(system->size()) != x_.size();
}

void ResidualCheck::look_for_jumps(const integration::StepReport& report,
                                   const AcceptedStep& step) {
  double low = report.t0;
  double high = report.t1;
  std::vector<double> sample(x_.size());
  if (!curve_.read(low, step, x_) || !curve_.read(high, step, sample)) return;
  const auto change = [&](std::size_t j) { return std::abs(sample[j] - x_[j]); };
  std::size_t suspect = x_.size();
  for (std::size_t j = 0; j < x_.size() && suspect == x_.size(); ++j) {
    const double size = std::max(std::abs(x_[j]), std::abs(sample[j]));
    const double nominal = system_->nominals().empty() ? 1.0 : system_->nominals()[j];
    const double w = tolerances_.rtol * size + tolerances_.atol * nominal;
    if (change(j) > jump_share * size && change(j) > jump_tolerances * w) suspect = j;
  }
  if (suspect == x_.size()) return;
  const double whole = change(suspect);
  double before = x_[suspect];
  double after = sample[suspect];
  for (int k = 0; k < halvings_of_jump; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) return;
    if (!curve_.read(middle, step, sample)) return;
    const double between = sample[suspect];
    const bool is_in_first_half = std::abs(between - before) > std::abs(between - after);
    (is_in_first_half ? high : low) = middle;
    (is_in_first_half ? after : before) = between;
    if (std::abs(after - before) < share_on_the_way * whole) return;
  }
  if (!curve_.read(low, step, x_) || !curve_.read(high, step, sample)) return;
  if (change(suspect) < kept_share * whole) return;
  jump_ = fmt::format(
      "At t = {:.9g} '{}' jumps from {:.6g} to {:.6g} with no event: the equations have several "
      "solutions there, or a discontinuity under noEvent. What follows may belong to another "
      "branch.",
      high, system_->unknown_name(to_index(suspect)), x_[suspect], sample[suspect]);
}

void ResidualCheck::look_inside(const integration::StepReport& report, const AcceptedStep& step) {
  const double h = report.t1 - report.t0;
  const double t = report.t0 + 0.5 * h;
  measure_.take_over(step.run);
  if (!curve_.read(t, step, x_)) return;
  if (!curve_.differentiate(t, h, step, x_, xp_)) return;
  measure_.note_peaks(x_);
  const auto here = measure_.inside(point(t, h));
  const bool is_inexact = here.in_tolerances > ResidualMeasure::many_tolerances;
  inexact_.add(is_inexact, n_steps_ - last_, weight_);
  wrong_.add(here.relative > wrong_share, n_steps_ - last_, weight_);
  if (is_inexact && n_followed_++ < most_followed) next_ = n_steps_ + 1;
  if (here.in_tolerances > worst_.in_tolerances) worst_ = here;
  if (signs_.is_due(measure_.run())) look_at_signs(t, h);
}

void ResidualCheck::look_at_signs(double t, double h) {
  if (!measure_.differentiate(point(t, h))) return;
  signs_.look(t, measure_.run(), measure_.f_x(), measure_.f_xp());
  if (jump_.empty()) jump_ = signs_.sentence();
}

std::string ResidualCheck::unseen_states() const {
  std::vector<std::string> names;
  if (tolerances_.follows_scales) return {};
  for (std::size_t j = 0; j < x_.size(); ++j) {
    if (!system_->view().is_differential[j]) continue;
    const double nominal = system_->nominals().empty() ? 1.0 : system_->nominals()[j];
    const double share = measure_.peaks()[j] / (tolerances_.atol * nominal);
    if (share < 1.0 && share > least_crossing_share) {
      names.push_back("'" + system_->unknown_name(to_index(j)) + "'");
    }
  }
  if (names.empty()) return {};
  return fmt::format(
      "All values of {} are below the absolute tolerance, so that no accuracy is asked of them. "
      "Give {} a nominal value, or the run a smaller atol.",
      join_words(names, 4), names.size() == 1 ? "it" : "them");
}

ResidualCheck::Verdict ResidualCheck::verdict() const {
  const auto describe = [this](const ResidualMeasure::Size& worst) {
    return fmt::format("at t = {:.6g} the residual of {} is {:.2g} times what the tolerance allows",
                       worst.t, system_->row_name(worst.row), worst.in_tolerances);
  };
  constexpr std::string_view no_solution = "The result does not satisfy the model's equations: {}.";
  constexpr std::string_view inexact =
      "The result is less accurate than the tolerance asks for: {}.";
  if (worst_end_.row >= 0) return {true, fmt::format(no_solution, describe(worst_end_))};
  const double bad = tolerated_share * sum_of_weights_;
  if (worst_.row >= 0 && wrong_.weight() > bad) {
    return {true, fmt::format(no_solution, describe(worst_))};
  }
  if (worst_.row >= 0 && inexact_.weight() > bad) {
    return {false, fmt::format(inexact, describe(worst_))};
  }
  const ResidualMeasure::Size drift = measure_.drift();
  if (drift.row < 0) return {};
  return {false, fmt::format(inexact, describe(drift))};
}

}  // namespace daedal::solve_detail
