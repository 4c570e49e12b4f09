// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <daedal/bvp.hpp>
#include <daedal/compare.hpp>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>

// Every status, provoked by a model for which theory leaves no other outcome.

namespace daedal {
namespace {

Model read(const std::string& body) {
  return parse_model("model M\n" + body + "end M;\n");
}

Status run(const std::string& body, const TimeSpan& span, const SolveOptions& options = {}) {
  return solve(read(body), span, options).status;
}

Status run_bvp(const std::string& body, const TimeSpan& span, const BvpOptions& options = {}) {
  return solve_bvp(read(body), span, options).status;
}

constexpr const char* decay = R"(
    Real x(start = 1, fixed = true);
  equation
    der(x) = -x;
)";

constexpr const char* pendulum = R"(
    Real x(start = 1), y(start = 0, fixed = true), u, v(start = 0, fixed = true), lambda;
  equation
    der(x) = u;
    der(y) = v;
    der(u) = -lambda*x;
    der(v) = -lambda*y - 9.81;
    (x^2 + y^2 - 1)/2 = 0;
)";

/// Petzold, Ren, Maly (5.2), (5.3): both branches th2 = π ± th1 pass through (0, π).
constexpr const char* slider_crank = R"(
    Real th1(start = 0.7853981633974483, fixed = true), th2(start = 2.356194490192345);
    Real w1(start = 0, fixed = true), w2, lambda;
  equation
    der(th1) = w1;
    der(th2) = w2;
    2*der(w1) + cos(th2 - th1)*der(w2)
      = sin(th2 - th1)*w2^2 - 19.6*sin(th1) - sin(th1)*lambda;
    cos(th2 - th1)*der(w1) + der(w2)
      = -sin(th2 - th1)*w1^2 - 9.8*sin(th2) - sin(th2)*lambda;
    -cos(th1) - cos(th2) = 0;
)";

struct Situation {
  Status status;
  const char* why;  ///< no other outcome is right
  Status (*provoke)();
};

const Situation situations[] = {
    {Status::success, "x = e^-t exists for all t", [] { return run(decay, {0.0, 1.0}); }},
    {Status::event_stop, "the model terminates at t = ln 2",
     [] {
       return run(R"(
           Real x(start = 1, fixed = true);
         equation
           der(x) = -x;
           when x < 0.5 then
             terminate("half");
           end when;
       )",
                  {0.0, 1.0});
     }},
    {Status::step_size_underflow, "x = 1/(1 - t) has a pole at t = 1",
     [] {
       return run("Real x(start = 1, fixed = true); equation der(x) = x^2;", {0.0, 2.0},
                  {.method = "ode", .rtol = 1e-8});
     }},
    {Status::newton_failure, "no real u has u^2 = -1",
     [] {
       return run("Real x, u(start = 0.7); equation der(x) = u^2; x = -time;", {0.0, 1.0},
                  {.method = "index1"});
     }},
    {Status::singular_iteration_matrix, "x'_u = t (1 + 3u^2) vanishes at t = 0, where a step ends",
     [] {
       return run("Real x, u; equation der(x) = time*(u + u^3); x = 0;", {-1.0, 1.0},
                  {.method = "orthogonal-projection", .stop_times = {0.0}});
     }},
    {Status::inconsistent_start, "no real y has y^2 = -4",
     [] { return run("Real x, y; equation der(x) = -y; y^2 + 4 = 0;", {0.0, 1.0}); }},
    {Status::no_unique_solution, "y + z = -x is given twice, y - z by nothing",
     [] {
       return run(R"(
           Real x(start = 1, fixed = true), y, z;
         equation
           der(x) = y + z;
           y + z + x = 0;
           2*y + 2*z + 2*x = 0;
       )",
                  {0.0, 1.0});
     }},
    {Status::index_too_high, "the pendulum has index 3, direct takes 1",
     [] { return run(pendulum, {0.0, 1.0}, {.method = "direct"}); }},
    {Status::method_does_not_fit, "ggl stabilises constraints, and there are none",
     [] {
       CompareOptions options;
       options.methods = {"ggl"};
       return compare(read(decay), {0.0, 1.0}, options).rows.at(0).status;
     }},
    {Status::inconsistent_constraints, "rods of length 1 and 2 between the same two points",
     [] {
       return run(R"(
           Real x(start = 1), y(start = 0), u, v, l1, l2;
         equation
           der(x) = u;
           der(y) = v;
           der(u) = -x*l1 - x*l2;
           der(v) = -y*l1 - y*l2 - 9.81;
           (x^2 + y^2 - 1)/2 = 0;
           (x^2 + y^2 - 4)/2 = 0;
       )",
                  {0.0, 1.0});
     }},
    {Status::impasse_point, "y = sqrt(1 - t) ends at t = 1",
     [] {
       return run("Real x(start = 1, fixed = true), y(start = 1); equation der(x) = -1; x = y^2;",
                  {0.0, 2.0});
     }},
    {Status::lock_up, "a rocker of 1 and a coupler of 0.5 reach 1.5, the crank's tip goes to 3",
     [] {
       return run(R"(
           Real x(start = 1.1), y(start = 0.6), u, v, l, k;
         equation
           der(x) = u;
           der(y) = v;
           der(u) = -(x - cos(0.2 + time))*l - (x - 2)*k;
           der(v) = -(y - sin(0.2 + time))*l - y*k - 9.81;
           ((x - cos(0.2 + time))^2 + (y - sin(0.2 + time))^2 - 0.25)/2 = 0;
           ((x - 2)^2 + y^2 - 1)/2 = 0;
       )",
                  {0.0, 2.0});
     }},
    {Status::bifurcation, "the gain (CB)^-1 is infinite where the branches meet",
     [] {
       return run(slider_crank, {0.0, 2.0},
                  {.method = Method("srm", {{"E", 1.0}, {"epsilon", 1e-3}, {"iterations", 3.0}})});
     }},
    {Status::rank_change, "the factor of y' vanishes at t = 0 and around it does not",
     [] {
       return run("Real x, y; equation x*der(y) + y = 1; x = time;", {0.0, 1.0},
                  {.method = "derivative-array"});
     }},
    {Status::impulse, "two charges share a voltage from t = 1 on, and have two before",
     [] {
       return run(R"(
           Real u(start = 1, fixed = true), v(start = 0, fixed = true), i;
           Boolean closed;
         equation
           closed = time >= 1;
           der(u) = -i;
           der(v) = i;
           if closed then u = v; else i = 0; end if;
       )",
                  {0.0, 2.0});
     }},
    {Status::non_finite_value, "log(1 - t) has no value beyond t = 1",
     [] {
       return run("Real x(start = 1, fixed = true), y; equation der(x) = -1; y = log(x);",
                  {0.0, 2.0});
     }},
    {Status::chattering, "both sides of x = 0 drive into the other, and dop853 is to go on",
     [] {
       return run(R"(
           Real x(start = 1, fixed = true);
         equation
           der(x) = if x > 0 then -1 else 1;
       )",
                  {0.0, 2.0}, {.integrator = "dop853"});
     }},
    {Status::assertion_failed, "x = e^-t falls below 0.5 at t = ln 2",
     [] {
       return run(R"(
           Real x(start = 1, fixed = true);
         equation
           der(x) = -x;
           assert(x > 0.5, "x is too small");
       )",
                  {0.0, 1.0});
     }},
    {Status::max_steps_reached, "a hundred periods in three steps",
     [] {
       return run(R"(
           Real x(start = 1, fixed = true), v(start = 0, fixed = true);
         equation
           der(x) = v;
           der(v) = -x;
       )",
                  {0.0, 628.0}, {.max_steps = 3});
     }},
    {Status::boundary_conditions, "u(pi) = -u(0) whatever the solution, and 1 and 2 are asked for",
     [] {
       return run_bvp(R"(
           Real u, v;
         equation
           der(u) = v;
           der(v) = -u;
         constraint
           u(startTime) = 1;
           u(finalTime) = 2;
       )",
                      {0.0, std::numbers::pi});
     }},
    {Status::mesh_limit_reached, "ten digits of a layer of 1e-4 take more than 20 intervals",
     [] {
       BvpOptions options;
       options.rtol = 1e-10;
       options.atol = 1e-10;
       options.points = 2;
       options.max_intervals = 20;
       return run_bvp(R"(
           Real u, w;
         equation
           der(u) = w;
           1e-4*der(w) = -w;
         constraint
           u(startTime) = 0;
           u(finalTime) = 1;
       )",
                      {0.0, 1.0}, options);
     }},
    {Status::time_limit_reached, "no run ends in a nanosecond",
     [] { return run(decay, {0.0, 1e6}, {.max_step = 1.0, .time_limit = 1e-9}); }},
    {Status::cancelled, "it was cancelled before it began",
     [] {
       const std::atomic<bool> cancel = true;
       return run(decay, {0.0, 1.0}, {.cancel = &cancel});
     }},
    {Status::check_failed, "a spring of stiffness 1 in place of the rod is no rod",
     [] {
       return run(pendulum, {0.0, 1.0},
                  {.method = Method("srm", {{"epsilon", 1.0}, {"iterations", 1.0}}), .atol = 1e-8});
     }},
};

TEST(EveryStatus, EndsTheRunsThatTheoryDemands) {
  for (const Situation& situation : situations) {
    EXPECT_EQ(to_string(situation.provoke()), to_string(situation.status)) << situation.why;
  }
}

TEST(EveryStatus, IsProvoked) {
  for (const StatusInfo& entry : all_statuses()) {
    EXPECT_TRUE(std::ranges::any_of(situations, [&](const Situation& situation) {
      return situation.status == entry.status;
    })) << entry.name;
  }
}

TEST(EveryStatus, LeavesAStructurallySingularModelToAnError) {
  // x and y are given twice, z by nothing.
  try {
    (void)run(R"(
        Real x(start = 1, fixed = true), y, z;
      equation
        der(x) = -x;
        x + y = 1;
        x - y = 2;
    )",
              {0.0, 1.0});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.code(), ErrorCode::structurally_singular);
  }
}

}  // namespace
}  // namespace daedal
