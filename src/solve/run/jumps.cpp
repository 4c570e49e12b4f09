// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/jumps.hpp"

#include <algorithm>
#include <cmath>

#include "expr/calculus.hpp"

namespace daedal::solve_detail {

namespace {

/// Of the scale of g: a run is on the surface.
constexpr double nearness = 1e-4;
/// The width of a band, as a share of the scale of g: well below the tolerance, and above what
/// rounding errors leave of events.
constexpr double width_in_tolerances = 1e-2;
constexpr double least_width = 1e-10;

double finite_or_zero(double value) {
  return std::isfinite(value) ? std::abs(value) : 0.0;
}

}  // namespace

Jumps::Jumps(const Model& model) : surfaces_(jump_surfaces(model)) {
  Pool pool(model.pool());
  const auto inputs = formulation::model_inputs(model, pool);
  std::vector<NodeId> differences;
  for (const JumpSurface& surface : surfaces_) differences.push_back(surface.difference(pool));
  std::vector<NodeId> leaves;
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    leaves.push_back(pool.variable(static_cast<SymbolId>(i)));
  }
  std::vector<NodeId> sizes = total_time_derivative(pool, differences);
  for (const JacobianEntry& entry : jacobian(pool, differences, leaves)) {
    slopes_.push_back({to_size(entry.row), to_size(entry.column)});
    sizes.push_back(entry.value);
  }
  differences_ = kernel::Program::compile(pool, differences, inputs);
  sizes_ = kernel::Program::compile(pool, sizes, inputs);
}

std::vector<double> Jumps::differences(const JumpPlace& place, formulation::ModelRun& run) const {
  formulation::Evaluator evaluate(differences_);
  const auto found = evaluate(run.blocks(place.t, place.values, place.rates));
  return {found.begin(), found.end()};
}

std::vector<Band> Jumps::bands(const JumpPlace& place, std::span<const double> largest, double rtol,
                               formulation::ModelRun& run) const {
  formulation::Evaluator evaluate(sizes_);
  const auto sizes = evaluate(run.blocks(place.t, place.values, place.rates));
  std::vector<double> scales(surfaces_.size());
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = finite_or_zero(sizes[i]) * place.way;
  for (std::size_t k = 0; k < slopes_.size(); ++k) {
    const double slope = finite_or_zero(sizes[surfaces_.size() + k]);
    scales[slopes_[k].surface] += slope * finite_or_zero(largest[slopes_[k].variable]);
  }
  const std::vector<double> g = differences(place, run);
  std::vector<Band> found;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (!(std::abs(g[i]) <= nearness * scales[i]) || scales[i] == 0.0) continue;
    const double width = std::max(width_in_tolerances * rtol, least_width) * scales[i];
    found.push_back({surfaces_[i], width});
  }
  return found;
}

}  // namespace daedal::solve_detail
