// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Values of a collocation solution at any time, the algebraic unknowns of index-1 problems not
/// from their polynomials but from the equations: F(t, x(t), x', y) = 0 is solved for x' and y.
/// Their error is then that of x, at mesh points of order 2k instead of k.

#include <memory>
#include <span>
#include <vector>

#include "bvp/problem.hpp"
#include "bvp/trajectory.hpp"
#include "linalg/dense/lu.hpp"

namespace daedal::bvp {

class Refinement {
 public:
  /// `run` must be one of the problem's system.
  Refinement(const Problem& problem, const Layout& layout, Run& run);

  /// Replaces slopes and algebraic values of (x, xp) by those that the equations give; false, and
  /// as they are, with constraints (index 2), without algebraic unknowns, or where Newton's method
  /// does not converge at once.
  bool refine(double t, std::span<double> x, std::span<double> xp);
  /// The slopes that the equations give to first order at a point, for all unknowns; false where
  /// they do not determine them.
  bool slopes(double t, std::span<const double> x, std::span<const double> xp,
              std::span<double> out);
  /// After it: the derivatives of the algebraic unknowns by the differential ones, n_y × n_d.
  bool differentiate(double t, std::span<const double> x, std::span<const double> xp,
                     Matrix& derivatives);

 private:
  /// Factors ∂F/∂(x', y); leaves F and F_x.
  bool factor(double t, std::span<const double> x, std::span<const double> xp);

  const Problem& problem_;
  const Layout& layout_;
  Run& run_;
  bool is_useful_;
  linalg::DenseLu<double> lu_;
  std::vector<double> f_, f_x_, f_xp_, x_, xp_;
};

}  // namespace daedal::bvp
