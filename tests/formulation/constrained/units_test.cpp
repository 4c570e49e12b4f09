// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/solve.hpp>
#include <string>
#include <vector>

// Named methods on manufactured systems of higher index: multipliers keep the tolerance as the
// states do, and other units of time, unknowns and equations change neither ranks nor errors.

namespace daedal {
namespace {

/// Units in which a problem is written: one of its own units is so many of the written ones.
struct Units {
  double time = 1.0;
  std::array<double, 6> variables{1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  std::array<double, 6> equations{1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
};
constexpr Units plain{};
constexpr Units other{.time = 3e7,
                      .variables = {2e-4, 3e4, 5e-5, 7e4, 2e3, 1e-5},
                      .equations = {500.0, 2e-3, 30.0, 4e-3, 900.0, 0.01}};

double value(std::size_t k, double t) {
  return std::sin((1.0 + 0.5 * static_cast<double>(k)) * t + 0.7 * static_cast<double>(k)) + 0.3;
}

/// Index k: s_i' = s_(i+1) + 0.2 sin s_i with the last one z, and 0 = s_1, each with the forcing
/// that makes the values above the solution.
Model chain(std::size_t index, const Units& units) {
  ModelBuilder b("Chain");
  const Expr t = b.time() / units.time;
  std::vector<Expr> s;
  const auto exact = [&](std::size_t k) {
    return sin((1.0 + 0.5 * static_cast<double>(k)) * t + 0.7 * static_cast<double>(k)) + 0.3;
  };
  const auto exact_rate = [&](std::size_t k) {
    const double w = 1.0 + 0.5 * static_cast<double>(k);
    return w * cos(w * t + 0.7 * static_cast<double>(k));
  };
  for (std::size_t k = 0; k < index; ++k) {
    const double unit = units.variables[k];
    s.push_back(
        b.variable("s" + std::to_string(k + 1), {.start = unit * value(k, 0.0), .nominal = unit}));
  }
  const auto own = [&](std::size_t k) { return s[k] / units.variables[k]; };
  for (std::size_t k = 0; k + 1 < index; ++k) {
    const Expr slope = units.time / units.variables[k] * der(s[k]);
    const Expr forcing = exact_rate(k) - exact(k + 1) - 0.2 * sin(exact(k));
    const double factor = units.equations[k];
    b.equation(factor * slope == factor * (own(k + 1) + 0.2 * sin(own(k)) + forcing));
  }
  const double factor = units.equations.back();
  b.equation(factor * own(0) == factor * exact(0));
  return b.build();
}

/// The greatest error of all variables in tolerances.
double error_of(const std::string& method, std::size_t index, const Units& units, double rtol) {
  const Solution solution =
      solve(chain(index, units), {0.0, 2.0 * units.time},
            {.method = Method(method), .rtol = rtol, .interval = 0.1 * units.time});
  EXPECT_EQ(solution.status, Status::success) << method << ": " << solution.message;
  EXPECT_TRUE(solution.warnings.empty()) << method << ": " << solution.warnings.front();
  double worst = 0.0;
  for (std::size_t k = 0; k < index; ++k) {
    const std::size_t column = solution.column("s" + std::to_string(k + 1));
    double size = 0.0;
    double error = 0.0;
    for (std::size_t row = 0; row < solution.n_rows(); ++row) {
      const double exact = value(k, solution.times[row] / units.time);
      size = std::max(size, std::abs(exact));
      error = std::max(error, std::abs(solution.row(row)[column] / units.variables[k] - exact));
    }
    worst = std::max(worst, error / (rtol * size));
  }
  return worst;
}

TEST(Index2And3, HaveMultipliersWithinTheTolerance) {
  // Interpolated states with the drift of the levels that are not kept had multipliers that were
  // off by hundreds of tolerances.
  for (const std::string method : {"index2", "index3"}) {
    for (const std::size_t index : {std::size_t{4}, std::size_t{5}}) {
      for (const double rtol : {1e-4, 1e-6}) {
        EXPECT_LT(error_of(method, index, plain, rtol), 50.0) << method << " " << index;
      }
    }
  }
}

TEST(NamedMethods, KeepTheirErrorsInOtherUnits) {
  for (const std::string method :
       {"tangent-space", "coordinate-partitioning", "symmetric-projection", "orthogonal-projection",
        "index1", "index2", "taylor"}) {
    for (const std::size_t index : {std::size_t{4}, std::size_t{5}}) {
      EXPECT_LT(error_of(method, index, plain, 1e-6), 50.0) << method << " " << index;
      EXPECT_LT(error_of(method, index, other, 1e-6), 50.0) << method << " " << index;
    }
  }
}

/// Two masses in the plane of x and y on a line that moves: x = 0.3 sin t, y = cos(w t), and the
/// force along the normal is cos(0.7 t)/2.
TEST(Bdf, LeavesOrderOneWhereAConstraintOfTimeHoldsTheStates) {
  constexpr double a = 1.2, c = 1.7, size = 0.3, w = 4.0;
  ModelBuilder b("Driven");
  const Expr t = b.time();
  const Expr x = b.variable("x", {.start = 0.0});
  const Expr y = b.variable("y", {.start = 1.0});
  const Expr u = b.variable("u", {.start = size});
  const Expr v = b.variable("v", {.start = 0.0});
  const Expr f = b.variable("f", {.start = 0.5});
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -size * sin(t) - a * (f - 0.5 * cos(0.7 * t)));
  b.equation(der(v) == -w * w * cos(w * t) + c * (f - 0.5 * cos(0.7 * t)));
  b.equation(-a * x + c * y == -a * size * sin(t) + c * cos(w * t));
  const Model model = b.build();
  for (const char* method : {"ggl", "stabilized-index1", "overdetermined-index2"}) {
    const Solution solution =
        solve(model, {0.0, 2.0}, {.method = Method(method), .integrator = "bdf", .rtol = 1e-6});
    ASSERT_EQ(solution.status, Status::success) << method << ": " << solution.message;
    EXPECT_TRUE(solution.warnings.empty()) << method;
    // In steps of order 1, of which each was rejected first, there were 1,300.
    EXPECT_LT(solution.statistics.steps, 500) << method;
    EXPECT_NEAR(solution.final_value("x"), size * std::sin(2.0), 1e-5) << method;
    EXPECT_NEAR(solution.final_value("u"), size * std::cos(2.0), 1e-5) << method;
    EXPECT_NEAR(solution.final_value("y"), std::cos(2.0 * w), 1e-5) << method;
    EXPECT_NEAR(solution.final_value("f"), 0.5 * std::cos(1.4), 1e-4) << method;
  }
}

/// x' = −x + Bᵀ y, 0 = C x − ..., two constraints on three unknowns.
double trust_region_error(const Units& units) {
  ModelBuilder b("Hessenberg");
  const Expr t = b.time() / units.time;
  const double rows[2][3] = {{3.0, 0.5, -0.4}, {0.3, 2.5, 0.8}};
  const auto exact = [&](std::size_t k) {
    return sin((1.0 + 0.5 * static_cast<double>(k)) * t + 0.7 * static_cast<double>(k)) + 0.3;
  };
  const auto exact_rate = [&](std::size_t k) {
    const double w = 1.0 + 0.5 * static_cast<double>(k);
    return w * cos(w * t + 0.7 * static_cast<double>(k));
  };
  std::vector<Expr> v;
  for (std::size_t k = 0; k < 5; ++k) {
    const double unit = units.variables[k];
    v.push_back(
        b.variable("v" + std::to_string(k + 1), {.start = unit * value(k, 0.0), .nominal = unit}));
  }
  const auto own = [&](std::size_t k) { return v[k] / units.variables[k]; };
  for (std::size_t i = 0; i < 3; ++i) {
    Expr right = -own(i);
    Expr forcing = exact_rate(i) + exact(i);
    for (std::size_t k = 0; k < 2; ++k) {
      right = right + rows[k][i] * own(3 + k);
      forcing = forcing - rows[k][i] * exact(3 + k);
    }
    const double factor = units.equations[i];
    b.equation(factor * (units.time / units.variables[i] * der(v[i])) ==
               factor * (right + forcing));
  }
  for (const std::size_t k : {std::size_t{1}, std::size_t{0}}) {
    Expr left = 0.0 * own(0);
    Expr right = 0.0 * exact(0);
    for (std::size_t i = 0; i < 3; ++i) {
      left = left + rows[k][i] * own(i);
      right = right + rows[k][i] * exact(i);
    }
    const double factor = units.equations[3 + k];
    b.equation(factor * left == factor * right);
  }
  constexpr double rtol = 1e-6;
  const Solution solution =
      solve(b.build(), {0.0, 2.0 * units.time},
            {.method = Method("trust-region"), .rtol = rtol, .interval = 0.1 * units.time});
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  double worst = 0.0;
  for (std::size_t k = 0; k < 5; ++k) {
    const std::size_t column = solution.column("v" + std::to_string(k + 1));
    for (std::size_t row = 0; row < solution.n_rows(); ++row) {
      const double reference = value(k, solution.times[row] / units.time);
      const double found = solution.row(row)[column] / units.variables[k];
      worst = std::max(worst, std::abs(found - reference) / rtol);
    }
  }
  return worst;
}

TEST(TrustRegion, WeighsConstraintsAndMultipliersInUnits) {
  Units skewed = other;
  skewed.variables = {2e-4, 3e4, 5e-2, 7e4, 2e-5, 1.0};
  EXPECT_LT(trust_region_error(plain), 50.0);
  EXPECT_LT(trust_region_error(skewed), 50.0);
}

/// A pendulum from the horizontal, in units of length and time.
Solution swing(const char* method, double length, double time, double rtol) {
  ModelBuilder b("Pendulum");
  const double speed = length / time;
  const Expr x = b.variable("x", {.start = length, .fixed = true, .nominal = length});
  const Expr y = b.variable("y", {.start = 0.0, .nominal = length});
  const Expr u = b.variable("u", {.start = 0.0, .nominal = speed});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true, .nominal = speed});
  const Expr force = b.variable("force", {.start = 0.0, .nominal = 1.0});
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(time / speed * der(u) == -x / length * force);
  b.equation(time / speed * der(v) == -y / length * force - 9.81);
  b.equation(sqr(x / length) + sqr(y / length) == 1.0);
  return solve(b.build(), {0.0, 2.0 * time},
               {.method = Method(method), .rtol = rtol, .interval = 0.1 * time});
}

TEST(NamedMethods, TakeNearlyTheSameStepsInOtherUnits) {
  const double length = std::exp2(-9), time = std::exp2(14);
  for (const char* method : {"index3", "trust-region", "srm"}) {
    for (const double rtol : {1e-6, 1e-9}) {
      const Solution own = swing(method, 1.0, 1.0, rtol);
      const Solution scaled = swing(method, length, time, rtol);
      ASSERT_EQ(own.status, Status::success) << method << ": " << own.message;
      ASSERT_EQ(scaled.status, Status::success) << method << ": " << scaled.message;
      EXPECT_TRUE(scaled.warnings.empty()) << method << ": " << scaled.warnings.front();
      const auto steps = static_cast<double>(own.statistics.steps);
      if (rtol == 1e-6) {
        EXPECT_NEAR(static_cast<double>(scaled.statistics.steps), steps, 0.2 * steps) << method;
      }
      EXPECT_NEAR(scaled.final_value("y") / length, own.final_value("y"), 100.0 * rtol) << method;
    }
  }
}

}  // namespace
}  // namespace daedal
