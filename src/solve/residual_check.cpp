// SPDX-License-Identifier: BSD-3-Clause
#include "solve/residual_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace daedal::solve_detail {

namespace {

/// After so many checks the distance between them doubles.
constexpr std::int64_t checks_per_stride = 32;
/// A residual of so many tolerances is reported: drift and the lower order of dense output explain
/// factors of hundreds.
constexpr double many_tolerances = 1e4;
/// A residual of this share of its terms is no approximation of zero.
constexpr double wrong_share = 0.05;
/// Fewer bad points than this share may be kinks inside a step.
constexpr double tolerated_share = 0.2;
/// The stencil of the differences, in steps: its error h⁵x⁽⁵⁾·5e-9 is below any tolerance.
constexpr double stencil = 0.02;

}  // namespace

ResidualCheck::ResidualCheck(std::shared_ptr<const formulation::DirectSystem> system,
                             const Tolerances& tolerances)
    : system_(std::move(system)),
      tolerances_(tolerances),
      // Unknowns that order reduction added are derivatives; second differences would be needed.
      is_possible_(system_->view().n_given == system_->size()) {
  own_run_.reset(static_cast<formulation::ModelRun*>(system_->make_run().release()));
  const auto n = to_size(system_->size());
  x_.resize(n);
  xp_.resize(n);
  sample_.resize(n);
  residual_.resize(n);
  f_x_.resize(to_size(system_->pattern().nonzeros()));
  f_xp_.resize(f_x_.size());
}

bool ResidualCheck::values_at(double t, const integrate::Stepper& stepper,
                              const formulation::Formulation& formulation, Run& run,
                              std::span<double> out) {
  const auto n_state = to_size(formulation.system().size());
  state_.resize(2 * n_state);
  outputs_.resize(formulation.output_names().size());
  const std::span<double> x(state_.data(), n_state);
  const std::span<double> xp(state_.data() + n_state, n_state);
  stepper.interpolate(t, x, xp);
  formulation.to_model(t, x, xp, run, outputs_, {});
  std::copy_n(outputs_.begin(), out.size(), out.begin());
  return std::all_of(out.begin(), out.end(), [](double value) { return std::isfinite(value); });
}

ResidualCheck::Worst ResidualCheck::measure(double t, double h) {
  Worst worst;
  worst.t = t;
  if (system_->residual(t, x_, xp_, *own_run_, residual_) != Evaluation::ok ||
      system_->jacobian(t, x_, xp_, *own_run_, f_x_, f_xp_) != Evaluation::ok) {
    return worst;
  }
  const std::size_t n = x_.size();
  std::vector<double> allowed(n, 0.0);
  std::vector<double> terms(n, 0.0);
  const SparsityPattern& pattern = system_->pattern();
  for (std::size_t j = 0; j < n; ++j) {
    const double nominal = system_->nominals().empty() ? 1.0 : system_->nominals()[j];
    const double w = tolerances_.rtol * std::abs(x_[j]) + tolerances_.atol * nominal;
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      const auto i = to_size(pattern.row[p]);
      allowed[i] += std::abs(f_x_[p]) * w + std::abs(f_xp_[p]) * w / std::abs(h);
      terms[i] += std::abs(f_x_[p] * x_[j]) + std::abs(f_xp_[p] * xp_[j]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double r = std::abs(residual_[i]);
    if (r == 0.0) continue;
    const double in_tolerances = r / allowed[i];
    // An equation is violated only when it is so in both measures: one whose terms all vanish has
    // no size of its own.
    const double relative = in_tolerances > many_tolerances ? r / (terms[i] + r) : 0.0;
    if (in_tolerances > worst.in_tolerances) {
      worst.in_tolerances = in_tolerances;
      worst.row = to_index(i);
    }
    worst.relative = std::max(worst.relative, relative);
  }
  return worst;
}

void ResidualCheck::look(const integrate::StepReport& report, const integrate::Stepper& stepper,
                         const formulation::Formulation& formulation, Run& run) {
  if (!is_possible_ || ++n_steps_ < next_) return;
  next_ = n_steps_ + stride_;
  if (++n_checks_ % checks_per_stride == 0) stride_ *= 2;

  const double h = report.t1 - report.t0;
  const double t = report.t0 + 0.5 * h;
  const double delta = stencil * h;
  own_run_->modes = run.modes;
  own_run_->discretes = run.discretes;
  own_run_->pre = run.discretes;
  own_run_->parameters = parameters_of(run);
  bool finite = values_at(t, stepper, formulation, run, x_);
  // Central differences of fourth order.
  std::fill(xp_.begin(), xp_.end(), 0.0);
  constexpr std::array<std::array<double, 2>, 4> points{
      {{-2.0, 1.0 / 12.0}, {-1.0, -8.0 / 12.0}, {1.0, 8.0 / 12.0}, {2.0, -1.0 / 12.0}}};
  for (const auto& [offset, weight] : points) {
    finite = values_at(t + offset * delta, stepper, formulation, run, sample_) && finite;
    for (std::size_t j = 0; j < xp_.size(); ++j) xp_[j] += weight / delta * sample_[j];
  }
  if (!finite) return;
  const Worst here = measure(t, h);
  if (here.in_tolerances > many_tolerances) ++n_inexact_;
  if (here.relative > wrong_share) ++n_wrong_;
  if (here.in_tolerances > worst_.in_tolerances) worst_ = here;
}

ResidualCheck::Verdict ResidualCheck::verdict() const {
  const double bad = tolerated_share * static_cast<double>(n_checks_);
  if (n_checks_ == 0 || worst_.row < 0) return {};
  const std::string where =
      fmt::format("at t = {:.6g} the residual of {} is {:.2g} times what the tolerance allows",
                  worst_.t, system_->row_name(worst_.row), worst_.in_tolerances);
  if (static_cast<double>(n_wrong_) > bad) {
    return {true, fmt::format("The result does not satisfy the model's equations: {}.", where)};
  }
  if (static_cast<double>(n_inexact_) > bad) {
    return {false,
            fmt::format("The result is less accurate than the tolerance asks for: {}.", where)};
  }
  return {};
}

}  // namespace daedal::solve_detail
