// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/residual_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/model.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "formulation/frame/registry.hpp"
#include "support/function_systems.hpp"

// The check is shown curves that were never integrated: x' = −x "decay" and y = 2x "double", and
// steps of 0.1. With atol = 0 a residual of c·x in "decay" is c/(rtol (1 + 1/0.1)) = c/(11 rtol)
// tolerances, whatever t.

namespace daedal::solve_detail {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr double step = 0.1;

/// Two variables over time.
struct Pair {
  double x = 0.0;
  double y = 0.0;
};
using Curve = std::function<Pair(double)>;

/// Any system of two unknowns: nothing of it is evaluated.
const System& two_unknowns() {
  static const test::FunctionOde system = test::oscillator();
  return system;
}

/// Steps along a given curve; the state at the end of a step may be another one.
class GivenCurve final : public integration::Stepper {
 public:
  explicit GivenCurve(const Curve& curve) : GivenCurve(curve, curve) {}
  GivenCurve(Curve curve, Curve at_ends)
      : Stepper(two_unknowns()), curve_(std::move(curve)), at_ends_(std::move(at_ends)) {}

  integration::StepReport step_to(double t) {
    const double before = t_;
    t_ = t;
    const Pair end = at_ends_(t);
    x_ = {end.x, end.y};
    return {.t0 = before, .t1 = t};
  }
  void interpolate(double t, std::span<double> x, std::span<double>) const override {
    const Pair value = curve_(t);
    x[0] = value.x;
    x[1] = value.y;
  }

  void start(double, std::span<const double>, std::span<const double>, Run&, double) override {}
  integration::StepReport advance(double limit) override { return step_to(limit); }
  void replace_state(std::span<const double>, std::span<const double>) override {}
  void equations_changed() override {}
  void count(Statistics&) const override {}
  [[nodiscard]] int max_derivative() const override { return slope_ ? 1 : 0; }
  void derivative(double t, int, std::span<double> out) const override {
    const Pair value = slope_(t);
    out[0] = value.x;
    out[1] = value.y;
  }
  /// Derivatives are known too, and need no differences.
  void set_slope(Curve slope) { slope_ = std::move(slope); }

 private:
  Curve curve_, at_ends_, slope_;
};

Model decay() {
  ModelBuilder b("Decay");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  b.equation(der(x) == -x, "decay");
  b.equation(y == 2.0 * x, "double");
  return b.build();
}

/// The check of a model and all it looks at.
class Checked {
 public:
  explicit Checked(Model model, double rtol = 1e-6, double atol = 0.0)
      : formulation_(make_direct(std::move(model))),
        run_(formulation_.system().make_run()),
        check_(std::dynamic_pointer_cast<const formulation::WrittenEquations>(
                   formulation_.implicit_system),
               {}, {rtol, atol}) {}

  void look(GivenCurve& curve, double t) {
    check_.look(curve.step_to(t), curve, formulation_, *run_);
  }
  /// `n` steps of 0.1.
  const ResidualCheck& look_at(GivenCurve curve, int n = 10) {
    for (int i = 1; i <= n; ++i) look(curve, step * i);
    return check_;
  }
  [[nodiscard]] const ResidualCheck& check() const { return check_; }

 private:
  static formulation::Formulation make_direct(Model model) {
    formulation::Request request;
    request.model = std::move(model);
    request.method = Direct{};
    return formulation::find_method("direct").make(request);
  }

  formulation::Formulation formulation_;
  std::unique_ptr<Run> run_;
  ResidualCheck check_;
};

/// x = e^(−rate t), y = factor·x.
Curve exponential(double rate, double factor = 2.0) {
  return [=](double t) {
    const double x = std::exp(-rate * t);
    return Pair{x, factor * x};
  };
}

TEST(ResidualCheck, FindsNothingInTheSolution) {
  Checked checked(decay(), 1e-10);
  const auto verdict = checked.look_at(GivenCurve(exponential(1.0))).verdict();
  EXPECT_FALSE(verdict.is_no_solution);
  EXPECT_EQ(verdict.message, "");
}

TEST(ResidualCheck, FindsNothingWithoutASingleStep) {
  EXPECT_EQ(Checked(decay()).check().verdict().message, "");
}

TEST(ResidualCheck, CallsAnotherRateNoSolution) {
  // The residual x' + x = −x is a quarter of |x'| + |x| + |r|, and 1/(11 rtol) tolerances.
  Checked checked(decay());
  const auto verdict = checked.look_at(GivenCurve(exponential(2.0))).verdict();
  EXPECT_TRUE(verdict.is_no_solution);
  EXPECT_THAT(verdict.message,
              AllOf(StartsWith("The result does not satisfy the model's equations"),
                    HasSubstr("'decay' is 9.1e+04 times what the tolerance allows")));
}

TEST(ResidualCheck, TakesDerivativesOfUnknownsFromTheStepper) {
  // The curve solves the equations; the slopes that the stepper gives are those of another rate.
  const auto slope = [](double rate) {
    return [=](double t) { return Pair{-rate * std::exp(-t), -2.0 * rate * std::exp(-t)}; };
  };
  GivenCurve right(exponential(1.0));
  right.set_slope(slope(1.0));
  EXPECT_EQ(Checked(decay(), 1e-10).look_at(right).verdict().message, "");
  GivenCurve wrong(exponential(1.0));
  wrong.set_slope(slope(2.0));
  EXPECT_THAT(Checked(decay()).look_at(wrong).verdict().message, HasSubstr("'decay'"));
}

TEST(ResidualCheck, FollowsARowOfBadStepsThatBeginsLate) {
  // Right for 200 steps, wrong for the 200 that follow: a quarter of the weight.
  const auto late = [](double t) {
    const double bend = 200 * step;
    const double x = t < bend ? std::exp(-t) : std::exp(-bend - 2.0 * (t - bend));
    return Pair{x, 2.0 * x};
  };
  Checked checked(decay());
  EXPECT_TRUE(checked.look_at(GivenCurve(late), 400).verdict().is_no_solution);
}

TEST(ResidualCheck, CallsARateThatIsNearlyRightInaccurate) {
  // The residual 0.02x is a hundredth of its terms, but 0.02/(11 rtol) = 1.8e5 tolerances.
  Checked checked(decay(), 1e-8);
  const auto verdict = checked.look_at(GivenCurve(exponential(1.02))).verdict();
  EXPECT_FALSE(verdict.is_no_solution);
  EXPECT_THAT(verdict.message,
              AllOf(StartsWith("The result is less accurate than the tolerance asks for"),
                    HasSubstr("'decay' is 1.8e+05 times what the tolerance allows")));
}

TEST(ResidualCheck, PassesWhatDriftAndDenseOutputExplain) {
  // 0.02/(11 rtol) = 1.8e3 tolerances: below the 1e4 that are worth a word.
  Checked checked(decay(), 1e-6);
  EXPECT_EQ(checked.look_at(GivenCurve(exponential(1.02))).verdict().message, "");
}

TEST(ResidualCheck, NamesTheAlgebraicEquationThatDoesNotHold) {
  Checked checked(decay());
  const auto verdict = checked.look_at(GivenCurve(exponential(1.0, 3.0))).verdict();
  EXPECT_TRUE(verdict.is_no_solution);
  EXPECT_THAT(verdict.message, HasSubstr("'double'"));
}

TEST(ResidualCheck, SeesAnEndOfAStepThatTheDenseOutputDoesNotShow) {
  Checked checked(decay());
  const auto once = [](double t) {
    const Pair right = exponential(1.0)(t);
    return std::abs(t - 0.3) < 0.5 * step ? Pair{right.x, 3.0 * right.x} : right;
  };
  const auto verdict = checked.look_at(GivenCurve(exponential(1.0), once)).verdict();
  EXPECT_TRUE(verdict.is_no_solution);
  EXPECT_THAT(verdict.message, AllOf(HasSubstr("at t = 0.3 "), HasSubstr("'double'")));
}

/// The decay, which inside its first `n` steps grows instead.
Curve kinked(int n) {
  return [n](double t) {
    const double bend = step * n;
    const double x = t < bend ? std::exp(t - 2.0 * bend) : std::exp(-t);
    return Pair{x, 2.0 * x};
  };
}

TEST(ResidualCheck, ToleratesAFifthOfItsPointsAsKinks) {
  Checked few(decay());
  EXPECT_EQ(few.look_at(GivenCurve(kinked(2)), 10).verdict().message, "");
  Checked many(decay());
  EXPECT_TRUE(many.look_at(GivenCurve(kinked(3)), 10).verdict().is_no_solution);
}

TEST(ResidualCheck, AsksNothingOfDerivativesThatItCannotDifference) {
  // x'' = −x "oscillation" and y = x, shown a parabola: x'' would take second differences.
  ModelBuilder b("Second");
  const Expr x = b.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = b.variable("y");
  b.equation(der(der(x)) == -x, "oscillation");
  b.equation(y == x, "same");
  Checked checked(b.build());
  const GivenCurve parabola([](double t) { return Pair{t * t, t * t}; });
  EXPECT_EQ(checked.look_at(parabola).verdict().message, "");
}

/// Nine steps of 0.1 and one of 0.001, across t = 0.9005.
const ResidualCheck& look_at_a_short_step(Checked& checked, const Curve& curve) {
  GivenCurve given(curve);
  for (int i = 1; i <= 9; ++i) checked.look(given, step * i);
  checked.look(given, 0.901);
  return checked.check();
}

TEST(ResidualCheck, TellsOfAJumpWithoutAnEvent) {
  Checked checked(decay());
  const ResidualCheck& check = look_at_a_short_step(
      checked, [](double t) { return t < 0.9005 ? Pair{1.0, 2.0} : Pair{3.0, 6.0}; });
  EXPECT_THAT(check.jump(), AllOf(HasSubstr("At t = 0.9005"), HasSubstr("'x' jumps from 1 to 3")));
}

TEST(ResidualCheck, DoesNotTakeASteepSlopeForAJump) {
  Checked checked(decay());
  const ResidualCheck& check = look_at_a_short_step(checked, [](double t) {
    const double x = 1.0 + 2000.0 * std::clamp(t - 0.9, 0.0, 0.001);
    return Pair{x, 2.0 * x};
  });
  EXPECT_THAT(check.jump(), IsEmpty());
}

TEST(ResidualCheck, NamesStatesBelowTheirAbsoluteTolerance) {
  const auto small = [](double t) {
    const double x = 1e-9 * std::exp(-t);
    return Pair{x, 2.0 * x};
  };
  Checked unseen(decay(), 1e-6, 1e-8);
  EXPECT_THAT(unseen.look_at(GivenCurve(small)).unseen_states(),
              HasSubstr("All values of 'x' are below the absolute tolerance"));
  Checked seen(decay(), 1e-6, 1e-11);
  EXPECT_THAT(seen.look_at(GivenCurve(small)).unseen_states(), IsEmpty());
}

}  // namespace
}  // namespace daedal::solve_detail
