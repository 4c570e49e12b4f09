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
  return context_->derivatives(t, x, own(base), xp);
}

Change HessenbergOde::after_step(double t, std::span<double> x, std::span<double> xp,
                                 const History& history, Run& base) const {
  auto& run = own(base);
  if (run.monitor) run.monitor->after_step(t, x, history, run);
  context_->accept(t, run);
  return ModelSystem::after_step(t, x, xp, history, run);
}

namespace {

/// What is to be said of constraints that depend on each other.
void report_dependent(const HessenbergContext& context, double t0, HessenbergRun& run,
                      Start& start) {
  // Without regularisation a singular GB is reported as what it is.
  const Regularization& rule = context.settings().rule;
  if (rule.rule == Regularization::Rule::shift && rule.amount == 0.0) return;
  if (!context.product(t0, start.x, run)) return;
  const auto residual = context.invariants(t0, start.x, run);
  if (residual.empty()) return;
  report_redundancy(
      find_redundancy(run.solver.front().jacobian(), residual.first(to_size(context.m()))),
      [&](Index i) { return context.constraint_name(i); }, start);
}

/// Before shifting: the sign of y for which no eigenvalue of GB is negative, or why there is none.
void choose_sign(const HessenbergContext& context, double t0, HessenbergRun& run, Start& start) {
  const Regularization& rule = context.settings().rule;
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
  warn_of_shift(rule.amount, size, run.warnings);
  const double noise = linalg::rank_tolerance * size;
  if (least >= -noise) return;
  if (greatest <= noise && run.sign > 0.0) {
    // With y's sign changed GB is positive semidefinite.
    run.sign = -1.0;
    if (context.derivatives(t0, start.x, run, start.xp) == Evaluation::ok) return;
  }
  start.status = Status::singular_iteration_matrix;
  start.message =
      "GB has eigenvalues of both signs: GB + epsilon I would become singular during the run. Use "
      "the "
      "method 'trust-region', which needs no sign.";
}

}  // namespace

Start find_hessenberg_start(const HessenbergContext& context, double t0, HessenbergRun& run) {
  return context.settle_start(t0, to_size(context.n_states()), run, [&] {
    Start found = context.find_start(t0, run);
    if (found.status == Status::success) choose_sign(context, t0, run, found);
    report_dependent(context, t0, run, found);
    if (found.status != Status::success) return found;
    context.note_start(t0, found.x, run);
    (void)context.derivatives(t0, found.x, run, found.xp);
    context.accept(t0, run);
    if (context.settings().watches) {
      run.monitor = std::make_shared<HessenbergMonitor>(context, t0, found.x, run);
    }
    return found;
  });
}

Formulation make_hessenberg_ode(const Request& request, ConstrainedView view,
                                HessenbergSettings settings) {
  const auto context =
      std::make_shared<const HessenbergContext>(request, std::move(view), std::move(settings));
  Formulation result =
      constrained_formulation(request, context, {.watches = context->settings().watches});
  result.explicit_system = std::make_shared<const HessenbergOde>(context);
  result.find_start = [context](double t0, Run& run) {
    return find_hessenberg_start(*context, t0, run_of<HessenbergRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
