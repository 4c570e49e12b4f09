// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/singular_mass.hpp"

#include <fmt/format.h>

#include <cmath>

#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// A push below this share of the forces that act is rounding.
constexpr double push_tolerance = 1e-8;
constexpr std::size_t most_names = 10;

std::string coordinates_of(const Mechanics& mechanics, const Vector& direction) {
  std::vector<std::string> names;
  for (Index i = 0; i < direction.size(); ++i) {
    if (std::abs(direction(i)) > 1e-6) names.push_back("'" + mechanics.coordinate_name(i) + "'");
  }
  return join_words(names, most_names);
}

}  // namespace

void refuse_pushed_massless(const Mechanics& mechanics, double t0, MechanicalRun& run,
                            Start& start) {
  const Mechanics::Dynamics d = mechanics.dynamics(mechanics.point(t0, start.x), run);
  Matrix mass = Matrix::Zero(mechanics.n(), mechanics.n());
  Matrix jacobian = Matrix::Zero(mechanics.m(), mechanics.n());
  scatter(mechanics.mass_pattern(), d.mass, mass);
  scatter(mechanics.jacobian_pattern(), d.jacobian, jacobian);
  if (!mass.allFinite() || !jacobian.allFinite()) return;
  const Matrix massless = linalg::null_space(mass);
  for (Index k = 0; k < massless.cols(); ++k) {
    const Vector direction = massless.col(k);
    std::string pusher;
    for (Index i = 0; i < mechanics.m() && pusher.empty(); ++i) {
      const double push = std::abs(jacobian.row(i).dot(direction));
      if (push > push_tolerance * jacobian.row(i).norm()) {
        pusher = "the constraint " + mechanics.constraint_name(i);
      }
    }
    const double push = std::abs(as_vector(d.force).dot(direction));
    if (pusher.empty() && push > push_tolerance * as_vector(d.force).norm()) pusher = "a force";
    if (pusher.empty()) continue;
    start.status = Status::singular_iteration_matrix;
    start.message = fmt::format(
        "At t = {:.12g} a direction of {} has no mass, and {} pushes it: the singular-mass form "
        "would drop the push and give another motion. Give it a mass, or make it no coordinate.",
        t0, coordinates_of(mechanics, direction), pusher);
    return;
  }
}

}  // namespace daedal::formulation
