// SPDX-License-Identifier: BSD-3-Clause
/// Declarations: records, arrays and the names that exporting tools give their elements.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "modelica/same_equations.hpp"
#include "support/errors.hpp"

namespace daedal {
namespace {

using test::expect_same;

TEST(Components, RecordsAreSplitIntoFields) {
  expect_same(R"(
    record Complex
      Real re;
      Real im;
    end Complex;
    function times
      input Complex a;
      input Complex b;
      output Complex c;
    algorithm
      c.re := a.re * b.re - a.im * b.im;
      c.im := a.re * b.im + a.im * b.re;
    end times;
    model M
      Complex z(re(start = 2)), y;
    equation
      z = Complex(time, im = 3);
      y = times(z, z);
    end M;)",
              R"(
    model M
      Real 'z.re', 'z.im', 'y.re', 'y.im';
    equation
      'z.re' = time; 'z.im' = 3;
      'y.re' = 'z.re' * 'z.re' - 'z.im' * 'z.im';
      'y.im' = 2 * 'z.re' * 'z.im';
    end M;)");
}

TEST(Components, ScalarsOfExportingToolsAreGathered) {
  expect_same(R"(//! base 0.1.0
    package 'P'
      record 'Frame'
        Real 'T'[2, 2];
        Real 'w'[2](unit = fill("rad/s", 2));
      end 'Frame';
      function 'f'
        input 'Frame' 'R';
        output Real 'y'[2];
      algorithm
        'y' := 'R'.'T'[2, :] + 'R'.'w';
      end 'f';
      model 'P'
        Real 'a.R.T[1,1]', 'a.R.T[1,2]', 'a.R.T[2,1]', 'a.R.T[2,2]', 'a.R.w[1]', 'a.R.w[2]', 's';
        Real 'y';
      equation
        'a.R.T' = {{1, 2}, {3, time}};
        'a.R.w'[1] = 5;
        'a.R.w[2]' = ('f'('a.R'))[1];
        's' = 'a.R.w' * 'a.R.w';
        'y' = 'Modelica.Math.Vectors.length'('a.R.w');
      end 'P';
    end 'P';)",
              R"(
    model P
      Real 'a.R.T[1,1]', 'a.R.T[1,2]', 'a.R.T[2,1]', 'a.R.T[2,2]', 'a.R.w[1]', 'a.R.w[2]', s, y;
    equation
      'a.R.T[1,1]' = 1; 'a.R.T[1,2]' = 2; 'a.R.T[2,1]' = 3; 'a.R.T[2,2]' = time;
      'a.R.w[1]' = 5;
      'a.R.w[2]' = 'a.R.T[2,1]' + 'a.R.w[1]';
      s = 'a.R.w[1]' ^ 2 + 'a.R.w[2]' ^ 2;
      y = sqrt('a.R.w[1]' ^ 2 + 'a.R.w[2]' ^ 2);
    end P;)");
}

TEST(Components, TypesConstantsAndEnumerationsAreResolved) {
  expect_same(R"(
    type Angle = Real(unit = "rad", start = 0.5);
    type Position = Real[3](each unit = "m");
    type Mode = enumeration(slow, fast);
    model M
      constant Real pi = 2 * asin(1.0);
      parameter Mode mode = Mode.fast;
      Angle phi;
      Position r;
    equation
      phi = if mode == Mode.fast then 2 * pi else pi;
      r = {phi, Integer(mode), 3};
    end M;)",
              R"(
    model M
      parameter Real pi = 3.141592653589793;
      parameter Integer mode = 2;
      Real phi, 'r[1]', 'r[2]', 'r[3]';
    equation
      phi = 2 * pi;
      'r[1]' = phi; 'r[2]' = 2; 'r[3]' = 3;
    end M;)");
}

const std::string chain = R"(
  model Chain
    parameter Integer n = 3;
    parameter Boolean is_closed = false;
    final parameter Integer last = n + 1;
    parameter Real k = 2, c[n] = fill(k, n);
    Real u[last];
  equation
    for i in 1:n loop
      u[i] = if i < n then c[i]*u[i + 1] else 1;
    end for;
    if is_closed then
      u[last] = u[1];
    else
      u[last] = 0;
    end if;
  end Chain;)";

TEST(Components, ParametersOfTheStructureAreGivenWhenTheTextIsRead) {
  const auto size = [](const Overrides& given) {
    return parse_model(chain, "chain", {.parameters = given}).variables().size();
  };
  EXPECT_EQ(size({}), 4U);
  EXPECT_EQ(size({{"n", 99}}), 100U);
  EXPECT_EQ(size({{"n", 1}}), 2U);
  EXPECT_EQ(size({{"last", 7}}), 4U);  // final: what follows from n
  EXPECT_EQ(size({{"nosuch", 7}}), 4U);
  const Model model = parse_model(chain, "chain", {.parameters = {{"n", 5}, {"k", 4}}});
  const std::vector<double> values = model.parameter_values();
  EXPECT_EQ(values[0], 5);  // and stays so
  EXPECT_THROW((void)model.parameter_values({{"n", 6}}), ModelError);
  EXPECT_EQ(model.parameter_values({{"k", 3}})[3], 3);  // the structure does not need it
  test::expect_same(chain, chain);
  const auto closed = parse_model(chain, "chain", {.parameters = {{"is_closed", 1}}});
  EXPECT_EQ(closed.equations().size(), 4U);
}

// The branch that does not count may have subscripts beyond the ends.
TEST(Components, ParametersOfTheStructureDecideBetweenBranches) {
  const std::string line = R"(
  model Line
    parameter Integer n = 4;
    parameter Real k = 2;
    Real u[n](each start = 1);
  equation
    for i in 1:n loop
      der(u[i]) = (if i < n then u[i + 1] else 0) - (if i > 1 then u[i - 1] else k) - u[i];
    end for;
  end Line;)";
  test::expect_same(line, R"(
  model Line
    parameter Integer n = 4;
    parameter Real k = 2;
    Real u[4](each start = 1);
  equation
    der(u[1]) = u[2] - k - u[1];
    der(u[2]) = u[3] - u[1] - u[2];
    der(u[3]) = u[4] - u[2] - u[3];
    der(u[4]) = 0 - u[3] - u[4];
  end Line;)");
  EXPECT_EQ(parse_model(line, "line", {.parameters = {{"n", 9}}}).variables().size(), 9U);
  // A parameter that stays free decides in the run: both branches must exist.
  const Error error = test::error_of<ParseError>([] {
    (void)parse_model(
        "model M\n  parameter Real k = 0;\n  Real u[2];\nequation\n  for i in 1:2 loop\n"
        "    u[i] = if k > 1 then u[i + 1] else 0;\n  end for;\nend M;");
  });
  EXPECT_THAT(error.what(), testing::HasSubstr("The subscript 3 is outside 1:2"));
}

TEST(Components, AGivenParameterHasItsType) {
  const Error fraction = test::error_of<ParseError>(
      [] { (void)parse_model(chain, "chain", {.parameters = {{"n", 2.5}}}); });
  EXPECT_THAT(fraction.what(), testing::HasSubstr("'n' is declared as Integer, and 2.5 is given"));
  EXPECT_EQ(fraction.where().line, 3);
  EXPECT_THROW((void)parse_model(chain, "chain", {.parameters = {{"is_closed", 2}}}), ParseError);
}

}  // namespace
}  // namespace daedal
