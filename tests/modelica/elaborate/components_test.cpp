// SPDX-License-Identifier: BSD-3-Clause
/// Declarations: records, arrays and the names that exporting tools give their elements.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "modelica/same_equations.hpp"

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

}  // namespace
}  // namespace daedal
