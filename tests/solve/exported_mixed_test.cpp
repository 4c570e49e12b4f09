// SPDX-License-Identifier: BSD-3-Clause
/// Models whose modes and continuous unknowns determine each other: friction that sticks, diodes
/// that block, switches, step sequences; against solutions by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;
using test::final_value;

constexpr double pi = std::numbers::pi;
// The run is tight (1e-9): what is left are its errors, a hundred times that at most.
constexpr double tolerance = 1e-7;

/// Coulomb friction of the Modelica Standard Library between v and 0, with the path parameter sa:
/// modes forward 1, stuck 0, backward −1, free 2, unknown 3.
std::string friction(const std::string& name, const std::string& sliding, const std::string& most) {
  std::string text = R"(
  'X.free' = )" + most +
                     R"( <= 0.0;
  'X.f' = if 'X.locked' then 'X.sa' else if 'X.free' then 0.0 else if 'X.startForward' then )" +
                     sliding + R"( else if 'X.startBackward' then -)" + sliding +
                     R"( else if pre('X.mode') == 1 then )" + sliding + R"( else -)" + sliding +
                     R"(;
  'X.startForward' = pre('X.mode') == 0 and ('X.sa' > )" +
                     most + R"( or pre('X.startForward') and 'X.sa' > )" + sliding +
                     R"() or initial() and 'X.v' > 0.0;
  'X.startBackward' = pre('X.mode') == 0 and ('X.sa' < (-)" +
                     most + R"() or pre('X.startBackward') and 'X.sa' < (-)" + sliding +
                     R"()) or initial() and 'X.v' < 0.0;
  'X.locked' = not 'X.free' and not (((pre('X.mode') == 1 or 'X.startForward') or pre('X.mode') == (-1)) or 'X.startBackward');
  'X.a' = if 'X.locked' then 0.0 else if 'X.free' then 'X.sa' else if 'X.startForward' then 'X.sa' - )" +
                     most + R"( else if 'X.startBackward' then 'X.sa' + )" + most +
                     R"( else if pre('X.mode') == 1 then 'X.sa' - )" + most + R"( else 'X.sa' + )" +
                     most + R"(;
  'X.mode' = if 'X.free' then 2 else if ((pre('X.mode') == 1 or pre('X.mode') == 2) or 'X.startForward') and 'X.v' > 0.0 then 1 else if ((pre('X.mode') == (-1) or pre('X.mode') == 2) or 'X.startBackward') and 'X.v' < 0.0 then -1 else 0;
)";
  for (std::size_t at = text.find("X."); at != std::string::npos; at = text.find("X.", at + 1))
    text.replace(at, 1, name);
  return text;
}

std::string friction_declarations(const std::string& name) {
  std::string text =
      "Real 'X.sa'; Real 'X.f'; Real 'X.a'; Boolean 'X.free'; Boolean 'X.locked'(start = false);\n"
      "Boolean 'X.startForward'(fixed = true, start = false);\n"
      "Boolean 'X.startBackward'(fixed = true, start = false);\n"
      "Integer 'X.mode'(fixed = true, start = 3, max = 3, min = -1);\n";
  for (std::size_t at = text.find("X."); at != std::string::npos; at = text.find("X.", at + 1))
    text.replace(at, 1, name);
  return text;
}

// Two wheels with the speeds 10 and 0 rub with the torque 5: after 1 s both have the speed 5, and
// stick from then on.
TEST(ExportedMixed, AClutchSynchronisesAndSticks) {
  const ExportedModel model{
      friction_declarations("c") +
      "Real 'p1'(start = 0.0, fixed = true); Real 'w1'(start = 10.0, fixed = true);\n"
      "Real 'p2'(start = 0.0, fixed = true); Real 'w2'(start = 0.0, fixed = true);\n"
      "Real 'c.v'; Real 'fn';\n"
      "equation\n 'fn' = if time < 0.0 then 0.0 else 5.0;\n"
      "der('p1') = 'w1'; der('p2') = 'w2'; der('w1') = 'c.f'; der('w2') = -'c.f';\n"
      "'c.v' = 'w2' - 'w1'; 'c.a' = der('w2') - der('w1');\n" +
      friction("c", "'fn'", "1.1 * 'fn'")};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("w1"), 5.0, tolerance);
  EXPECT_NEAR(solution.final_value("w2"), 5.0, tolerance);
  EXPECT_NEAR(solution.final_value("p1"), 7.5 + 5.0, tolerance);
  EXPECT_NEAR(solution.final_value("p2"), 2.5 + 5.0, tolerance);
  EXPECT_EQ(solution.final_value("c.mode"), 0.0);
  EXPECT_EQ(solution.final_value("c.locked"), 1.0);
}

// The same clutch, engaged at 0.5 s only: free until then, and stuck from 1.5 s on.
TEST(ExportedMixed, AClutchEngagesAtATimeEvent) {
  const ExportedModel model{
      friction_declarations("c") +
          "Real 'w1'(start = 10.0, fixed = true); Real 'w2'(start = 0.0, fixed = true);\n"
          "Real 'c.v'; Real 'fn'; Real 'step';\n"
          "equation\n 'step' = if time < 0.5 then 0.0 else 1.0; 'fn' = 5.0 * 'step';\n"
          "der('w1') = 'c.f' - 1.0; der('w2') = -'c.f' + 1.0;\n"
          "'c.v' = 'w2' - 'w1'; 'c.a' = der('w2') - der('w1');\n" +
          friction("c", "'fn'", "1.1 * 'fn'"),
      "", 3.0};
  // Free, the speeds come closer by 2 a second: 9.5 and 0.5. Then by 2·(5 + 1) = 12 a second.
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const Solution solution = model.solve({.integrator = integrator});
    ASSERT_EQ(solution.status, Status::success) << integrator << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("w1"), 5.0, tolerance) << integrator;
    EXPECT_EQ(solution.final_value("c.mode"), 0.0) << integrator;
  }
}

// A block under the force 2t with the friction 1 (at most 1 to start): it rests until t = 0.5, and
// then v = ∫(2t − 1) = t² − t + 1/4.
TEST(ExportedMixed, ABlockBreaksAway) {
  const ExportedModel model{friction_declarations("b") +
                                "Real 'b.v'(start = 0.0, fixed = true);\n"
                                "equation\n der('b.v') = 'b.a'; 'b.a' = 2.0 * time - 'b.f';\n" +
                                friction("b", "1.0", "1.0"),
                            "", 2.0};
  // The path parameter is an algebraic unknown: between steps it follows from the others.
  for (const char* integrator : {"bdf", "radau", "dop853"}) {
    const Solution solution = model.solve({.integrator = integrator});
    ASSERT_EQ(solution.status, Status::success) << integrator << ": " << solution.message;
    EXPECT_NEAR(solution.final_value("b.v"), 4.0 - 2.0 + 0.25, tolerance) << integrator;
    EXPECT_EQ(solution.final_value("b.mode"), 1.0) << integrator;
  }
}

std::string diode(const std::string& name) {
  std::string text =
      "'X.off' = 'X.s' < 0.0;\n"
      "'X.v' = 'X.s' * (if 'X.off' then 1.0 else 1e-5);\n"
      "'X.i' = 'X.s' * (if 'X.off' then 1e-5 else 1.0);\n";
  for (std::size_t at = text.find("X."); at != std::string::npos; at = text.find("X.", at + 1))
    text.replace(at, 1, name);
  return text;
}

std::string diode_declarations(const std::string& name) {
  return fmt::format("Boolean '{0}.off'(start = true); Real '{0}.s'; Real '{0}.v'; Real '{0}.i';\n",
                     name);
}

// A diode (1e-5 Ω, 1e-5 S) and 1 Ω at sin(2πt): i = v/(1 + 1e-5) forwards, 1e-5·v/(1 + 1e-5) back.
TEST(ExportedMixed, ADiodeRectifies) {
  const ExportedModel model{diode_declarations("d") +
                                "Real 'q'(start = 0.0, fixed = true); Real 'u';\n"
                                "equation\n 'u' = sin(6.283185307179586 * time);\n"
                                "'u' = 'd.v' + 'd.i'; der('q') = 'd.i';\n" +
                                diode("d"),
                            "", 1.0};
  EXPECT_NEAR(final_value(model, "q"), (1.0 - 1e-5) / (1.0 + 1e-5) / pi, tolerance);
}

// Four diodes: p is the terminal of the source, n the other (0 V); a and b those of the load.
TEST(ExportedMixed, ABridgeOfFourDiodesRectifies) {
  std::string declarations = "Real 'q'(start = 0.0, fixed = true); Real 'p'; Real 'a'; Real 'b';\n";
  std::string equations;
  for (const char* name : {"d1", "d2", "d3", "d4"}) {
    declarations += diode_declarations(name);
    equations += diode(name);
  }
  const ExportedModel model{declarations +
                                "equation\n 'p' = sin(6.283185307179586 * time);\n"
                                "'d1.v' = 'p' - 'a'; 'd2.v' = 0.0 - 'a'; 'd3.v' = 'b' - 'p';\n"
                                "'d4.v' = 'b' - 0.0; 'd1.i' + 'd2.i' = 'a' - 'b';\n"
                                "'d3.i' + 'd4.i' = 'a' - 'b'; der('q') = 'a' - 'b';\n" +
                                equations,
                            "", 1.0};
  // With ideal diodes ∫|sin 2πt| = 2/π; two of them in the way cost 2·1e-5 of it, and what leaks
  // through the others is of the same size.
  EXPECT_NEAR(final_value(model, "q"), 2.0 / pi, 5e-5);
}

// T rises by 1 − T/10 with the heater on, and is to stay within ±1 of a reference that is an
// algebraic variable: 5 until t = 2. At t* = −10 ln(1 − 6/10) it is 6 and the heater goes off.
TEST(ExportedMixed, AThermostatFollowsAnAlgebraicReference) {
  const ExportedModel model{
      "Real 'T'(start = 0.0, fixed = true); Real 'r'; Boolean 'on'; Boolean 'off';\n"
      "Real 'heat'; Real 'u';\n"
      "initial equation\n pre('on') = false;\n"
      "equation\n 'r' = 5.0 + (if time < 2.0 then 0.0 else 0.0 * time); 'u' = 'T';\n"
      "'on' = pre('on') and 'u' < 'r' + 1.0 or 'u' < 'r' - 1.0; 'off' = not 'on';\n"
      "'heat' = if 'off' then 0.0 else 1.0; der('T') = 'heat' - 'T' / 10.0;",
      "", 20.0};
  // Off it falls from 6 to 4 in 10 ln(6/4), on it rises from 4 to 6 in 10 ln(6/4) as well.
  const double first = -10.0 * std::log(0.4);
  const double half = 10.0 * std::log(1.5);
  const int n = static_cast<int>((20.0 - first) / half);
  const double rest = 20.0 - first - n * half;
  const double wanted =
      n % 2 == 0 ? 6.0 * std::exp(-rest / 10.0) : 10.0 - 6.0 * std::exp(-rest / 10.0);
  EXPECT_NEAR(final_value(model, "T"), wanted, 1e-6);
}

// Two steps that pass a token after 1 s each: what is active is known by its value before.
TEST(ExportedMixed, StepsOfASequenceStartByTheirInitialEquations) {
  const ExportedModel model{
      "Boolean 'a.active'; Boolean 'a.now'; Boolean 'a.next'; Boolean 'b.active'; Boolean "
      "'b.now';\n"
      "Boolean 'b.next'; Boolean 'go1'; Boolean 'go2'; discrete Real 't1'; discrete Real 't2';\n"
      "Real 'n';\n"
      "initial equation\n 'a.active' = true; pre('a.next') = pre('a.now'); 'b.active' = false;\n"
      "pre('b.next') = pre('b.now'); pre('t1') = time; pre('t2') = time;\n"
      "equation\n 'a.active' = 'a.now'; 'a.now' = pre('a.next'); 'b.active' = 'b.now';\n"
      "'b.now' = pre('b.next');\n"
      "'a.next' = 'Modelica.Math.BooleanVectors.anyTrue'({'go2'}) or 'a.now' and not 'go1';\n"
      "'b.next' = 'Modelica.Math.BooleanVectors.anyTrue'({'go1'}) or 'b.now' and not 'go2';\n"
      "when 'a.now' then 't1' = time; end when; when 'b.now' then 't2' = time; end when;\n"
      "'go1' = 'a.now' and time >= 't1' + 1.0; 'go2' = 'b.now' and time >= 't2' + 1.0;\n"
      "'n' = (if 'a.now' then 1.0 else 0.0) + (if 'b.now' then 10.0 else 0.0);",
      "", 3.5};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.at(0.5, "n"), 1.0);
  EXPECT_EQ(solution.at(1.5, "n"), 10.0);
  EXPECT_EQ(solution.at(2.5, "n"), 1.0);
  EXPECT_EQ(solution.final_value("n"), 10.0);
}

// Two volumes and the connectors between them: at m = 0 nothing determines what would flow there,
// and the specification's rewriting (3.7.4) does. With m = cos t the second volume takes
// h2 = 1 + 2 exp(-sin t) until m turns at π/2, and the first its share until 3π/2.
TEST(ExportedMixed, FlowsThatTurnRoundKnowWhatTheyCarry) {
  const ExportedModel model{
      "Real 'm'; Real 'h1'(start = 1.0, fixed = true); Real 'h2'(start = 3.0, fixed = true);\n"
      "Real 'a.H'; Real 'b.H'; Real 'c.H'; Real 'a.m'; Real 'b.m'; Real 'p'; Real 'q';\n"
      "equation\n 'm' = cos(time); 'a.m' = 'm'; 'a.m' + 'b.m' = 0.0;\n"
      "'a.H' + 'b.H' = 0.0; 'c.H' = 'a.H';\n"
      "'a.H' = semiLinear('a.m', 'h1', 'p'); 'b.H' = semiLinear('b.m', 'q', 'p');\n"
      "'c.H' = semiLinear('a.m', 'q', 'h2');\n"
      "der('h1') = 'm' * 'h1' - 'a.H'; der('h2') = 'a.H' - 'm' * 'h2';",
      "", 4.0};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const double h2 = 1.0 + 2.0 * std::exp(-1.0);
  EXPECT_NEAR(solution.at(1.0, "h2"), 1.0 + 2.0 * std::exp(-std::sin(1.0)), tolerance);
  EXPECT_NEAR(solution.final_value("h2"), h2, tolerance);
  const double carried = 1.0 - std::sin(4.0);  // the flow back, from π/2 to 4
  EXPECT_NEAR(solution.final_value("h1"), h2 - (h2 - 1.0) * std::exp(-carried), tolerance);
  for (const char* name : {"p", "q"}) {
    EXPECT_EQ(solution.at(1.0, name), 1.0) << name;
    EXPECT_NEAR(solution.final_value(name), h2, tolerance) << name;
  }
}

// u > 0 unless v <= 0 < u, and v > 0 exactly where u > 0: only u = v = 1 + t agrees with itself.
// Turned together the relations alternate between the other pairs, and one by one from one of them.
TEST(ExportedMixed, RelationsThatRunInCirclesAreFoundByTryingTheirCombinations) {
  const std::string rules =
      "'v' = if time < 1.0 then -1.0 - time else if 'u' > 0.0 then 1.0 + time else -1.0 - time;\n"
      "'u' = if time < 1.0 then SIGN * (1.0 + time) else if 'u' > 0.0 and not 'v' > 0.0 then -1.0 "
      "- "
      "time else 1.0 + time;\n";
  for (const std::string sign : {"-1.0", "1.0"}) {
    std::string equations = rules;
    equations.replace(equations.find("SIGN"), 4, sign);
    const ExportedModel model{
        "Real 'x'(start = 0.0, fixed = true); Real 'u'; Real 'v';\n"
        "equation\n der('x') = 'u' + 2.0 * 'v';\n" +
            equations,
        "", 2.0};
    // 1 + t from 0 to 1 is 3/2, and from 1 to 2 it is 5/2.
    EXPECT_NEAR(final_value(model, "x"), (std::stod(sign) - 2.0) * 1.5 + 3.0 * 2.5, tolerance)
        << sign;
  }
}

}  // namespace
}  // namespace daedal
