// SPDX-License-Identifier: BSD-3-Clause
/// Poell, Hafner: the methods for constrained mechanics on the planar pendulum, h = .01. Expected
/// errors are those of tests/oracles/pendulum_methods.py.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/error.hpp>

#include "formulation/mechanics/support.hpp"
#include "problems/problems.hpp"
#include "support/order_fit.hpp"

namespace daedal {
namespace {

using test::Scheme;
using testing::HasSubstr;

constexpr double step = 0.01;

TEST(PendulumInClosedForm, AgreesWithQuadruplePrecision) {
  const auto end = test::pendulum_position(10.0);
  const auto expected = problems::pendulum().end_values;
  // Half a unit of round-off in ω₀t ≈ 31 is 1.1e-15 s, at a speed of 4.3.
  EXPECT_NEAR(end[0], expected.at("x"), 2e-14);
  EXPECT_NEAR(end[1], expected.at("y"), 2e-14);
}

struct Case {
  const char* name;
  Scheme scheme;
  double position_error;  ///< over 10 s, by the oracle
  double error_share;     ///< how near to it, or 0: it is an upper bound
  double order;
  double order_margin;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

/// RK4-based orders are accepted in [3.5, 4.7].
constexpr double rk4_order = 4.1;
constexpr double rk4_margin = 0.6;

class PendulumMethod : public testing::TestWithParam<Case> {};

TEST_P(PendulumMethod, HasTheErrorOfTheOracle) {
  const Solution s = test::run_pendulum(GetParam().scheme, step, 10.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double error = test::position_error(s);
  const double share = GetParam().error_share;
  EXPECT_LE(error, GetParam().position_error * (1.0 + share));
  if (share > 0.0) {
    EXPECT_GE(error, GetParam().position_error * (1.0 - share));
  }
}

TEST_P(PendulumMethod, HasItsOrder) {
  const double order = test::fit_order({0.01, 0.005, 0.0025}, [](double h) {
    return test::position_error(test::run_pendulum(GetParam().scheme, h, 5.0));
  });
  EXPECT_NEAR(order, GetParam().order, GetParam().order_margin);
}

const Case drifting[] = {
    {"index1", {"index1", {}, "rk4"}, 9.52e-5, 0.02, rk4_order, rk4_margin},
    {"baumgarte",
     {"baumgarte", {{"alpha", 5}, {"beta", 5}}, "rk4"},
     4.59e-6,
     0.02,
     rk4_order,
     rk4_margin},
};

const Case holding[] = {
    {"orthogonal", {"orthogonal-projection", {}, "rk4"}, 5.53e-7, 0.02, rk4_order, rk4_margin},
    {"orthogonal_euclidean",
     {"orthogonal-projection", {{"euclidean", 1}}, "rk4"},
     5.53e-7,
     0.02,
     rk4_order,
     rk4_margin},
    {"symmetric_midpoint",
     {"symmetric-projection", {}, "gauss", {{"stages", 1}}},
     2.41e-3,
     0.02,
     2.0,
     0.2},
    {"symmetric_gauss4",
     {"symmetric-projection", {}, "gauss", {{"stages", 2}}},
     2.30e-8,
     0.02,
     4.0,
     0.2},
    {"partitioning_at_once",
     {"coordinate-partitioning", {{"switch_ratio", 1}}, "rk4"},
     1.06e-6,
     0.02,
     rk4_order,
     rk4_margin},
    {"partitioning", {"coordinate-partitioning", {}, "rk4"}, 1e-5, 0.0, rk4_order, rk4_margin},
    {"tangent_at_once",
     {"tangent-space", {{"switch_ratio", 1}}, "rk4"},
     9.68e-7,
     0.02,
     rk4_order,
     rk4_margin},
    {"tangent", {"tangent-space", {}, "rk4"}, 1e-5, 0.0, rk4_order, rk4_margin},
    {"ggl_bdf2", {"ggl", {}, "bdf-fixed", {{"order", 2}}}, 2.50e-2, 0.02, 2.0, 0.35},
    {"ggl_bdf4", {"ggl", {}, "bdf-fixed", {{"order", 4}}}, 3.07e-5, 0.02, 4.0, 0.35},
    {"ggl_bdf5", {"ggl", {}, "bdf-fixed", {{"order", 5}}}, 5.89e-5, 0.02, 5.0, 0.35},
    {"ggl_radau5", {"ggl", {}, "radau", {{"stages", 3}}}, 4.86e-8, 0.02, 5.0, 0.2},
};

const auto name_of = [](const auto& tested) { return std::string(tested.param.name); };
INSTANTIATE_TEST_SUITE_P(Drifting, PendulumMethod, testing::ValuesIn(drifting), name_of);
INSTANTIATE_TEST_SUITE_P(Holding, PendulumMethod, testing::ValuesIn(holding), name_of);

class HoldingMethod : public testing::TestWithParam<Case> {};

TEST_P(HoldingMethod, KeepsPositionAndVelocityConstraintsAtEveryStep) {
  const Solution s = test::run_pendulum(GetParam().scheme, step, 10.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_LE(s.constraints[0].max_residual, 1e-12);
  EXPECT_LE(s.constraints[1].max_residual, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Pendulum, HoldingMethod, testing::ValuesIn(holding), name_of);

TEST(Index1, DriftsQuadraticallyInPositionAndLinearlyInVelocity) {
  const Scheme scheme{"index1", {}, "rk4"};
  const Solution brief = test::run_pendulum(scheme, step, 10.0);
  const Solution lengthy = test::run_pendulum(scheme, step, 100.0);
  ASSERT_EQ(lengthy.status, Status::success) << lengthy.message;
  const double position = lengthy.constraints[0].max_residual / brief.constraints[0].max_residual;
  const double velocity = lengthy.constraints[1].max_residual / brief.constraints[1].max_residual;
  EXPECT_GT(position, 60.0);
  EXPECT_LT(position, 150.0);
  EXPECT_GT(velocity, 6.0);
  EXPECT_LT(velocity, 15.0);
}

TEST(Baumgarte, BoundsTheDriftWhateverTheDuration) {
  const Scheme scheme{"baumgarte", {{"alpha", 5}, {"beta", 5}}, "rk4"};
  const double brief = test::run_pendulum(scheme, step, 10.0).constraints[0].max_residual;
  const double lengthy = test::run_pendulum(scheme, step, 100.0).constraints[0].max_residual;
  EXPECT_LE(lengthy, 1e-6);
  EXPECT_LE(lengthy, 1.2 * brief);
}

TEST(Baumgarte, DivergesWhenItsRateIsAboveTheStabilityLimitAndSaysSo) {
  // RK4 is stable for αh below 2.79; αh = 3.
  const Solution s =
      test::run_pendulum({"baumgarte", {{"alpha", 300}, {"beta", 300}}, "rk4"}, step, 10.0);
  // The run ends as its drift grows, long before a number overflows.
  EXPECT_EQ(s.status, Status::bifurcation);
  EXPECT_THAT(s.message, HasSubstr("drifted off 'rod'"));
}

TEST(Baumgarte, ChoosesItsRateByTheMotionAndTheStep) {
  // At rest at (1, 0) with the acceleration 9.81: √9.81 = 3.13.
  const Solution s = test::run_pendulum({"baumgarte", {}, "rk4"}, 0.01, 10.0);
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_THAT(s.notices, testing::Contains(HasSubstr("alpha = beta = 3.13")));
  EXPECT_LE(test::position_error(s), 1e-5);
  EXPECT_LE(s.constraints[0].max_residual, 1e-6);
  // α h is a half at most.
  const Solution coarse = test::run_pendulum({"baumgarte", {}, "rk4"}, 0.25, 0.5);
  EXPECT_THAT(coarse.notices, testing::Contains(HasSubstr("alpha = beta = 2.")));
  // Nothing is chosen where something is given.
  const Solution given = test::run_pendulum({"baumgarte", {{"alpha", 5.0}}, "rk4"}, 0.01, 0.1);
  EXPECT_THAT(given.notices, testing::Not(testing::Contains(HasSubstr("alpha = beta"))));
}

TEST(Projection, LosesNoEnergyOnlyWhenItIsSymmetric) {
  const auto slope = [](const Scheme& scheme) {
    return std::abs(test::energy_slope(test::run_pendulum(scheme, step, 100.0), 4));
  };
  EXPECT_LE(slope({"symmetric-projection", {}, "gauss", {{"stages", 1}}}), 1e-6);
  EXPECT_GE(slope({"orthogonal-projection", {}, "gauss", {{"stages", 1}}}), 1e-5);
  EXPECT_LE(slope({"symmetric-projection", {}, "gauss", {{"stages", 2}}}), 1e-10);
}

TEST(SymmetricProjectionMethod, RefusesSchemesThatAreNotSymmetricByName) {
  for (const char* integrator : {"rk4", "radau", "bdf", "dop853"}) {
    try {
      (void)solve(test::half_square_pendulum(), {0.0, 1.0},
                  {.method = "symmetric-projection", .integrator = integrator});
      ADD_FAILURE() << integrator;
    } catch (const OptionError& error) {
      EXPECT_EQ(error.code(), ErrorCode::illegal_combination);
      EXPECT_THAT(error.what(), HasSubstr(integrator));
      EXPECT_THAT(error.what(), HasSubstr("gauss"));
    }
  }
}

TEST(LocalCoordinates, ReselectTwiceASwing) {
  // 10 s hold 4.2 swings; |x| and |y| change places four times in each.
  const Solution s = test::run_pendulum({"coordinate-partitioning", {}, "rk4"}, step, 10.0);
  EXPECT_GE(s.statistics.reselections, 15);
  EXPECT_LE(s.statistics.reselections, 19);
}

TEST(LocalCoordinates, StopAtTheSingularEndOfAFixedChart) {
  // The dependent coordinate is x; its pivot vanishes at the bottom, a quarter swing on.
  const Solution s =
      test::run_pendulum({"coordinate-partitioning", {{"fixed", 1}}, "rk4"}, step, 10.0);
  EXPECT_EQ(s.status, Status::singular_iteration_matrix);
  EXPECT_THAT(s.message, HasSubstr("'x'"));
  EXPECT_NEAR(s.times.back(), test::pendulum_period() / 4.0, 2.0 * step);
}

TEST(LocalCoordinates, LoseAccuracyWhenTheyAreReselectedLate) {
  const auto error = [](double ratio) {
    return test::position_error(test::run_pendulum(
        {"coordinate-partitioning", {{"switch_ratio", ratio}}, "rk4"}, step, 10.0));
  };
  EXPECT_GT(error(0.1), 1e3 * error(1.0));
}

}  // namespace
}  // namespace daedal
