// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Meshes: where a solution is hard, and how a mesh is laid out accordingly.
///
/// On an interval of length h the error of a collocation polynomial is C h^(k+1) |x^(k+1)|. The
/// k-th derivative of the polynomial is constant there, so that its jumps over the mesh estimate
/// x^(k+1) (Ascher, Christiansen, Russell: COLSYS, ACM TOMS 7 (1981) 209-222). A mesh is good when
/// all intervals have the same error.

#include <span>
#include <vector>

#include "bvp/trajectory.hpp"
#include "core/types.hpp"

namespace daedal::bvp {

[[nodiscard]] std::vector<double> uniform_mesh(double t0, double t1, Index n_intervals);
/// Every interval in two.
[[nodiscard]] std::vector<double> halved(std::span<const double> mesh);

/// How many intervals per unit of time the tolerance asks for, interval by interval.
struct Density {
  std::vector<double> per_time;
  double n_needed = 0.0;   ///< intervals in all, when they are laid out by it
  double imbalance = 1.0;  ///< the greatest share of one interval against the mean share
};

/// `weights`: 1 / tolerance of each unknown by place; with `algebraic` the polynomials of the
/// algebraic unknowns count as well. The derivatives jump at `breaks`, which are points of the
/// mesh.
[[nodiscard]] Density density_of(const Trajectory& u, std::span<const double> weights,
                                 bool algebraic, std::span<const double> breaks = {});

/// A mesh of n intervals with equal shares of the density on `mesh`; `breaks` are kept, with two
/// intervals at least between them.
[[nodiscard]] std::vector<double> equidistributed(std::span<const double> mesh,
                                                  const Density& density, Index n_intervals,
                                                  std::span<const double> breaks = {});

/// The mesh with further points, ascending, in place of those of its own that are next to them.
[[nodiscard]] std::vector<double> with_points(std::span<const double> mesh,
                                              std::span<const double> points);

}  // namespace daedal::bvp
