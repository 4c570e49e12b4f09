// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/newton_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace daedal::linalg {
namespace {

using Verdict = NewtonWatch::Verdict;

TEST(NewtonWatch, EndsNewtonsIterationForARootAtRoundOff) {
  // x² = 2 from 1.5: errors 9e-2, 2.5e-3, 2e-6, 2e-12, 0. The third correction (2e-6) contracts by
  // 1/1000, which foretells 2e-9; the fourth foretells 2e-18.
  NewtonWatch watch;
  double x = 1.5;
  Verdict verdict = Verdict::contracting;
  while (verdict == Verdict::contracting) {
    const double correction = (2.0 - x * x) / (2.0 * x);
    x += correction;
    verdict = watch.judge(std::abs(correction), std::abs(x));
  }
  EXPECT_EQ(verdict, Verdict::converged);
  EXPECT_EQ(watch.n_corrections(), 4);
  EXPECT_DOUBLE_EQ(x, std::sqrt(2.0));
}

TEST(NewtonWatch, TrustsALinearRateForTheNextCorrection) {
  // Corrections 10⁻ᵏ: the one after the next to last is 10 times smaller.
  NewtonWatch watch({.tolerance = 0.0, .remainder = 2e-8});
  for (int k = 0; k < 7; ++k) {
    EXPECT_EQ(watch.judge(std::pow(10.0, -k)), Verdict::contracting) << k;
  }
  EXPECT_NEAR(watch.rate(), 0.1, 1e-12);
  EXPECT_EQ(watch.judge(1e-7), Verdict::converged);
}

TEST(NewtonWatch, TrustsNoRateAboveItsRule) {
  NewtonWatch watch({.tolerance = 0.0, .remainder = 1e-3, .trusted_rate = 0.1});
  EXPECT_EQ(watch.judge(1e-3), Verdict::contracting);
  EXPECT_EQ(watch.judge(5e-4), Verdict::contracting);
  EXPECT_EQ(watch.judge(4e-5), Verdict::converged);
}

TEST(NewtonWatch, JudgesTheFirstCorrectionByItsSquareIfTheMatrixIsExact) {
  EXPECT_EQ(NewtonWatch({.has_exact_start = true}).judge(1e-8), Verdict::converged);
  EXPECT_EQ(NewtonWatch({.has_exact_start = true}).judge(1e-7), Verdict::contracting);
  EXPECT_EQ(NewtonWatch().judge(1e-8), Verdict::contracting);
}

TEST(NewtonWatch, TakesSmallCorrectionsThatDoNotContractForRounding) {
  NewtonWatch watch;
  EXPECT_EQ(watch.judge(100.0 * round_off), Verdict::contracting);
  EXPECT_EQ(watch.judge(90.0 * round_off), Verdict::converged);
  NewtonWatch patient({.first_noise = 4});
  for (int k = 0; k < 3; ++k) EXPECT_EQ(patient.judge(100.0 * round_off), Verdict::contracting);
  EXPECT_EQ(patient.judge(100.0 * round_off), Verdict::converged);
}

TEST(NewtonWatch, MeasuresCorrectionsAgainstTheSolution) {
  EXPECT_EQ(NewtonWatch().judge(1e-10, 1e6), Verdict::converged);
  EXPECT_EQ(NewtonWatch().judge(1e-10, 1.0), Verdict::contracting);
}

TEST(NewtonWatch, TellsSlowFromDiverging) {
  const NewtonRules rules{.slow_rate = 0.3, .diverging_rate = 1.0};
  NewtonWatch watch(rules);
  EXPECT_EQ(watch.judge(1.0), Verdict::contracting);
  EXPECT_EQ(watch.judge(0.2), Verdict::contracting);
  EXPECT_EQ(watch.judge(0.1), Verdict::stalled);
  EXPECT_EQ(watch.judge(0.1), Verdict::diverging);
}

TEST(NewtonWatch, CallsWhatIsNotFiniteDiverging) {
  EXPECT_EQ(NewtonWatch().judge(std::numeric_limits<double>::quiet_NaN()), Verdict::diverging);
  EXPECT_EQ(NewtonWatch().judge(infinity), Verdict::diverging);
}

}  // namespace
}  // namespace daedal::linalg
