// SPDX-License-Identifier: BSD-3-Clause
/// Functions that are given to functions, and roots of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <numbers>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;
using test::final_value;
using testing::HasSubstr;

const std::string integrand =
    "partial function 'Interfaces.partialScalarFunction' input Real 'u'; output Real 'y'; end "
    "'Interfaces.partialScalarFunction'; "
    "function 'power' input Real 'u'; input Real 'a'; input Integer 'n' = 2; output Real 'y'; "
    "algorithm 'y' := 'a' * 'u' ^ 'n'; end 'power'; ";

// Simpson's rule is exact for cubics: a/(n + 1) for the integral of a u^n from 0 to 1.
TEST(FunctionArguments, AreCalledWithWhatTheyHaveAndWhatTheyAreGiven) {
  const std::string rule =
      integrand +
      "function 'simpson' input 'Interfaces.partialScalarFunction' 'f'; input Real 'a'; input Real "
      "'b'; output Real 'y'; algorithm 'y' := ('b' - 'a') / 6 * ('f'('a') + 4 * 'f'(('a' + 'b') / "
      "2) "
      "+ 'f'('b')); end 'simpson'; "
      "function 'halves' input 'Interfaces.partialScalarFunction' 'f'; output Real 'y'; algorithm "
      "'y' := 'simpson'('f', 0, 0.5) + 'simpson'(f = 'f', a = 0.5, b = 1); end 'halves';";
  EXPECT_NEAR(
      final_value({"Real 'x'; equation 'x' = 'halves'(function 'power'(a = 3 * time));", rule},
                  "x"),
      2.0, 1e-12);
  EXPECT_NEAR(
      final_value({"Real 'x'; equation 'x' = 'halves'(function 'power'(a = time, n = 3));", rule},
                  "x"),
      0.5, 1e-12);
}

// cos u = u, the number of Dottie; and a root that moves: sin u = time/4 at time = 2.
TEST(FunctionArguments, HaveRoots) {
  const std::string functions =
      integrand +
      "function 'dottie' input Real 'u'; output Real 'y'; algorithm 'y' := cos('u') - 'u'; end "
      "'dottie'; "
      "function 'arc' input Real 'u'; input Real 's'; output Real 'y'; algorithm 'y' := sin('u') - "
      "'s'; end 'arc'; "
      "function 'inverse' input Real 's'; output Real 'y'; algorithm if 's' > 0 then 'y' := "
      "'Modelica.Math.Nonlinear.solveOneNonlinearEquation'(function 'arc'(s = 's'), -1.5, 1.5, "
      "1e-9); "
      "else 'y' := -1; end if; end 'inverse';";
  const std::string search = "'Modelica.Math.Nonlinear.solveOneNonlinearEquation'(function ";
  EXPECT_NEAR(
      final_value({"Real 'x'; equation 'x' = " + search + "'dottie'(), 0.0, 2.0);", functions},
                  "x"),
      0.7390851332151607, 1e-12);
  EXPECT_NEAR(
      final_value(
          {"Real 'x'; equation 'x' = " + search + "'arc'(s = time / 4), -1.5, 1.5);", functions},
          "x"),
      std::numbers::pi / 6, 1e-9);
  // Nothing is sought where the statement is not reached, and where there is no root.
  EXPECT_NEAR(final_value({"Real 'x'; equation 'x' = 'inverse'(-3 * time);", functions}, "x"), -1.0,
              1e-12);
  EXPECT_NEAR(final_value({"Real 'x'; equation 'x' = 'inverse'(time / 4);", functions}, "x"),
              std::numbers::pi / 6, 1e-9);
}

// u^2 = 4 between 0 and 1: 2 and -2 lie outside.
TEST(FunctionArguments, HaveNoRootsOutsideOfTheirBounds) {
  const ExportedModel model{
      "Real 'x'; equation 'x' = 'Modelica.Math.Nonlinear.solveOneNonlinearEquation'(function "
      "'less'(), 0.0, 1.0);",
      "function 'less' input Real 'u'; output Real 'y'; algorithm 'y' := 'u' ^ 2 - 4; end 'less';"};
  const Solution solution = model.solve();
  EXPECT_EQ(solution.status, Status::assertion_failed);
  EXPECT_THAT(solution.message, HasSubstr("does not lie between the bounds"));
}

TEST(FunctionArguments, AreRefusedWithoutNames) {
  const ExportedModel model{"Real 'x'; equation 'x' = 'twice'(function 'power'(1.0));",
                            integrand +
                                "function 'twice' input 'Interfaces.partialScalarFunction' 'f'; "
                                "output Real 'y'; algorithm 'y' := 2 * 'f'(1.0); end 'twice';"};
  try {
    parse_model(model.text());
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is given by name"));
  }
}

// The size of an array of a function follows from what is assigned to it.
TEST(FunctionArguments, LocalArraysHaveTheSizesOfWhatIsAssigned) {
  EXPECT_NEAR(
      final_value({"Real 'x'; equation 'x' = 'last'({time, 2 * time, 3 * time});",
                   "function 'last' input Real 'a'[:]; output Real 'y'; Real 'b'[:]; algorithm "
                   "'b' := 2 * 'a'; 'y' := 'b'[size('b', 1)]; end 'last';"},
                  "x"),
      12.0, 1e-12);
}

}  // namespace
}  // namespace daedal
