// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The saddle-point systems of constrained mechanics,
///
///     [ M   Gᵀ ] [ a ]   [ f ]
///     [ G  −εI ] [ λ ] = [ r ]
///
/// with M (n×n) symmetric positive definite and G (m×n): accelerations and multipliers, projections
/// (M the mass matrix, or the identity for Euclidean ones), and with ε > 0 direct regularisation.
///
/// Both patterns are known beforehand, so the elimination is compiled once (static_ldlt.hpp) and
/// refactored many times in a fixed order, without pivoting: small and large systems alike, in time
/// linear in the length of a chain. When the pivot monitor trips, a pivoting LU of the whole matrix
/// takes over: it solves what is regular though M is only semidefinite (positive definite on the
/// null space of G), and names the constraint or coordinate at fault when the matrix is singular.

#include <daedal/sparsity.hpp>
#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/sparse/ldlt.hpp"

namespace daedal::linalg {

struct SaddlePointOptions {
  double regularization = 0.0;  ///< ε ≥ 0
  /// A pivot below this share of its terms trips the monitor. The relative error of λ grows like
  /// round-off / share: pivoting sets in before more than six digits are lost.
  double pivot_tolerance = 1e-6;
};

struct SaddlePointReport {
  bool ok = true;
  bool pivoted = false;            ///< the monitor tripped, the general LU took over
  Index singular_constraint = -1;  ///< when not ok: the row of G that depends on others, or
  Index singular_coordinate = -1;  ///< the coordinate that neither M nor G determines
  /// The smallest pivot relative to the terms it was made of: near 0 means nearly singular. For a
  /// constraint whose normal makes the angle φ (in the metric of M⁻¹) with one eliminated before
  /// it: sin²φ / (1 + cos²φ).
  double pivot_ratio = 1.0;
  Index weakest_constraint = -1;  ///< where that was, or −1 when it was a coordinate
};

class SaddlePointSolver {
 public:
  /// `mass` is n×n: the full symmetric pattern or one triangle of it (of entries given on both
  /// sides of the diagonal, those below are read). `constraints` is m×n.
  SaddlePointSolver(const SparsityPattern& mass, const SparsityPattern& constraints,
                    SaddlePointOptions options = {});

  [[nodiscard]] Index n_coordinates() const { return n_; }
  [[nodiscard]] Index n_constraints() const { return m_; }
  /// ε of the factorisations to come.
  void set_regularization(double epsilon) { options_.regularization = epsilon; }
  [[nodiscard]] double regularization() const { return options_.regularization; }

  /// Values on the patterns given at construction.
  SaddlePointReport factor(std::span<const double> mass, std::span<const double> constraints);
  /// Factors with the mass values of the last call: for constant M, and for iterations on G.
  SaddlePointReport factor(std::span<const double> constraints);
  /// Factors and solves in place, (f, r) becoming (a, λ): cheaper than one after the other. Without
  /// `mass` the values of the last call. What the spans hold is not defined when it is not ok.
  struct Sides {
    std::span<double> top;
    std::span<double> bottom;
  };
  SaddlePointReport factor_and_solve(std::span<const double> mass,
                                     std::span<const double> constraints, const Sides& sides);
  /// In place: (f, r) becomes (a, λ).
  void solve(std::span<double> top, std::span<double> bottom) const;
  void solve(std::span<double> stacked) const;

  /// The cost of one factorisation in multiply-subtracts, and the size of its factor.
  [[nodiscard]] Index n_operations() const { return ldlt_.n_operations(); }
  [[nodiscard]] Index nonzeros() const { return ldlt_.nonzeros(); }
  /// The lower triangle of the whole matrix, for each of its entries the place of its value in
  /// (values of M, values of G, −ε), and the order of elimination.
  [[nodiscard]] const SparsityPattern& lower() const { return assembly_.lower; }
  [[nodiscard]] std::span<const Index> source() const { return assembly_.source; }
  [[nodiscard]] std::span<const Index> order() const { return ldlt_.order(); }

 private:
  struct Assembly {
    SparsityPattern lower;
    std::vector<Index> source;
  };
  /// A value and where it goes.
  struct Move {
    std::uint32_t source;
    std::uint32_t place;
  };
  static Assembly assemble(const SparsityPattern& mass, const SparsityPattern& constraints);
  static StaticLdlt analyse(const Assembly& assembly, Index n_coordinates);
  void set_values(std::span<const double> constraints);
  SaddlePointReport judge(const StaticLdlt::Report& ldlt, std::span<const double> constraints);
  SaddlePointReport pivot(SaddlePointReport report, std::span<const double> constraints);
  [[nodiscard]] double choose_mass_scale(const SaddlePointReport& report,
                                         std::span<const double> constraints) const;
  void solve_pivoted(std::span<double> stacked) const;
  void stack(std::span<const double> top, std::span<const double> bottom) const;
  void unstack(std::span<double> top, std::span<double> bottom) const;
  void record_moves();
  void build_fallback();

  SaddlePointOptions options_;
  Index n_;
  Index m_;
  Assembly assembly_;
  StaticLdlt ldlt_;
  std::vector<double> mass_values_;
  std::vector<Move> mass_moves_;
  std::vector<std::uint32_t> constraint_place_;  ///< of each value of G
  std::vector<std::uint32_t> diagonal_place_;    ///< of −ε in each constraint
  bool pivoted_ = false;                         ///< the last factorisation
  double mass_scale_ = 1.0;                      ///< α of the pivoting LU
  std::unique_ptr<RealSolver> fallback_;         ///< made when first needed
  std::vector<Index> fallback_source_;
  std::vector<double> fallback_values_;
  mutable std::vector<double> work_;
};

}  // namespace daedal::linalg
