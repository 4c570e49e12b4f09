// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/solve.hpp>

#include "formulation/dummy/support.hpp"

namespace daedal::formulation {
namespace {

using test::options_of;
using testing::AllOf;
using testing::HasSubstr;

TEST(DummyDerivatives, NamesConstraintsThatRepeatEachOther) {
  ModelBuilder b("Doubled");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  const Expr p = b.variable("p");
  const Expr q = b.variable("q");
  b.equation(der(x, 2) == -(p + q) * x);
  b.equation(der(y, 2) == -(p + 2.0 * q) * y - 9.81);
  b.equation(sqr(x) + sqr(y) == 1.0, "rod");
  b.equation(2.0 * sqr(x) + 2.0 * sqr(y) == 2.0, "rod again");
  const Solution solution = solve(b.build(), {0.0, 1.0}, options_of(1e-6));
  EXPECT_EQ(solution.status, Status::index_too_high);
  EXPECT_THAT(solution.message,
              AllOf(HasSubstr("'rod', differentiated twice"), HasSubstr("'rod again'")));
}

// Both equations contain x' + y': their difference is a constraint that no structure shows.
TEST(DummyDerivatives, SaysWhereTheStructureDoesNotShowTheIndex) {
  ModelBuilder b("Hidden");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y");
  b.equation(der(x) + der(y) == -x, "first");
  b.equation(der(x) + der(y) == y - sin(b.time()), "second");
  const Solution solution = solve(b.build(), {0.0, 1.0}, options_of(1e-6));
  EXPECT_EQ(solution.status, Status::index_too_high);
  EXPECT_THAT(solution.message,
              AllOf(HasSubstr("'first'"), HasSubstr("'second'"), HasSubstr("derivative-array")));
}

TEST(DummyDerivatives, RefusesStructurallySingularModelsByName) {
  ModelBuilder b("Singular");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y");
  const Expr z = b.variable("z");
  b.equation(der(x) == -x * z, "motion");
  b.equation(sqr(y) == 2.0, "one");
  b.equation(exp(y) == 2.0, "two");
  const Model model = b.build();
  for (const char* method : {"dummy-derivatives", "direct", "auto"}) {
    SolveOptions options;
    options.method = method;
    try {
      (void)solve(model, {0.0, 1.0}, options);
      ADD_FAILURE() << method << " took it";
    } catch (const ModelError& error) {
      EXPECT_EQ(error.code(), ErrorCode::structurally_singular);
      EXPECT_THAT(error.equations(), testing::ElementsAre("one", "two")) << method;
    }
  }
}

}  // namespace
}  // namespace daedal::formulation
