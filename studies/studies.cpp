// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "campbell_moore/campbell_moore.hpp"
#include "study.hpp"

namespace daedal::studies {

std::span<const Study> all_studies() {
  static const std::vector<Study> table{
      {.name = "campbell-moore",
       .paper = "Campbell, Moore: Constraint preserving integrators for general nonlinear higher "
                "index DAEs",
       .run = campbell_moore},
  };
  return table;
}

}  // namespace daedal::studies
