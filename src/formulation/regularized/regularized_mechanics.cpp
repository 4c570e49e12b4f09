// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/regularized_mechanics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "formulation/regularized/regularized_solver.hpp"
#include "formulation/singular/redundancy.hpp"
#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// A push below this share of the forces that act is rounding.
constexpr double push_tolerance = 1e-8;
constexpr std::size_t most_multiplier_names = 10;

std::string coordinates_of(const Mechanics& mechanics, const Vector& direction) {
  std::vector<std::string> names;
  for (Index i = 0; i < direction.size(); ++i) {
    if (std::abs(direction(i)) > 1e-6) names.push_back("'" + mechanics.coordinate_name(i) + "'");
  }
  return join_words(names, most_multiplier_names);
}

/// The singular-mass form of Petzold, Ren, Maly (4.11), (MᵀM + γI) v' = Mᵀ(f − Gᵀλ), is right only
/// where f − Gᵀλ lies in the range of M. Along a massless direction w, Mw = 0, that a force or a
/// constraint pushes, it drops the push: constraints hold, and the motion is another one.
///
/// Refuses a start where a massless direction is pushed, and names its coordinates.
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
        "At t = {:.12g} a direction of {} has no mass, and {} acts on it: the singular-mass form "
        "would ignore this force and give another motion. Give the direction a mass, or remove it "
        "from the coordinates.",
        t0, coordinates_of(mechanics, direction), pusher);
    return;
  }
}

/// The diagonal masses tell the size of GM⁻¹Gᵀ.
void look_at_shift(const Mechanics& mechanics, double t0, double shift, MechanicalRun& run,
                   const Start& start) {
  const Mechanics::Dynamics d = mechanics.dynamics(mechanics.point(t0, start.x), run);
  std::vector<double> masses(to_size(mechanics.n()));
  const SparsityPattern& mass = mechanics.mass_pattern();
  const SparsityPattern& jacobian = mechanics.jacobian_pattern();
  std::vector<double> diagonal(to_size(mechanics.m()));
  for (std::size_t j = 0; j < masses.size(); ++j) {
    for (auto p = to_size(mass.column_start[j]); p < to_size(mass.column_start[j + 1]); ++p)
      if (mass.row[p] == to_index(j)) masses[j] = d.mass[p];
    if (!(masses[j] > 0.0)) continue;
    for (auto p = to_size(jacobian.column_start[j]); p < to_size(jacobian.column_start[j + 1]); ++p)
      diagonal[to_size(jacobian.row[p])] += d.jacobian[p] * d.jacobian[p] / masses[j];
  }
  warn_of_shift(shift, std::ranges::max(diagonal), run.warnings);
}

}  // namespace

Formulation make_regularized_mechanics(const Request& request,
                                       const MechanicalOde::Settings& settings, bool watch) {
  const auto context = std::make_shared<const Mechanics>(request, mechanical_view(request));
  const bool watches = request.watch_singularities || watch;
  const bool has_singular_mass = settings.regular && settings.regular->mass_shift > 0.0;
  Formulation result = mechanical_formulation(request, context, {.watches = watches});
  result.explicit_system = std::make_shared<const MechanicalOde>(context, settings);
  result.find_start = [context, has_singular_mass, shift = settings.saddle_shift,
                       find = result.find_start](double t0, Run& base) {
    Start found = find(t0, base);
    auto& run = run_of<MechanicalRun>(base);
    report_redundancy(*context, t0, run, found);
    if (found.status != Status::success) return found;
    if (has_singular_mass) refuse_pushed_massless(*context, t0, run, found);
    if (shift > 0.0) look_at_shift(*context, t0, shift, run, found);
    if (run.work.regular) run.work.regular->accept(t0);
    return found;
  };
  return result;
}

}  // namespace daedal::formulation
