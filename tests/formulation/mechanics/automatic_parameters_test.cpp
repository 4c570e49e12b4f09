// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/types.hpp"
#include "formulation/regularized/support.hpp"

// `trust-region` with no parameters, on every example and at its step cap: the error is at
// most 1.05 times the smallest one that the published pairs (γ, ε) of trust region and direct
// regularisation have there (tests/oracles/regularization.py).

namespace daedal {
namespace {

using test::Exact;
using test::max_error;
using test::pi;

constexpr double margin = 1.05;

SolveOptions automatic(double rtol, double cap = infinity) {
  return {.method = "trust-region",
          .integrator = "dop853",
          .rtol = rtol,
          .atol = rtol,
          .max_step = cap,
          .dense_output = false};
}

double error(const Model& model, const TimeSpan& span, const SolveOptions& options,
             const Exact& exact) {
  const Solution solution = solve(model, span, options);
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return max_error(solution, exact);
}

TEST(AutomaticParameters, OnExample51) {
  const Exact line{{"x", [](double t) { return t + 1; }}};
  EXPECT_LE(error(test::singular_family(1), {-1.0, 1.0}, automatic(1e-9, 1e-4), line),
            margin * 1.575e-3);
}

TEST(AutomaticParameters, OnTheFamilyOfTheorem32) {
  const Exact line{{"x", [](double t) { return t + 1; }}};
  for (const int k : {1, 2, 3}) {
    double best = infinity;
    for (const char* method : {"trust-region", "direct-regularization"}) {
      for (const double epsilon : {1e-6, 1e-9}) {
        SolveOptions given = automatic(1e-9, 1e-3);
        given.method = Method(method, {{"gamma", 1e3}, {"epsilon", epsilon}});
        best = std::min(best, error(test::singular_family(k), {-1.0, 1.0}, given, line));
      }
    }
    EXPECT_LE(error(test::singular_family(k), {-1.0, 1.0}, automatic(1e-9, 1e-3), line),
              margin * best)
        << "k = " << k;
  }
}

TEST(AutomaticParameters, OnTheRankDeficientExampleOfTheorem31) {
  // 6.76e-4 ε is the smallest of the three, with the paper's ε = 1e-6.
  for (const bool is_transposed : {true, false}) {
    EXPECT_LE(error(test::rank_deficient(is_transposed), {0.0, 3.0}, automatic(1e-12),
                    test::rank_deficient_solution()),
              margin * 6.76e-10);
  }
}

TEST(AutomaticParameters, OnTheSliderCrank) {
  EXPECT_LE(error(test::slider_crank(pi / 4), {0.0, 2.0}, automatic(1e-11),
                  test::slider_crank_branch(pi / 4, 0.0, 2.0)),
            margin * 4.22e-6);
}

TEST(AutomaticParameters, OnTheSliderCrankForTenSeconds) {
  EXPECT_LE(error(test::slider_crank(pi / 4), {0.0, 10.0}, automatic(1e-5),
                  test::slider_crank_branch(pi / 4, 0.0, 10.0)),
            margin * 5e-2);
}

TEST(AutomaticParameters, OnAConstraintWrittenTwice) {
  // 2.79e-3 ε, with the paper's ε = 1e-6.
  EXPECT_LE(
      error(test::doubled_pendulum(), {0.0, 3.0}, automatic(1e-11), test::pendulum_motion(3.0)),
      margin * 2.79e-9);
}

TEST(AutomaticParameters, OnTheParallelogram) {
  SolveOptions options = automatic(1e-9, 1e-3);
  // The error of a singular position is a narrow peak: it is looked for on 1000 points.
  options.interval = 3e-3;
  const Exact exact = test::parallelogram_motion();
  EXPECT_LE(error(test::parallelogram(1), {0.0, 3.0}, options, exact), margin * 3.452e-4);
  EXPECT_LE(error(test::parallelogram(2), {0.0, 3.0}, options, exact), margin * 1.247e-4);
}

TEST(AutomaticParameters, FollowTheTimeScaleOfTheModel) {
  // The rank-deficient system a million times slower: a fixed γ would make it stiff.
  for (const double slowness : {1e-4, 1.0, 1e6}) {
    SolveOptions options = automatic(1e-8);
    options.max_steps = 2000;
    const Solution s = solve(test::slow_rank_deficient(slowness), {0.0, 3.0 * slowness}, options);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.final_value("x"), std::sin(3.0), 1e-6) << slowness;
    EXPECT_NEAR(s.final_value("z"), std::cos(3.0), 1e-6) << slowness;
  }
}

}  // namespace
}  // namespace daedal
