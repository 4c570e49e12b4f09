// SPDX-License-Identifier: BSD-3-Clause
/// Bounds that a model gives its variables, and runs that leave them.

#include <gmock/gmock.h>

#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <string>

namespace daedal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Solution run(const std::string& body, double stop, const SolveOptions& options = {}) {
  return solve(parse_model("model M\n" + body + "end M;"), {0.0, stop}, options);
}

// x = t reaches 0.5 at t = 0.5, y = -3t reaches -2 at t = 2/3.
TEST(Bounds, AreToldWhereAVariableLeavesThem) {
  const Solution s = run(R"(
      Real x(start = 0, fixed = true, max = 0.5), y(min = -2, max = 2);
    equation
      der(x) = 1;
      y = -3*x;
  )",
                         1.0, {.interval = 0.1});
  EXPECT_TRUE(is_success(s.status));
  EXPECT_THAT(
      s.warnings,
      ElementsAre(AllOf(HasSubstr("From t = 0.5 on"), HasSubstr("'x'"), HasSubstr("max = 0.5")),
                  AllOf(HasSubstr("From t = 0.6667 on"), HasSubstr("'y'"), HasSubstr("min = -2"))));
}

TEST(Bounds, AreNotLeftByRoundingErrors) {
  const Solution s = run(R"(
      Real x(start = 1, fixed = true, min = 0), y(start = 0, fixed = true, max = 1);
    equation
      der(x) = -20*x;
      der(y) = 20*x;
  )",
                         3.0);
  EXPECT_THAT(s.warnings, IsEmpty());
}

}  // namespace
}  // namespace daedal
