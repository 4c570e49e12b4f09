// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/as_implicit.hpp"

#include <algorithm>
#include <cmath>

#include "core/types.hpp"

namespace daedal::integrate {

AsImplicit::AsImplicit(const ExplicitSystem& system)
    : system_(system),
      completed_(to_size(system.size())),
      moved_(completed_.size()),
      value_(completed_.size()) {
  const Index n = system.size();
  pattern_.rows = n;
  pattern_.columns = n;
  for (Index j = 0; j <= n; ++j) pattern_.column_start.push_back(j * n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) pattern_.row.push_back(i);
  }
}

Evaluation AsImplicit::rhs(double t, std::span<const double> x, Run& run,
                           std::span<double> f) const {
  if (!system_.has_complete()) return system_.rhs(t, x, run, f);
  std::ranges::copy(x, completed_.begin());
  const auto evaluation = system_.complete(t, completed_, run);
  return evaluation == Evaluation::ok ? system_.rhs(t, completed_, run, f) : evaluation;
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
                              : difference(t, x, run, f_x);
  for (double& entry : f_x) entry = -entry;
  return evaluation;
}

Evaluation AsImplicit::difference(double t, std::span<const double> x, Run& run,
                                  std::span<double> f_x) const {
  const std::size_t n = x.size();
  const auto nominals = system_.nominals();
  std::ranges::copy(x, moved_.begin());
  const auto is_usable = [&](Evaluation evaluation, std::span<const double> f) {
    return evaluation == Evaluation::ok && as_vector(f).allFinite();
  };
  for (std::size_t j = 0; j < n; ++j) {
    const double nominal = nominals.empty() ? 1.0 : std::abs(nominals[j]);
    const double increment = std::cbrt(round_off) * std::max(std::abs(x[j]), 1e-3 * nominal);
    const auto column = f_x.subspan(j * n, n);
    moved_[j] = x[j] + increment;
    double above = moved_[j];
    auto evaluation = rhs(t, moved_, run, column);
    if (!is_usable(evaluation, column)) {  // at the edge of the domain: one-sided
      above = x[j];
      evaluation = rhs(t, x, run, column);
      if (evaluation != Evaluation::ok) return evaluation;
    }
    moved_[j] = x[j] - increment;
    double below = moved_[j];
    if (!is_usable(rhs(t, moved_, run, value_), value_)) {
      below = x[j];
      evaluation = rhs(t, x, run, value_);
      if (evaluation != Evaluation::ok) return evaluation;
    }
    moved_[j] = x[j];
    // Divide by what was really moved, without the round-off of the additions.
    for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - value_[i]) / (above - below);
  }
  return Evaluation::ok;
}

}  // namespace daedal::integrate
