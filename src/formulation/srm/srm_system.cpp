// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/srm/srm_system.hpp"

#include "formulation/srm/srm_monitor.hpp"

#include <algorithm>
#include <limits>

namespace daedal::formulation {

namespace {

/// Whether the multipliers act on the derivative of each state: with a mass matrix, on all.
std::vector<bool> acted_on(const HessenbergView& view) {
  std::vector<bool> result(view.force.size(), !view.mass_is_identity);
  for (const JacobianEntry& entry : view.coefficient) result[to_size(entry.row)] = true;
  return result;
}

}  // namespace

std::vector<std::string> multiplier_term_names(const HessenbergView& view) {
  std::vector<std::string> names;
  const std::vector<bool> is_acted_on = acted_on(view);
  for (std::size_t i = 0; i < is_acted_on.size(); ++i) {
    if (!is_acted_on[i]) continue;
    names.push_back("By(" + view.model.variables()[to_size(view.states.back()[i])].name + ")");
  }
  return names;
}

void copy_multiplier_terms(const HessenbergView& view, std::span<const double> by,
                           std::span<double> values) {
  const std::vector<bool> is_acted_on = acted_on(view);
  std::size_t next = 0;
  for (std::size_t i = 0; i < is_acted_on.size(); ++i) {
    if (is_acted_on[i]) values[next++] = by[i];
  }
}

SrmOde::SrmOde(std::shared_ptr<const SrmContext> context) : context_(std::move(context)) {
  const std::vector<double>& one = context_->hessenberg().nominals();
  for (int s = 0; s < context_->settings().iterations; ++s) {
    nominals_.insert(nominals_.end(), one.begin(), one.end());
  }
}

Evaluation SrmOde::rhs(double t, std::span<const double> x, Run& run, std::span<double> xp) const {
  return context_->derivatives(t, x, static_cast<SrmRun&>(run), xp);
}

Evaluation SrmOde::jacobian(double t, std::span<const double> x, Run& run,
                            std::span<double> f_x) const {
  return context_->jacobian(t, x, static_cast<SrmRun&>(run), f_x);
}

Change SrmOde::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                        std::span<double> xp, Run& base) const {
  auto& run = static_cast<SrmRun&>(base);
  Change change = ContextSystem::on_event(t, fired, x, xp, run);
  run.monitor->restart(t, x, run);
  return change;
}

Change SrmOde::after_step(double t, std::span<double> x, std::span<double> xp,
                          const History& history, Run& base) const {
  auto& run = static_cast<SrmRun&>(base);
  run.work->usual = std::max(run.work->usual, run.work->smallest);
  Change change = run.monitor->after_step(t, x, history, run);
  if (change.kind != Change::Kind::none) return change;
  return ContextSystem::after_step(t, x, xp, history, run);
}

SrmFormulation::SrmFormulation(const Request& request, HessenbergView view,
                               const SrmSettings& settings)
    : ContextFormulation(request, view.model),
      context_(std::make_shared<const SrmContext>(request, std::move(view), settings)),
      system_(context_),
      extra_names_(multiplier_term_names(context_->hessenberg().view())) {}

Start SrmFormulation::start(double t0, Run& base) const {
  auto& run = static_cast<SrmRun&>(base);
  Start found = context_->start(t0, to_size(system_.size()), run,
                                [&] { return context_->find_start(t0, run); });
  if (found.status == Status::success) {
    run.monitor = std::make_shared<SrmMonitor>(*context_, t0, found.x, run);
  }
  return found;
}

void SrmFormulation::extra_values(double t, std::span<const double> x, std::span<const double>,
                                  Run& base, std::span<double> values) const {
  auto& run = static_cast<SrmRun&>(base);
  if (context_->chain(t, x, run) != Evaluation::ok) {
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  copy_multiplier_terms(context_->hessenberg().view(),
                        run.work->by(context_->settings().iterations - 1), values);
}

double SrmFormulation::constraint_residual(double t, std::span<const double> x,
                                           std::span<const double>, int level, Run& base) const {
  auto& run = static_cast<SrmRun&>(base);
  std::vector<double> values(to_size(context_->n_multipliers()));
  if (!context_->hessenberg().level(t, context_->last(x), level, run, values)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return greatest(values);
}

}  // namespace daedal::formulation
