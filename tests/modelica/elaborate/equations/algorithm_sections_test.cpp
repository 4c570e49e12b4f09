// SPDX-License-Identifier: BSD-3-Clause
/// Algorithms of the model, against equations and values by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>

#include "modelica/same_equations.hpp"
#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::expect_same;

TEST(AlgorithmSections, AlgorithmSectionsBecomeEquations) {
  expect_same(R"(
    model M
      Real x, y, z;
    algorithm
      x := 1;
      for i in 1:2 loop
        x := x * z + i;
      end for;
      if time > 1 then
        y := x;
      else
        y := -x;
      end if;
    equation
      z = time;
    end M;)",
              R"(
    model M
      Real x, y, z;
    equation
      z = time;
      x = (z + 1) * z + 2;
      y = if time > 1 then (z + 1) * z + 2 else -((z + 1) * z + 2);
    end M;)");
}

TEST(AlgorithmSections, AlgorithmSectionsOfTheModel) {
  check({
      {{"Real 'x'(start = 1.0, fixed = true); Real 'y'; equation der('x') = -'y'; algorithm 'y' := "
        "'x'; 'y' := 2.0 * 'y';"},
       {{"x", std::exp(-4.0)}}},
      {{"Real 'y'; algorithm if time < 1.0 then 'y' := 1.0; elseif time < 1.5 then 'y' := 2.0; "
        "else "
        "'y' := 3.0; end if;"},
       {{"y", 3.0}}},
      {{"Real 's'; algorithm 's' := 0.0; for i in 1:4 loop 's' := 's' + i * time; end for;"},
       {{"s", 20.0}}},
      {{"discrete Real 'n'(start = 0.0, fixed = true); algorithm when time > 0.5 then 'n' := "
        "pre('n') + 1.0; elsewhen time > 1.5 then 'n' := pre('n') + 10.0; end when;"},
       {{"n", 11.0}}},
  });
}

// Modelica 3.6, 11.1.2: a continuous variable begins with its start value.
TEST(AlgorithmSections, AVariableOfAnAlgorithmBeginsWithItsStartValue) {
  check({
      {{"Real 'x'(start = 4.0); algorithm if time < 1.0 then 'x' := 5.0; end if;"}, {{"x", 4.0}}},
      {{"Real 'x'(start = 4.0); algorithm 'x' := 'x' + time;"}, {{"x", 6.0}}},
      {{"Real 'x'; algorithm 'x' := 0.0;"}, {{"x", 0.0}}},
      {{"Real 'x'[2]; equation 'x'[2] = 7.0; algorithm 'x'[1] := 3.0;"},
       {{"x[1]", 3.0}, {"x[2]", 7.0}}},
  });
}

}  // namespace
}  // namespace daedal
