// SPDX-License-Identifier: BSD-3-Clause
/// Models whose index changes at an event: `auto` finds the method that takes both.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <numbers>

namespace daedal {
namespace {

constexpr double near = 1e-5;

Solution run(const std::string& body, const SolveOptions& options = {}) {
  return solve(parse_model("model M\n" + body + "end M;\n"), {0.0, 20.0}, options);
}

// Slipping, the discs brake each other until both turn at 2.5 at t = 15; then they are one, of
// inertia 5, and its torque of 10 (t - 18) - 0.5 needs 6 (t - 18) + 0.2 between them, until that is
// more than 3.
TEST(IndexAtEvents, RisesWhereAClutchLocksAndFallsWhereItOpens) {
  const Solution s = run(R"(
      Real w1(start = 10, fixed = true), w2(start = 0, fixed = true), tau;
      Boolean locked(start = false, fixed = true);
    equation
      2*der(w1) = (if time > 18 then 10*(time - 18) else 0) - tau;
      3*der(w2) = tau - 0.5;
      when w1 - w2 < 0 then
        locked = true;
      elsewhen abs(tau) > 3 then
        locked = false;
      end when;
      0 = if locked then w1 - w2 else tau - 1;
  )");
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double t = 2.8 / 6.0;  // after 18
  const double together = 2.2 + t * t - 0.1 * t;
  EXPECT_NEAR(s.final_value("w1"), together + 2.5 * (4.0 - t * t) - 0.5 * (2.0 - t), near);
  EXPECT_NEAR(s.final_value("w2"), together + 0.5 / 3.0 * (2.0 - t), near);
}

TEST(IndexAtEvents, RisesByTwoWhereAMassComesToRestAndIsHeld) {
  const Solution s = run(R"(
      Real x(start = 0, fixed = true), v(start = 1, fixed = true), f;
    equation
      der(x) = v;
      der(v) = f;
      0 = if time < 1 then f + 1 else x - 0.5;
  )");
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("x"), 0.5, near);
  EXPECT_NEAR(s.final_value("v"), 0.0, near);
  EXPECT_NEAR(s.final_value("f"), 0.0, near);
}

const char* const two_capacitors = R"(
    Real v1(start = 1, fixed = true), v2(start = 0, fixed = true), i;
    Boolean closed(start = false, fixed = true);
  equation
    der(v1) = -i;
    2*der(v2) = i;
    0 = if closed then v1 - v2 else i;
    when time >= 1 then
      closed = true;
)";

// What the charges do is not in the model, whichever method is used.
TEST(IndexAtEvents, IsAnImpulseWhereStatesWouldHaveToJump) {
  for (const char* method : {"auto", "derivative-array", "dummy-derivatives"}) {
    const Solution s = run(std::string(two_capacitors) + "end when;\n", {.method = method});
    EXPECT_EQ(s.status, Status::impulse) << method << ": " << s.message;
    EXPECT_EQ(s.times.back(), 1.0);
  }
}

TEST(IndexAtEvents, IsNoImpulseWhereReinitSaysWhatHappens) {
  const Solution s = run(std::string(two_capacitors) + R"(
      reinit(v1, (pre(v1) + 2*pre(v2))/3);
      reinit(v2, (pre(v1) + 2*pre(v2))/3);
    end when;
  )");
  ASSERT_EQ(s.status, Status::success) << s.message;
  EXPECT_NEAR(s.final_value("v1"), 1.0 / 3.0, near);
  EXPECT_NEAR(s.final_value("v2"), 1.0 / 3.0, near);
}

// A diode without resistance holds the current of a coil at 0 while it blocks, which is a
// constraint. From each 2πn on i' = sin t - i until i is 0 again.
TEST(IndexAtEvents, RisesWhereADiodeBlocksTheCurrentOfACoil) {
  const Solution s = run(R"(
      Real i(start = 0), u, s;
      Boolean off;
    equation
      off = s < 0;
      u = if off then s else 0;
      i = if off then 0 else s;
      der(i) = sin(time) - u - i;
  )",
                         {.interval = 0.5});
  ASSERT_EQ(s.status, Status::success) << s.message;
  const double ends = 3.9407;  // where sin t - cos t + e^(-t) is 0
  for (std::size_t k = 0; k < s.n_rows(); ++k) {
    const double t = std::fmod(s.times[k], 2.0 * std::numbers::pi);
    const double exact = t < ends ? 0.5 * (std::sin(t) - std::cos(t) + std::exp(-t)) : 0.0;
    EXPECT_NEAR(s.row(k)[s.column("i")], exact, 1e-4) << s.times[k];
  }
}

}  // namespace
}  // namespace daedal
