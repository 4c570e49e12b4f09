// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/as_implicit.hpp"

#include <algorithm>

#include "system/differences.hpp"

namespace daedal::integration {

Evaluation AsImplicit::rhs(double t, std::span<const double> x, Run& run,
                           std::span<double> f) const {
  if (!system_.has_complete()) return system_.rhs(t, x, run, f);
  const std::span<double> completed = differences_of(run, pattern()).point();
  std::ranges::copy(x, completed.begin());
  const auto evaluation = system_.complete(t, completed, run);
  return evaluation == Evaluation::ok ? system_.rhs(t, completed, run, f) : evaluation;
}

Evaluation AsImplicit::residual(double t, std::span<const double> x, std::span<const double> xp,
                                Run& run, std::span<double> values) const {
  const auto evaluation = rhs(t, x, run, values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = xp[i] - values[i];
  return evaluation;
}

Evaluation AsImplicit::jacobian(double t, std::span<const double> x, std::span<const double>,
                                Run& run, std::span<double> f_x, std::span<double> f_xp) const {
  const std::size_t n = x.size();
  std::ranges::fill(f_xp, 0.0);
  for (std::size_t i = 0; i < n; ++i) f_xp[i * n + i] = 1.0;
  const auto evaluation = system_.has_jacobian() && !system_.has_complete()
                              ? system_.jacobian(t, x, run, f_x)
                              : differences_of(run, pattern())
                                    .evaluate(
                                        x, nominals(),
                                        [&](std::span<const double> moved, std::span<double> f) {
                                          return rhs(t, moved, run, f);
                                        },
                                        run, f_x);
  for (double& entry : f_x) entry = -entry;
  return evaluation;
}

}  // namespace daedal::integration
