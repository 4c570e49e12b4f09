// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Small models in the form that exporting tools write, solved and read by name.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>

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
  [[nodiscard]] Solution solve(Options options = {}) const {
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

}  // namespace daedal::test
