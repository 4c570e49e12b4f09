// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/adams_pece.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "integrate/driver/step_failure.hpp"
#include "integrate/one_step/explicit_rk.hpp"
#include "integrate/one_step/lagrange.hpp"
#include "integrate/one_step/one_step_stepper.hpp"
#include "integrate/registry.hpp"

namespace daedal::integration {

namespace {

// Hairer, Nørsett, Wanner III.1, tables 1.1 and 1.2, summed up for constant steps.
constexpr std::array<double, 5> bashforth{1901.0 / 720.0, -2774.0 / 720.0, 2616.0 / 720.0,
                                          -1274.0 / 720.0, 251.0 / 720.0};
constexpr std::array<double, 5> moulton{251.0 / 720.0, 646.0 / 720.0, -264.0 / 720.0, 106.0 / 720.0,
                                        -19.0 / 720.0};

std::unique_ptr<Stepper> make_starter(const ExplicitSystem& system, const StepOptions& options) {
  if (options.fixed_step <= 0.0) return nullptr;
  return std::make_unique<OneStepStepper>(
      system, std::make_unique<ExplicitRungeKutta>(system, dormand_prince853()), options);
}

}  // namespace

AdamsPece::AdamsPece(const ExplicitSystem& system, const StepOptions& options)
    : FixedMultistep(system, options, {.order = 5, .history = 5, .degree = 5},
                     make_starter(system, options)),
      explicit_(system),
      predicted_slope_(Vector::Zero(system.size())) {
  dense_weights_ = lagrange_monomials(std::array{1.0, 0.0, -1.0, -2.0, -3.0});
  for (Index k = 0; k < dense_weights_.cols(); ++k) {
    dense_weights_.col(k) /= static_cast<double>(k + 1);
  }
}

Evaluation AdamsPece::evaluate(double t, Run& run) {
  if (explicit_.has_complete()) {
    const auto completed = explicit_.complete(t, x_new_, run);
    if (completed != Evaluation::ok) return completed;
  }
  ++evaluations_;
  const auto evaluation = explicit_.rhs(t, x_new_, run, xp_new_);
  if (evaluation != Evaluation::ok) return evaluation;
  const bool finite = as_vector(x_new_).allFinite() && as_vector(xp_new_).allFinite();
  return finite ? Evaluation::ok : Evaluation::recoverable;
}

StepReport AdamsPece::failed(Evaluation evaluation, double t, const Run& run) const {
  return evaluation == Evaluation::fatal ? report_fatal(system_, t, run)
                                         : report_not_finite(system_, t, run);
}

StepReport AdamsPece::step_by_formula(double t, double h, Run& run) {
  auto x = as_vector(x_new_);
  x = past_x(0);
  for (int j = 0; j < 5; ++j) x += (h * bashforth[to_size(j)]) * past_xp(j);
  auto evaluation = evaluate(t + h, run);
  if (evaluation != Evaluation::ok) return failed(evaluation, t + h, run);
  predicted_slope_ = as_vector(xp_new_);
  x = past_x(0) + (h * moulton[0]) * predicted_slope_;
  for (int j = 0; j < 4; ++j) x += (h * moulton[to_size(j + 1)]) * past_xp(j);
  evaluation = evaluate(t + h, run);
  if (evaluation != Evaluation::ok) return failed(evaluation, t + h, run);
  set_dense(t, h);
  return {};
}

void AdamsPece::set_dense(double t, double h) {
  // The integral of the polynomial through the slopes that the corrector used: it ends in x_new.
  dense_.reshape({.t0 = t, .h = h, .degree = 5, .order = 5});
  dense_.coefficient(0) = past_x(0);
  for (int k = 0; k < 5; ++k) {
    dense_.coefficient(k + 1) = (h * dense_weights_(0, k)) * predicted_slope_;
    for (int j = 0; j < 4; ++j) {
      dense_.coefficient(k + 1) += (h * dense_weights_(j + 1, k)) * past_xp(j);
    }
  }
}

void AdamsPece::renew_slope(double t, Run& run) {
  ++evaluations_;
  // A failure here shows again, and is reported, in the step that follows.
  if (explicit_.rhs(t, x_, run, xp_) != Evaluation::ok) std::ranges::fill(xp_, NAN);
}

void AdamsPece::count(Statistics& statistics) const {
  FixedMultistep::count(statistics);
  statistics.residual_evaluations += evaluations_;
}

namespace {

std::unique_ptr<Stepper> make(const ExplicitSystem& system, const StepOptions& options,
                              const Abm5&) {
  return std::make_unique<AdamsPece>(system, options);
}

}  // namespace

std::vector<IntegratorRow> adams_pece_integrators() {
  return {integrator_row<Abm5, make>(
      "Adams-Bashforth-Moulton of order 5 in PECE form with a fixed step",
      {.explicit_systems = true,
       .error_controlled = false,
       .fixed_step = true,
       .projects = true,
       .keeps_history = true})};
}

}  // namespace daedal::integration
