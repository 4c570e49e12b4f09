// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "ascher_lin/ascher_lin.hpp"
#include "campbell_moore/campbell_moore.hpp"
#include "fuehrer_leimkuhler/fuehrer_leimkuhler.hpp"
#include "petzold_ren_maly/petzold_ren_maly.hpp"
#include "poell_hafner/poell_hafner.hpp"
#include "study.hpp"

namespace daedal::studies {

std::span<const Study> all_studies() {
  static const std::vector<Study> table{
      {.name = "ascher-lin",
       .paper = "Ascher, Lin: Sequential regularization methods for higher index DAEs with "
                "constraint singularities: I. Linear index-2 case",
       .run = ascher_lin},
      {.name = "campbell-moore",
       .paper = "Campbell, Moore: Constraint preserving integrators for general nonlinear higher "
                "index DAEs",
       .run = campbell_moore},
      {.name = "fuehrer-leimkuhler",
       .paper = "Fuehrer, Leimkuhler: Numerical solution of differential-algebraic equations for "
                "constrained mechanical motion",
       .run = fuehrer_leimkuhler},
      {.name = "petzold-ren-maly",
       .paper = "Petzold, Ren, Maly: Regularization of higher-index differential-algebraic "
                "equations with rank-deficient constraints",
       .run = petzold_ren_maly},
      {.name = "poell-hafner",
       .paper = "Poell, Hafner: Index reduction and regularisation methods for multibody systems",
       .run = poell_hafner},
  };
  return table;
}

}  // namespace daedal::studies
