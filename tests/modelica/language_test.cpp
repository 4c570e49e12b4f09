// SPDX-License-Identifier: BSD-3-Clause
/// Arrays, loops, functions and records against the same equations written out by hand.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "modelica/same_equations.hpp"

namespace daedal {
namespace {

using test::expect_same;

TEST(Language, ForEquationsAreUnrolled) {
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

TEST(Language, MatrixProductsFollowTheirDefinition) {
  expect_same(R"(
    model M
      Real a[2, 3], v[3], w[2], s, r[3];
    equation
      a = {{1, 2, 3}, {4, 5, 6}} .* fill(time, 2, 3);
      v = 2 * {time, 1, -time};
      w = a * v;
      s = v * v;
      r = w * a;
    end M;)",
              R"(
    model M
      Real 'a[1,1]', 'a[1,2]', 'a[1,3]', 'a[2,1]', 'a[2,2]', 'a[2,3]', 'v[1]', 'v[2]', 'v[3]';
      Real 'w[1]', 'w[2]', s, 'r[1]', 'r[2]', 'r[3]';
    equation
      'a[1,1]' = time; 'a[1,2]' = 2 * time; 'a[1,3]' = 3 * time;
      'a[2,1]' = 4 * time; 'a[2,2]' = 5 * time; 'a[2,3]' = 6 * time;
      'v[1]' = 2 * time; 'v[2]' = 2; 'v[3]' = -2 * time;
      'w[1]' = 'a[1,1]' * 'v[1]' + 'a[1,2]' * 'v[2]' + 'a[1,3]' * 'v[3]';
      'w[2]' = 'a[2,1]' * 'v[1]' + 'a[2,2]' * 'v[2]' + 'a[2,3]' * 'v[3]';
      s = 'v[1]' * 'v[1]' + 'v[2]' * 'v[2]' + 'v[3]' * 'v[3]';
      'r[1]' = 'w[1]' * 'a[1,1]' + 'w[2]' * 'a[2,1]';
      'r[2]' = 'w[1]' * 'a[1,2]' + 'w[2]' * 'a[2,2]';
      'r[3]' = 'w[1]' * 'a[1,3]' + 'w[2]' * 'a[2,3]';
    end M;)");
}

TEST(Language, SlicesAndComprehensionsPickElements) {
  expect_same(R"(
    model M
      Real x[4], d[3], e[2], s, t[2];
    equation
      x = {i ^ 2 * time for i in 1:4};
      d = x[2:end] - x[1:end - 1];
      e = x[{4, 1}];
      s = sum(i * x[i] for i in 1:2:3) + product(d) + min(e) + max(x[1], 2);
      t = ({{1, 2}, {3, 4}})[:, 2] + ({{1, 2}, {3, 4}})[1, :];
    end M;)",
              R"(
    model M
      Real 'x[1]', 'x[2]', 'x[3]', 'x[4]', 'd[1]', 'd[2]', 'd[3]', 'e[1]', 'e[2]', s;
      Real 't[1]', 't[2]';
    equation
      'x[1]' = time; 'x[2]' = 4 * time; 'x[3]' = 9 * time; 'x[4]' = 16 * time;
      'd[1]' = 'x[2]' - 'x[1]'; 'd[2]' = 'x[3]' - 'x[2]'; 'd[3]' = 'x[4]' - 'x[3]';
      'e[1]' = 'x[4]'; 'e[2]' = 'x[1]';
      s = 'x[1]' + 3 * 'x[3]' + 'd[1]' * 'd[2]' * 'd[3]' + min('e[1]', 'e[2]') + max('x[1]', 2);
      't[1]' = 2 + 1; 't[2]' = 4 + 2;
    end M;)");
}

TEST(Language, VectorFunctionsFollowTheirDefinition) {
  expect_same(R"(
    model M
      Real a[3], b[3], c[3], m[2, 2], k;
    equation
      a = {time, 2, 3};
      b = cross(a, {0, 0, 1}) + skew({1, 0, 0}) * a;
      c = cat(1, a[1:2], {7});
      m = transpose([1, 2; 3, 4]) + identity(2) + diagonal({5, 6}) + zeros(2, 2);
      k = linspace(0, time, 3)[2] + ndims(m) + size(m, 2) + scalar({4}) + atan2(1, time);
    end M;)",
              R"(
    model M
      Real 'a[1]', 'a[2]', 'a[3]', 'b[1]', 'b[2]', 'b[3]', 'c[1]', 'c[2]', 'c[3]';
      Real 'm[1,1]', 'm[1,2]', 'm[2,1]', 'm[2,2]', k;
    equation
      'a[1]' = time; 'a[2]' = 2; 'a[3]' = 3;
      'b[1]' = 'a[2]'; 'b[2]' = -'a[1]' - 'a[3]'; 'b[3]' = 'a[2]';
      'c[1]' = 'a[1]'; 'c[2]' = 'a[2]'; 'c[3]' = 7;
      'm[1,1]' = 1 + 1 + 5; 'm[1,2]' = 3; 'm[2,1]' = 2; 'm[2,2]' = 4 + 1 + 6;
      k = time / 2 + 2 + 2 + 4 + atan2(1, time);
    end M;)");
}

TEST(Language, FunctionsAreExecutedSymbolically) {
  expect_same(R"(
    function weighted "several results, loops and cases"
      input Real x[:];
      input Real w = 2;
      output Real total;
      output Real largest;
    protected
      Real term;
    algorithm
      total := 0;
      largest := x[1];
      for i in 1:size(x, 1) loop
        term := w * x[i];
        total := total + term;
        if x[i] > largest then
          largest := x[i];
        end if;
      end for;
    end weighted;
    model M
      Real a, b, c;
    equation
      (a, b) = weighted({time, b, 3});
      c = weighted(w = 5, x = {a, 1});
    end M;)",
              R"(
    model M
      Real a, b, c;
    equation
      a = 2 * time + 2 * b + 2 * 3;
      b = noEvent(if 3 > (if b > time then b else time) then 3
                  else if b > time then b else time);
      c = 5 * a + 5;
    end M;)");
}

TEST(Language, RecordsAreSplitIntoFields) {
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

TEST(Language, IfEquationsMergeByConditionOrAreChosenByParameters) {
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

TEST(Language, DerivativesOfExpressionsAreTotalDerivatives) {
  expect_same(R"(
    model M
      Real x, y;
    equation
      der(x * y) = time;
      der({x, sin(y)})[2] + der(der(x)) = der(time ^ 3);
    end M;)",
              R"(
    model M
      Real x, y;
    equation
      der(x) * y + x * der(y) = time;
      cos(y) * der(y) + der(der(x)) = 3 * time ^ 2;
    end M;)");
}

TEST(Language, ScalarsOfExportingToolsAreGathered) {
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

TEST(Language, TypesConstantsAndEnumerationsAreResolved) {
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

TEST(Language, PrecedenceAndSignsFollowModelica) {
  expect_same(R"(
    model M
      Real a, b, c, d;
    equation
      a = -b ^ 2;
      b = -2 * c / 4 * 3 - 1 - 2;
      c = 2 ^ -1 + 6 / 2 / 3 + mod(-7, 3) + rem(-7, 3) + div(-7, 2);
      d = abs(-3) + sign(-2) + floor(-1.5) + ceil(1.2) + integer(2.7) + log10(1000.0);
    end M;)",
              R"(
    model M
      Real a, b, c, d;
    equation
      a = -(b * b);
      b = -1.5 * c - 3;
      c = 0.5 + 1 + 2 - 1 - 3;
      d = 3 - 1 - 2 + 2 + 2 + 3;
    end M;)");
}

TEST(Language, AlgorithmSectionsBecomeEquations) {
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

TEST(Language, VariablesThatOnlyUndefinedFunctionsDetermineAreLeftOut) {
  std::vector<Diagnostic> warnings;
  const Model model = parse_model(R"(
    model M
      Real x, angle, degrees;
    equation
      x = time;
      angle = Modelica.Somewhere.unknown(x);
      degrees = 57.3 * angle;
    end M;)",
                                  "m.mo", {.warnings = &warnings});
  ASSERT_EQ(model.variables().size(), 1U);
  EXPECT_EQ(model.variables()[0].name, "x");
  EXPECT_EQ(model.equations().size(), 1U);
  EXPECT_EQ(warnings.size(), 2U);
}

TEST(Language, AnUndefinedFunctionThatIsNeededIsAnError) {
  try {
    parse_model(R"(
    model M
      Real x, y;
    equation
      der(x) = y;
      y = Modelica.Somewhere.unknown(x);
    end M;)");
    FAIL() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    EXPECT_EQ(error.where().line, 6);
  }
}

TEST(Language, ASumOfAHundredThousandTermsIsRead) {
  std::string text = "model M Real x; equation x = 0";
  for (int i = 1; i <= 100'000; ++i) text += " + " + std::to_string(i) + " * time";
  const Model model = parse_model(text + "; end M;");
  // 1 + 2 + ... + n = n (n + 1) / 2
  const double sum = test::evaluate(*model.pool(), model.equations()[0].rhs,
                                    [](NodeId, const Node&) { return 1.0; });
  EXPECT_EQ(sum, 100'000.0 * 100'001.0 / 2.0);
}

TEST(Language, LongChainsOfCasesAreRead) {
  std::string text = "model M Real x; equation x = ";
  for (int i = 0; i < 20'000; ++i) {
    text += "if time < " + std::to_string(i) + " then " + std::to_string(i) + " else ";
  }
  EXPECT_NO_THROW(parse_model(text + "0; end M;"));
}

}  // namespace
}  // namespace daedal
