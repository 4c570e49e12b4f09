// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <daedal/error.hpp>

#include "formulation/regularized/support.hpp"

// The coupled DAE form is the same equation as the eliminated one: it must have the same error of
// the regularisation (tests/oracles/regularization.py).

namespace daedal {
namespace {

using test::max_error;
using test::pi;

SolveOptions coupled(const std::string& method, FieldValues parameters, double rtol) {
  parameters["coupled"] = 1;
  return {.method = Method(method, std::move(parameters)),
          .integrator = "radau",
          .rtol = rtol,
          .atol = rtol,
          .dense_output = false};
}

TEST(CoupledTrustRegion, PassesTheSliderCranksBifurcationLikeTheEliminatedForm) {
  const Solution s =
      solve(test::slider_crank(pi / 4), {0.0, 2.0},
            coupled("trust-region", {{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-6}}, 1e-9));
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(max_error(s, test::slider_crank_branch(pi / 4, 0.0, 2.0)), 6.81e-5, 0.05 * 6.81e-5);
}

TEST(CoupledForms, HaveTheErrorsOfAConstraintWrittenTwice) {
  const auto error = [](const std::string& method) {
    const Solution s =
        solve(test::doubled_pendulum(), {0.0, 3.0},
              coupled(method, {{"index", 2}, {"gamma", 1e3}, {"epsilon", 1e-3}}, 1e-9));
    EXPECT_EQ(s.status, Status::success) << s.message;
    return max_error(s, test::pendulum_motion(3.0)) / 1e-3;
  };
  EXPECT_NEAR(error("trust-region"), 2.79e-3, 0.05 * 2.79e-3);
  EXPECT_NEAR(error("direct-regularization"), 1.39e-2, 0.05 * 1.39e-2);
}

TEST(CoupledForms, TakeHessenbergSystemsOfOrderOne) {
  for (const auto& [method, factor] :
       {std::pair{"trust-region", 1.26e-3}, std::pair{"direct-regularization", 1.124e-2}}) {
    const Solution s = solve(test::rank_deficient(true), {0.0, 3.0},
                             coupled(method, {{"gamma", 50}, {"epsilon", 1e-4}}, 1e-10));
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(max_error(s, test::rank_deficient_solution()) / 1e-4, factor, 0.05 * factor)
        << method;
  }
}

TEST(CoupledForms, AreSteppedByBdfUnlessToldOtherwise) {
  SolveOptions options = coupled("trust-region", {{"index", 2}}, 1e-6);
  options.integrator = "auto";
  const Solution s = solve(test::doubled_pendulum(), {0.0, 0.5}, options);
  EXPECT_EQ(s.status, Status::success) << s.message;
  EXPECT_EQ(s.integrator.used, "bdf");
  options.integrator = "dop853";
  EXPECT_THROW(solve(test::doubled_pendulum(), {0.0, 0.5}, options), OptionError);
}

TEST(CoupledForms, RefuseWhatTheyDoNotHave) {
  for (const FieldValues& wrong : {FieldValues{{"radius", 1.0}}, FieldValues{{"projection", 1}},
                                   FieldValues{{"index", 4}}, FieldValues{{"epsilon", 0.0}}}) {
    EXPECT_THROW(solve(test::doubled_pendulum(), {0.0, 1.0}, coupled("trust-region", wrong, 1e-6)),
                 OptionError);
  }
}

/// x₁ = t, x₂ = t²/2, with B such that GB = [1 −1; 1 −1], whose square vanishes; y₁ − y₂ = 1.
Model nilpotent() {
  ModelBuilder b("Nilpotent");
  const Expr x1 = b.variable("x1", {.start = 0.0}), x2 = b.variable("x2", {.start = 0.0});
  const Expr y1 = b.variable("y1"), y2 = b.variable("y2");
  b.equation(der(x1) == 2 - (y1 - y2));
  b.equation(der(x2) == x1 + 1 - (y1 - y2));
  b.equation(x1 - b.time() == 0, "first");
  b.equation(x2 - sqr(b.time()) / 2 == 0, "second");
  return b.build();
}

TEST(DirectRegularization, RefusesAProductWhoseSquareHasLowerRank) {
  const Solution refused = solve(nilpotent(), {0.0, 1.0},
                                 {.method = DirectRegularization{.gamma = 10.0, .epsilon = 1e-6}});
  EXPECT_EQ(refused.status, Status::singular_iteration_matrix);
  EXPECT_NE(refused.message.find("differ in rank"), std::string::npos) << refused.message;
  const Solution solved = solve(nilpotent(), {0.0, 1.0}, {.method = "trust-region", .rtol = 1e-8});
  ASSERT_EQ(solved.status, Status::success) << solved.message;
  EXPECT_NEAR(solved.final_value("x2"), 0.5, 1e-6);
}

TEST(Baumgarte, HoldsTheVelocityConstraintAlone) {
  // One swing of the pendulum by (2.8): the velocity constraint holds, the position drifts only by
  // the tolerance.
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 0.0});
  const Expr u = b.variable("u", {.start = 0.0, .fixed = true});
  const Expr v = b.variable("v", {.start = 0.0, .fixed = true}), l = b.variable("l");
  b.equation(der(x) == u);
  b.equation(der(y) == v);
  b.equation(der(u) == -x * l);
  b.equation(der(v) == -y * l - 9.8);
  b.equation((sqr(x) + sqr(y) - 1) / 2 == 0, "rod");
  const Model model = b.build();
  const SolveOptions options{.method = Method("baumgarte", {{"index", 2}, {"gamma", 100}}),
                             .rtol = 1e-9,
                             .atol = 1e-9,
                             .dense_output = false};
  const Solution s = solve(model, {0.0, 1.0}, options);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LE(max_error(s, test::pendulum_motion(1.0)), 1e-6);
  SolveOptions wrong = options;
  wrong.method.set("alpha", 5);
  EXPECT_THROW(solve(model, {0.0, 1.0}, wrong), OptionError);
}

}  // namespace
}  // namespace daedal
