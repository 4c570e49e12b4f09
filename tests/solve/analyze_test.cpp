// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/analyze.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// Both equations contain x' + y': their difference is a constraint that counting does not see.
Model cancelling() {
  ModelBuilder b("Cancelling");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y");
  b.equation(der(x) + der(y) == -x, "first");
  b.equation(der(x) + der(y) == y - sin(b.time()), "second");
  return b.build();
}

TEST(Analyze, NamesTheBlockThatMakesStructureAndNumbersDiffer) {
  const Analysis analysis = analyze(cancelling(), 0.0);
  EXPECT_EQ(analysis.structure.index, 0);
  EXPECT_EQ(analysis.index, 2);
  EXPECT_THAT(analysis.notices,
              Contains(AllOf(HasSubstr("Structure and numbers differ"), HasSubstr("'first'"),
                             HasSubstr("'second'"), HasSubstr("'der(x)'"), HasSubstr("'der(y)'"))));
}

TEST(Analyze, TellsBlocksTearsAndPossibleStates) {
  const Model pendulum = parse_model(R"(model Pendulum
  Real x(start = 1, fixed = true);
  Real y;
  Real u(fixed = true);
  Real v;
  Real lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lambda * x;
  der(v) = -lambda * y - 9.81;
  x ^ 2 + y ^ 2 = 1;
end Pendulum;
)");
  const Analysis analysis = analyze(pendulum, 0.0);
  EXPECT_EQ(analysis.structure.index, 3);
  EXPECT_EQ(analysis.structure.states, 2);
  EXPECT_EQ(analysis.structure.blocks, 1);
  EXPECT_EQ(analysis.structure.largest_block, 3);
  EXPECT_THAT(analysis.structure.torn, testing::SizeIs(1));
  EXPECT_THAT(analysis.structure.possible_states, UnorderedElementsAre("x", "y", "u", "v"));
  EXPECT_THAT(
      analysis.structure.differentiated,
      ElementsAre(AllOf(HasSubstr("x ^ 2 + y ^ 2 = 1"), HasSubstr("line 12"), HasSubstr("twice"))));
  EXPECT_EQ(analysis.index, 3);
}

TEST(Analyze, FailsWithNamesAndPositionsWhereAnEquationIsDoubled) {
  const Model doubled = parse_model(R"(model Doubled
  Real x(start = 1);
  Real y;
  Real z;
equation
  der(x) = -x * z;
  y + 1 = 2;
  exp(y) = 5;
end Doubled;
)");
  try {
    (void)analyze(doubled, 0.0);
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::structurally_singular);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("(line 7)"), HasSubstr("(line 8)"), HasSubstr("'y'")));
    EXPECT_THAT(error.what(), HasSubstr("'z'"));
  }
}

TEST(Analyze, HandsOverWhereTheStructureDoesNotShowTheIndex) {
  const Solution solution = solve(cancelling(), {0.0, 1.0});
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.method.used, "derivative-array");
  EXPECT_THAT(solution.notices, Contains(AllOf(HasSubstr("'dummy-derivatives' was passed over"),
                                               HasSubstr("'first'"), HasSubstr("'second'"))));
}

}  // namespace
}  // namespace daedal
