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
  return context().residual(t, x, own(run), values);
}

Evaluation DummyDerivativesSystem::jacobian(double t, std::span<const double> x,
                                            std::span<const double>, Run& run,
                                            std::span<double> f_x, std::span<double> f_xp) const {
  std::fill(f_xp.begin(), f_xp.end(), 0.0);
  const Evaluation evaluation = context().jacobian(t, x, own(run), f_x);
  const auto& equation_at = own(run).selection.equation_at;
  for (std::size_t p = 0; p < x.size(); ++p) {
    if (equation_at[p] >= 0) continue;
    f_xp[to_size(context().diagonal(to_index(p)))] = 1.0;
    f_x[to_size(context().next(to_index(p)))] = -1.0;
  }
  return evaluation;
}

DummyDerivativesOde::DummyDerivativesOde(std::shared_ptr<const DummyContext> given)
    : DummySystem(std::move(given)),
      blocks_(context().system(),
              {.nominals = context().nominals(), .parameters = context().parameters()}) {}

void DummyDerivativesOde::prepare(DummyRun& run) const {
  DummySystem::prepare(run);
  run.works = blocks_.make_works();
}

Evaluation DummyDerivativesOde::rhs(double, std::span<const double> x, Run&,
                                    std::span<double> xp) const {
  // Highest derivatives are solved for before every stage: any slope will do.
  std::fill(xp.begin(), xp.end(), 0.0);
  context().set_rates(x, xp);
  return Evaluation::ok;
}

Evaluation DummyDerivativesOde::complete(double t, std::span<double> x, Run& base) const {
  DummyRun& run = own(base);
  if (!run.works.is_aimed) blocks_.aim(run.selection, run.works);
  return blocks_.solve({t, x, run}, run.works);
}

}  // namespace daedal::formulation
