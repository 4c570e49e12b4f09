// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/analyze.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

#include "places.hpp"

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
  ASSERT_THAT(analysis.structure.blocks, testing::SizeIs(1));
  EXPECT_EQ(analysis.structure.largest_block(), 3);
  EXPECT_THAT(analysis.structure.blocks[0].unknowns,
              UnorderedElementsAre("der(u)", "der(v)", "lambda"));
  EXPECT_THAT(analysis.structure.torn, testing::SizeIs(1));
  EXPECT_THAT(analysis.structure.possible_states, UnorderedElementsAre("x", "y", "u", "v"));
  EXPECT_THAT(
      analysis.structure.differentiated,
      ElementsAre(AllOf(HasSubstr("x ^ 2 + y ^ 2 = 1"), HasSubstr("line 12"), HasSubstr("twice"))));
  EXPECT_EQ(analysis.index, 3);
}

// z, then y, then der(x) and the pair of u and w, in whatever order these two.
TEST(Analyze, OrdersBlocksSoThatEachUsesWhatWasSolvedBefore) {
  const Model model = parse_model(R"(model Blocks
  Real x(start = 1, fixed = true), y, z, u, w;
equation
  u + w = x "sum";
  der(x) = y - x "motion";
  u - w = y "difference";
  y = 2 * z "second";
  z = sin(time) "first";
end Blocks;
)");
  const StructuralAnalysis structure = analyze_structure(model).structure;
  ASSERT_THAT(structure.blocks, testing::SizeIs(4));
  EXPECT_EQ(structure.largest_block(), 2);
  EXPECT_THAT(structure.blocks[0].equations, ElementsAre("'first' (line 8)"));
  EXPECT_THAT(structure.blocks[0].unknowns, ElementsAre("z"));
  EXPECT_THAT(structure.blocks[1].unknowns, ElementsAre("y"));
  std::vector<std::size_t> block_of;  // of each place in their order
  std::vector<std::string> equations, unknowns;
  for (std::size_t b = 0; b < 4; ++b) {
    const StructuralBlock& block = structure.blocks[b];
    block_of.resize(block_of.size() + block.equations.size(), b);
    equations.insert(equations.end(), block.equations.begin(), block.equations.end());
    unknowns.insert(unknowns.end(), block.unknowns.begin(), block.unknowns.end());
  }
  EXPECT_THAT(unknowns, UnorderedElementsAre("z", "y", "der(x)", "u", "w"));
  int lower = 0;
  for (const Incidence& entry : structure.incidence) {
    if (entry.is_highest) {
      EXPECT_LE(block_of[entry.unknown], block_of[entry.equation]);
    } else {
      ++lower;
      EXPECT_EQ(unknowns[entry.unknown], "der(x)");
      EXPECT_THAT(equations[entry.equation], HasSubstr("'sum'"));
    }
  }
  EXPECT_EQ(lower, 1);
  EXPECT_THAT(structure.incidence, testing::SizeIs(11));
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

/// x' + y' = −x and x' + (1 − δ) y' = y − sin t: the singular values of F_x' have the product δ and
/// the greatest is 2.
Model nearly_cancelling(double delta) {
  ModelBuilder b("NearlyCancelling");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y");
  b.equation(der(x) + der(y) == -x, "first");
  b.equation(der(x) + (1.0 - delta) * der(y) == y - sin(b.time()), "second");
  return b.build();
}

std::vector<Verdict> verdicts(const Analysis& analysis) {
  std::vector<Verdict> result;
  for (const Assumption& assumption : analysis.assumptions) result.push_back(assumption.verdict);
  return result;
}

TEST(Analyze, TellsEveryRankDecisionWithItsGap) {
  // δ/4 = 2.5e-14 is dropped beside 1, with a round-off of the order 1e-16.
  const Analysis dropped = analyze(nearly_cancelling(1e-13), 0.0);
  ASSERT_FALSE(dropped.ranks.empty());
  const ArrayRank& first = dropped.ranks.front();
  EXPECT_EQ(first.level, 0);
  EXPECT_EQ(first.matrix, "[G_x' G_w]");
  EXPECT_EQ(first.rows, 2);
  EXPECT_EQ(first.columns, 2);
  EXPECT_EQ(first.rank, 1);
  EXPECT_NEAR(first.smallest_kept, 1.0, 1e-12);
  EXPECT_NEAR(first.largest_dropped, 2.5e-14, 5e-16);
  EXPECT_NEAR(first.gap, 4e13, 1e12);
  EXPECT_EQ(first.confidence, "certain");
  EXPECT_EQ(dropped.ranks[1].matrix, "[G_x' G_w G_x]");
  EXPECT_EQ(dropped.ranks[1].columns, 4);
  EXPECT_EQ(dropped.ranks[1].rank, 2);

  const Analysis kept = analyze(nearly_cancelling(1e-5), 0.0);
  EXPECT_EQ(kept.index, 0);
  ASSERT_EQ(kept.ranks.size(), 2U);
  EXPECT_EQ(kept.ranks.front().rank, 2);
  EXPECT_NEAR(kept.ranks.front().smallest_kept, 2.5e-6, 1e-10);
  EXPECT_FALSE(std::isfinite(kept.ranks.front().gap));
  EXPECT_THAT(verdicts(kept), testing::Each(Verdict::holds));
}

TEST(Analyze, ADecisionAtTheToleranceIsADiagnosisWithItsSingularValues) {
  const Analysis weak = analyze(nearly_cancelling(2e-9), 0.0);  // 5e-10
  EXPECT_EQ(weak.status, Status::rank_change);
  EXPECT_FALSE(weak.index.has_value());
  EXPECT_THAT(weak.message, HasSubstr("not clear"));
  ASSERT_FALSE(weak.ranks.empty());
  EXPECT_NEAR(weak.ranks.front().smallest_kept, 5e-10, 1e-15);
  EXPECT_EQ(weak.ranks.front().confidence, "weak");
  using enum Verdict;
  EXPECT_THAT(verdicts(weak), ElementsAre(holds, holds, fails, holds));
}

TEST(Analyze, NamesTheAssumptionThatFails) {
  using enum Verdict;
  const auto analysis_of = [](const char* equations) {
    return analyze(
        parse_model(std::string("model M\n  Real x(start = 2, fixed = true);\n  Real y;\n"
                                "equation\n") +
                    equations + "end M;\n"),
        0.0);
  };
  const Analysis fine = analysis_of("  der(x) = -x;\n  y = x^2;\n");
  ASSERT_EQ(fine.assumptions.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(fine.assumptions[i].name, "A" + std::to_string(i + 1));
  }
  EXPECT_THAT(verdicts(fine), ElementsAre(holds, holds, holds, holds));
  EXPECT_THAT(fine.assumptions[2].finding, HasSubstr("3 points around"));

  // The derivative of the root is not finite at x = 2.
  const Analysis rough = analysis_of("  der(x) = -1;\n  y = sqrt(x - 2) + der(x);\n");
  EXPECT_EQ(rough.status, Status::non_finite_value);
  EXPECT_EQ(rough.assumptions[0].verdict, fails) << rough.report();

  const Analysis contradictory = analysis_of("  der(y) = -y;\n  x^2 + y^2 = 1;\n");
  EXPECT_THAT(verdicts(contradictory), ElementsAre(not_checked, fails, not_checked, not_checked));

  const Analysis redundant = analysis_of("  der(x) + der(y) = 1;\n  x + y = time;\n");
  EXPECT_EQ(redundant.status, Status::no_unique_solution);
  EXPECT_THAT(verdicts(redundant), ElementsAre(holds, holds, not_checked, fails));
  EXPECT_THAT(redundant.assumptions[3].finding, HasSubstr("redundant"));

  // x y' = −y + 1 with x = time: the coefficient of y' vanishes at the start.
  const Analysis singular = analyze(parse_model("model M\n  Real x;\n  Real y;\nequation\n"
                                                "  x*der(y) = 1 - y;\n  x = time;\nend M;\n"),
                                    0.0);
  EXPECT_EQ(singular.status, Status::rank_change);
  EXPECT_EQ(singular.assumptions[2].verdict, fails);
}

TEST(Analyze, ASingularPositionAtTheStartIsSaid) {
  // Two equal cranks and a coupler, flat: the gradient of the coupler vanishes there and nowhere
  // around.
  const auto analysis_at = [](double angle) {
    SolveOptions options;
    options.start_values = {{"th1", angle}, {"th2", angle}};
    return analyze(load_model(DAEDAL_SOURCE_DIR "/problems/parallelogram.mo"), 0.0, options);
  };
  const Analysis flat = analysis_at(0.0);
  EXPECT_EQ(flat.mobility, 2);
  EXPECT_THAT(flat.warnings, Contains(HasSubstr("singular position")));
  ASSERT_EQ(flat.assumptions.size(), 4U);
  EXPECT_EQ(flat.assumptions[2].verdict, Verdict::fails);
  EXPECT_EQ(flat.assumptions[3].verdict, Verdict::fails);
  EXPECT_THAT(flat.assumptions[2].finding, HasSubstr("others at points around"));
  const Analysis raised = analysis_at(0.7);
  EXPECT_EQ(raised.mobility, 1);
  EXPECT_EQ(raised.states, 2);
  EXPECT_TRUE(raised.warnings.empty());
  EXPECT_THAT(verdicts(raised), testing::Each(Verdict::holds));
}

TEST(Analyze, AnIndexAboveTheLimitFailsTheThirdAssumption) {
  ModelBuilder b("Chain");
  Expr last = b.variable("x1");
  b.equation(last == sin(b.time()));
  for (int i = 2; i <= 8; ++i) {
    const Expr next = b.variable("x" + std::to_string(i));
    b.equation(der(last) == next);
    last = next;
  }
  const Analysis analysis = analyze(b.build(), 0.0);
  EXPECT_EQ(analysis.status, Status::index_too_high);
  using enum Verdict;
  EXPECT_THAT(verdicts(analysis), ElementsAre(holds, holds, fails, holds));
  EXPECT_EQ(analysis.ranks.size(), 14U);  // two for each of the levels 0..6
}

TEST(Analyze, EndsEarlyWhenItIsCancelledOrOutOfTime) {
  const std::atomic<bool> cancel = true;
  SolveOptions options;
  options.cancel = &cancel;
  const Analysis cancelled = analyze(cancelling(), 0.0, options);
  EXPECT_EQ(cancelled.status, Status::cancelled);
  EXPECT_THAT(cancelled.message, HasSubstr("cancelled during"));
  EXPECT_EQ(cancelled.structure.index, 0);  // what was found before is kept
  EXPECT_FALSE(cancelled.index.has_value());
  EXPECT_THAT(verdicts(cancelled), testing::Each(Verdict::not_checked));
  options.cancel = nullptr;
  options.time_limit = 1e-9;
  EXPECT_EQ(analyze(cancelling(), 0.0, options).status, Status::time_limit_reached);
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
