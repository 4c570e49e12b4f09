// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/solve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <daedal/error.hpp>
#include <thread>

namespace daedal {
namespace {

using ::testing::HasSubstr;

/// x' = −x + w, w = cos t: x = (cos t + sin t + e^−t (2 x0 − 1)) / 2.
Model driven_decay() {
  ModelBuilder b("Decay");
  const Expr rate = b.parameter("rate", 1.0);
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr w = b.variable("w");
  b.equation(der(x) == -rate * x + w);
  b.equation(w == cos(b.time()));
  return b.build();
}
double exact(double t) {
  return 0.5 * (std::cos(t) + std::sin(t) + std::exp(-t));
}

TEST(Solve, ReachesTheExactSolution) {
  const Solution s = solve(driven_decay(), {0.0, 5.0}, {.rtol = 1e-9, .atol = 1e-11});
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), exact(5.0), 1e-7);
  EXPECT_NEAR(s.final_value("w"), std::cos(5.0), 1e-12);
  EXPECT_EQ(s.method.requested, "auto");
  EXPECT_EQ(s.method.used, "ode");
}

TEST(Solve, DenseOutputIsAsGoodAsTheSteps) {
  const Solution s = solve(driven_decay(), {0.0, 5.0}, {.rtol = 1e-9, .atol = 1e-11});
  for (int i = 0; i <= 1000; ++i) {
    const double t = 0.005 * i;
    EXPECT_NEAR(s.at(t, "x"), exact(t), 1e-6) << t;
    EXPECT_NEAR(s.at(t, "w"), std::cos(t), 1e-6) << t;
  }
}

TEST(Solve, DenseOutputRefusesTimesOutsideTheRun) {
  const Solution s = solve(driven_decay(), {0.0, 1.0});
  EXPECT_THROW((void)s.at(1.5, "x"), OptionError);
  EXPECT_THROW((void)s.at(0.5, "y"), OptionError);
  const Solution without = solve(driven_decay(), {0.0, 1.0}, {.dense_output = false});
  EXPECT_THROW((void)without.at(0.5, "x"), OptionError);
}

TEST(Solve, RunsBackwardInTime) {
  const Solution forward = solve(driven_decay(), {0.0, 1.0}, {.rtol = 1e-10, .atol = 1e-12});
  const Solution back =
      solve(driven_decay(), {1.0, 0.0},
            {.rtol = 1e-10, .atol = 1e-12, .start_values = {{"x", forward.final_value("x")}}});
  ASSERT_EQ(back.status, Status::success) << back.message;
  EXPECT_NEAR(back.final_value("x"), 1.0, 1e-7);
}

TEST(Solve, WritesAnEquidistantGridWithItsEnd) {
  const Solution s = solve(driven_decay(), {0.0, 1.0}, {.interval = 0.3});
  ASSERT_EQ(s.times.size(), 5U);
  EXPECT_DOUBLE_EQ(s.times[3], 3 * 0.3);
  EXPECT_DOUBLE_EQ(s.times.back(), 1.0);
}

TEST(Solve, ImpossibleOptionsAreRefused) {
  const Model model = driven_decay();
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.rtol = 0.0}), OptionError);
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.rtol = 2.0}), OptionError);
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.atol = -1.0}), OptionError);
  EXPECT_THROW(solve(model, {0.0, 0.0}), OptionError);
  EXPECT_THROW(solve(model, {0.0, std::nan("")}), OptionError);
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.method = "no-such"}), OptionError);
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.integrator = "no-such"}), OptionError);
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.method = "auto:gamma=1"}), OptionError);
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.parameters = {{"rat", 1.0}}}), Error);
  EXPECT_THROW(solve(model, {0.0, 1.0}, {.start_values = {{"xx", 1.0}}}), Error);
}

TEST(Solve, IllegalPairsAreRefusedByName) {
  try {
    solve(driven_decay(), {0.0, 1.0}, {.method = "direct", .integrator = "dop853"});
    FAIL();
  } catch (const OptionError& error) {
    EXPECT_EQ(error.code(), ErrorCode::illegal_combination);
    EXPECT_THAT(error.what(), HasSubstr("dop853"));
    EXPECT_THAT(error.what(), HasSubstr("bdf"));
  }
}

TEST(Solve, CancellationKeepsWhatWasComputed) {
  std::atomic<bool> cancel = false;
  SolveOptions options{.cancel = &cancel};
  options.max_step = 0.01;
  options.max_steps = 1'000'000'000;
  options.interval = 1.0;
  options.dense_output = false;
  options.on_progress = [&](const Progress&) { cancel = true; };
  const Solution s = solve(driven_decay(), {0.0, 1e7}, options);
  EXPECT_EQ(s.status, Status::cancelled);
  EXPECT_GE(s.n_rows(), 2U);
  EXPECT_LT(s.times.back(), 1e7);
}

TEST(Solve, CancellationReachesTheSearchForInitialValues) {
  const std::atomic<bool> cancel = true;
  for (const char* method : {"auto", "direct", "derivative-array"}) {
    SolveOptions options;
    options.method = method;
    options.cancel = &cancel;
    const Solution s = solve(driven_decay(), {0.0, 1.0}, options);
    EXPECT_EQ(s.status, Status::cancelled) << method;
    EXPECT_THAT(s.message, ::testing::HasSubstr("during the search")) << method;
    EXPECT_EQ(s.n_rows(), 0U) << method;
  }
}

TEST(Solve, ABlowUpIsDiagnosedAndKeepsItsPath) {
  ModelBuilder b("BlowUp");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  b.equation(der(x) == x * x);
  const Solution s = solve(b.build(), {0.0, 2.0});
  EXPECT_EQ(s.status, Status::step_size_underflow);
  EXPECT_NEAR(s.times.back(), 1.0, 1e-3);  // x = 1/(1 − t)
  EXPECT_FALSE(s.message.empty());
}

TEST(SolveThreads, TwoThreadsSolveOneModelToTheSameBits) {
  const Model model = driven_decay();
  Solution a;
  Solution b;
  std::thread first([&] { a = solve(model, {0.0, 5.0}); });
  std::thread second([&] { b = solve(model, {0.0, 5.0}); });
  first.join();
  second.join();
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.values, b.values);
}

TEST(Solve, AHundredThousandEquationsAreSolved) {
  // A chain of decays: x_1' = −x_1, x_i' = x_(i−1) − x_i, x_i(0) = 0 but the first;
  // x_i = t^(i−1)/(i−1)! e^−t.
  ModelBuilder b("Chain");
  const int n = 100'000;
  Expr before = 0.0;
  for (int i = 1; i <= n; ++i) {
    const Expr x =
        b.variable("x" + std::to_string(i), {.start = i == 1 ? 1.0 : 0.0, .fixed = true});
    b.equation(der(x) == before - x);
    before = x;
  }
  const Solution s =
      solve(b.build(), {0.0, 1.0}, {.rtol = 1e-7, .interval = 1.0, .dense_output = false});
  ASSERT_EQ(s.status, Status::success) << s.message;
  // 100 rtol: the RMS norm of so many components, most of them zero, dilutes the error of a few.
  double exact_value = std::exp(-1.0);
  for (int i = 1; i <= 5; ++i) {
    EXPECT_NEAR(s.final_value("x" + std::to_string(i)), exact_value, 1e-5);
    exact_value /= i;
  }
}

}  // namespace
}  // namespace daedal
