// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/block_solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <random>

#include "formulation/dummy/dummy_derivatives.hpp"
#include "formulation/formulation_support.hpp"
#include "problems/problems.hpp"
#include "support/allocation_count.hpp"

namespace daedal::formulation {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Kind = SolutionStep::Kind;

Request request(const Model& model) {
  Request result;
  result.model = model;
  result.parameters = model.parameter_values();
  return result;
}

/// The blocks of a model at its start.
struct Explicit {
  explicit Explicit(const Model& model)
      : context(std::make_shared<const DummyContext>(request(model), DummyDerivatives{})),
        formulation(make_dummy_derivatives(context, false)),
        base(formulation.implicit_system->make_run()),
        run(run_of<DummyRun>(*base)),
        start(formulation.start(0.0, run)),
        expressions(context->system()),
        blocks(context->system(), context->nominals(),
               plan_solution(context->system(), expressions,
                             {.place_of = run.selection.place_of,
                              .nominals = context->nominals(),
                              .parameters = context->parameters()})),
        works(blocks.make_works()) {
    EXPECT_EQ(start.status, Status::success) << start.message;
  }
  [[nodiscard]] const DifferentiatedSystem& equations() const { return context->system(); }
  Evaluation complete(std::span<double> x,
                      DummyBlocks::Distance distance = DummyBlocks::Distance::near) {
    return blocks.solve({0.0, x, run}, DummyBlocks::Part::all, distance, works);
  }
  /// The greatest residual of all equations, as the implicit form has them.
  double residual(std::span<const double> x) {
    Evaluator evaluate(equations().residual());
    double greatest = 0.0;
    for (const double value : evaluate(run.blocks(0.0, x, {})))
      greatest = std::max(greatest, std::abs(value));
    return greatest;
  }
  [[nodiscard]] Index place(const std::string& name) const {
    for (Index p = 0; p < equations().n_places(); ++p)
      if (equations().place_name(p) == name) return p;
    ADD_FAILURE() << name;
    return 0;
  }

  std::shared_ptr<const DummyContext> context;
  Formulation formulation;
  std::unique_ptr<Run> base;
  DummyRun& run;
  Start start;
  PlaceExpressions expressions;
  DummyBlocks blocks;
  BlockWorks works;
};

TEST(DummyBlocks, SolveThePendulumInThreeStages) {
  const Explicit pendulum(test::pendulum());
  const auto steps = pendulum.blocks.steps();
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].kind, Kind::iterated);  // x² + y² = 1
  EXPECT_EQ(steps[0].places.size(), 1U);
  EXPECT_EQ(steps[1].kind, Kind::affine);  // x x' + y y' = 0
  EXPECT_EQ(steps[1].places.size(), 1U);
  // Three equations for x'', y'' and λ, of which the accelerations follow from λ.
  EXPECT_EQ(steps[2].kind, Kind::affine);
  EXPECT_EQ(steps[2].equations.size(), 3U);
  EXPECT_EQ(steps[2].places.size(), 1U);
  EXPECT_EQ(steps[2].followers.size(), 2U);
}

TEST(DummyBlocks, SatisfyAllEquationsOfTheMechanismsFromDisturbedValues) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> draw(-1e-3, 1e-3);
  for (const auto problem :
       {&problems::pendulum, &problems::spherical_pendulum, &problems::double_pendulum,
        &problems::four_bar, &problems::car_axis, &problems::squeezer}) {
    Explicit form(problem().model);
    std::vector<double> x = form.start.x;
    for (double& value : x) value += draw(random);
    const std::vector<double> disturbed = x;
    EXPECT_GT(form.residual(x), 1e-6);
    ASSERT_EQ(form.complete(x), Evaluation::ok) << form.run.failure.detail;
    // Relative to what is added up: accelerations of the squeezer are 1e4 and more.
    double greatest = 1.0;
    for (const double value : x) greatest = std::max(greatest, std::abs(value));
    EXPECT_LE(form.residual(x), 1e-14 * greatest * greatest) << problem().model.name();
    for (std::size_t p = 0; p < x.size(); ++p)
      if (form.run.selection.equation_at[p] < 0) {
        EXPECT_EQ(x[p], disturbed[p]);
      }
  }
}

TEST(DummyBlocks, AllocateNothingPerEvaluation) {
  for (const auto problem : {&problems::squeezer, &problems::double_pendulum}) {
    Explicit form(problem().model);
    std::vector<double> x = form.start.x;
    ASSERT_EQ(form.complete(x), Evaluation::ok);
    const long before = daedal::test::n_allocations();
    for (double& value : x) value += 1e-5;
    EXPECT_EQ(form.complete(x), Evaluation::ok);
    EXPECT_EQ(daedal::test::n_allocations(), before);
  }
}

// Equations in any order, each for one unknown: one program and no iteration.
TEST(DummyBlocks, SolveASequenceInOneProgram) {
  ModelBuilder b("Sequence");
  const Expr s = b.variable("s", {.start = 2.0, .fixed = true});
  const Expr p = b.variable("p");
  const Expr q = b.variable("q");
  const Expr r = b.variable("r");
  b.equation(2.0 * r + sin(p) == q + 1.0);
  b.equation(der(s) == r);
  b.equation(3.0 * p == s);
  b.equation(q - 2.0 * p == sqr(s));
  Explicit form(b.build());
  ASSERT_EQ(form.blocks.steps().size(), 1U);
  EXPECT_EQ(form.blocks.steps()[0].kind, Kind::sequence);
  std::vector<double> x(form.start.x.size(), 0.0);
  x[to_size(form.place("s"))] = 1.5;
  ASSERT_EQ(form.complete(x), Evaluation::ok);
  EXPECT_DOUBLE_EQ(x[to_size(form.place("p"))], 0.5);
  EXPECT_DOUBLE_EQ(x[to_size(form.place("q"))], 3.25);
  EXPECT_DOUBLE_EQ(x[to_size(form.place("r"))], (4.25 - std::sin(0.5)) / 2.0);
}

// m h = 2 m: where the flow m rests nothing determines h, which keeps its value. 0·z = 1 has no
// solution.
TEST(DummyBlocks, KeepAValueThatNothingDetermines) {
  ModelBuilder b("Rest");
  const Expr m = b.variable("m", {.start = 1.0, .fixed = true});
  const Expr h = b.variable("h");
  b.equation(der(m) == -1.0);
  b.equation(m * h == 2.0 * m, "mixing");
  Explicit form(b.build());
  std::vector<double> x = form.start.x;
  x[to_size(form.place("m"))] = 0.0;
  x[to_size(form.place("h"))] = 7.0;
  ASSERT_EQ(form.complete(x), Evaluation::ok) << form.run.failure.detail;
  EXPECT_EQ(x[to_size(form.place("h"))], 7.0);
  EXPECT_THAT(form.blocks.undetermined(0.0, form.works), HasSubstr("'mixing'"));
  x[to_size(form.place("m"))] = 0.5;
  ASSERT_EQ(form.complete(x), Evaluation::ok);
  EXPECT_DOUBLE_EQ(x[to_size(form.place("h"))], 2.0);
}

// u + w = s, u = v, w = v³ for v + v³ = s: v = 2 at s = 10.
TEST(DummyBlocks, IterateOverTheTearsOfANonlinearLoop) {
  ModelBuilder b("Loop");
  const Expr s = b.variable("s", {.start = 2.0, .fixed = true});
  const Expr u = b.variable("u", {.start = 1.0});
  const Expr v = b.variable("v", {.start = 1.0});
  const Expr w = b.variable("w", {.start = 1.0});
  b.equation(der(s) == -v);
  b.equation(u + w == s);
  b.equation(u == v + 0.0 * s);
  b.equation(w == pow(v, 3));
  Explicit form(b.build());
  std::vector<double> x = form.start.x;
  x[to_size(form.place("s"))] = 10.0;
  ASSERT_EQ(form.complete(x, DummyBlocks::Distance::far), Evaluation::ok)
      << form.run.failure.detail;
  EXPECT_NEAR(x[to_size(form.place("u"))], 2.0, 1e-14);
  EXPECT_NEAR(x[to_size(form.place("v"))], 2.0, 1e-14);
  EXPECT_NEAR(x[to_size(form.place("w"))], 8.0, 1e-13);
}

// From one end to the other −y_(k−1) + 4 y_k − y_(k+1) = 1 multiplies errors by 3.7 a step.
TEST(DummyBlocks, DoNotShootThroughALongLoop) {
  constexpr int n = 60;
  ModelBuilder b("Ladder");
  const Expr s = b.variable("s", {.start = 0.0, .fixed = true});
  std::vector<Expr> y;
  for (int k = 0; k < n; ++k) y.push_back(b.variable("y" + std::to_string(k)));
  for (int k = 0; k < n; ++k) {
    Expr sum = 4.0 * y[static_cast<std::size_t>(k)];
    if (k > 0) sum = sum - y[static_cast<std::size_t>(k - 1)];
    if (k + 1 < n) sum = sum - y[static_cast<std::size_t>(k + 1)];
    b.equation(sum == 1.0 + s);
  }
  b.equation(der(s) == y[0]);
  Explicit form(b.build());
  std::vector<double> x = form.start.x;
  x[to_size(form.place("s"))] = 1.0;
  ASSERT_EQ(form.complete(x), Evaluation::ok);
  EXPECT_LE(form.residual(x), 1e-14);
  EXPECT_NEAR(x[to_size(form.place("y30"))], 1.0, 1e-14);  // far from both ends: 2y = 2
}

TEST(DummyBlocks, HoldRelationsBetweenEvents) {
  const Model model = parse_model(R"(model Held
  Real s(start = 1, fixed = true);
  Real y;
equation
  der(s) = -y;
  y = (if y > 3 then 2 else 1) * s;
end Held;
)");
  Explicit form(model);
  EXPECT_EQ(form.blocks.steps().front().kind, Kind::sequence);
  std::vector<double> x = form.start.x;
  x[to_size(form.place("s"))] = 5.0;
  ASSERT_EQ(form.complete(x), Evaluation::ok);
  EXPECT_DOUBLE_EQ(x[to_size(form.place("y"))], 5.0);  // the relation is still false
}

TEST(DummyBlocks, NameTheBlockThatCannotBeSolved) {
  ModelBuilder b("Circle");
  const Expr s = b.variable("s", {.start = 0.0, .fixed = true});
  const Expr y = b.variable("y", {.start = 1.0});
  const Expr z = b.variable("z");
  b.equation(der(s) == 1.0);
  b.equation(sqr(y) + sqr(s) == 1.0, "circle");
  b.equation(z * (s - 2.0) == y, "quotient");
  Explicit form(b.build());
  std::vector<double> x = form.start.x;
  x[to_size(form.place("s"))] = 1.5;
  EXPECT_EQ(form.complete(x), Evaluation::recoverable);
  EXPECT_THAT(form.run.failure.detail, AllOf(HasSubstr("'circle'"), HasSubstr("'y'")));
}

TEST(DummyBlocks, NameTheEquationThatDividesByZero) {
  ModelBuilder b("Pole");
  const Expr s = b.variable("s", {.start = 0.0, .fixed = true});
  const Expr z = b.variable("z");
  b.equation(der(s) == 1.0);
  b.equation(z * (s - 2.0) == 1.0, "quotient");
  Explicit form(b.build());
  std::vector<double> x = form.start.x;
  x[to_size(form.place("s"))] = 2.0;
  EXPECT_EQ(form.complete(x), Evaluation::recoverable);
  EXPECT_EQ(form.run.failure.status, Status::singular_iteration_matrix);
  EXPECT_THAT(form.run.failure.detail, AllOf(HasSubstr("'quotient'"), HasSubstr("'z'")));
}

}  // namespace
}  // namespace daedal::formulation
