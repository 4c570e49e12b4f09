// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/hessenberg_ode.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "formulation/direct.hpp"
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

Evaluation HessenbergOde::event_functions(double t, std::span<const double> x,
                                          std::span<const double> xp, Run& base,
                                          std::span<double> values) const {
  auto& run = static_cast<HessenbergRun&>(base);
  context_->read(t, x, xp, run, run.values, run.derivatives);
  return context_->events().event_functions(t, run.values, run.derivatives, run, values);
}

double HessenbergOde::next_time_event(double t, const Run& run) const {
  return context_->events().next_time_event(t, static_cast<const HessenbergRun&>(run));
}

Change HessenbergOde::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                               std::span<double> xp, Run& run) const {
  return context_->events().on_event(t, fired, x, xp, static_cast<HessenbergRun&>(run), *context_);
}

Change HessenbergOde::after_step(double t, std::span<double> x, std::span<double> xp,
                                 const History&, Run& base) const {
  auto& run = static_cast<HessenbergRun&>(base);
  run.usual_scale = std::max(run.usual_scale, run.scale);
  if (!context_->events().has_assertions()) return {};
  context_->read(t, x, xp, run, run.values, run.derivatives);
  return context_->events().check_assertions(t, run.values, run.derivatives, run);
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
    : context_(make_context(request, std::move(view), std::move(settings))),
      system_(context_),
      names_(output_names_of(context_->view().model, to_index(request.model.variables().size()))) {}

Start HessenbergFormulation::start(double t0, Run& base) const {
  auto& run = static_cast<HessenbergRun&>(base);
  Start found;
  found.x.resize(to_size(system_.size()));
  found.xp.resize(found.x.size());
  const auto solve = [&]() -> Change {
    Start again = context_->find_start(t0, run);
    if (again.status == Status::success) choose_sign(t0, run, again);
    std::copy(again.x.begin(), again.x.end(), found.x.begin());
    std::copy(again.xp.begin(), again.xp.end(), found.xp.begin());
    found.notices = std::move(again.notices);
    if (again.status == Status::success) return {};
    return {Change::Kind::stop, again.status, again.message};
  };
  const Change change = context_->events().initialize(t0, found.x, found.xp, run, *context_, solve);
  if (change.kind == Change::Kind::stop) {
    found.status = change.status;
    found.message = change.message;
  }
  return found;
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

void HessenbergFormulation::to_model(double t, std::span<const double> x,
                                     std::span<const double> xp, Run& base,
                                     std::span<double> values,
                                     std::span<double> derivatives) const {
  auto& run = static_cast<HessenbergRun&>(base);
  // The view's model may have more variables than the given one: order reduction appends them.
  context_->read(t, x, xp, run, run.values, run.derivatives);
  const std::size_t n = values.size() - run.discretes.size();
  std::copy_n(run.values.begin(), n, values.begin());
  std::copy(run.discretes.begin(), run.discretes.end(),
            values.begin() + static_cast<std::ptrdiff_t>(n));
  if (!derivatives.empty()) std::copy_n(run.derivatives.begin(), n, derivatives.begin());
}

std::string HessenbergFormulation::describe_event(std::span<const std::int64_t> fired,
                                                  const Change& change, const Run&) const {
  return context_->events().describe(fired, change);
}

double HessenbergFormulation::constraint_residual(double t, std::span<const double> x,
                                                  std::span<const double>, int level,
                                                  Run& base) const {
  auto& run = static_cast<HessenbergRun&>(base);
  std::vector<double> values(to_size(context_->n_constraints()));
  if (!context_->level(t, x, level, run, values)) return std::numeric_limits<double>::quiet_NaN();
  double greatest = 0.0;
  for (const double value : values) greatest = std::max(greatest, std::abs(value));
  return greatest;
}

}  // namespace daedal::formulation
