// SPDX-License-Identifier: BSD-3-Clause
/// At an event the states keep their values, except those that reinit names, and relations hold
/// with the values of the instant (Modelica 3.6, 8.3.6 and Appendix B). Expected values are closed
/// forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>
#include <string>

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
    EXPECT_EQ(s.integrator.used, "radau");
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

/// A mass on a rope whose length grows by 0.1 a second from t = 1 on: the rope pulls it along at
/// once, and its velocity across the rope stays.
void expect_pulled(const Solution& s, const std::string& what) {
  ASSERT_TRUE(is_success(s.status)) << what << ": " << s.message;
  ASSERT_EQ(s.events.size(), 1U) << what;
  const double t = s.events[0].time;
  EXPECT_NEAR(t, 1.0, 1e-9) << what;
  const double x = s.at(t, "x"), y = s.at(t, "y");
  const double across = s.at(t, "vx") * y - s.at(t, "vy") * x;
  EXPECT_NEAR(s.after(t, "x"), x, 1e-6) << what;
  EXPECT_NEAR(s.after(t, "vx"), across * y + 0.1 * x, 1e-6) << what;
  EXPECT_NEAR(s.after(t, "vy"), -across * x + 0.1 * y, 1e-6) << what;
  EXPECT_THAT(s.warnings, Contains(HasSubstr("all other momentum is conserved"))) << what;
}

TEST(Impacts, OfKinksInConstraintsConserveTheMomentumAcrossThem) {
  const std::string rope = "x^2 + y^2 = L^2;\n";
  for (const std::string growth :
       {"max(0, time - 1)", "-min(0, 1 - time)", "(abs(time - 1) + time - 1)/2"}) {
    const std::string length = "L = 1 + 0.1*" + growth + ";\n";
    // The same whichever of the two equations comes first.
    for (const std::string& both : {rope + length, length + rope}) {
      const std::string text = R"(
        model Rope
          Real x(start = 0.6, fixed = true), y(start = -0.8), L;
          Real vx(start = 0, fixed = true), vy, f;
        equation
          der(x) = vx;
          der(y) = vy;
          der(vx) = -f*x;
          der(vy) = -f*y - 9.81;
        )" + both + "end Rope;";
      for (const char* method : {"auto", "ggl", "index1", "tangent-space"}) {
        expect_pulled(run(text.c_str(), 1.5, {.method = method}), method + (" " + both));
      }
    }
  }
}

// A pendulum of angle θ hits a stop at θ = -0.2 and returns with 0.7 of its speed, which reinit
// says of vx alone. Energy: w² = 2 g (cos 0.2 - cos 1) before, and the velocity after is (w cos θ,
// w sin θ), whatever the method holds.
TEST(Events, MoveNoPositionsWhereReinitGivesAVelocity) {
  const double w = 0.7 * std::sqrt(2.0 * 9.81 * (std::cos(0.2) - std::cos(1.0)));
  const char* const text = R"(
    model Stop
      Real x(start = sin(1.0), fixed = true), y(start = -cos(1.0));
      Real vx(start = 0, fixed = true), vy, f;
    equation
      der(x) = vx;
      der(y) = vy;
      der(vx) = -f*x;
      der(vy) = -f*y - 9.81;
      x^2 + y^2 = 1;
      when x < -sin(0.2) then
        reinit(vx, -0.7*pre(vx));
      end when;
    end Stop;)";
  for (const char* method :
       {"auto", "taylor", "dummy-derivatives", "states-only", "ggl", "derivative-array"}) {
    for (const double rtol : {1e-6, 1e-9}) {
      const Solution s = run(text, 1.0, {.method = method, .rtol = rtol});
      ASSERT_TRUE(is_success(s.status)) << method << ": " << s.message;
      ASSERT_FALSE(s.events.empty()) << method;
      const double t = s.events[0].time;
      EXPECT_NEAR(s.after(t, "x"), -std::sin(0.2), 1e-5) << method << " " << rtol;
      EXPECT_NEAR(s.after(t, "y"), -std::cos(0.2), 1e-5) << method << " " << rtol;
      EXPECT_NEAR(s.after(t, "vx"), w * std::cos(0.2), 1e-4) << method << " " << rtol;
      EXPECT_NEAR(s.after(t, "vy"), -w * std::sin(0.2), 1e-4) << method << " " << rtol;
    }
  }
}

TEST(Events, EndTheRunWhereReinitContradictsAConstraint) {
  for (const char* method : {"auto", "taylor", "dummy-derivatives", "ggl"}) {
    const Solution s = run(R"(
      model Both
        Real x(start = 2, fixed = true), y, z;
      equation
        der(x) = -x + z;
        der(y) = -y + 2*z;
        x + 2*y = 3;
        when time >= 1 then
          reinit(y, 0.5);
          reinit(x, 7);
        end when;
      end Both;)",
                           2.0, {.method = method});
    EXPECT_EQ(s.status, Status::inconsistent_start) << method << ": " << s.message;
  }
}

// A charge that jumps is an impulse of its current, however small its unit is.
TEST(Events, AreToldWhereADifferentiatedVariableJumps) {
  for (const char* unit : {"1", "1e-6", "1e-15"}) {
    const std::string text =
        std::string("model M Real q, i, w(start = 0, fixed = true); equation q = ") + unit +
        "*(if time < 1 then 0 else 1); der(q) = i; der(w) = i; end M;";
    const Solution s = run(text.c_str(), 2.0);
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_THAT(s.warnings, Contains(HasSubstr("its derivative is an impulse there"))) << unit;
  }
}

// f' = -k (f - x), x = e^(-t): after the jump f = (1 + 1/(k - 1)) x + c e^(-k (t - 1)). However
// long the steps were before, none is as long as to leave the way back to the slow motion to a
// polynomial.
TEST(Events, OfStiffStatesAreFollowedBackToTheSlowMotion) {
  for (const double rate : {1e3, 1e6, 1e8, 1e12}) {
    for (const double rtol : {1e-3, 1e-4, 1e-6}) {
      const std::string text =
          "model M Real x(start = 1, fixed = true), f(start = 1, fixed = true); "
          "equation der(x) = -x; der(f) = -" +
          std::to_string(rate) + "*(f - x); when time >= 1 then reinit(f, 100); end when; end M;";
      const Solution s = run(text.c_str(), 2.0, {.rtol = rtol, .interval = 0.05});
      ASSERT_TRUE(is_success(s.status)) << s.message;
      for (const double t : {1.05, 1.1, 1.5, 2.0}) {
        EXPECT_NEAR(s.at(t, "f"), rate / (rate - 1.0) * std::exp(-t), 100.0 * 100.0 * rtol)
            << rate << " " << rtol << " at " << t;
        EXPECT_NEAR(s.at(t, "x"), std::exp(-t), 10.0 * rtol) << rate << " " << rtol;
      }
    }
  }
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

// The same timer with a counter: the clause that counts sees the timer ring at the old time while
// the event is solved, and must forget it. It rings at t = 3 alone.
TEST(Events, ForgetWhatClausesAssignedWhileTheyWereSolved) {
  const Solution s = run(R"(
    model Timer
      discrete Real begun(start = -10, fixed = true);
      Integer n(start = 0, fixed = true);
      Boolean running, ring;
    equation
      running = time >= 1;
      when running then
        begun = time;
      end when;
      ring = running and time >= begun + 2;
      when ring then
        n = pre(n) + 1;
      end when;
    end Timer;)",
                         5.0);
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_EQ(s.at(2.0, "n"), 0.0);
  EXPECT_EQ(s.final_value("n"), 1.0);
}

// A gear with an efficiency of 1/2 and a bearing with friction turn backward from rest, and at
// once. Backward w' = (10 sin(2 pi t) - 2 + t*5/8 - w/2)/(1 + 3/16): the gear passes twice what it
// takes.
TEST(Events, CrossThresholdsThatAreTheStartButForRounding) {
  const char* text = R"(
model LossyGear
  parameter Real eta = 0.5;
  Real phi1, w1, a1, tau1, phi2(start = 0, fixed = true, nominal = 1e-4), w2(start = 0, fixed = true, nominal = 1e-3), a2, tau2;
  Real sg, loss, ahead, back, t1, t2, sb, friction;
  Boolean gForward(start = false), gBackward(start = false), gStuck(start = false), gPositive(start = true);
  Integer gMode(start = 2, fixed = true);
  Boolean bForward(start = false, fixed = true), bBackward(start = false, fixed = true), bStuck(start = false);
  Integer bMode(start = 3, fixed = true);
equation
  phi1 = 2 * phi2;
  w1 = der(phi1); a1 = der(w1); w2 = der(phi2); a2 = der(w2);
  a1 = 10 * sin(6.283185307179586 * time) - friction - tau1;
  1.5 * a2 = -tau2 - 10 + 2.5 * time;
  0 = tau2 + 2 * (tau1 - loss);
  gPositive = tau1 >= 0;
  ahead = if gPositive then (1 - eta) * tau1 else (1 - 1 / eta) * tau1;
  back = if gPositive then (1 - 1 / eta) * tau1 else (1 - eta) * tau1;
  t1 = if noEvent(tau1 > 0) then (1 - eta) * tau1 else (1 - 1 / eta) * tau1;
  t2 = if noEvent(tau1 > 0) then (1 - 1 / eta) * tau1 else (1 - eta) * tau1;
  gForward = pre(gMode) == 0 and sg > t1 or initial() and w1 > 0;
  gBackward = pre(gMode) == 0 and sg < t2 or initial() and w1 < 0;
  gStuck = not (pre(gMode) == 1 or gForward or pre(gMode) == -1 or gBackward);
  loss = if gStuck then sg else if gForward or pre(gMode) == 1 then ahead else back;
  a1 = if gStuck then 0 else sg - loss;
  gMode = if (pre(gMode) == 1 or gForward) and w1 > 0 then 1 else if (pre(gMode) == -1 or gBackward) and w1 < 0 then -1 else 0;
  bForward = pre(bMode) == 0 and sb > 0.5 or initial() and w1 > 0;
  bBackward = pre(bMode) == 0 and sb < -0.5 or initial() and w1 < 0;
  bStuck = not (pre(bMode) == 1 or bForward or pre(bMode) == -1 or bBackward);
  friction = if bStuck then sb else if bForward or pre(bMode) == 1 then 0.5 + 0.5 * w1 else -0.5 + 0.5 * w1;
  a1 = if bStuck then 0 else if bForward or pre(bMode) == 1 then sb - 0.5 else sb + 0.5;
  bMode = if (pre(bMode) == 1 or bForward) and w1 > 0 then 1 else if (pre(bMode) == -1 or bBackward) and w1 < 0 then -1 else 0;
end LossyGear;
)";
  double w = 0.0;
  constexpr int n = 3000;
  constexpr double h = 0.03 / n;
  for (int k = 0; k < n; ++k) {  // Heun's method: its error is far below that of the runs
    const auto rate = [](double t, double at) {
      return (10.0 * std::sin(2.0 * std::numbers::pi * t) - 2.0 + 0.625 * t - 0.5 * at) / 1.1875;
    };
    const double first = rate(k * h, w);
    w += 0.5 * h * (first + rate((k + 1) * h, w + h * first));
  }
  for (const char* method : {"auto", "states-only", "dummy-derivatives"}) {
    SolveOptions options;
    options.method = method;
    const Solution s = solve(parse_model(text), {0.0, 0.03}, options);
    ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
    EXPECT_EQ(s.at(0.01, "gMode"), -1.0) << method;
    EXPECT_EQ(s.at(0.01, "bMode"), -1.0) << method;
    EXPECT_NEAR(s.final_value("w1"), w, 1e-6) << method;
  }
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

// sin(wt) is above 1 - 5.4e-6 for a moment in each of five turns. Rounding errors of a, of which
// the level is a multiple, take it back below the level at the event itself.
TEST(Thresholds, AreCrossedOnceWhereRoundingErrorsGoBack) {
  const Solution s = run(R"(
      model Peaks
        Real a(start = 0, fixed = true, nominal = 279.13910091391415);
        Real b(start = 1.2558178368946883e-4, fixed = true, nominal = 1.2558178368946883e-4);
        Integer n(start = 0, fixed = true);
      equation
        7962.938338833764*der(b) = -2.962795460529013*(a/279.13910091391415);
        0.003582443293418781*der(a) = 2.962795460529013*(b/1.2558178368946883e-4);
        when a/279.13910091391415 > 0.9999946110501091 then
          n = pre(n) + 1;
        end when;
      end Peaks;)",
                         10.0, {.rtol = 1e-9});
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_EQ(s.final_value("n"), 5.0);
}

// max(0, t - 1.3) is some rounding errors large after the event, and no more than that.
TEST(Jumps, AreNoneWhereAVariableLeavesZero) {
  for (const double start : {1.0, 1.29733038, 1.16147576}) {
    const Solution s = solve(parse_model(R"(
      model Ramp
        parameter Real a = 1;
        Real x, v, q(start = 0, fixed = true);
      equation
        x = 1e-5*max(0, time - a);
        der(x) = v;
        der(q) = v;
      end Ramp;)"),
                             {0.0, 3.0}, {.rtol = 1e-9, .parameters = {{"a", start}}});
    ASSERT_TRUE(is_success(s.status)) << s.message;
    EXPECT_TRUE(s.warnings.empty()) << s.warnings.front();
    EXPECT_NEAR(s.final_value("q"), 1e-5 * (3.0 - start), 1e-12);
  }
}

}  // namespace
}  // namespace daedal
