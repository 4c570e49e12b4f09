// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/bdf_fixed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/driver/step_failure.hpp"
#include "integrate/one_step/collocation_scheme.hpp"
#include "integrate/one_step/lagrange.hpp"
#include "integrate/one_step/one_step_stepper.hpp"
#include "integrate/registry.hpp"
#include "linalg/newton_watch.hpp"

namespace daedal::integration {

namespace {

/// The accuracy that the corrector's own test is asked for; its corrections are then repeated
/// until they are round-off, which `polished` stands for.
constexpr double rough = 1e-6;
constexpr double polished = 1e3 * round_off;
constexpr int max_polishing = 20;

double binomial(int n, int k) {
  double value = 1.0;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

std::unique_ptr<Stepper> make_starter(const ImplicitSystem& system, const StepOptions& options) {
  if (system.n_constraints() > 0 || options.fixed_step <= 0.0) return nullptr;
  return std::make_unique<OneStepStepper>(
      system,
      std::make_unique<CollocationScheme>(
          system, CollocationSettings{.rules = {&radau_iia(5)}, .fixed_step = true}),
      options);
}

}  // namespace

FixedBdf::FixedBdf(const ImplicitSystem& system, const BdfSettings& settings,
                   const StepOptions& options)
    : FixedMultistep(
          system, options,
          {.order = settings.order, .history = settings.order + 1, .degree = settings.order},
          make_starter(system, options)),
      implicit_(system),
      corrector_(system, settings.corrector),
      loose_(system, {.rtol = rough, .atol = rough, .index_weighting = IndexWeights::by_step}),
      tight_(system,
             {.rtol = polished, .atol = polished, .index_weighting = IndexWeights::by_step}),
      weights_(to_size(system.size())),
      predicted_(weights_.size()),
      predicted_slope_(weights_.size()),
      correction_(weights_.size()) {
  for (int k = 1; k <= settings.order; ++k) {
    Row row;
    row.alpha.assign(to_size(k + 1), 0.0);
    for (int m = 1; m <= k; ++m) {
      // ∇^m x_n = Σ_j (-1)^j C(m, j) x_{n-j}
      for (int j = 0; j <= m; ++j) {
        row.alpha[to_size(j)] += (j % 2 == 0 ? 1.0 : -1.0) * binomial(m, j) / m;
      }
    }
    std::vector<double> nodes;
    for (int j = 0; j <= k; ++j) nodes.push_back(1.0 - j);
    row.dense = lagrange_monomials(nodes);
    rows_.push_back(std::move(row));
  }
}

FixedBdf::FixedBdf(std::unique_ptr<AsImplicit> system, const BdfSettings& settings,
                   const StepOptions& options)
    : FixedBdf(*system, settings, options) {
  adapter_ = std::move(system);
}

StepReport FixedBdf::step_by_formula(double t, double h, Run& run) {
  const int order = std::min(n_past(), static_cast<int>(rows_.size()));
  const Row& row = rows_[to_size(order - 1)];
  // Predict by ∇^p x_n = 0 with all the points there are, one more than the formula takes.
  auto x = as_vector(predicted_);
  x.setZero();
  for (int j = 1; j <= n_past(); ++j) {
    x += (j % 2 == 1 ? 1.0 : -1.0) * binomial(n_past(), j) * past_x(j - 1);
  }
  auto xp = as_vector(predicted_slope_);
  xp = row.alpha[0] * x;
  for (int j = 1; j <= order; ++j) xp += row.alpha[to_size(j)] * past_x(j - 1);
  xp /= h;
  const StepReport report = correct(t + h, row.alpha[0] / h, run);
  if (report.status != Status::success) return report;
  std::ranges::copy(predicted_, x_new_.begin());
  std::ranges::copy(predicted_slope_, xp_new_.begin());
  set_dense(row, t, h);
  return report;
}

StepReport FixedBdf::correct(double t, double c, Run& run) {
  // Sizes are in units of the tight weights. A correction that is not three times smaller than the
  // last one is due to rounding; one that is not ten times smaller comes from an old matrix.
  using Verdict = linalg::NewtonWatch::Verdict;
  linalg::NewtonWatch watch(
      {.tolerance = 0.1, .remainder = 0.0, .noise = 5.0, .noise_rate = 0.3, .slow_rate = 0.1});
  for (int k = 0; k < max_polishing; ++k) {
    loose_.compute(predicted_, 1.0 / c, weights_);
    const auto outcome = corrector_.solve(
        {.t = t, .c = c, .x = predicted_, .xp = predicted_slope_, .weights = weights_}, run,
        correction_);
    if (outcome != Corrector::Outcome::converged) {
      return report_corrector_failure(implicit_, corrector_.failure(), run);
    }
    std::ranges::copy(corrector_.x(), predicted_.begin());
    std::ranges::copy(corrector_.xp(), predicted_slope_.begin());
    tight_.compute(predicted_, 1.0 / c, weights_);
    const Verdict verdict = watch.judge(weighted_rms(correction_, weights_));
    if (verdict == Verdict::converged) return {};
    if (verdict == Verdict::stalled) corrector_.forget_matrix();
  }
  StepReport report;
  report.status = Status::newton_failure;
  report.message = with_remedy(report.status,
                               fmt::format("At t = {:.12g} Newton's method does not converge.", t));
  return report;
}

void FixedBdf::set_dense(const Row& row, double t, double h) {
  const int order = static_cast<int>(row.alpha.size()) - 1;
  dense_.reshape({.t0 = t, .h = h, .degree = order, .order = order});
  for (int k = 0; k <= order; ++k) {
    dense_.coefficient(k) = row.dense(0, k) * as_vector(x_new_);
    for (int j = 1; j <= order; ++j) dense_.coefficient(k) += row.dense(j, k) * past_x(j - 1);
  }
}

void FixedBdf::count(Statistics& statistics) const {
  FixedMultistep::count(statistics);
  const auto& counters = corrector_.counters();
  statistics.residual_evaluations += counters.residuals;
  statistics.jacobian_evaluations += counters.jacobians;
  statistics.factorizations += counters.factorizations;
  statistics.newton_iterations += counters.iterations;
}

namespace {

std::unique_ptr<Stepper> make_implicit(const ImplicitSystem& system, const StepOptions& options,
                                       const BdfFixed& bdf) {
  return std::make_unique<FixedBdf>(
      system, BdfSettings{.order = bdf.order, .corrector = bdf.corrector}, options);
}

std::unique_ptr<Stepper> make_explicit(const ExplicitSystem& system, const StepOptions& options,
                                       const BdfFixed& bdf) {
  return std::make_unique<FixedBdf>(std::make_unique<AsImplicit>(system),
                                    BdfSettings{.order = bdf.order, .corrector = bdf.corrector},
                                    options);
}

}  // namespace

std::vector<IntegratorRow> fixed_bdf_integrators() {
  return {integrator_row<BdfFixed, make_explicit, make_implicit>(
      "BDF of order 1 to 6 with a fixed step", {.explicit_systems = true,
                                                .implicit_systems = true,
                                                .overdetermined_systems = true,
                                                .error_controlled = false,
                                                .fixed_step = true,
                                                .projects = true,
                                                .keeps_history = true,
                                                .max_index = 3})};
}

}  // namespace daedal::integration
