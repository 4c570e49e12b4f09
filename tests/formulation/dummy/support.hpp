// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the tests of `dummy-derivatives` share.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/solve.hpp>
#include <string>

namespace daedal::formulation::test {

inline SolveOptions options_of(double tolerance, const std::string& integrator = "bdf") {
  return {.method = "dummy-derivatives",
          .integrator = integrator,
          .rtol = tolerance,
          .atol = tolerance};
}

inline Solution run(const Model& model, double stop_time, const SolveOptions& options) {
  Solution solution = solve(model, {0.0, stop_time}, options);
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return solution;
}

inline double relative_error(const Solution& solution, const std::string& name, double expected) {
  return std::abs(solution.final_value(name) - expected) / std::max(1.0, std::abs(expected));
}

}  // namespace daedal::formulation::test
