// SPDX-License-Identifier: BSD-3-Clause
// The Sun and the four outer planets over 10,000 periods of Jupiter, 120,000 years, with no option
// but the tolerance. Prints the greatest relative error of the energy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

int main() {
  using namespace daedal;
  constexpr double period = 4332.6;  // of Jupiter, in days
  const Model model = load_model(DAEDAL_SOURCE_DIR "/problems/outer_solar_system.mo");
  const Solution s =
      solve(model, {0.0, 1e4 * period}, {.rtol = 1e-13, .atol = 1e-13, .interval = 10.0 * period});
  const std::size_t column = s.column("energy");
  const double first = s.row(0)[column];
  double greatest = 0.0;
  for (std::size_t row = 0; row < s.n_rows(); ++row)
    greatest = std::max(greatest, std::abs(s.row(row)[column] / first - 1.0));
  fmt::print("{} with {}: {} steps in {:.2g} s, relative error of the energy {:.2g}\n",
             s.method.used, s.integrator.used, s.statistics.steps, s.statistics.wall_time,
             greatest);
  return is_success(s.status) && greatest <= 1e-12 ? 0 : 1;
}
