// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/system.hpp"

#include <algorithm>

namespace daedal::formulation {

Evaluation DummyDerivativesSystem::residual(double t, std::span<const double> x,
                                            std::span<const double> xp, Run& run,
                                            std::span<double> values) const {
  const auto& equation_at = own(run).selection.equation_at;
  for (std::size_t p = 0; p < x.size(); ++p)
    if (equation_at[p] < 0) values[p] = xp[p] - x[p + 1];
  return context_->residual(t, x, own(run), values);
}

Evaluation DummyDerivativesSystem::jacobian(double t, std::span<const double> x,
                                            std::span<const double>, Run& run,
                                            std::span<double> f_x, std::span<double> f_xp) const {
  std::fill(f_xp.begin(), f_xp.end(), 0.0);
  const Evaluation evaluation = context_->jacobian(t, x, own(run), f_x);
  const auto& equation_at = own(run).selection.equation_at;
  for (std::size_t p = 0; p < x.size(); ++p) {
    if (equation_at[p] >= 0) continue;
    f_xp[to_size(context_->diagonal(to_index(p)))] = 1.0;
    f_x[to_size(context_->next(to_index(p)))] = -1.0;
  }
  return evaluation;
}

Change DummyDerivativesSystem::on_event(double t, std::span<const std::int64_t> fired,
                                        std::span<double> x, std::span<double> xp, Run& run) const {
  return context_->select_after(ModelSystem::on_event(t, fired, x, xp, run), t, x, own(run));
}

Change DummyDerivativesSystem::after_step(double t, std::span<double> x, std::span<double> xp,
                                          const History& history, Run& run) const {
  return context_->watch_after(ModelSystem::after_step(t, x, xp, history, run), t, x, history,
                               own(run));
}

}  // namespace daedal::formulation
