// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/hessenberg_ode.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "formulation/regularized/hessenberg_monitor.hpp"
#include "formulation/singular/redundancy.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/dense/spectrum.hpp"

namespace daedal::formulation {

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
  if (run.monitor) run.monitor->after_step(t, x, history, run);
  context_->accept(t, run);
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
    report_dependent(t0, run, found);
    if (found.status != Status::success) return found;
    context_->accept(t0, run);
    if (context_->settings().watches) {
      run.monitor = std::make_shared<HessenbergMonitor>(*context_, t0, found.x, run);
    }
    return found;
  });
}

void HessenbergFormulation::report_dependent(double t0, HessenbergRun& run, Start& start) const {
  // Without regularisation a singular GB is reported as what it is.
  const Regularization& rule = context_->settings().rule;
  if (rule.rule == Regularization::Rule::shift && rule.amount == 0.0) return;
  std::vector<double> residual(to_size(context_->n_constraints()));
  if (!context_->product(t0, start.x, run) || !context_->level(t0, start.x, 0, run, residual)) {
    return;
  }
  report_redundancy(
      find_redundancy(run.solver.front().jacobian(), residual),
      [&](Index i) { return context_->constraint_name(i); }, start);
}

void HessenbergFormulation::choose_sign(double t0, HessenbergRun& run, Start& start) const {
  const Regularization& rule = context_->settings().rule;
  if (rule.rule != Regularization::Rule::shift || rule.amount == 0.0) return;
  const Matrix& product = run.solver.front().product();
  // The singular values of the square are squares where GB is normal.
  constexpr double small = 1e-7;
  const Matrix square = product * product;
  if (linalg::decide_rank(product, small).rank != linalg::decide_rank(square, small * small).rank) {
    // Theorem 3.1 needs N(GB) and R(GB) to meet in 0 alone: otherwise (GB + εI)⁻¹ grows like 1/ε²
    // on the constraints themselves.
    start.status = Status::singular_iteration_matrix;
    start.message =
        "GB and (GB)^2 differ in rank: GB + epsilon I does not tend to a solution for small "
        "epsilon. Use the method 'trust-region', which needs no such condition.";
    return;
  }
  const auto eigenvalues = linalg::eigenvalues(product);
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
