// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/eliminated_motion.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <daedal/modelica.hpp>
#include <random>
#include <string>
#include <vector>

#include "formulation/frame/registry.hpp"
#include "formulation/mechanics/mechanics.hpp"
#include "problems/problems.hpp"

// Accelerations and multipliers against a dense LU with complete pivoting of [M Gᵀ; G 0], whose
// blocks are values of another program.

namespace daedal::formulation {
namespace {

class Motion {
 public:
  explicit Motion(Model model) {
    request_.model = std::move(model);
    request_.parameters = request_.model.parameter_values();
    mechanics_ = std::make_shared<const Mechanics>(request_, mechanical_view(request_));
    run_ = mechanics_->make_model_run<MechanicalRun>();
    mechanics_->prepare(*run_);
  }

  [[nodiscard]] Index n() const { return mechanics_->n(); }
  [[nodiscard]] Index m() const { return mechanics_->m(); }

  /// (a, λ) as the methods get it.
  Vector solution(double t, const std::vector<double>& x) {
    EXPECT_EQ(mechanics_->accelerations(mechanics_->point(t, x), {}, *run_), Evaluation::ok);
    Vector result(n() + m());
    result << as_vector(run_->work.acceleration), as_vector(run_->work.multipliers);
    return result;
  }

  Vector reference(double t, const std::vector<double>& x) {
    const Mechanics::Dynamics at = mechanics_->dynamics(mechanics_->point(t, x), *run_);
    Matrix k = Matrix::Zero(n() + m(), n() + m());
    fill(k, mechanics_->mass_pattern(), at.mass, 0, 0);
    fill(k, mechanics_->jacobian_pattern(), at.jacobian, n(), 0);
    k.topRightCorner(n(), m()) = k.bottomLeftCorner(m(), n()).transpose();
    Vector right(n() + m());
    for (Index i = 0; i < n(); ++i) right[i] = at.force[to_size(i)];
    for (Index i = 0; i < m(); ++i) right[n() + i] = -at.curvature[to_size(i)];
    return k.fullPivLu().solve(right);
  }

 private:
  static void fill(Matrix& k, const SparsityPattern& pattern, std::span<const double> values,
                   Index row, Index column) {
    for (Index j = 0; j < pattern.columns; ++j) {
      for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j + 1)];
           ++p) {
        k(row + pattern.row[to_size(p)], column + j) = values[to_size(p)];
      }
    }
  }

  Request request_;
  std::shared_ptr<const Mechanics> mechanics_;
  std::unique_ptr<MechanicalRun> run_;
};

/// At random points, of which nothing is asked but that the matrix is regular.
void compare(Model model) {
  const std::string name = model.name();
  Motion motion(std::move(model));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.2, 1.2);
  for (int k = 0; k < 20; ++k) {
    std::vector<double> x(to_size(2 * motion.n()));
    for (double& value : x) value = any(random);
    const Vector expected = motion.reference(0.3, x);
    const Vector found = motion.solution(0.3, x);
    for (Index i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-8 * expected.lpNorm<Eigen::Infinity>())
          << name << ", unknown " << i << ", point " << k;
    }
  }
}

TEST(EliminatedMotion, SolvesTheEquationsOfMotion) {
  compare(problems::pendulum().model);
  compare(problems::car_axis().model);
  compare(problems::squeezer().model);
  compare(problems::slider_crank().model);
}

TEST(EliminatedMotion, SolvesThemWithCoupledMassesAndWithoutConstraints) {
  compare(parse_model(R"(
    model Coupled
      Real a, b, c, u, v, w, s;
    equation
      der(a) = u; der(b) = v; der(c) = w;
      2*der(u) + 0.5*der(v) = -a + s*b;
      0.5*der(u) + 3*der(v) + cos(a)*der(w) = -b*b + s*a;
      cos(a)*der(v) + 2*der(w) = 1;
      a*b = 1;
    end Coupled;
  )"));
}

TEST(EliminatedMotion, LeavesToPivotingWhatIsNotPositiveDefinite) {
  // The masses determine a + b alone, a − b follows from the constraint: M is semidefinite and the
  // pivots of its own order vanish.
  Motion motion(parse_model(R"(
    model Semidefinite
      Real a, b, u, v, s;
    equation
      der(a) = u; der(b) = v;
      der(u) + der(v) = -3 + s;
      der(u) + der(v) = -3 - s;
      a - b = 1;
    end Semidefinite;
  )"));
  const Vector found = motion.solution(0.0, {1.0, 0.0, 0.0, 0.0});
  EXPECT_NEAR(found[0], -1.5, 1e-14);
  EXPECT_NEAR(found[1], -1.5, 1e-14);
  EXPECT_NEAR(found[2], 0.0, 1e-14);
}

}  // namespace
}  // namespace daedal::formulation
