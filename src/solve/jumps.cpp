// SPDX-License-Identifier: BSD-3-Clause
#include "solve/jumps.hpp"

#include <algorithm>
#include <cmath>

#include "expr/calculus.hpp"

namespace daedal::solve_detail {

namespace {

/// A run is on a surface where |g| is below this share of the scale of g.
constexpr double nearness = 1e-4;
/// The width of a band, as a share of the scale of g: well below the tolerance, and above what
/// rounding errors leave of events.
constexpr double width_in_tolerances = 1e-2;
constexpr double least_width = 1e-10;
/// Tolerances of what the surface compares, in widths of the band.
constexpr double resolution = 1e-2;
/// What has moved by less than the first share of its rate times the span has no scale of its own
/// yet. It is given the second share of that product.
constexpr double unmoved = 1e-6;
constexpr double share_of_span = 1e-2;

double finite_or_zero(double value) {
  return std::isfinite(value) ? std::abs(value) : 0.0;
}

}  // namespace

Jumps::Jumps(const Model& model) : surfaces_(jump_surfaces(model)) {
  Pool pool(model.pool());
  const auto inputs = formulation::model_inputs(model, pool);
  std::vector<NodeId> differences;
  for (const JumpSurface& surface : surfaces_) {
    differences.push_back(difference_in_states(model, pool, surface));
  }
  std::vector<NodeId> leaves;
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    leaves.push_back(pool.variable(static_cast<SymbolId>(i)));
  }
  std::vector<NodeId> sizes = total_time_derivative(pool, differences);
  for (NodeId& rate : sizes) {
    // Where the surface compares derivatives, their rates are not known.
    const auto parts = dependencies(pool, std::span(&rate, 1));
    if (std::ranges::any_of(parts, [&](NodeId leaf) { return pool[leaf].order > 1; })) {
      rate = pool.constant(0.0);
    }
  }
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

std::vector<Band> Jumps::bands(const JumpPlace& place, std::span<const double> largest,
                               const Tolerances& tolerances, formulation::ModelRun& run) const {
  formulation::Evaluator evaluate(sizes_);
  const auto sizes = evaluate(run.blocks(place.t, place.values, place.rates));
  const auto slope = [&](std::size_t k) { return finite_or_zero(sizes[surfaces_.size() + k]); };
  std::vector<double> scales(surfaces_.size());
  for (std::size_t k = 0; k < slopes_.size(); ++k) {
    scales[slopes_[k].surface] += slope(k) * finite_or_zero(largest[slopes_[k].variable]);
  }
  const std::vector<double> g = differences(place, run);
  std::vector<Band> found;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double ahead = finite_or_zero(sizes[i]) * place.span;
    const bool is_unmoved = scales[i] < unmoved * ahead;
    if (is_unmoved) scales[i] = share_of_span * ahead;
    if (!(std::abs(g[i]) <= nearness * scales[i]) || scales[i] == 0.0) continue;
    const double share = std::max(width_in_tolerances * tolerances.rtol, least_width);
    found.push_back({surfaces_[i], share * scales[i]});
    for (std::size_t k = 0; k < slopes_.size(); ++k) {
      if (slopes_[k].surface != i || slope(k) == 0.0) continue;
      const double size =
          is_unmoved ? scales[i] / slope(k) : finite_or_zero(largest[slopes_[k].variable]);
      const double width = share * size;
      if (width == 0.0) continue;
      found.back().scales.push_back(
          {slopes_[k].variable, width, resolution * width / tolerances.atol});
    }
  }
  return found;
}

}  // namespace daedal::solve_detail
