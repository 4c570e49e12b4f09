// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/lagrangian.hpp>
#include <random>

#include "model/views/constrained_view.hpp"
#include "support/errors.hpp"
#include "support/model_point.hpp"

namespace daedal {
namespace {

using test::evaluate;
using test::Point;
using testing::HasSubstr;

/// Values of a mechanical view at a point, dense.
struct Values {
  Matrix mass, jacobian;
  Vector force, velocity_level, curvature;
};

Matrix dense(const Pool& pool, const std::vector<JacobianEntry>& entries, const Point& point,
             std::pair<std::size_t, std::size_t> size) {
  Matrix matrix = Matrix::Zero(to_index(size.first), to_index(size.second));
  for (const JacobianEntry& entry : entries) {
    matrix(entry.row, entry.column) = evaluate(pool, entry.value, point);
  }
  return matrix;
}

Values values_of(const ConstrainedView& view, const Point& point) {
  const std::size_t n = view.states[0].size();
  const std::size_t m = view.levels[0].size();
  const auto vector = [&](const std::vector<NodeId>& nodes) -> Vector {
    const std::vector<double> numbers = evaluate(*view.pool, nodes, point);
    return as_vector(std::span<const double>(numbers));
  };
  return {dense(*view.pool, view.mass, point, {n, n}),
          dense(*view.pool, view.jacobian, point, {m, n}), vector(view.force),
          vector(view.levels[1]), vector(view.remainder)};
}

ConstrainedView view_of(const Model& model) {
  auto found = mechanical_view(model, model.parameter_values());
  EXPECT_TRUE(found) << found.reason;
  return std::move(*found.view);
}

Point point_of(const ConstrainedView& view, std::mt19937& random) {
  Point point = test::random_point(random, static_cast<SymbolId>(view.model.variables().size()), 1);
  point.parameters = view.model.parameter_values();
  return point;
}

double position(const ConstrainedView& view, const Point& point, std::size_t i) {
  return point.variables.at({view.states[0][i], 0});
}
double velocity(const ConstrainedView& view, const Point& point, std::size_t i) {
  return point.variables.at({view.states[1][i], 0});
}

TEST(Lagrangian, GivesThePlanarPendulum) {
  Lagrangian pendulum("Pendulum");
  const Expr m = pendulum.parameter("m", 2.0);
  const auto [x, vx] = pendulum.coordinate("x", {.start = 1.0, .fixed = true});
  const auto [y, vy] = pendulum.coordinate("y");
  pendulum.kinetic_energy(0.5 * m * (vx * vx + vy * vy));
  pendulum.potential_energy(m * 9.81 * y);
  pendulum.constraint((x * x + y * y - 1) / 2, "rod");
  const Model model = pendulum.build();
  EXPECT_EQ(model.variables()[1].name, "der(x)");
  EXPECT_EQ(model.variables()[4].name, "lambda[1]");
  const ConstrainedView view = view_of(model);
  EXPECT_TRUE(view.is_mechanical());
  EXPECT_TRUE(view.mass_is_constant);
  ASSERT_EQ(view.forces->scale.size(), 1U);
  EXPECT_EQ(view.forces->scale[0].value, 1.0);
  std::mt19937 random(1);
  const Point point = point_of(view, random);
  const Values values = values_of(view, point);
  EXPECT_EQ(values.mass, 2.0 * Matrix::Identity(2, 2));
  EXPECT_EQ(values.force, Vector({{0.0, -19.62}}));
  const double X = position(view, point, 0), Y = position(view, point, 1);
  const double U = velocity(view, point, 0), V = velocity(view, point, 1);
  EXPECT_EQ(values.jacobian, Matrix({{X, Y}}));
  EXPECT_NEAR(values.velocity_level[0], X * U + Y * V, 1e-15);
  EXPECT_NEAR(values.curvature[0], U * U + V * V, 1e-15);
  EXPECT_NEAR(evaluate(*view.pool, view.energy, point), U * U + V * V + 19.62 * Y, 1e-14);
}

TEST(Lagrangian, GivesTheDoublePendulumInAngles) {
  // Two point masses on massless rods, angles from the vertical; the equations of every textbook:
  //   (m1+m2) l1² a'' + m2 l1 l2 cos(a−b) b'' + m2 l1 l2 sin(a−b) b'² + (m1+m2) g l1 sin a = 0
  //   m2 l2² b'' + m2 l1 l2 cos(a−b) a'' − m2 l1 l2 sin(a−b) a'² + m2 g l2 sin b = 0
  constexpr double m1 = 1.5, m2 = 0.7, l1 = 1.2, l2 = 0.9, g = 9.81;
  Lagrangian pendulum("Double");
  const auto [a, va] = pendulum.coordinate("a");
  const auto [b, vb] = pendulum.coordinate("b");
  const Expr x1 = l1 * sin(a), y1 = -l1 * cos(a);
  const Expr x2 = x1 + l2 * sin(b), y2 = y1 - l2 * cos(b);
  // Velocities of the masses by d/dt: der(a) stands for the velocity va.
  pendulum.kinetic_energy(0.5 * m1 * (sqr(der(x1)) + sqr(der(y1))));
  pendulum.kinetic_energy(0.5 * m2 * (sqr(der(x2)) + sqr(der(y2))));
  pendulum.potential_energy(m1 * g * y1 + m2 * g * y2);
  const ConstrainedView view = view_of(pendulum.build());
  EXPECT_TRUE(view.is_mechanical());
  EXPECT_FALSE(view.mass_is_constant);
  std::mt19937 random(2);
  for (int trial = 0; trial < 10; ++trial) {
    const Point point = point_of(view, random);
    const Values values = values_of(view, point);
    const double A = position(view, point, 0), B = position(view, point, 1);
    const double U = velocity(view, point, 0), V = velocity(view, point, 1);
    const double c = m2 * l1 * l2 * std::cos(A - B), s = m2 * l1 * l2 * std::sin(A - B);
    const Matrix mass{{(m1 + m2) * l1 * l1, c}, {c, m2 * l2 * l2}};
    const Vector force{
        {-s * V * V - (m1 + m2) * g * l1 * std::sin(A), s * U * U - m2 * g * l2 * std::sin(B)}};
    EXPECT_LE((values.mass - mass).norm(), 1e-14);
    EXPECT_LE((values.force - force).norm(), 1e-13);
  }
}

TEST(Lagrangian, HasASymmetricMassWhereTermsCancel) {
  // Polar coordinates by Cartesian velocities: M = diag(1, r²), whose off-diagonal terms cancel to
  // rounding errors only.
  Lagrangian particle("Particle");
  const auto [r, vr] = particle.coordinate("r", {.start = 1.0});
  const auto [angle, w] = particle.coordinate("angle", {.start = 0.3});
  particle.kinetic_energy(0.5 * (sqr(der(r * cos(angle))) + sqr(der(r * sin(angle)))));
  particle.constraint(r - 1, "ring");
  const ConstrainedView view = view_of(particle.build());
  std::mt19937 random(7);
  for (int trial = 0; trial < 10; ++trial) {
    const Point point = point_of(view, random);
    const Values values = values_of(view, point);
    const double R = position(view, point, 0);
    EXPECT_EQ(values.mass, values.mass.transpose());
    EXPECT_LE((values.mass - Matrix{{1.0, 0.0}, {0.0, R * R}}).norm(), 1e-15);
  }
}

TEST(Lagrangian, GivesTheSphericalPendulumInAngles) {
  // T = ½ (θ'² + sin²θ φ'²), V = g cos θ (θ from the upward vertical):
  //   θ'' = sin θ cos θ φ'² + g sin θ,  (sin²θ φ')' = 0.
  Lagrangian pendulum("Spherical");
  const auto [theta, w] = pendulum.coordinate("theta", {.start = 1.0});
  const auto [phi, u] = pendulum.coordinate("phi");
  pendulum.kinetic_energy(0.5 * (w * w + sqr(sin(theta)) * u * u));
  pendulum.potential_energy(9.81 * cos(theta));
  const ConstrainedView view = view_of(pendulum.build());
  std::mt19937 random(3);
  for (int trial = 0; trial < 10; ++trial) {
    const Point point = point_of(view, random);
    const Values values = values_of(view, point);
    const double A = position(view, point, 0);
    const double W = velocity(view, point, 0), U = velocity(view, point, 1);
    const double s = std::sin(A), c = std::cos(A);
    EXPECT_LE((values.mass - Matrix{{1.0, 0.0}, {0.0, s * s}}).norm(), 1e-15);
    EXPECT_NEAR(values.force[0], s * c * U * U + 9.81 * s, 1e-14);
    EXPECT_NEAR(values.force[1], -2 * s * c * W * U, 1e-15);
  }
}

TEST(Lagrangian, DifferentiatesRheonomicConstraints) {
  Lagrangian bead("Bead");
  const auto [x, vx] = bead.coordinate("x");
  const auto [y, vy] = bead.coordinate("y");
  bead.kinetic_energy(0.5 * (vx * vx + vy * vy));
  const Expr t = bead.time();
  bead.constraint(x * cos(2 * t) + y * y * sin(2 * t) - exp(-t) * x * y, "wire");
  const ConstrainedView view = view_of(bead.build());

  const auto g = [](double X, double Y, double T) {
    return X * std::cos(2 * T) + Y * Y * std::sin(2 * T) - std::exp(-T) * X * Y;
  };
  std::mt19937 random(4);
  const Point point = point_of(view, random);
  const Values values = values_of(view, point);
  const double X = position(view, point, 0), Y = position(view, point, 1);
  const double U = velocity(view, point, 0), V = velocity(view, point, 1), T = point.time;
  // Along the straight line q + vτ the acceleration vanishes: ġ and z are the first and second
  // derivatives of g there. Central differences with steps that balance truncation and rounding.
  const auto along = [&](double tau) { return g(X + U * tau, Y + V * tau, T + tau); };
  const double h1 = 1e-5, h2 = 1e-4;
  EXPECT_NEAR(values.velocity_level[0], (along(h1) - along(-h1)) / (2 * h1), 1e-9);
  EXPECT_NEAR(values.curvature[0], (along(h2) - 2 * along(0) + along(-h2)) / (h2 * h2), 1e-6);
  // At rest ġ is g_t.
  Point at_rest = point;
  for (const std::int32_t v : view.states[1]) at_rest.variables[{v, 0}] = 0.0;
  EXPECT_NEAR(values_of(view, at_rest).velocity_level[0],
              (g(X, Y, T + h1) - g(X, Y, T - h1)) / (2 * h1), 1e-9);
}

TEST(Lagrangian, TakesPotentialsThatDependOnVelocity) {
  // A charge c in the magnetic field B = ∇×A, V = −c v·A(q): the Lorentz force c v×B.
  // A = (−y z, x², x y): B = (x − 0, −y − y, 2x + z).
  constexpr double c = 1.7, m = 0.6;
  Lagrangian particle("Particle");
  const auto [x, vx] = particle.coordinate("x");
  const auto [y, vy] = particle.coordinate("y");
  const auto [z, vz] = particle.coordinate("z");
  particle.kinetic_energy(0.5 * m * (vx * vx + vy * vy + vz * vz));
  particle.potential_energy(-c * (vx * (-y * z) + vy * x * x + vz * x * y));
  const ConstrainedView view = view_of(particle.build());
  std::mt19937 random(5);
  for (int trial = 0; trial < 10; ++trial) {
    const Point point = point_of(view, random);
    const double X = position(view, point, 0), Y = position(view, point, 1),
                 Z = position(view, point, 2);
    const double U = velocity(view, point, 0), V = velocity(view, point, 1),
                 W = velocity(view, point, 2);
    const double bx = X, by = -2 * Y, bz = 2 * X + Z;
    const Vector lorentz{{c * (V * bz - W * by), c * (W * bx - U * bz), c * (U * by - V * bx)}};
    EXPECT_LE((values_of(view, point).force - lorentz).norm(), 1e-14);
    // A magnetic field does no work: the energy is the kinetic one.
    EXPECT_NEAR(evaluate(*view.pool, view.energy, point), 0.5 * m * (U * U + V * V + W * W), 1e-14);
  }
}

TEST(Lagrangian, AddsGeneralisedForces) {
  Lagrangian body("Body");
  const Coordinate x = body.coordinate("x", {.velocity_name = "v"});
  body.kinetic_energy(0.5 * x.v * x.v);
  body.force(x, -0.1 * x.v);
  body.force(x, sin(body.time()));
  const Model model = body.build();
  EXPECT_EQ(model.variables()[1].name, "v");
  const ConstrainedView view = view_of(model);
  std::mt19937 random(6);
  const Point point = point_of(view, random);
  EXPECT_NEAR(values_of(view, point).force[0],
              -0.1 * velocity(view, point, 0) + std::sin(point.time), 1e-15);
}

TEST(Lagrangian, RefusesConstraintsOnVelocities) {
  Lagrangian skate("Skate");
  const auto [x, vx] = skate.coordinate("x");
  const auto [y, vy] = skate.coordinate("y");
  skate.kinetic_energy(0.5 * (vx * vx + vy * vy));
  skate.constraint(vx - y, "blade");
  const Error error = test::error_of<ModelError>([&] { skate.build(); });
  EXPECT_EQ(error.code(), ErrorCode::not_recognized);
  EXPECT_THAT(error.what(), HasSubstr("'blade'"));
}

}  // namespace
}  // namespace daedal
