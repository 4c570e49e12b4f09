// SPDX-License-Identifier: BSD-3-Clause
/// Fuehrer, Leimkuhler, Theorems 3.1 and 4.1: BDF with the ssf-iteration on an overdetermined DAE
/// takes the same values, iterate by iterate, as BDF with a modified Newton iteration on the
/// extended system with its extra multipliers. And for linear constraints both take those of the
/// same BDF on the state space form.

#include <gtest/gtest.h>

#include <functional>

#include "formulation/formulation_support.hpp"
#include "formulation/mechanics/support.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/overdetermined_solver.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::formulation {
namespace {

using linalg::Corrector;

constexpr double step = 0.01;

/// The correction δ for the matrix F_x + cF_x' (all its rows) and the residuals.
using Correction = std::function<Vector(const SparsityPattern& pattern,
                                        const std::vector<double>& values, const Vector& residual)>;

Correction by(Corrector corrector) {
  return [corrector](const SparsityPattern& pattern, const std::vector<double>& values,
                     const Vector& residual) {
    const auto solver = linalg::make_overdetermined_solver(pattern, corrector);
    EXPECT_TRUE(solver->factor(values).ok);
    const Vector rhs = -residual;
    Vector delta(pattern.columns);
    solver->solve({rhs.data(), to_size(rhs.size())}, {delta.data(), to_size(delta.size())});
    return delta;
  };
}

Vector by_regular_matrix(const SparsityPattern& pattern, const std::vector<double>& values,
                         const Vector& residual) {
  return linalg::min_norm_least_squares(linalg::to_dense(pattern, values), -residual);
}

/// (30): x = A₁⁻¹(I − A₂ᵀQ⁻¹A₂A₁⁻¹)a₁ + A₁⁻¹A₂ᵀQ⁻¹a₂, Q = A₂A₁⁻¹A₂ᵀ.
Vector by_formula_30(const SparsityPattern& pattern, const std::vector<double>& values,
                     const Vector& residual) {
  const Index n = pattern.columns;
  const Index m = pattern.rows - n;
  const Matrix a = linalg::to_dense(pattern, values);
  const auto solve_a1 = [&](const Vector& b) {
    return linalg::min_norm_least_squares(a.topRows(n), b);
  };
  const Vector x1 = solve_a1(-residual.head(n));
  Matrix lifted(n, m);
  for (Index j = 0; j < m; ++j) lifted.col(j) = solve_a1(a.row(n + j).transpose());
  const Matrix a2 = a.bottomRows(m);
  const Vector z = linalg::min_norm_least_squares(a2 * lifted, -residual.tail(m) - a2 * x1);
  return x1 + lifted * z;
}

struct Trajectory {
  std::vector<Vector> x;
};

/// Fixed-step BDF2 (its first step BDF1) from the consistent start, with a linear predictor for the
/// first `n_shared` unknowns and 0 for the extra multipliers, and a set number of iterations a
/// step. The matrix neglects terms with the extra multipliers: it is taken where they vanish.
Trajectory run_bdf2(const Formulation& formulation, const Correction& correction, int iterations,
                    int steps, Index n_shared) {
  const ImplicitSystem& system = *formulation.implicit_system;
  const auto run = system.make_run();
  const Start start = formulation.start(0.0, *run);
  EXPECT_EQ(start.status, Status::success) << start.message;
  const auto n = to_index(start.x.size());
  const auto nonzeros = to_size(system.pattern().nonzeros());
  std::vector<double> f_x(nonzeros), f_xp(nonzeros), values(nonzeros);
  Trajectory path;
  path.x.push_back(as_vector(std::span<const double>(start.x)));
  const auto view = [](const Vector& v) {
    return std::span<const double>(v.data(), to_size(v.size()));
  };
  for (int i = 0; i < steps; ++i) {
    const Vector& last = path.x.back();
    const Vector& before = path.x[path.x.size() > 1 ? path.x.size() - 2 : 0];
    const bool first = path.x.size() == 1;
    const double c = (first ? 1.0 : 1.5) / step;
    const Vector known = first ? Vector(-last / step) : Vector((-2.0 * last + 0.5 * before) / step);
    Vector x = 2.0 * last - before;
    x.tail(n - n_shared).setZero();
    const double t = (i + 1) * step;
    Vector residual(system.pattern().rows);
    for (int k = 0; k < iterations; ++k) {
      const Vector xp = c * x + known;
      Vector base = x;
      base.tail(n - n_shared).setZero();
      EXPECT_EQ(
          system.residual(t, view(x), view(xp), *run, {residual.data(), to_size(residual.size())}),
          Evaluation::ok);
      EXPECT_EQ(system.jacobian(t, view(base), view(xp), *run, f_x, f_xp), Evaluation::ok);
      for (std::size_t j = 0; j < nonzeros; ++j) values[j] = f_x[j] + c * f_xp[j];
      x += correction(system.pattern(), values, residual);
    }
    path.x.push_back(x);
  }
  return path;
}

/// Over the shared unknowns, relative above 1.
double distance(const Trajectory& a, const Trajectory& b, Index n_shared) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    for (Index j = 0; j < n_shared; ++j) {
      worst = std::max(worst, std::abs(a.x[i](j) - b.x[i](j)) / std::max(1.0, std::abs(a.x[i](j))));
    }
  }
  return worst;
}

/// The greatest |g| and |Gv| of a pendulum's path in (x, y, vx, vy, λ).
std::array<double, 2> drift(const Trajectory& path) {
  std::array<double, 2> worst{};
  for (const Vector& x : path.x) {
    worst[0] = std::max(worst[0], std::abs(x(0) * x(0) + x(1) * x(1) - 1.0) / 2.0);
    worst[1] = std::max(worst[1], std::abs(x(0) * x(2) + x(1) * x(3)));
  }
  return worst;
}

constexpr Index n_pendulum = 5;
constexpr int n_steps = 500;

struct Pair {
  const char* overdetermined;
  const char* extended;
};
const Pair theorem31{"overdetermined-index1", "stabilized-index1"};
const Pair theorem41{"overdetermined-index2", "ggl"};

TEST(SsfIteration, TakesTheIteratesOfTheExtendedSystem) {
  const Model model = daedal::test::half_square_pendulum();
  for (const Pair& pair : {theorem31, theorem41}) {
    const auto small = test::make(pair.overdetermined, model);
    const auto extended = test::make(pair.extended, model);
    for (const int iterations : {1, 2, 8}) {
      const Trajectory a =
          run_bdf2(small, by(Corrector::state_space_form), iterations, n_steps, n_pendulum);
      const Trajectory b = run_bdf2(extended, by_regular_matrix, iterations, n_steps, n_pendulum);
      EXPECT_LE(distance(a, b, n_pendulum), 1e-11) << pair.overdetermined << ' ' << iterations;
      if (iterations < 8) continue;
      EXPECT_LE(drift(a)[0], 1e-12);
      EXPECT_LE(drift(a)[1], 1e-12);
    }
  }
}

TEST(SsfIteration, HasTheTwoRepresentationsOfThePaper) {
  const auto small = test::make("overdetermined-index1", daedal::test::half_square_pendulum());
  const Trajectory a = run_bdf2(small, by(Corrector::state_space_form), 3, n_steps, n_pendulum);
  const Trajectory b = run_bdf2(small, by_formula_30, 3, n_steps, n_pendulum);
  EXPECT_LE(distance(a, b, n_pendulum), 1e-10);
}

TEST(SsfIteration, IsNotTheMoorePenroseSolutionWhichLeavesTheManifold) {
  const auto small = test::make("overdetermined-index1", daedal::test::half_square_pendulum());
  const Trajectory a = run_bdf2(small, by(Corrector::state_space_form), 8, n_steps, n_pendulum);
  const Trajectory b = run_bdf2(small, by(Corrector::least_squares), 8, n_steps, n_pendulum);
  EXPECT_GE(distance(a, b, 4), 5e-4);
  EXPECT_GE(drift(b)[0], 1e-7);
  // With the constraints demanded the path stays on the manifold, but it is another one.
  const Trajectory c =
      run_bdf2(small, by(Corrector::constrained_least_squares), 8, n_steps, n_pendulum);
  EXPECT_LE(drift(c)[0], 1e-12);
  EXPECT_GE(distance(a, c, 4), 1e-6);
}

// Masses 1 and 2 on the line x + 2y = 0, springs 1 and 3, a force sin t on the second: with
// (x, y) = (2, −1)s the equation is 6 s'' = −7 s − sin t.
TEST(SsfIteration, IsBdfOnTheStateSpaceFormForLinearConstraints) {
  ModelBuilder b("Line");
  const Expr x = b.variable("x", {.start = 2.0});
  const Expr y = b.variable("y", {.start = -1.0});
  const Expr vx = b.variable("vx", {.start = 1.0});
  const Expr vy = b.variable("vy", {.start = -0.5});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(vx) == -x - lambda);
  b.equation(2.0 * der(vy) == -3.0 * y + sin(b.time()) - 2.0 * lambda);
  b.equation(x + 2.0 * y == 0.0);
  const Model model = b.build();
  for (const char* method : {"overdetermined-index1", "overdetermined-index2"}) {
    const Trajectory path =
        run_bdf2(test::make(method, model), by(Corrector::state_space_form), 3, n_steps, 5);
    // (s, r = s'): c s + k₁ = r, 6(c r + k₂) = −7 s − sin t.
    std::vector<std::array<double, 2>> state{{1.0, 0.5}};
    for (int i = 0; i < n_steps; ++i) {
      const auto last = state.back();
      const auto before = state[state.size() > 1 ? state.size() - 2 : 0];
      const bool first = state.size() == 1;
      const double c = (first ? 1.0 : 1.5) / step;
      const auto known = [&](std::size_t j) {
        return first ? -last[j] / step : (-2.0 * last[j] + 0.5 * before[j]) / step;
      };
      const double t = (i + 1) * step;
      const double s = (-std::sin(t) - 6.0 * (known(1) + c * known(0))) / (7.0 + 6.0 * c * c);
      state.push_back({s, c * s + known(0)});
    }
    double worst = 0.0;
    for (std::size_t i = 0; i < state.size(); ++i) {
      worst = std::max(
          {worst, std::abs(path.x[i](0) - 2.0 * state[i][0]), std::abs(path.x[i](1) + state[i][0]),
           std::abs(path.x[i](2) - 2.0 * state[i][1]), std::abs(path.x[i](3) + state[i][1])});
    }
    EXPECT_LE(worst, 1e-11) << method;
  }
}

}  // namespace
}  // namespace daedal::formulation
