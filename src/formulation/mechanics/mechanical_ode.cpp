// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanical_ode.hpp"

#include <algorithm>

namespace daedal::formulation {

MechanicalOde::MechanicalOde(std::shared_ptr<const Mechanics> context, const Settings& settings)
    : context_(std::move(context)),
      settings_(settings),
      is_plain_(settings.damping.is_zero() && settings.damping.has_curvature && !settings.regular) {
  if (settings_.projection) manifold_.emplace(*context_, *settings_.projection);
}

void MechanicalOde::prepare(MechanicalRun& run) const {
  context_->prepare(run);
  context_->prepare_accelerations(!settings_.damping.is_zero(), run);
  if (manifold_) manifold_->prepare(run);
  const Mechanics& mechanics = *context_;
  if (settings_.regular) {
    RegularSettings regular = *settings_.regular;
    regular.is_mass_constant = mechanics.view().mass_is_constant;
    run.work.regular.emplace(mechanics.mass_pattern(), mechanics.jacobian_pattern(), regular);
  }
  run.work.solver.front().set_regularization(settings_.saddle_shift);
}

Evaluation MechanicalOde::rhs(double t, std::span<const double> x, Run& base,
                              std::span<double> xp) const {
  auto& run = own(base);
  if (is_plain_) return context_->motion(t, x, run, xp);
  const MechanicalPoint at = context_->point(t, x);
  Mechanics::Damping damping = settings_.damping;
  if (run.work.regular) {
    const double rate = run.work.regular->rate();
    damping.velocity *= rate;
    damping.position *= rate * rate;
  }
  const Evaluation solved = context_->accelerations(at, damping, run);
  if (solved != Evaluation::ok) return solved;
  std::copy(at.v.begin(), at.v.end(), xp.begin());
  std::copy(run.work.acceleration.begin(), run.work.acceleration.end(),
            xp.begin() + static_cast<std::ptrdiff_t>(at.v.size()));
  return Evaluation::ok;
}

Change MechanicalOde::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                               std::span<double> xp, Run& run) const {
  own(run).work.moved_t = NAN;  // parameters may have changed
  return ModelSystem::on_event(t, fired, x, xp, run);
}

Change MechanicalOde::after_step(double t, std::span<double> x, std::span<double> xp,
                                 const History& history, Run& base) const {
  auto& run = own(base);
  Change change = context_->watch(t, x, history, run);
  if (run.work.regular) run.work.regular->accept(t);
  if (change.kind != Change::Kind::none) return change;
  change = ModelSystem::after_step(t, x, xp, history, run);
  if (change.kind != Change::Kind::none || !settings_.drifts) return change;
  return context_->check_branch(t, x, run);
}

std::unique_ptr<LaneSystem> MechanicalOde::make_lanes() const {
  return is_plain_ && settings_.saddle_shift == 0.0
             ? context_->make_lanes(manifold_ ? &*manifold_ : nullptr)
             : nullptr;
}

Formulation make_mechanical_ode(const Request& request,
                                const std::shared_ptr<const Mechanics>& context,
                                const MechanicalOde::Settings& settings) {
  Formulation result =
      mechanical_formulation(request, context, {.watches = request.watch_singularities});
  result.explicit_system = std::make_shared<const MechanicalOde>(context, settings);
  return result;
}

}  // namespace daedal::formulation
