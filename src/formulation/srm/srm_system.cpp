// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/srm/srm_system.hpp"

#include "formulation/srm/srm_monitor.hpp"

#include <algorithm>
#include <limits>

namespace daedal::formulation {

namespace {

/// Whether the multipliers act on the derivative of each state: with a mass matrix, on all.
std::vector<bool> acted_on(const ConstrainedView& view) {
  std::vector<bool> result(view.force.size(), !view.mass_is_identity);
  for (const JacobianEntry& entry : view.coefficient) result[to_size(entry.row)] = true;
  return result;
}

}  // namespace

std::vector<std::string> multiplier_term_names(const ConstrainedView& view) {
  std::vector<std::string> names;
  const std::vector<bool> is_acted_on = acted_on(view);
  for (std::size_t i = 0; i < is_acted_on.size(); ++i) {
    if (!is_acted_on[i]) continue;
    names.push_back("By(" + view.model.variables()[to_size(view.states.back()[i])].name + ")");
  }
  return names;
}

void copy_multiplier_terms(const ConstrainedView& view, std::span<const double> by,
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
  return context_->derivatives(t, x, own(run), xp);
}

Evaluation SrmOde::jacobian(double t, std::span<const double> x, Run& run,
                            std::span<double> f_x) const {
  return context_->jacobian(t, x, own(run), f_x);
}

Change SrmOde::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                        std::span<double> xp, Run& base) const {
  auto& run = own(base);
  Change change = ModelSystem::on_event(t, fired, x, xp, run);
  run.monitor->restart(t, x, run);
  return change;
}

Change SrmOde::after_step(double t, std::span<double> x, std::span<double> xp,
                          const History& history, Run& base) const {
  auto& run = own(base);
  run.work->usual = std::max(run.work->usual, run.work->smallest);
  Change change = run.monitor->after_step(t, x, history, run);
  if (change.kind != Change::Kind::none) return change;
  return ModelSystem::after_step(t, x, xp, history, run);
}

namespace {

Start find_start(const SrmContext& context, std::size_t size, double t0, SrmRun& run) {
  Start found =
      context.settle_start(t0, size, run, [&] { return SrmStart(context).find(t0, run); });
  if (found.status == Status::success) {
    run.monitor = std::make_shared<SrmMonitor>(context, t0, found.x, run);
  }
  return found;
}

void multiplier_terms(const SrmContext& context, double t, std::span<const double> x, SrmRun& run,
                      std::span<double> values) {
  if (context.chain(t, x, run) != Evaluation::ok) {
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  copy_multiplier_terms(context.hessenberg().view(),
                        run.work->by(context.settings().iterations - 1), values);
}

}  // namespace

Formulation make_srm(const Request& request, ConstrainedView view, const SrmSettings& settings) {
  const auto context = std::make_shared<const SrmContext>(request, std::move(view), settings);
  const auto system = std::make_shared<const SrmOde>(context);
  Formulation result;
  result.explicit_system = system;
  result.find_start = [context, size = to_size(system->size())](double t0, Run& run) {
    return find_start(*context, size, t0, run_of<SrmRun>(run));
  };
  result.outputs = model_outputs(context, to_index(request.model.variables().size()));
  result.outputs.extra_names = multiplier_term_names(context->hessenberg().view());
  result.outputs.extra_values = [context](double t, std::span<const double> x,
                                          std::span<const double>, Run& run,
                                          std::span<double> values) {
    multiplier_terms(*context, t, x, run_of<SrmRun>(run), values);
  };
  result.levels.n = context->hessenberg().order();
  result.levels.residual = [context](double t, std::span<const double> x, std::span<const double>,
                                     int level, Run& run) {
    return context->hessenberg().level_residual(t, context->last(x), {}, level,
                                                run_of<SrmRun>(run));
  };
  result.watch.may_lack_values = true;
  return result;
}

}  // namespace daedal::formulation
