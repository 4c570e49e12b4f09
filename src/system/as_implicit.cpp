// SPDX-License-Identifier: BSD-3-Clause
#include "system/as_implicit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal {

namespace {

SparsityPattern dense_pattern(std::int64_t n) {
  SparsityPattern pattern{n, n, {0}, {}};
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

class ExplicitAsImplicit final : public ImplicitSystem {
 public:
  explicit ExplicitAsImplicit(const ExplicitSystem& system)
      : system_(system),
        pattern_(dense_pattern(system.size())),
        x_(static_cast<std::size_t>(system.size())),
        rates_(x_.size()),
        moved_rates_(x_.size()),
        completed_(x_.size()) {}

  [[nodiscard]] std::int64_t size() const override { return system_.size(); }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return system_.make_run(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return system_.kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return system_.nominals(); }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override {
    const Evaluation evaluation = evaluate(t, x, run, values);
    if (evaluation != Evaluation::ok) return evaluation;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = xp[i] - values[i];
    return Evaluation::ok;
  }

  Evaluation jacobian(double t, std::span<const double> x, std::span<const double>, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override {
    const Evaluation evaluation =
        system_.has_jacobian() ? system_.jacobian(t, x, run, f_x) : differences(t, x, run, f_x);
    if (evaluation != Evaluation::ok) return evaluation;
    for (double& entry : f_x) entry = -entry;
    std::fill(f_xp.begin(), f_xp.end(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) f_xp[i * (x.size() + 1)] = 1.0;
    return Evaluation::ok;
  }

 private:
  Evaluation evaluate(double t, std::span<const double> x, Run& run,
                      std::span<double> rates) const {
    if (!system_.has_complete()) return system_.rhs(t, x, run, rates);
    std::copy(x.begin(), x.end(), completed_.begin());
    const Evaluation evaluation = system_.complete(t, completed_, run);
    return evaluation == Evaluation::ok ? system_.rhs(t, completed_, run, rates) : evaluation;
  }

  /// The increment sqrt(ε)·max(|x_j|, nominal_j) balances truncation and round-off.
  Evaluation differences(double t, std::span<const double> x, Run& run,
                         std::span<double> f_x) const {
    const double root = std::sqrt(std::numeric_limits<double>::epsilon());
    const auto nominals = system_.nominals();
    std::copy(x.begin(), x.end(), x_.begin());
    Evaluation evaluation = evaluate(t, x_, run, rates_);
    for (std::size_t j = 0; j < x.size() && evaluation == Evaluation::ok; ++j) {
      const double size = nominals.empty() ? 1.0 : std::abs(nominals[j]);
      x_[j] = x[j] + root * std::max(std::abs(x[j]), size);
      const double step = x_[j] - x[j];
      evaluation = evaluate(t, x_, run, moved_rates_);
      for (std::size_t i = 0; i < x.size(); ++i) {
        f_x[j * x.size() + i] = (moved_rates_[i] - rates_[i]) / step;
      }
      x_[j] = x[j];
    }
    return evaluation;
  }

  const ExplicitSystem& system_;
  SparsityPattern pattern_;
  mutable std::vector<double> x_, rates_, moved_rates_, completed_;
};

}  // namespace

std::unique_ptr<ImplicitSystem> as_implicit(const ExplicitSystem& system) {
  return std::make_unique<ExplicitAsImplicit>(system);
}

}  // namespace daedal
