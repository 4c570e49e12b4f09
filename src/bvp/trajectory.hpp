// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A collocation solution: on every interval a polynomial for the differential unknowns, continuous
/// over the mesh, and one of lower degree for the algebraic ones, which jump there.
///
/// Projection moves the value at the right end of an interval from p(1) to x_(i+1). The difference
/// is spread over the interval by a polynomial that vanishes at the collocation points, so that x
/// stays continuous and the collocation equations stay satisfied.

#include <span>
#include <vector>

#include "bvp/points.hpp"
#include "bvp/problem.hpp"
#include "core/types.hpp"

namespace daedal::bvp {

/// Everything that Newton's method iterates on.
struct Unknowns {
  std::vector<double> nodes;        ///< differential unknowns at the mesh points
  std::vector<double> stages;       ///< per interval and point: h·x' (n_d), then y (n_y)
  std::vector<double> multipliers;  ///< per interval: of the projection (n_p)
};

struct Trajectory {
  const Layout* layout = nullptr;
  const Points* points = nullptr;
  std::vector<double> mesh;
  Unknowns values;

  [[nodiscard]] Index n_intervals() const { return to_index(mesh.size()) - 1; }
  [[nodiscard]] std::span<const double> node(Index i) const;
  [[nodiscard]] std::span<const double> stage(Index interval, Index j) const;
  /// mesh[interval] + θ h.
  [[nodiscard]] double time_at(Index interval, double theta) const;
  /// x, and x' where `xp` is not empty, there.
  void evaluate(Index interval, double theta, std::span<double> x, std::span<double> xp) const;
  /// Values at any time; at a mesh point, those of the interval on the left.
  void at(double t, std::span<double> x, std::span<double> xp) const;
  [[nodiscard]] Index interval_of(double t) const;
};

/// The guess on a mesh.
[[nodiscard]] Trajectory sample(const Guess& guess, const Layout& layout, const Points& points,
                                std::vector<double> mesh, Index n_multipliers);

}  // namespace daedal::bvp
