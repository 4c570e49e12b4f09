// SPDX-License-Identifier: BSD-3-Clause
/// Arrays, strings, Booleans and enumerations, against values and equations by hand.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "modelica/same_equations.hpp"
#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::expect_same;

TEST(Expressions, MatrixProductsFollowTheirDefinition) {
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

TEST(Expressions, SlicesAndComprehensionsPickElements) {
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

TEST(Expressions, StringsBooleansAndEnumerations) {
  const std::string colour = "type 'E' = enumeration('a', 'b', 'c');";
  check({
      {{"parameter String 's' = \"a\" + \"bc\"; Real 'x'; equation 'x' = if 's' == \"abc\" then "
        "1.0 "
        "else 2.0;"},
       {{"x", 1.0}}},
      {{"'E' 'e'(start = 'E'.'a', fixed = true); Real 'x'; equation when time > 1.0 then 'e' = "
        "'E'.'c'; end when; 'x' = Integer('e');",
        colour},
       {{"x", 3.0}}},
      {{"Real 'x'['E']; Real 'y'; equation for e in 'E' loop 'x'[e] = 10.0 * Integer(e); end for; "
        "'y' = 'x'['E'.'b'] + sum(Integer(e) for e in 'E');",
        colour},
       {{"y", 26.0}}},
      {{"Real 'x'[Boolean]; Real 'y'; equation 'x'[false] = 1.0; 'x'[true] = 2.0; 'y' = "
        "'x'[true];"},
       {{"y", 2.0}}},
      {{"parameter 'E' 'e' = 'E'.'b'; Boolean 'b'; Integer 'i'; equation 'b' = 'e' < 'E'.'c' and "
        "not time < 1.0; 'i' = if 'b' then 3 else 2;",
        colour},
       {{"b", 1.0}, {"i", 3.0}}},
  });
}

TEST(Expressions, ArraysOfAnyRankAndTheirFunctions) {
  check({
      {{"Real 'a'[2,3,2]; Real 'b'[3]; equation 'a' = fill(time, 2, 3, 2); 'b' = 'a'[2,:,1];"},
       {{"a[2,3,1]", 2.0}, {"b[3]", 2.0}}},
      {{"Real 'a'[3,3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}; Real 'b'[2,2] = 'a'[{1, 3},{1, 3}]; "
        "Real "
        "'c'[2] = 'a'[end, end - 1:end]; Real 'd'[4]; equation 'd'[1:2] = {1.0, 2.0}; 'd'[3:4] = "
        "'b'[:,2];"},
       {{"b[2,1]", 7.0}, {"c[1]", 8.0}, {"d[4]", 9.0}}},
      {{"Real 'z'[2,2] = zeros(2, 2) + ones(2, 2); Real 't'[2,3] = transpose([1, 2; 3, 4; 5, 6]); "
        "Real 'c'[3] = cross({1, 0, 0}, {0, time, 0}); Real 's' = sum({1, 2, 3}) + product({2, "
        "3}); "
        "Real 'm' = max({1, time, 0}) - min(3, time); Integer 'n' = size([1, 2; 3, 4; 5, 6], 1);"},
       {{"z[2,1]", 1.0}, {"t[2,3]", 6.0}, {"c[3]", 2.0}, {"s", 12.0}, {"m", 0.0}, {"n", 3.0}}},
      {{"Real 'y'[2] = [1, 2; 3, 4] * {1, 1}; Real 'q' = {1, 2} * {3, 4}; Real 'e'[2] = {1, 2} .* "
        "{3, 4} ./ {2, 2}; Real 'p'[2,2] = [1, 1; 0, 1] ^ 3;"},
       {{"y[2]", 7.0}, {"q", 11.0}, {"e[2]", 4.0}, {"p[1,2]", 3.0}}},
      {{"Real 's' = sum(i ^ 2 for i in 1:3); Real 'p' = product(i for i in 1:4); Real 'm' = max(i "
        "* "
        "(3 - i) for i in 1:3); Real 'r'[2,3] = {10 * i + j for j in 1:3, i in 1:2};"},
       {{"s", 14.0}, {"p", 24.0}, {"m", 2.0}, {"r[2,3]", 23.0}}},
  });
}

// Loops over a part of an enumeration count its members, and are compared with them: of U, X, 0, 1
// those from X on, with 2 + 3 + 4 = 9 as the sum of their entries.
TEST(Expressions, RangesOfEnumerationsHaveItsMembers) {
  check({{{"parameter Real 'table'['L'] = {1.0, 2.0, 3.0, 4.0};\n Boolean 'b'['L']; Real 'sum'; "
           "Real 'h';\n equation\n for 'i' in 'L'.'U':'L'.'1' loop 'b'['i'] = 'i' >= 'L'.'X'; end "
           "for;\n 'sum' = sum('table'['i'] for 'i' in 'L'.'X':'L'.'1');\n 'h' = "
           "homotopy(simplified = 0.0, actual = 2.0 * time);",
           "type 'L' = enumeration('U', 'X', '0', '1');"},
          {{"b[1]", 0.0}, {"b[2]", 1.0}, {"b[4]", 1.0}, {"sum", 9.0}, {"h", 4.0}}}});
}

}  // namespace
}  // namespace daedal
