// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Small models in the form that exporting tools write, solved and read by name.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>
#include <utility>
#include <vector>

namespace daedal::test {

struct ExportedModel {
  std::string body;           ///< declarations and sections of the model
  std::string definitions{};  ///< functions, records and types of the package
  double stop_time = 2.0;

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "//! base 0.1.0\npackage 'P'\n{}\n  model 'M'\n{}\n    annotation(experiment(StopTime = "
        "{}));\n  end 'M';\nend 'P';\n",
        definitions, body, stop_time);
  }
  [[nodiscard]] Solution solve(SolveOptions options = {}) const {
    options.rtol = 1e-9;
    return daedal::solve(parse_model(text()), {0.0, stop_time}, options);
  }
};

/// The value of `name` at the end of a run that must succeed.
inline double final_value(const ExportedModel& model, const std::string& name) {
  const Solution solution = model.solve();
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return solution.final_value(name);
}

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
