// SPDX-License-Identifier: BSD-3-Clause
/// Memory that runs out at a random call: the library throws, or gives the result that it gives
/// otherwise; it neither aborts nor takes the want of memory for a property of the model.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/analyze.hpp>
#include <daedal/bvp.hpp>
#include <daedal/ensemble.hpp>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/problem.hpp>
#include <daedal/solve.hpp>
#include <functional>
#include <optional>
#include <random>

#include "faults/failing_malloc.hpp"
#include "faults/faults.hpp"

namespace daedal::test {
namespace {

using Values = std::vector<double>;

struct Case {
  const char* name;
  std::function<Values()> compute;
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
};

const char* const pendulum = R"(
  model Pendulum
    Real x(start = 1, fixed = true), y, u, v(start = 0, fixed = true), lambda;
  equation
    der(x) = u;
    der(y) = v;
    der(u) = -lambda*x;
    der(v) = -lambda*y - 9.81;
    x^2 + y^2 = 1;
  end Pendulum;)";

const char* const robertson = R"(
  model Robertson
    Real a(start = 1, fixed = true), b(start = 0, fixed = true), c;
  equation
    der(a) = -0.04*a + 1e4*b*c;
    der(b) = 0.04*a - 1e4*b*c - 3e7*b^2;
    a + b + c = 1;
  end Robertson;)";

const char* const ball = R"(
  model Ball
    parameter Real e = 0.8;
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
    discrete Integer n(start = 0, fixed = true);
  equation
    der(h) = v;
    der(v) = -9.81;
    when h < 0 then
      reinit(v, -e*pre(v));
      n = pre(n) + 1;
    end when;
  end Ball;)";

const char* const heat = R"(
  model Heat
    parameter Integer n = 150;
    Real u[n](each start = 0, each fixed = true);
  equation
    der(u[1]) = n^2*(1 - 2*u[1] + u[2]);
    for i in 2:n - 1 loop
      der(u[i]) = n^2*(u[i - 1] - 2*u[i] + u[i + 1]);
    end for;
    der(u[n]) = n^2*(u[n - 1] - 2*u[n]);
  end Heat;)";

const char* const bratu = R"(
  model Bratu
    Real u, v;
  equation
    der(u) = v;
    der(v) = -exp(u);
  initial equation
    u(startTime) = 0;
    u(finalTime) = 0;
  end Bratu;)";

Values last_row(const Solution& s) {
  if (!is_success(s.status)) {
    ADD_FAILURE() << "a run that memory was short for ended as " << to_string(s.status) << ": "
                  << s.message;
    return {};
  }
  const auto row = s.row(s.n_rows() - 1);
  return {row.begin(), row.end()};
}

Case run(const char* name, const char* text, double stop, const char* method,
         const char* integrator) {
  return {
      name, [=] {
        return last_row(solve(parse_model(text), {0.0, stop},
                              {.method = Method(method), .integrator = Integrator(integrator)}));
      }};
}

Values solve_ensemble(EnsembleEngine engine) {
  const MemberAxis axis{.name = "e", .values = {0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85}};
  const Ensemble ensemble(prepare(parse_model(ball)), {0.0, 0.6}, grid({&axis, 1}));
  const EnsembleResult result = ensemble.solve({.workers = 2, .engine = engine});
  Values values;
  for (const MemberResult& one : result.results) {
    EXPECT_TRUE(one.is_success) << one.reason << ": " << one.message;
    values.insert(values.end(), one.values.begin(), one.values.end());
  }
  return values;
}

Values save_and_restore() {
  const Problem problem = prepare(parse_model(pendulum));
  Simulation run = problem.start({0.0, 1.0});
  (void)run.advance(0.5);
  Simulation restored = problem.restore(run.save());
  while (restored.step()) {
  }
  return last_row(restored.solution());
}

const Case cases[] = {
    run("PendulumByAuto", pendulum, 1.0, "auto", "auto"),
    run("PendulumByGgl", pendulum, 1.0, "ggl", "bdf"),
    run("PendulumByDummyDerivatives", pendulum, 1.0, "dummy-derivatives", "radau"),
    run("PendulumByDerivativeArray", pendulum, 1.0, "derivative-array", "auto"),
    run("PendulumByTrustRegion", pendulum, 1.0, "trust-region", "auto"),
    run("PendulumBySrm", pendulum, 1.0, "srm", "auto"),
    run("PendulumInTheTangentSpace", pendulum, 1.0, "tangent-space", "auto"),
    run("PendulumByTaylorSeries", pendulum, 1.0, "taylor", "taylor"),
    run("RobertsonByRadau", robertson, 100.0, "direct", "radau"),
    run("RobertsonByBdf", robertson, 100.0, "direct", "bdf"),
    run("BallByAuto", ball, 1.0, "auto", "auto"),
    run("BallByCvode", ball, 1.0, "ode", "adams"),
    run("HeatByBdf", heat, 0.1, "direct", "bdf:linear_solver=klu"),
    run("HeatByFronts", heat, 0.1, "direct", "bdf:linear_solver=fronts"),
    run("HeatByRadau", heat, 0.1, "direct", "radau"),
    {"BoundaryValues", [] { return last_row(solve_bvp(parse_model(bratu), {0.0, 1.0})); }},
    {"EnsembleInThreads", [] { return solve_ensemble(EnsembleEngine::threads); }},
    {"EnsembleInLanes", [] { return solve_ensemble(EnsembleEngine::lanes); }},
    {"Checkpoint", save_and_restore},
    {"Analysis",
     [] { return Values{static_cast<double>(analyze(parse_model(pendulum), 0.0).index.value())}; }},
};

class OutOfMemory : public testing::TestWithParam<Case> {};

TEST_P(OutOfMemory, IsAnErrorAndNothingElse) {
  const auto& compute = GetParam().compute;
  (void)restart_allocation_count();
  const Values expected = compute();
  (void)restart_allocation_count();
  EXPECT_EQ(compute(), expected);
  const long n = restart_allocation_count();

  std::mt19937_64 random(1);
  int n_errors = 0;
  const int n_trials = n_faults(20);
  for (int trial = 0; trial < n_trials && !HasFailure(); ++trial) {
    const long call = std::uniform_int_distribution(1L, n)(random);
    const Failing failing = trial % 2 == 0 ? Failing::once : Failing::from_then_on;
    SCOPED_TRACE(testing::Message() << "call " << call << " of " << n << ", "
                                    << (failing == Failing::once ? "once" : "from then on"));
    std::optional<Values> found;
    fail_allocation(call, failing);
    try {
      found = compute();
      heal_allocation();
    } catch (const std::bad_alloc&) {
      heal_allocation();
      ++n_errors;
    } catch (const std::exception& error) {
      heal_allocation();
      ADD_FAILURE() << error.what();
    }
    if (found) {
      EXPECT_EQ(*found, expected);
    }
  }
  EXPECT_GT(n_errors, n_trials / 2);
  // Nothing half-made is left for the next run.
  EXPECT_EQ(compute(), expected);
}

INSTANTIATE_TEST_SUITE_P(Runs, OutOfMemory, testing::ValuesIn(cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace daedal::test
