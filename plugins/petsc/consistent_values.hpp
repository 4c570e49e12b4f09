// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The algebraic unknowns and the derivatives x' for which F(t, x, x') = 0, at given states.

#include "petsc/engine.hpp"
#include "plugins/petsc/objects.hpp"
#include "plugins/petsc/rows_of_rank.hpp"

namespace daedal::app {

struct LocalTolerances {
  double rtol = 0.0;
  double atol = 0.0;
};

class ConsistentValues {
 public:
  /// `duration` of the run is the unit of time in which derivatives are measured.
  ConsistentValues(RowSystem& system, RowsOfRank& rows, const LocalTolerances& tolerances,
                   double duration);

  /// Replaces the algebraic unknowns of `x` and the x' of the rows; false where Newton's method
  /// does not converge.
  bool find(double t, Vec x);

 private:
  void make_solver();
  [[nodiscard]] double correct(double t, Vec x);

  RowSystem& system_;
  RowsOfRank& rows_;
  LocalTolerances tolerances_;
  double duration_;
  OwnedKsp solver_;  ///< made when it is first needed
};

}  // namespace daedal::app
