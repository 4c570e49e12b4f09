// SPDX-License-Identifier: BSD-3-Clause
/// The functions of the language against their definitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <daedal/modelica.hpp>

#include "modelica/library/builtins.hpp"
#include "modelica/same_equations.hpp"
#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::expect_same;
using test::ExportedModel;
using test::final_value;

TEST(Builtins, VectorFunctionsFollowTheirDefinition) {
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

TEST(Builtins, DerivativesOfExpressionsAreTotalDerivatives) {
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

// sample() with a start that initial equations find: 0.25, 0.75, 1.25, 1.75.
TEST(Builtins, SamplersMayStartAtAFreeParameter) {
  const ExportedModel model{
      "parameter Real 't0'(fixed = false); discrete Real 'n'(start = 0.0, fixed = true);\n"
      "initial equation 't0' = time; equation when sample('t0' + 0.25, 0.5) then 'n' = pre('n') + "
      "1.0; end when;"};
  EXPECT_EQ(final_value(model, "n"), 4.0);
}

TEST(Builtins, EveryNameHasOneRow) {
  std::vector<std::string> names = modelica::builtin_names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Builtins, WrappersOfTheMathPackageAreTheFunctionsThemselves) {
  EXPECT_TRUE(modelica::is_builtin("Modelica.Math.sin"));
  EXPECT_TRUE(modelica::is_builtin("sin"));
  EXPECT_FALSE(modelica::is_builtin("Modelica.Math.Vectors.sin"));
  EXPECT_FALSE(modelica::is_builtin("Math.sin"));
}

}  // namespace
}  // namespace daedal
