// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Systems written as lambdas, for tests of integrators.

#include <cmath>
#include <daedal/system.hpp>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace daedal::test {

using In = std::span<const double>;
using Out = std::span<double>;

inline SparsityPattern full_pattern(std::int64_t rows, std::int64_t columns) {
  SparsityPattern pattern{rows, columns, {0}, {}};
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

/// Event functions, their directions and what happens, for either kind of system.
struct EventFunctions {
  std::int64_t n = 0;
  std::function<void(double, In, In, Out)> values = {};
  std::vector<Crossing> crossings = {};
  std::function<Change(double, std::span<const std::int64_t>, Out, Out, Run&)> on_event = {};
  std::function<double(double)> next_time_event = {};
};

template <class Base>
class WithEvents : public Base {
 public:
  EventFunctions events;
  std::vector<UnknownKind> unknown_kinds;
  std::vector<double> typical;
  std::function<Change(double, Out, Out, const History&, Run&)> on_step;

  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return unknown_kinds; }
  [[nodiscard]] std::span<const double> nominals() const override { return typical; }
  [[nodiscard]] std::int64_t n_events() const override { return events.n; }
  [[nodiscard]] std::span<const Crossing> crossings() const override { return events.crossings; }
  Evaluation event_functions(double t, In x, In xp, Run&, Out values) const override {
    events.values(t, x, xp, values);
    return Evaluation::ok;
  }
  Change on_event(double t, std::span<const std::int64_t> fired, Out x, Out xp,
                  Run& run) const override {
    return events.on_event ? events.on_event(t, fired, x, xp, run) : Change{};
  }
  [[nodiscard]] double next_time_event(double t, const Run&) const override {
    return events.next_time_event ? events.next_time_event(t) : HUGE_VAL;
  }
  Change after_step(double t, Out x, Out xp, const History& history, Run& run) const override {
    return on_step ? on_step(t, x, xp, history, run) : Change{};
  }
};

/// x' = f(t, x).
class FunctionOde final : public WithEvents<ExplicitSystem> {
 public:
  using Rhs = std::function<void(double, In, Out)>;
  FunctionOde(std::int64_t n, Rhs f) : n_(n), f_(std::move(f)) {}

  Rhs analytic_jacobian;  ///< dense, column-major; may stay empty
  const Manifold* invariants = nullptr;

  [[nodiscard]] std::int64_t size() const override { return n_; }
  Evaluation rhs(double t, In x, Run& run, Out xp) const override {
    f_(t, x, xp);
    for (std::size_t i = 0; i < xp.size(); ++i) {
      if (std::isfinite(xp[i])) continue;
      run.failure = {Status::non_finite_value, static_cast<std::int64_t>(i), ""};
      return Evaluation::recoverable;
    }
    return Evaluation::ok;
  }
  [[nodiscard]] bool has_jacobian() const override { return analytic_jacobian != nullptr; }
  Evaluation jacobian(double t, In x, Run&, Out f_x) const override {
    analytic_jacobian(t, x, f_x);
    return Evaluation::ok;
  }
  [[nodiscard]] const Manifold* manifold() const override { return invariants; }

 private:
  std::int64_t n_;
  Rhs f_;
};

/// x'' = −x as a system of order 1.
inline FunctionOde oscillator() {
  return {2, [](double, In x, Out xp) {
            xp[0] = x[1];
            xp[1] = -x[0];
          }};
}

/// F(t, x, x') = 0 with the Jacobian that every implicit system has, by differences.
class FunctionDae final : public WithEvents<ImplicitSystem> {
 public:
  using Residual = std::function<void(double, In, In, Out)>;
  FunctionDae(std::int64_t n, Residual f, std::int64_t n_constraints = 0)
      : n_(n), constraints_(n_constraints), f_(std::move(f)) {}

  std::vector<std::string> names;

  [[nodiscard]] std::int64_t size() const override { return n_; }
  [[nodiscard]] std::int64_t n_constraints() const override { return constraints_; }
  Evaluation residual(double t, In x, In xp, Run&, Out values) const override {
    f_(t, x, xp, values);
    return Evaluation::ok;
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return names.empty() ? ImplicitSystem::unknown_name(column)
                         : names[static_cast<std::size_t>(column)];
  }

 private:
  std::int64_t n_;
  std::int64_t constraints_;
  Residual f_;
};

}  // namespace daedal::test
