// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include "integrate/one_step/explicit_tableau.hpp"

namespace daedal::integrate {

namespace {

/// R(z): one step of length 1 on x' = z x from x = 1.
double stability_function(const Tableau& tableau, double z) {
  std::vector<double> x(static_cast<std::size_t>(tableau.stages) + 1, 1.0);
  // Rows ascend: a stage is complete before a later one reads it.
  for (const Coefficient& a : tableau.a) {
    if (a.row > tableau.stages) continue;
    x[static_cast<std::size_t>(a.row)] += z * a.value * x[static_cast<std::size_t>(a.from)];
  }
  return x.back();
}

/// Beyond the interval |R| grows like a power of z: the first sample above 1 is no touching point.
constexpr double stride = 1e-2;
constexpr double touching = 1e-9;

}  // namespace

double real_stability(const Tableau& tableau) {
  double z = stride;
  while (std::abs(stability_function(tableau, -z)) <= 1.0 + touching) z += stride;
  return z - stride;
}

}  // namespace daedal::integrate
