// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/hessenberg_ode.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "linalg/spectrum.hpp"

namespace daedal::formulation {

std::vector<double> constraint_weights(int order, double gamma, bool is_paper) {
  std::vector<double> weights(static_cast<std::size_t>(order));
  for (int j = 0; j < order; ++j) {
    double factor = 1.0;
    // m!/j!, and for the binomial polynomial divided by (m − j)!.
    for (int k = j + 1; k <= order; ++k) factor *= k;
    if (!is_paper && order > 2) {
      for (int k = 2; k <= order - j; ++k) factor /= k;
    }
    weights[static_cast<std::size_t>(j)] = factor * std::pow(gamma, order - j);
  }
  return weights;
}

Evaluation HessenbergOde::rhs(double t, std::span<const double> x, Run& base,
                              std::span<double> xp) const {
  auto& run = static_cast<HessenbergRun&>(base);
  const Evaluation solved = context_->solve(t, x, context_->settings(), run);
  if (solved != Evaluation::ok) return solved;
  std::copy(x.begin() + context_->n(), x.end(), xp.begin());
  std::copy(run.top.begin(), run.top.end(), xp.end() - context_->n());
  return Evaluation::ok;
}

Change HessenbergOde::after_step(double t, std::span<double> x, std::span<double> xp,
                                 const History& history, Run& base) const {
  auto& run = static_cast<HessenbergRun&>(base);
  run.usual_scale = std::max(run.usual_scale, run.scale);
  return ContextSystem::after_step(t, x, xp, history, run);
}

namespace {

std::shared_ptr<const HessenbergContext> make_context(const Request& request, HessenbergView view,
                                                      HessenbergSettings settings) {
  auto context = std::make_shared<HessenbergContext>(request, std::move(view));
  context->set_settings(std::move(settings));
  return context;
}

}  // namespace

HessenbergFormulation::HessenbergFormulation(const Request& request, HessenbergView view,
                                             HessenbergSettings settings)
    : ContextFormulation(request, view.model),
      context_(make_context(request, std::move(view), std::move(settings))),
      system_(context_) {}

Start HessenbergFormulation::start(double t0, Run& base) const {
  auto& run = static_cast<HessenbergRun&>(base);
  return context_->start(t0, to_size(system_.size()), run, [&] {
    Start found = context_->find_start(t0, run);
    if (found.status == Status::success) choose_sign(t0, run, found);
    return found;
  });
}

void HessenbergFormulation::choose_sign(double t0, HessenbergRun& run, Start& start) const {
  const Regularization& rule = context_->settings().rule;
  if (rule.rule != Regularization::Rule::shift || rule.amount == 0.0) return;
  const auto eigenvalues = linalg::eigenvalues(run.solver.front().product());
  double least = 0.0, greatest = 0.0, size = 0.0;
  for (const std::complex<double>& value : eigenvalues) {
    least = std::min(least, value.real());
    greatest = std::max(greatest, value.real());
    size = std::max(size, std::abs(value));
  }
  const double noise = linalg::rank_tolerance * size;
  if (least >= -noise) return;
  if (greatest <= noise && run.sign > 0.0) {
    // With y's sign changed GB is positive semidefinite.
    run.sign = -1.0;
    if (system_.rhs(t0, start.x, run, start.xp) == Evaluation::ok) return;
  }
  start.status = Status::singular_iteration_matrix;
  start.message =
      "GB has eigenvalues of both signs: GB + epsilon I would become singular on the way. Use the "
      "method 'trust-region', which needs no sign.";
}

double HessenbergFormulation::constraint_residual(double t, std::span<const double> x,
                                                  std::span<const double>, int level,
                                                  Run& base) const {
  auto& run = static_cast<HessenbergRun&>(base);
  std::vector<double> values(to_size(context_->n_constraints()));
  if (!context_->level(t, x, level, run, values)) return std::numeric_limits<double>::quiet_NaN();
  return greatest(values);
}

}  // namespace daedal::formulation
