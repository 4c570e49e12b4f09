// SPDX-License-Identifier: BSD-3-Clause
/// Loops, if-equations and initial sections, against equations and values by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>

#include "modelica/same_equations.hpp"
#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::expect_same;
using test::ExportedModel;
using test::final_value;

TEST(Equations, AreNamedByTheirCommentsOrTheirText) {
  const Model model = parse_model(R"(
    model M
      Real x, y, z[2];
    equation
      x^2 = 4 "rod";
      y = 2   * x "";
      for i in 1:2 loop
        z[i] = i*x "joint";
      end for;
    end M;)");
  ASSERT_EQ(model.equations().size(), 4U);
  EXPECT_EQ(model.equations()[0].name, "rod");
  EXPECT_EQ(model.equations()[1].name, "y = 2 * x");
  EXPECT_EQ(model.equations()[2].name, "joint at i = 1");
  EXPECT_EQ(model.equations()[3].name, "joint at i = 2");
}

TEST(Equations, ForEquationsAreUnrolled) {
  expect_same(R"(
    model M
      parameter Integer n = 3;
      Real u[n];
    equation
      u[1] = sin(time);
      for i in 2:n - 1 loop
        der(u[i]) = u[i - 1] - 2 * u[i] + u[i + 1];
      end for;
      u[end] = 0;
    end M;)",
              R"(
    model M
      parameter Integer n = 3;
      Real 'u[1]', 'u[2]', 'u[3]';
    equation
      'u[1]' = sin(time);
      der('u[2]') = 'u[1]' - 2 * 'u[2]' + 'u[3]';
      'u[3]' = 0;
    end M;)");
}

TEST(Equations, IfEquationsMergeByConditionOrAreChosenByParameters) {
  expect_same(R"(
    model M
      parameter Boolean fancy = false;
      Real x, y, z;
    equation
      if time > 1 then
        x = 1;
        x + y = 2;
      elseif time > 0.5 then
        y = 3;
        x = 4;
      else
        x = y;
        y = 5;
      end if;
      if fancy then
        z = 1;
        z = 2;
      else
        z = x;
      end if;
    end M;)",
              R"(
    model M
      parameter Boolean fancy = false;
      Real x, y, z;
    equation
      x = if time > 1 then 1 elseif time > 0.5 then 4 else y;
      0 = if time > 1 then x + y - 2 elseif time > 0.5 then y - 3 else y - 5;
      z = x;
    end M;)");
}

TEST(Equations, ElseifTrueIsAnElse) {
  const ExportedModel model{
      "Real 'x'; Real 'y'; equation if time < 0.5 then 'x' = 1.0; 'y' = 2.0; elseif true then 'y' "
      "= 'x'; 'x' = 3.0; end if;",
      "", 1.0};
  EXPECT_EQ(final_value(model, "y"), 3.0);
}

TEST(Equations, InitialSectionsAndFreeParameters) {
  check({
      {{"Real 'x'; initial algorithm 'x' := 4.0; equation der('x') = -'x';"},
       {{"x", 4.0 * std::exp(-2.0)}}},
      {{"Real 'x'; parameter Real 'p'(fixed = false); initial algorithm 'p' := 2.0; 'x' := 'p' + "
        "1.0; equation der('x') = 'p';"},
       {{"x", 7.0}}},
      {{"parameter Real 'p'(fixed = false, start = 1.0); Real 'x'(start = 1.0, fixed = true); "
        "initial equation der('x') = -3.0; equation der('x') = -'p' * 'x';"},
       {{"x", std::exp(-6.0)}}},
      // q = 2 p = 4 is what the initial equation asks for; r = 3 p makes y rise.
      {{"parameter Real 'p'(fixed = false, start = 1.0); parameter Real 'q' = 2.0 * 'p'; parameter "
        "Real 'r' = 'q' + 'p'; Real 'x'(start = 1.0, fixed = true); Real 'y'(start = 0.0, fixed = "
        "true); initial equation der('x') = -4.0; equation der('x') = -'q' * 'x'; der('y') = 'r';"},
       {{"x", std::exp(-8.0)}, {"y", 12.0}}},
      {{"parameter Real 'p'(fixed = false); parameter Integer 'n'(fixed = false); Real 'x'(start = "
        "'p', fixed = true); initial equation 'p' = 2.0 * 'n'; 'n' = 3; equation der('x') = 'p';"},
       {{"x", 18.0}}},
      // y' = 2 x' = 6 although no equation has y': x' = 3.
      {{"Real 'x'(start = 1.0, fixed = true); Real 'z'; Real 'y'; initial equation der('y') = 6.0; "
        "equation der('x') = 'z'; der('z') = 0.0; 'y' = 2.0 * 'x';"},
       {{"x", 7.0}}},
      {{"Real 'x'[2]; parameter Boolean 'steady' = false; initial equation if 'steady' then "
        "der('x') = {0.0, 0.0}; else for i in 1:2 loop 'x'[i] = i; end for; end if; equation "
        "der('x') = {0.0, 1.0};"},
       {{"x[1]", 1.0}, {"x[2]", 4.0}}},
      {{"final parameter Real 'p' = 2.0; Real 'x'[2](each start = 1.0, each fixed = true, each "
        "unit = \"m\"); equation der('x') = {'p', -'p'};"},
       {{"x[1]", 5.0}, {"x[2]", -3.0}}},
  });
}

}  // namespace
}  // namespace daedal
