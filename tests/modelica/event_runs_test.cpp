// SPDX-License-Identifier: BSD-3-Clause
/// Every event construct of the language, against solutions by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;
using test::final_value;
using ::testing::HasSubstr;

// The run is tight (1e-9): what is left are its errors, a hundred times that at most.
constexpr double tolerance = 1e-7;

// x rises by 1 a second and is set back to 0 where it passes 0.75: 2 s = 2·0.75 + 0.5.
TEST(EventRuns, ReinitSetsAStateBack) {
  const ExportedModel model{
      "Real 'x'(start = 0.0, fixed = true);\n"
      "equation\n der('x') = 1.0;\n when 'x' > 0.75 then reinit('x', 0.0); end when;"};
  EXPECT_NEAR(final_value(model, "x"), 0.5, tolerance);
}

// Falls for √(2h/g), leaves with half its speed, and is back after twice v/(2g).
TEST(EventRuns, ABallBouncesWithItsSpeedBefore) {
  const ExportedModel model{
      "Real 'h'(start = 1.0, fixed = true);\n Real 'v'(start = 0.0, fixed = true);\n"
      "discrete Real 'n'(start = 0.0, fixed = true);\n"
      "equation\n der('h') = 'v';\n der('v') = -9.81;\n"
      "when 'h' < 0.0 then\n reinit('v', -0.5 * pre('v'));\n 'n' = pre('n') + 1.0;\n end when;",
      "", 0.8};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const double fall = std::sqrt(2.0 / 9.81);
  const double up = 0.5 * 9.81 * fall;
  const double t = 0.8 - fall;
  EXPECT_NEAR(solution.final_value("h"), up * t - 0.5 * 9.81 * t * t, tolerance);
  EXPECT_EQ(solution.final_value("n"), 1.0);
}

TEST(EventRuns, SampleCountsFromItsStart) {
  const ExportedModel model{
      "discrete Real 'n'(start = 0.0, fixed = true);\n discrete Real 'm'(start = 0.0, fixed = "
      "true);\n Boolean 'b';\n"
      "equation\n when sample(0.5, 0.5) then 'n' = pre('n') + 1.0; end when;\n"
      "when sample(0.0, 0.5) then 'm' = pre('m') + 1.0; end when;\n 'b' = sample(0.0, 0.5);"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("n"), 4.0);
  EXPECT_EQ(solution.final_value("m"), 5.0);
  EXPECT_EQ(solution.final_value("b"), 0.0);  // true at the instants alone
}

TEST(EventRuns, EdgeAndChangeActOnceForEveryChange) {
  const ExportedModel model{
      "Boolean 'b';\n Integer 'k';\n discrete Real 'n'(start = 0.0, fixed = true);\n discrete Real "
      "'m'(start = 0.0, fixed = true);\n"
      "equation\n 'b' = sin(10.0 * time) > 0.0;\n"
      "'k' = if time > 1.5 then 2 else if time > 0.5 then 1 else 0;\n"
      "when edge('b') then 'n' = pre('n') + 1.0; end when;\n"
      "when change('k') then 'm' = pre('m') + 1.0; end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  // sin(10 t) rises through 0 at 0.2π·k: 0.628, 1.257, 1.885 (at t = 0 it is not positive yet, and
  // becomes so at once).
  EXPECT_EQ(solution.final_value("n"), 4.0);
  EXPECT_EQ(solution.final_value("m"), 2.0);
}

TEST(EventRuns, ElsewhenAndListsOfConditions) {
  const ExportedModel model{
      "discrete Real 'n'(start = 0.0, fixed = true);\n discrete Real 'm'(start = 0.0, fixed = "
      "true);\n discrete Real 'i'(start = 0.0);\n"
      "equation\n when time > 1.0 then 'n' = pre('n') + 1.0; elsewhen time > 0.5 then 'n' = "
      "pre('n') + 10.0; end when;\n"
      "when {time > 0.5, time > 1.5} then 'm' = pre('m') + 1.0; end when;\n"
      "when {initial(), time > 1.5} then 'i' = pre('i') + 1.0; end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("n"), 11.0);
  EXPECT_EQ(solution.final_value("m"), 2.0);
  EXPECT_EQ(solution.final_value("i"), 2.0);
}

// c depends on nothing new, b on c, a on b: written the other way round.
TEST(EventRuns, EquationsOfWhenClausesAreSorted) {
  const ExportedModel model{
      "discrete Real 'a'(start = 0.0, fixed = true);\n discrete Real 'b'(start = 0.0, fixed = "
      "true);\n discrete Real 'c'(start = 0.0, fixed = true);\n"
      "equation\n when time > 1.0 then 'a' = 'b' + 1.0; end when;\n"
      "when time > 1.0 then 'b' = 'c' + 1.0; 'c' = pre('a') + 10.0; end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("c"), 10.0);
  EXPECT_EQ(solution.final_value("b"), 11.0);
  EXPECT_EQ(solution.final_value("a"), 12.0);
}

TEST(EventRuns, TerminateEndsTheRunWithItsWords) {
  const ExportedModel model{
      "Real 'x'(start = 0.0, fixed = true);\n equation\n der('x') = 1.0;\n"
      "when 'x' > 1.5 then\n if time < 1.0 then terminate(\"early\"); else terminate(\"late\"); "
      "end "
      "if;\n end when;"};
  const Solution solution = model.solve();
  EXPECT_EQ(solution.status, Status::event_stop);
  EXPECT_THAT(solution.message, HasSubstr("late"));
  EXPECT_NEAR(solution.times.back(), 1.5, tolerance);
}

TEST(EventRuns, TerminalIsTrueAtTheEndOfTheRun) {
  const ExportedModel model{
      "Real 'x'(start = 0.0, fixed = true);\n discrete Real 'n'(start = -1.0, fixed = true);\n"
      "discrete Real 'm'(start = 0.0, fixed = true);\n"
      "equation\n der('x') = 1.0;\n when terminal() then 'n' = 'x'; end when;\n"
      "when {time > 1.0, terminal()} then 'm' = pre('m') + 1.0; end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("n"), 2.0, tolerance);
  EXPECT_EQ(solution.final_value("m"), 2.0);
  // The row before the end still has the old value.
  EXPECT_EQ(solution.row(solution.n_rows() - 2)[solution.column("n")], -1.0);
}

TEST(EventRuns, WhatIsDueAtTheLastInstantHappens) {
  const ExportedModel model{
      "discrete Real 'n'(start = 0.0, fixed = true);\n discrete Real 'm'(start = 0.0, fixed = "
      "true);\n discrete Real 'k'(start = 0.0, fixed = true);\n Real 'x'(start = 0.0, fixed = "
      "true);\n"
      "equation\n der('x') = 1.0;\n when time >= 2.0 then 'n' = 1.0; end when;\n"
      "when 'x' >= 'x' - time + 2.0 then 'm' = 1.0; end when;\n"
      "when time > 2.1 then 'k' = 1.0; end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("n"), 1.0);
  EXPECT_EQ(solution.final_value("m"), 1.0);
  EXPECT_EQ(solution.final_value("k"), 0.0);
}

TEST(EventRuns, NoEventAndSmoothFollowTheirArguments) {
  const ExportedModel model{
      "Real 'x'(start = -1.0, fixed = true);\n Real 'y';\n Real 'z';\n Real 'w'(start = 0.0, fixed "
      "= true);\n"
      "equation\n der('x') = 1.0;\n 'y' = noEvent(if 'x' > 0.0 then sqrt('x') else 0.0);\n"
      "'z' = smooth(0, if 'x' > 0.0 then 'x' else 0.0);\n der('w') = 'z';"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("y"), 1.0, tolerance);
  EXPECT_NEAR(solution.final_value("w"), 0.5, tolerance);  // ∫ max(x, 0)
}

TEST(EventRuns, AssertionsOfEitherLevel) {
  const ExportedModel warns{
      "Real 'x'(start = 0.0, fixed = true);\n equation\n der('x') = 1.0;\n"
      "assert('x' < 1.0, \"x is large\", AssertionLevel.warning);"};
  const Solution warned = warns.solve();
  EXPECT_EQ(warned.status, Status::success);
  ASSERT_EQ(warned.warnings.size(), 1U);
  EXPECT_THAT(warned.warnings.front(), HasSubstr("x is large"));

  const ExportedModel fails{
      "Real 'x'(start = 0.0, fixed = true);\n equation\n der('x') = 1.0;\n"
      "assert('x' < 1.0, message = \"x is \" + \"large\", level = AssertionLevel.error);"};
  const Solution failed = fails.solve();
  EXPECT_EQ(failed.status, Status::assertion_failed);
  EXPECT_THAT(failed.message, HasSubstr("x is large"));
  EXPECT_LT(failed.times.back(), 1.1);
}

// The swing returns to its bound again and again and passes it by no more than the error of the
// run.
TEST(EventRuns, AssertionsHoldWithinTheAccuracyOfTheRun) {
  const ExportedModel model{
      "Real 'x'(start = 1.0, fixed = true);\n Real 'v'(start = 0.0, fixed = true);\n equation\n "
      "der('x') = 'v';\n der('v') = -'x';\n assert('x' <= 1.0 and 'x' >= -1.0, \"beyond\");",
      "", 20.0};
  EXPECT_NEAR(final_value(model, "x"), std::cos(20.0), 1e-6);
}

// T_start jumps to the time at every full 0.3 s: y = (2 − 1.8)/0.3 at t = 2.
TEST(EventRuns, ASawtoothStartsItsCounterByAnInitialAlgorithm) {
  const ExportedModel model{
      "Real 'T_start'(start = 0.0);\n Integer 'count';\n Real 'y';\n"
      "equation\n when time >= (pre('count') + 1) * 0.3 then\n 'count' = pre('count') + 1;\n "
      "'T_start' = time;\n end when;\n 'y' = (time - 'T_start') / 0.3;\n"
      "initial algorithm\n 'count' := integer(time / 0.3);\n 'T_start' := 'count' * 0.3;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("count"), 6.0);
  EXPECT_NEAR(solution.final_value("y"), 0.2 / 0.3, 1e-9);
}

TEST(EventRuns, InitialEquationsGiveDiscreteVariablesTheirStart) {
  const ExportedModel model{
      "discrete Real 'a';\n discrete Real 'b';\n Real 'x'(start = 3.0, fixed = true);\n"
      "discrete Real 'c';\n"
      "initial equation\n 'a' = 7.0;\n pre('b') = 5.0;\n 'c' = 2.0 * 'x';\n"
      "equation\n der('x') = 1.0;\n when time > 5.0 then 'a' = 1.0; end when;\n"
      "when time > 1.0 then 'b' = pre('b') + 1.0; end when;\n"
      "when time > 5.0 then 'c' = 1.0; end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("a"), 7.0);
  EXPECT_EQ(solution.final_value("b"), 6.0);
  EXPECT_EQ(solution.final_value("c"), 6.0);
}

TEST(EventRuns, SeveralWhenClausesOfAnAlgorithmMayAssignOneVariable) {
  const ExportedModel model{
      "discrete Real 'n'(start = 0.0, fixed = true);\n"
      "algorithm\n when time > 0.5 then 'n' := 1.0; end when;\n when time > 1.0 then 'n' := 2.0; "
      "end when;\n when time > 1.0 then 'n' := 3.0; end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.at(0.75, "n"), 1.0);
  EXPECT_EQ(solution.final_value("n"), 3.0);
}

TEST(EventRuns, ModOfTimeIsASawtooth) {
  const ExportedModel model{
      "Real 'y';\n Real 'z'(start = 0.0, fixed = true);\n equation\n 'y' = mod(time, 0.7);\n "
      "der('z') = 'y';"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("y"), 0.6, 1e-12);
  EXPECT_NEAR(solution.final_value("z"), 0.7 * 0.7 + 0.5 * 0.6 * 0.6, tolerance);
}

TEST(EventRuns, HysteresisSwitchesBetweenItsThresholds) {
  // Up to 1 in 1 s, down to 0.5 in 0.5 s, up again: x = 0.9 at 1.9 s.
  const ExportedModel model{
      "Boolean 'on'(start = false, fixed = true);\n Real 'x'(start = 0.0, fixed = true);\n"
      "equation\n der('x') = if 'on' then -1.0 else 1.0;\n 'on' = 'x' > 1.0 or pre('on') and 'x' > "
      "0.5;",
      "", 1.9};
  EXPECT_NEAR(final_value(model, "x"), 0.9, tolerance);
}

// Coulomb's friction as the standard library writes it. The mass of 1 kg is pushed by 3 sin(πt/2);
// friction holds up to 2 N: it starts at t₁ = (2/π) asin(2/3), slides with a = 3 sin(πt/2) − 2, and
// stops where v = ∫a = 0.
TEST(EventRuns, DryFrictionSticksAndSlides) {
  const ExportedModel model{
      "Real 's'(start = 0.0, fixed = true);\n Real 'v'(start = 0.0, fixed = true);\n Real 'a';\n"
      "Real 'f';\n Real 'sa';\n Boolean 'startForward'(start = false, fixed = true);\n"
      "Boolean 'startBackward'(start = false, fixed = true);\n Boolean 'locked'(start = false);\n"
      "Integer 'mode'(start = 3, fixed = true, min = -1, max = 3);\n"
      "equation\n der('s') = 'v';\n der('v') = 'a';\n"
      "'a' = 3.0 * sin(1.5707963267948966 * time) - 'f';\n"
      "'startForward' = pre('mode') == 0 and ('sa' > 2.0 or pre('startForward') and 'sa' > 2.0) or "
      "pre('mode') == -1 and 'v' > 1e-10 or initial() and 'v' > 0.0;\n"
      "'startBackward' = pre('mode') == 0 and ('sa' < -2.0 or pre('startBackward') and 'sa' < "
      "-2.0) "
      "or pre('mode') == 1 and 'v' < -1e-10 or initial() and 'v' < 0.0;\n"
      "'locked' = not (pre('mode') == 1 or 'startForward' or pre('mode') == -1 or "
      "'startBackward');\n"
      "'a' = if 'locked' then 0.0 else if 'startForward' then 'sa' - 2.0 else if 'startBackward' "
      "then 'sa' + 2.0 else if pre('mode') == 1 then 'sa' - 2.0 else 'sa' + 2.0;\n"
      "'f' = if 'locked' then 'sa' else if 'startForward' then 2.0 else if 'startBackward' then "
      "-2.0 else if pre('mode') == 1 then 2.0 else -2.0;\n"
      "'mode' = if (pre('mode') == 1 or 'startForward') and 'v' > 0.0 then 1 else if (pre('mode') "
      "== -1 or 'startBackward') and 'v' < 0.0 then -1 else 0;",
      "", 2.2};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const double w = 1.5707963267948966;
  const double t1 = std::asin(2.0 / 3.0) / w;
  const auto speed = [&](double t) {
    return 3.0 / w * (std::cos(w * t1) - std::cos(w * t)) - 2.0 * (t - t1);
  };
  EXPECT_EQ(solution.at(0.4, "v"), 0.0);
  EXPECT_NEAR(solution.at(1.0, "v"), speed(1.0), 1e-6);
  EXPECT_NEAR(solution.at(1.5, "v"), speed(1.5), 1e-6);
  // speed() is 0 again at t = 2.11556; from there on the push is below 2 N.
  EXPECT_NEAR(solution.at(2.1, "v"), speed(2.1), 1e-6);
  EXPECT_NEAR(solution.final_value("v"), 0.0, 1e-8);
  EXPECT_EQ(solution.final_value("locked"), 1.0);
}

// y = ±15 until |v| = |y/2 - x| comes down to 1/1000, where the solution has a fold and leaps to
// the other sign: x = ±7.499 there, after 0.455·ln(15.1/7.501) and then every
// 0.455·ln(22.499/7.501).
TEST(EventRuns, SolutionsLeapAtTheFoldOfALoopWithAState) {
  const ExportedModel model{
      "Real 'x'(start = 0.1, fixed = true); Real 'y'(start = -15.0); Real 'v'(start = -7.6);\n"
      "equation\n 'v' = 'y' / 2.0 - 'x';\n 'y' = if 15000.0 * 'v' > 15.0 then 15.0 else if 15000.0 "
      "* 'v' < -15.0 then -15.0 else 15000.0 * 'v';\n 0.455 * der('x') = 'y' - 'x';"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const double last = 0.455 * (std::log(15.1 / 7.501) + 3.0 * std::log(22.499 / 7.501));
  EXPECT_NEAR(solution.final_value("x"), -15.0 + 22.499 * std::exp((last - 2.0) / 0.455), 1e-6);
  EXPECT_EQ(solution.final_value("y"), -15.0);
}

// x follows sin(2 pi t) with a lag of 1e-9 s: it rises above 0.5 once in every second, and the
// error of a step, across which it returns as fast, is no other time. 1e-10 and 0.58 have their own
// relation in the equations.
TEST(EventRuns, FastStatesCrossTheirThresholdsOnce) {
  const ExportedModel model{
      "Real 'x'(start = 0.0, fixed = true); Real 'z'(start = 0.0, fixed = true); Real 'y'; Boolean "
      "'b'; Integer 'n'(start = 0, fixed = true);\n equation\n 1e-9 * der('x') = "
      "sin(6.283185307179586 * time) - 'x';\n 'b' = 'x' > 0.5;\n when 'b' then 'n' = pre('n') + 1; "
      "end when;\n 1e-10 * der('z') = 5.0 * sin(6.283185307179586 * time) - 'z';\n 'y' = if 'z' <= "
      "0.58 then 0.0 else 'z' - 0.58;",
      "", 10.125};
  SolveOptions options;
  options.rtol = 1e-6;
  const Solution solution = solve(parse_model(model.text()), {0.0, 10.125}, options);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("n"), 11.0);
  EXPECT_NEAR(solution.final_value("y"), 5.0 * std::sqrt(0.5) - 0.58, 1e-4);
}

// What functions compute has no events of its own; an Integer or a Boolean that follows from it
// still turns where it does: k where t exceeds 0.9 and 1.7, b between them.
TEST(EventRuns, DiscreteResultsOfFunctionsTurnInTime) {
  const ExportedModel model{
      "Integer 'k'; Boolean 'b'; Real 'y'; Real 'x'(start = 0.0, fixed = true);\n equation\n "
      "('k', 'b') = 'f'(time);\n der('x') = if 'b' then 1.0 else 0.0;\n 'y' = 'k' * time;",
      "function 'f' input Real 'u'; output Integer 'k'; output Boolean 'b'; algorithm 'k' := 0; "
      "if 'u' > 0.9 then 'k' := 'k' + 1; end if; if 'u' > 1.7 then 'k' := 'k' + 1; end if; "
      "'b' := 'k' == 1; end 'f';"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("k"), 2.0);
  EXPECT_NEAR(solution.final_value("y"), 4.0, tolerance);
  EXPECT_NEAR(solution.final_value("x"), 0.8, tolerance);
}

}  // namespace
}  // namespace daedal
