// SPDX-License-Identifier: BSD-3-Clause
/// At an event the states keep their values, except those that reinit names, and relations hold
/// with the values of the instant (Modelica 3.6, 8.3.6 and Appendix B). Expected values are closed
/// forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>

namespace daedal {
namespace {

using testing::Contains;
using testing::HasSubstr;

Solution run(const char* text, double stop, const SolveOptions& options = {}) {
  return solve(parse_model(text), {0.0, stop}, options);
}

// At t = 0.5 the resistance jumps: the charge stays, the algebraic current follows. With
// q' = -q/r, q(1) = e^(-0.5) e^(-0.5/0.1).
TEST(Events, KeepTheStatesWhereEquationsChange) {
  for (const char* method : {"direct", "ode", "dummy-derivatives"}) {
    const Solution s = run(R"(
      model Discharge
        Real q(start = 1, fixed = true), i, r;
      equation
        der(q) = -i;
        r*i = q;
        r = if time > 0.5 then 0.1 else 1;
      end Discharge;)",
                           1.0, {.method = method, .rtol = 1e-8, .atol = 1e-12});
    ASSERT_TRUE(is_success(s.status)) << method << ": " << s.message;
    EXPECT_NEAR(s.final_value("q"), std::exp(-5.5), 1e-7) << method;
    ASSERT_EQ(s.events.size(), 1U) << method;
    const std::size_t q = s.column("q"), row = s.events[0].row;
    EXPECT_EQ(s.row(row - 1)[q], s.row(row)[q]) << method;
  }
}

// Two capacitors that are joined at t = 1 share their charge: their voltages are states before it
// and one state after. No values hold both.
TEST(Events, AreAnImpulseWhereStatesCannotBeHeld) {
  const Solution s = run(R"(
    model Join
      Real u1(start = 1, fixed = true), u2(start = 0, fixed = true), i;
      Boolean closed;
    equation
      closed = time >= 1;
      der(u1) = -i;
      der(u2) = i;
      if closed then u1 = u2; else i = 0; end if;
    end Join;)",
                         2.0, {.method = "direct"});
  EXPECT_EQ(s.status, Status::impulse);
  EXPECT_THAT(s.message, HasSubstr("jump from 1 to 0.5"));
  EXPECT_EQ(s.times.back(), 1.0);
}

// The explicit scheme is left at t = 5e-14 for an implicit one: it goes on from the states as they
// are. z = e^(-kt), and x follows z².
TEST(Handover, HoldsTheStates) {
  for (const double k : {2e10, 1.0, 3e-7}) {
    const Solution s = solve(parse_model(R"(
      model Relax
        parameter Real k;
        Real x(start = 1, fixed = true), z(start = 1, fixed = true), w;
      equation
        der(x) = -1e5*k*(x - w);
        der(z) = -k*z;
        w = z^2;
      end Relax;)"),
                             {0.0, 4.0 / k}, {.parameters = {{"k", k}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_EQ(s.method.used, "direct");
    EXPECT_NEAR(s.final_value("z"), std::exp(-4.0), 1e-5) << k;
    EXPECT_NEAR(s.final_value("w"), std::exp(-8.0), 1e-5) << k;
  }
}

// From t = 1 on a body of mass 2 in x and 1 in y has to follow the line y = x - 1, on which it is.
// Along it 2u + v is conserved, and u = v: u = 2/3.
TEST(Impacts, ConserveTheMomentumAlongTheConstraints) {
  const Solution s = run(R"(
    model Guide
      Real x(start = 0, fixed = true), y(start = 0);
      Real u(start = 1, fixed = true), v, f, slope;
    equation
      slope = if time < 1 then 0 else 1;
      der(x) = u;
      der(y) = v;
      2*der(u) = -slope*f;
      der(v) = f;
      y = slope*(x - 1);
    end Guide;)",
                         2.0, {.method = "orthogonal-projection"});
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_NEAR(s.final_value("u"), 2.0 / 3.0, 1e-6);
  EXPECT_NEAR(s.final_value("v"), 2.0 / 3.0, 1e-6);
  EXPECT_THAT(s.warnings, Contains(HasSubstr("'u' from 1 to 0.666667 at once")));
}

// The timer starts at t = 1 and rings two seconds later, at t = 3: in the event that starts it the
// relation with the old start must not be read.
TEST(Events, ReadRelationsWithTheDiscreteValuesOfTheInstant) {
  const Solution s = run(R"(
    model Timer
      discrete Real begun(start = -10, fixed = true);
      discrete Real rang(start = 0, fixed = true);
      Boolean running, ring, rung(start = false, fixed = true);
    equation
      running = time >= 1;
      when running then
        begun = time;
      end when;
      ring = running and time >= begun + 2;
      rung = pre(rung) or ring;
      when rung then
        rang = time;
      end when;
    end Timer;)",
                         5.0);
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_NEAR(s.final_value("rang"), 3.0, 1e-9);
}

// A sampler whose interval is far longer than the run is due once, at its start.
TEST(Samplers, AreNotEarlyWhereTheirIntervalIsLong) {
  for (const char* interval : {"1e3", "1e13", "1e60"}) {
    const std::string text = std::string(R"(
      model Once
        Integer n(start = 0, fixed = true);
        discrete Real at(start = -1, fixed = true);
      equation
        when sample(3, )") + interval +
                             R"() then
          n = pre(n) + 1;
          at = time;
        end when;
      end Once;)";
    const Solution s = run(text.c_str(), 5.0);
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_EQ(s.final_value("n"), 1.0) << interval;
    EXPECT_NEAR(s.final_value("at"), 3.0, 1e-12) << interval;
  }
}

}  // namespace
}  // namespace daedal
