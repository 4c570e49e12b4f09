// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// x' = f(t, x) as x' - f(t, x) = 0, for implicit schemes. The Jacobian is the system's own, sparse
/// where it is, or central differences of f.

#include <daedal/system.hpp>
#include <vector>

#include "system/sparse_slopes.hpp"

namespace daedal::integration {

class AsImplicit final : public ImplicitSystem {
 public:
  explicit AsImplicit(const ExplicitSystem& system);

  [[nodiscard]] const ExplicitSystem& explicit_system() const { return system_; }
  [[nodiscard]] std::int64_t size() const override { return system_.size(); }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return system_.make_run(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return system_.kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return system_.nominals(); }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return system_.unknown_name(column);
  }
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return sparse_ != nullptr ? pattern_ : ImplicitSystem::pattern();
  }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;

 private:
  /// f at x with its dependent coordinates completed.
  Evaluation rhs(double t, std::span<const double> x, Run& run, std::span<double> f) const;

  Evaluation sparse_jacobian(double t, std::span<const double> x, Run& run, std::span<double> f_x,
                             std::span<double> f_xp) const;

  const ExplicitSystem& system_;
  const SparseSlopes* sparse_;         ///< null: the pattern is full
  SparsityPattern pattern_;            ///< of the slopes with the diagonal
  std::vector<std::size_t> diagonal_;  ///< places of the entries there
  std::vector<std::size_t> place_;     ///< of each entry of the slopes
};

}  // namespace daedal::integration
