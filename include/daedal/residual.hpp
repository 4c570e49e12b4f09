// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Equations as one function F(t, x, x', r) of C++, which leaves its residuals in r:
///
///     auto pendulum = [](auto t, const auto& x, const auto& xp, auto& r) {
///       r[0] = xp[0] - x[2];
///       ...
///       r[4] = x[0] * x[0] + x[1] * x[1] - 1.0;
///     };
///     Model model = trace(pendulum, {1, 0, 0, 0, 0});      // called once, with expressions
///     Solution s = solve(model, {0.0, 10.0});              // any index
///
/// A function that takes numbers alone is a system for integrate(): ResidualSystem.

#include <cmath>
#include <daedal/model.hpp>
#include <daedal/system.hpp>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace daedal {

/// What F states when it is called with expressions, as a model: its variables are x[1], x[2], ...
/// with the start values given, which count as guesses. `if` on expressions does not compile:
/// write if_else(). Throws what ModelBuilder::build() throws.
template <class F>
[[nodiscard]] Model trace(F&& f, const std::vector<double>& start,
                          const std::string& name = "Residual") {
  ModelBuilder b(name);
  std::vector<Expr> x, xp, r(start.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    x.push_back(b.variable("x[" + std::to_string(i + 1) + "]", {.start = start[i]}));
    xp.push_back(der(x.back()));
  }
  f(b.time(), std::as_const(x), std::as_const(xp), r);
  for (const Expr& residual : r) b.equation(residual == 0.0);
  return b.build();
}

/// F on numbers, of index 0 and 1; of index 2 and 3 where `kinds` says which unknowns they concern
/// (UnknownKind::index), so that norms weigh them accordingly. Jacobians are differences, of
/// columns together that share no row of the pattern, where one is given. What F throws ends the
/// run as what it cannot compute does: the solution has what came before, and its message.
class ResidualSystem final : public ImplicitSystem {
 public:
  using Residual = std::function<void(double t, std::span<const double> x,
                                      std::span<const double> xp, std::span<double> r)>;
  ResidualSystem(std::int64_t size, Residual f, std::vector<UnknownKind> kinds = {},
                 SparsityPattern pattern = {})
      : size_(size), f_(std::move(f)), kinds_(std::move(kinds)), pattern_(std::move(pattern)) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return kinds_; }
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return pattern_.columns > 0 ? pattern_ : ImplicitSystem::pattern();
  }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override {
    try {
      f_(t, x, xp, values);
    } catch (const std::exception& error) {
      return fail(run, error.what());
    } catch (...) {
      return fail(run, "an exception that is no std::exception");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      run.failure = {Status::non_finite_value, static_cast<std::int64_t>(i),
                     row_name(static_cast<std::int64_t>(i)) + " is not finite."};
      return Evaluation::recoverable;
    }
    return Evaluation::ok;
  }

 private:
  static Evaluation fail(Run& run, const std::string& why) {
    run.failure = {Status::non_finite_value, -1, "The residual function has failed (" + why + ")."};
    return Evaluation::fatal;
  }

  std::int64_t size_;
  Residual f_;
  std::vector<UnknownKind> kinds_;
  SparsityPattern pattern_;
};

}  // namespace daedal
