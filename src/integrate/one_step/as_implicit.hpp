// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// x' = f(t, x) as x' - f(t, x) = 0, for implicit schemes. The Jacobian is the system's own, or
/// central differences with increments ε^(1/3)·max(|x|, 1e-3·nominal): they are exact for
/// quadratic terms, whose small rate constants one-sided differences of tiny concentrations lose.
///
/// An adapter belongs to one integrator and is not shared between threads: it keeps workspaces.

#include <daedal/system.hpp>
#include <vector>

namespace daedal::integrate {

class AsImplicit final : public ImplicitSystem {
 public:
  explicit AsImplicit(const ExplicitSystem& system);

  [[nodiscard]] const ExplicitSystem& explicit_system() const { return system_; }
  [[nodiscard]] std::int64_t size() const override { return system_.size(); }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return system_.make_run(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return system_.kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return system_.nominals(); }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;

 private:
  /// f at x with its dependent coordinates completed.
  Evaluation rhs(double t, std::span<const double> x, Run& run, std::span<double> f) const;
  Evaluation difference(double t, std::span<const double> x, Run& run, std::span<double> f_x) const;

  const ExplicitSystem& system_;
  SparsityPattern pattern_;
  mutable std::vector<double> completed_;
  mutable std::vector<double> moved_;
  mutable std::vector<double> value_;
};

}  // namespace daedal::integrate
