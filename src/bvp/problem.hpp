// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A boundary value problem as the solver sees it:
///
///     F(t, x, x') = 0,  t0 ≤ t ≤ t1,    b(x(t0), x(t1)) = 0.
///
/// The unknowns are differential (their derivatives appear) or algebraic. Rows of F that have
/// neither derivatives nor algebraic unknowns are constraints g(t, x) = 0 on the differential ones.
/// Without constraints the index must be 1: F determines x' and the algebraic unknowns. With them
/// it must be 2: F with the constraints differentiated once determines both (Hessenberg form among
/// others). Every constraint takes the place of one boundary condition, because it also holds at t0
/// (Ascher, Lin (2.2), (2.3b)).

#include <daedal/system.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace daedal::bvp {

class BoundaryConditions {
 public:
  virtual ~BoundaryConditions() = default;
  [[nodiscard]] virtual Index size() const = 0;
  /// The values of all unknowns at both ends; algebraic ones only if `uses_algebraic`.
  virtual Evaluation residual(std::span<const double> first, std::span<const double> last,
                              std::span<double> values) const = 0;
  /// Dense ∂b/∂x(t0) and ∂b/∂x(t1), size() × unknowns.
  virtual Evaluation jacobian(std::span<const double> first, std::span<const double> last,
                              Matrix& by_first, Matrix& by_last) const = 0;
  [[nodiscard]] virtual std::string name(Index row) const = 0;
  /// Some condition contains an algebraic unknown.
  [[nodiscard]] virtual bool uses_algebraic() const { return false; }
};

struct Problem {
  const ImplicitSystem& system;
  const BoundaryConditions& conditions;
  std::vector<bool> is_constraint;  ///< per row of F
  /// Unknowns that no tolerance applies to, such as multipliers that are zero in exact solutions;
  /// empty: none.
  std::vector<bool> is_free_of_tests{};
  double t0 = 0.0;
  double t1 = 1.0;
};

/// A first idea of the solution: x and x' at any time.
using Guess = std::function<void(double t, std::span<double> x, std::span<double> xp)>;

/// How the unknowns of a problem are numbered inside the solver: differential ones first.
struct Layout {
  explicit Layout(const Problem& problem);

  Index n = 0;                      ///< unknowns
  std::vector<Index> differential;  ///< their numbers in x
  std::vector<Index> algebraic;
  std::vector<Index> constraints;  ///< rows of F
  std::vector<Index> place;        ///< of each unknown: in `differential`, or n_d + in `algebraic`

  [[nodiscard]] Index n_d() const { return to_index(differential.size()); }
  [[nodiscard]] Index n_y() const { return to_index(algebraic.size()); }
  [[nodiscard]] Index n_g() const { return to_index(constraints.size()); }
};

}  // namespace daedal::bvp
