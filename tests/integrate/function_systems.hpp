// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Systems from lambdas, for the tests of the integrators.

#include <cmath>
#include <daedal/system.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "integrate/stepper.hpp"

namespace daedal::testing {

using In = std::span<const double>;
using Out = std::span<double>;

/// x' = f(t, x).
class FunctionOde : public ExplicitSystem {
 public:
  using Rhs = std::function<void(double, In, Out)>;
  FunctionOde(std::int64_t n, Rhs f) : n_(n), f_(std::move(f)) {}
  [[nodiscard]] std::int64_t size() const override { return n_; }
  Evaluation rhs(double t, In x, Run&, Out xp) const override {
    f_(t, x, xp);
    return Evaluation::ok;
  }

 private:
  std::int64_t n_;
  Rhs f_;
};

/// F(t, x, x') = 0 on a dense pattern; the Jacobian by central differences.
class FunctionDae : public ImplicitSystem {
 public:
  using Residual = std::function<void(double, In, In, Out)>;
  FunctionDae(std::vector<UnknownKind> kinds, Residual f)
      : kinds_(std::move(kinds)), f_(std::move(f)) {
    const auto n = static_cast<std::int64_t>(kinds_.size());
    pattern_.rows = pattern_.columns = n;
    for (std::int64_t j = 0; j < n; ++j) {
      pattern_.column_start.push_back(j * n);
      for (std::int64_t i = 0; i < n; ++i) pattern_.row.push_back(i);
    }
    pattern_.column_start.push_back(n * n);
  }
  [[nodiscard]] std::int64_t size() const override { return pattern_.rows; }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return kinds_; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation residual(double t, In x, In xp, Run&, Out values) const override {
    f_(t, x, xp, values);
    return Evaluation::ok;
  }
  Evaluation jacobian(double t, In x, In xp, Run&, Out f_x, Out f_xp) const override {
    difference({x.begin(), x.end()}, f_x, [&](In y, Out r) { f_(t, y, xp, r); });
    difference({xp.begin(), xp.end()}, f_xp, [&](In y, Out r) { f_(t, x, y, r); });
    return Evaluation::ok;
  }

 private:
  template <class F>
  static void difference(std::vector<double> at, Out out, const F& f) {
    const std::size_t n = at.size();
    std::vector<double> above(n);
    std::vector<double> below(n);
    for (std::size_t j = 0; j < n; ++j) {
      const double centre = at[j];
      const double step = 1e-6 * std::max(std::abs(centre), 1e-3);
      at[j] = centre + step;
      f(at, above);
      at[j] = centre - step;
      f(at, below);
      at[j] = centre;
      for (std::size_t i = 0; i < n; ++i) out[j * n + i] = (above[i] - below[i]) / (2.0 * step);
    }
  }

  std::vector<UnknownKind> kinds_;
  Residual f_;
  SparsityPattern pattern_;
};

/// Steps from t0 to t1; ends at the first report that is not a success.
inline integrate::StepReport run_to(
    integrate::Stepper& stepper, double t1,
    const std::function<void(const integrate::StepReport&)>& on_step = {}) {
  integrate::StepReport report;
  for (int steps = 0; stepper.time() != t1 && steps < 2'000'000; ++steps) {
    report = stepper.advance(t1);
    if (report.status != Status::success) return report;
    if (on_step) on_step(report);
  }
  return report;
}

/// The greatest difference of components.
inline double distance(In a, In b) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    greatest = std::max(greatest, std::abs(a[i] - b[i]));
  }
  return greatest;
}

}  // namespace daedal::testing
