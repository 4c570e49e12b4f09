// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Small exported models with the values that they end with, by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "solve/exported_model.hpp"

namespace daedal::test {

/// A model and values at its end.
struct Sample {
  ExportedModel model;
  std::vector<std::pair<std::string, double>> expected;
};

inline void check(const Sample& sample) {
  const Solution solution = sample.model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message << "\n" << sample.model.text();
  for (const auto& [name, value] : sample.expected) {
    EXPECT_NEAR(solution.final_value(name), value, 1e-7 * (1.0 + std::abs(value)))
        << name << "\n"
        << sample.model.text();
  }
}

inline void check(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) check(sample);
}

}  // namespace daedal::test
