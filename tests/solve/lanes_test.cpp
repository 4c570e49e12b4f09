// SPDX-License-Identifier: BSD-3-Clause
/// Members of ensembles in lanes: the bits of the runs by themselves, whoever is in the other
/// lanes, and the same words where something happens on the way.

#include <daedal/ensemble.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>

namespace daedal {
namespace {

Ensemble ensemble_of(const char* text, double stop, const std::vector<RandomAxis>& axes,
                     std::size_t n, const SolveOptions& options = {}) {
  return {prepare(parse_model(text), options), {0.0, stop}, random_members(axes, n, 3)};
}

constexpr const char* pendulum = R"(model Pendulum
  parameter Real g = 9.81;
  parameter Real m = 1;
  Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), lambda;
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = 1;
end Pendulum;
)";

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::size_t n_in_lanes(const EnsembleResult& result) {
  return static_cast<std::size_t>(
      std::ranges::count_if(result.results, [](const auto& one) { return one.in_lanes; }));
}

void expect_same(const EnsembleResult& actual, const EnsembleResult& expected) {
  ASSERT_EQ(actual.results.size(), expected.results.size());
  for (std::size_t i = 0; i < actual.results.size(); ++i) {
    const MemberResult& a = actual.results[i];
    const MemberResult& b = expected.results[i];
    EXPECT_EQ(a.member, b.member);
    EXPECT_EQ(a.is_success, b.is_success) << i << a.message << b.message;
    EXPECT_EQ(a.reason, b.reason) << i;
    EXPECT_EQ(a.message, b.message) << i;
    EXPECT_TRUE(same_bits(a.values, b.values)) << i;
  }
}

/// Both engines, and how many members were in lanes.
std::size_t compare_engines(const Ensemble& ensemble, EnsembleOptions options = {}) {
  options.workers = 1;
  options.engine = EnsembleEngine::threads;
  const EnsembleResult expected = ensemble.solve(options);
  EXPECT_EQ(n_in_lanes(expected), 0U);
  options.engine = EnsembleEngine::lanes;
  const EnsembleResult actual = ensemble.solve(options);
  expect_same(actual, expected);
  return n_in_lanes(actual);
}

const std::vector<RandomAxis> gravity{{.name = "g", .distribution = "uniform(1, 20)"}};

TEST(EnsembleLanes, HaveTheExactSolution) {
  const Ensemble ensemble = ensemble_of(
      "model D\n parameter Real k = 1;\n Real x(start = 1, fixed = true);\nequation\n"
      " der(x) = -k*x;\nend D;\n",
      2.0, {{.name = "k", .distribution = "uniform(0.1, 3)"}}, 37, {.rtol = 1e-9});
  const EnsembleResult result = ensemble.solve({.engine = EnsembleEngine::lanes});
  EXPECT_EQ(n_in_lanes(result), 37U);
  for (std::size_t i = 0; i < 37; ++i) {
    EXPECT_NEAR(result.value(i, 0, 0), std::exp(-2.0 * result.members.row(i)[0]), 1e-8);
  }
}

TEST(EnsembleLanes, HaveTheBitsOfRunsByThemselves) {
  EXPECT_EQ(compare_engines(ensemble_of(pendulum, 3.0, gravity, 21)), 21U);
  // A mass is in the matrix that is factored; steps are rejected, and the times are inside steps.
  EXPECT_EQ(compare_engines(ensemble_of(pendulum, 3.0,
                                        {{.name = "m", .distribution = "uniform(0.1, 9)"},
                                         {.name = "g", .distribution = "uniform(1, 20)"}},
                                        19),
                            {.run = {.rtol = 1e-7}, .times = {0.3, 1.0, 2.9, 3.0}}),
            19U);
}

TEST(EnsembleLanes, HaveTheBitsOfElementaryFunctions) {
  const Ensemble ensemble = ensemble_of(
      "model A\n parameter Real a = 1;\n Real x(start = 0.5, fixed = true), v(start = 0, fixed = "
      "true), w, u;\nequation\n der(x) = v;\n der(v) = -a*sin(x) + 0.1*cos(time)*exp(-v*v) + "
      "0.01*tanh(w);\n w = log(2 + x*x) + atan(v);\n u = sqrt(1 + x^2)^a;\nend A;\n",
      4.0, {{.name = "a", .distribution = "uniform(0.5, 2)"}}, 24);
  EXPECT_EQ(compare_engines(ensemble), 24U);
}

TEST(EnsembleLanes, TakeStartValuesThatAreSearchedFor) {
  // x is fixed and varied, y follows from the constraint.
  const Ensemble ensemble =
      ensemble_of(pendulum, 1.0,
                  {{.name = "x", .distribution = "uniform(0.2, 0.9)", .is_start_value = true},
                   {.name = "g", .distribution = "uniform(1, 20)"}},
                  18);
  EXPECT_EQ(compare_engines(ensemble), 18U);
}

TEST(EnsembleLanes, GoBackwardInTime) {
  const Ensemble ensemble(prepare(parse_model(pendulum)), {1.0, -1.0},
                          random_members(gravity, 9, 5));
  EXPECT_EQ(compare_engines(ensemble, {.times = {0.5, -0.5}}), 9U);
}

TEST(EnsembleLanes, SharpenTheTolerancesOfLongRuns) {
  // Some 1500 steps: after a few hundred of them the run begins again.
  const Ensemble ensemble = ensemble_of(
      "model W\n parameter Real w = 1;\n Real x(start = 1, fixed = true), v(start = 0, fixed = "
      "true);\nequation\n der(x) = v;\n der(v) = -w*x;\nend W;\n",
      2000.0, {{.name = "w", .distribution = "uniform(0.9, 1.1)"}}, 10);
  EXPECT_EQ(compare_engines(ensemble), 10U);
}

TEST(EnsembleLanes, DoNotDependOnTheOtherLanes) {
  const Ensemble ensemble = ensemble_of(pendulum, 2.0, gravity, 40);
  const EnsembleResult all = ensemble.solve({.workers = 1, .engine = EnsembleEngine::lanes});
  expect_same(ensemble.solve({.workers = 3, .engine = EnsembleEngine::lanes}), all);
  // Every third alone, so that others are their neighbours, and some lanes stay empty.
  std::size_t n_run = 0;
  ensemble.run({.workers = 1,
                .engine = EnsembleEngine::lanes,
                .is_done = [](std::size_t member) { return member % 3 != 1; }},
               [&](const MemberResult& one) {
                 ++n_run;
                 EXPECT_TRUE(one.in_lanes);
                 EXPECT_EQ(one.member % 3, 1U);
                 EXPECT_TRUE(same_bits(one.values, all.results[one.member].values)) << one.member;
               });
  EXPECT_EQ(n_run, 13U);
}

TEST(EnsembleLanes, LeaveMembersThatFailToThemselves) {
  // x = 1/(1 - a t) ends at t = 1/a.
  const Ensemble ensemble = ensemble_of(
      "model B\n parameter Real a = 1;\n Real x(start = 1, fixed = true);\nequation\n"
      " der(x) = a*x^2;\nend B;\n",
      1.0, {{.name = "a", .distribution = "uniform(0.2, 1.8)"}}, 30);
  std::size_t n_finite = 0;
  for (const double a : ensemble.members().values) n_finite += a < 0.99 ? 1 : 0;
  ASSERT_GT(n_finite, 5U);
  ASSERT_LT(n_finite, 25U);
  const std::size_t n = compare_engines(ensemble);
  EXPECT_GE(n, n_finite / 2);  // those that only just do not end may be looked at again
  EXPECT_LE(n, n_finite);
}

TEST(EnsembleLanes, LeaveModelsWithEventsToThemselves) {
  const Ensemble ensemble = ensemble_of(
      "model Ball\n parameter Real e = 0.7;\n Real h(start = 1, fixed = true), v(start = 0, fixed "
      "= true);\nequation\n der(h) = v;\n der(v) = -9.81;\n when h < 0 then\n  reinit(v, "
      "-e*pre(v));\n end when;\nend Ball;\n",
      1.0, {{.name = "e", .distribution = "uniform(0.5, 0.9)"}}, 17);
  EXPECT_EQ(compare_engines(ensemble), 0U);
}

TEST(EnsembleLanes, LeaveStiffMembersToThemselves) {
  const Ensemble ensemble = ensemble_of(
      "model S\n parameter Real k = 1;\n Real x(start = 0, fixed = true);\nequation\n"
      " der(x) = -k*(x - time);\nend S;\n",
      10.0, {{.name = "k", .distribution = "loguniform(1, 1e6)"}}, 24);
  const std::size_t n = compare_engines(ensemble);
  EXPECT_LT(n, 24U);
}

TEST(EnsembleLanes, LeaveMembersWithoutDigitsToThemselves) {
  // Errors grow like exp(0.9 t): at the end of 25 none of six digits is left.
  const Ensemble ensemble = ensemble_of(
      "model Lorenz\n parameter Real r = 28;\n Real x(start = 1, fixed = true), y(start = 1, fixed "
      "= true), z(start = 20, fixed = true);\nequation\n der(x) = 10*(y - x);\n der(y) = r*x - y - "
      "x*z;\n der(z) = x*y - 8/3*z;\nend Lorenz;\n",
      25.0, {{.name = "r", .distribution = "uniform(27, 29)"}}, 3);
  EXPECT_EQ(compare_engines(ensemble), 0U);
}

TEST(EnsembleLanes, LeaveSingularPositionsToThemselves) {
  // A parallelogram: at phi = 0 its bars lie on one line, and the constraints depend on each other.
  const Ensemble ensemble =
      ensemble_of(R"(model Parallelogram
  parameter Real w = 1;
  Real x(start = 0.6), y(start = 0.8, fixed = true), vx, vy(start = 0.6), u(start = 2.6), z(start = 0.8), vu, vz, l1, l2, l3;
equation
  der(x) = vx; der(y) = vy; der(u) = vu; der(z) = vz;
  der(vx) = -l1*x + l2*(u - x);
  der(vy) = -l1*y + l2*(z - y) - w;
  der(vu) = -l2*(u - x) - l3*(u - 2);
  der(vz) = -l2*(z - y) - l3*z - w;
  x^2 + y^2 = 1;
  (u - x)^2 + (z - y)^2 = 4;
  (u - 2)^2 + z^2 = 1;
end Parallelogram;
)",
                  6.0, {{.name = "w", .distribution = "uniform(0.9, 1.1)"}}, 5);
  (void)compare_engines(ensemble);
}

TEST(EnsembleLanes, LeaveOtherStructuresToThemselves) {
  // Without the mass m the equation is one of a constraint.
  const Model model = parse_model(
      "model M\n parameter Real m = 1;\n Real x(start = 1), v(start = 0);\nequation\n der(x) = v;\n"
      " m*der(v) = -x - v;\nend M;\n");
  const std::vector<MemberAxis> axes{{.name = "m", .values = {1.0, 2.0, 0.0, 3.0, 0.5, 0.0, 1.5}}};
  const Ensemble ensemble(prepare(model), {0.0, 2.0}, grid(axes));
  EXPECT_LE(compare_engines(ensemble), 5U);
}

TEST(EnsembleLanes, AreChosenWhereTheyPay) {
  const EnsembleResult few = ensemble_of(pendulum, 1.0, gravity, 3).solve({});
  EXPECT_EQ(n_in_lanes(few), 0U);
  const EnsembleResult many = ensemble_of(pendulum, 1.0, gravity, 40).solve({.workers = 1});
  EXPECT_EQ(n_in_lanes(many), 40U);
  // Fixed steps, and integrators without lanes.
  const Ensemble implicit = ensemble_of(pendulum, 1.0, gravity, 20, {.integrator = "radau"});
  EXPECT_EQ(n_in_lanes(implicit.solve({.engine = EnsembleEngine::lanes})), 0U);
}

TEST(EnsembleLanes, EndWhenTheyAreCancelled) {
  const Ensemble ensemble = ensemble_of(pendulum, 2.0, gravity, 60);
  std::atomic<bool> cancel{false};
  std::size_t n_solved = 0;
  ensemble.run({.workers = 1, .engine = EnsembleEngine::lanes, .cancel = &cancel},
               [&](const MemberResult& one) {
                 EXPECT_THAT(one.reason, testing::AnyOf("success", "cancelled"));
                 if (one.is_success) ++n_solved;
                 cancel = true;
               });
  EXPECT_EQ(n_solved, 1U);
}

/// "auto" takes Taylor series for a pendulum at this tolerance, which have no lanes.
TEST(EnsembleLanes, MakeAutoTakeAMethodThatHasThem) {
  const Ensemble ensemble = ensemble_of(pendulum, 1.0, gravity, 16, {.rtol = 1e-8});
  EnsembleOptions options{.run = {.rtol = 1e-8}, .workers = 1};
  const EnsembleResult usual = ensemble.solve(options);
  EXPECT_EQ(n_in_lanes(usual), 0U);
  options.engine = EnsembleEngine::lanes;
  const LaneReport report = ensemble.lane_report(options);
  EXPECT_TRUE(report.has_lanes);
  EXPECT_TRUE(report.leaves_out_series);
  EXPECT_THAT(report.message, testing::HasSubstr("Taylor series"));
  const EnsembleResult result = ensemble.solve(options);
  EXPECT_EQ(n_in_lanes(result), 16U);
  for (std::size_t i = 0; i < 16; ++i) {
    // Two hundred tolerances, of two methods; by itself a member has the bits that it has in lanes.
    EXPECT_NEAR(result.value(i, 0, 0), usual.value(i, 0, 0), 2e-6) << i;
    EXPECT_TRUE(same_bits(ensemble.solve_member(i, options).values, result.results[i].values)) << i;
  }
  // At the usual tolerance nothing is changed, and nothing said.
  const Ensemble coarse = ensemble_of(pendulum, 1.0, gravity, 16);
  EXPECT_EQ(coarse.lane_report().message, "");
  EXPECT_TRUE(coarse.lane_report().has_lanes);
}

TEST(EnsembleLanes, SayThatAModelHasNone) {
  const Ensemble ensemble = ensemble_of(
      "model Ball\n parameter Real e = 0.7;\n Real h(start = 1, fixed = true), v(start = 0, fixed "
      "= true);\nequation\n der(h) = v;\n der(v) = -9.81;\n when h < 0 then\n  reinit(v, "
      "-e*pre(v));\n end when;\nend Ball;\n",
      1.0, {{.name = "e", .distribution = "uniform(0.5, 0.9)"}}, 4);
  const LaneReport report = ensemble.lane_report();
  EXPECT_FALSE(report.has_lanes);
  EXPECT_THAT(report.message, testing::HasSubstr("without events"));
}

TEST(EnsembleLanes, HaveNames) {
  EXPECT_EQ(ensemble_engine("auto"), EnsembleEngine::automatic);
  EXPECT_EQ(ensemble_engine("threads"), EnsembleEngine::threads);
  EXPECT_EQ(ensemble_engine("lanes"), EnsembleEngine::lanes);
  EXPECT_THROW((void)ensemble_engine("lane"), OptionError);
}

}  // namespace
}  // namespace daedal
