// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/singular/distance.hpp"

#include <fmt/format.h>

namespace daedal::formulation {

std::string singularity_text(const std::string& constraint, double distance) {
  return fmt::format(
      "A singular position, where the constraint {} vanishes or depends on the others, lies within "
      "{:.2g} of the last one.",
      constraint, distance);
}

}  // namespace daedal::formulation
