// SPDX-License-Identifier: BSD-3-Clause
/// Functions that come with the program and stand in for those that an export lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>
#include <numbers>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using std::numbers::pi;
using test::check;
using test::ExportedModel;
using test::final_value;
using ::testing::HasSubstr;

/// y = f(...) at the end of the run, time = 2.
double value_of(const std::string& call) {
  return final_value({"Real 'y'; equation 'y' = " + call + ";"}, "y");
}

TEST(LibraryText, NamesTheFunctionsThatAreNotTheModelsOwn) {
  std::vector<Diagnostic> warnings;
  const ExportedModel model{
      "Real 'y'; Real 'z'; equation 'y' = 'Modelica.Units.Conversions.from_degC'(20.0); 'z' = "
      "'own'(1.0);",
      "function 'own' input Real 'u'; output Real 'y'; algorithm 'y' := "
      "'Modelica.SIunits.Conversions.from_deg'('u'); end 'own';"};
  parse_model(model.text(), "m.bmo", {.warnings = &warnings});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].message, HasSubstr("'Modelica.SIunits.Conversions.from_deg', "
                                             "'Modelica.Units.Conversions.from_degC'"));
}

TEST(LibraryText, DoesNotReplaceADefinitionOfTheText) {
  const ExportedModel model{
      "Real 'y'; equation 'y' = 'Modelica.Units.Conversions.from_degC'(1.0);",
      "function 'Modelica.Units.Conversions.from_degC' input Real 'u'; output Real 'y'; algorithm "
      "'y' := 5.0 * 'u'; end 'Modelica.Units.Conversions.from_degC';"};
  EXPECT_EQ(final_value(model, "y"), 5.0);
}

TEST(LibraryText, ChecksTheArguments) {
  const ExportedModel model{
      "Real 'y'; equation 'y' = 'Modelica.Units.Conversions.from_degC'(1.0, 2.0);"};
  EXPECT_THROW(parse_model(model.text()), ParseError);
}

TEST(LibraryText, ConvertsUnits) {
  EXPECT_NEAR(value_of("'Modelica.Units.Conversions.from_degC'(20.0)"), 293.15, 1e-12);
  EXPECT_NEAR(value_of("'Modelica.Units.Conversions.to_degC'(373.15)"), 100.0, 1e-12);
  EXPECT_NEAR(value_of("'Modelica.Units.Conversions.from_degF'(212.0)"), 373.15, 1e-12);
  EXPECT_NEAR(value_of("'Modelica.Units.Conversions.to_deg'(asin(1.0))"), 90.0, 1e-12);
  EXPECT_NEAR(value_of("'Modelica.Units.Conversions.from_rpm'(60.0)"), 2.0 * pi, 1e-12);
  EXPECT_NEAR(value_of("'Modelica.Units.Conversions.to_kmh'(10.0)"), 36.0, 1e-12);
}

TEST(LibraryText, KnowsTheConstants) {
  EXPECT_EQ(value_of("'Modelica.Constants.pi'"), pi);
  EXPECT_EQ(value_of("Modelica.Constants.c"), 299792458.0);
  // e·N_A of the SI's exact values; CODATA's Stefan-Boltzmann constant.
  EXPECT_NEAR(value_of("'Modelica.Constants.F'"), 96485.33212331, 1e-8);
  EXPECT_NEAR(value_of("'Modelica.Constants.sigma'"), 5.670374419e-8, 1e-17);
}

TEST(LibraryText, ScalesFiltersToTheirCutOffFrequency) {
  const ExportedModel model{
      "Real 'r'[1]; Real 'c0'[1]; Real 'c1'[1]; equation ('r', 'c0', 'c1') = "
      "'Modelica.Blocks.Continuous.Internal.Filter.coefficients.lowPass'({1.0}, {2.0}, {3.0}, "
      "10.0);"};
  const double w = 2.0 * pi * 10.0;
  check({{model, {{"r[1]", w}, {"c0[1]", 2.0 * w * w}, {"c1[1]", 3.0 * w}}}});
}

// The first pivot is 0 at the end of the run, where rows must be exchanged.
TEST(LibraryText, SolvesLinearSystemsWithPivots) {
  const ExportedModel model{
      "Real 'x'[2]; Real 'y'[3]; equation 'x' = 'Modelica.Math.Matrices.solve'({{time - 2.0, 2.0}, "
      "{1.0, 1.0}}, {2.0, 3.0}); 'y' = 'Modelica.Math.Matrices.solve'({{1.0, 2.0, 3.0}, {2.0, 4.0, "
      "7.0}, {0.0, 1.0, 1.0}}, {14.0, 31.0, 5.0});"};
  check({{model, {{"x[1]", 2.0}, {"x[2]", 1.0}, {"y[1]", 1.0}, {"y[2]", 2.0}, {"y[3]", 3.0}}}});
}

// Abramowitz and Stegun, Table 7.1; the 97.5 % point of the normal distribution.
TEST(LibraryText, KnowsTheErrorFunctionAndDistributions) {
  EXPECT_NEAR(value_of("'Modelica.Math.Special.erf'(0.25)"), 0.27632639016823696, 1e-15);
  EXPECT_NEAR(value_of("'Modelica.Math.Special.erf'(-time / 2.0)"), -0.8427007929497149, 1e-15);
  EXPECT_NEAR(value_of("'Modelica.Math.Special.erfc'(4.5)"), 1.966160441542887e-10, 1e-15);
  EXPECT_NEAR(value_of("'Modelica.Math.Special.erfInv'(0.5)"), 0.4769362762044699, 1e-15);
  EXPECT_NEAR(value_of("'Modelica.Math.Distributions.Normal.cumulative'(1.959963984540054)"), 0.975,
              1e-15);
  EXPECT_NEAR(value_of("'Modelica.Math.Distributions.Normal.quantile'(0.975, 1.0, 2.0)"),
              1.0 + 2.0 * 1.959963984540054, 1e-13);
  EXPECT_NEAR(value_of("'Modelica.Math.Distributions.Weibull.quantile'(0.5, 2.0, 1.0)"),
              2.0 * std::log(2.0), 1e-14);
}

// An export has the inverse error function itself and has lost what it calls: the 80 % point of the
// normal distribution is 0.841621233572914. Far out erf(y) = 1 - q has y for tiny q: erfc(5).
TEST(LibraryText, HasTheInnerFunctionsOfTheErrorFunction) {
  const ExportedModel model{
      "Real 'y'; equation 'y' = sqrt(2.0) * 'Modelica.Math.Special.erfInv'(0.3 * time);",
      "function 'Modelica.Math.Special.erfInv' input Real 'u'; output Real 'y'; algorithm if 'u' < "
      "0.0 then 'y' := -'Modelica.Math.Special.Internal.erfInvUtil'(-'u', 1.0 + 'u'); else 'y' := "
      "'Modelica.Math.Special.Internal.erfInvUtil'('u', 1.0 - 'u'); end if; end "
      "'Modelica.Math.Special.erfInv';"};
  EXPECT_NEAR(final_value(model, "y"), 0.841621233572914, 1e-14);
  EXPECT_NEAR(value_of("'Modelica.Math.Special.Internal.erfInvUtil'(1.0, 1.5374597944280349e-12)"),
              5.0, 1e-13);
  EXPECT_NEAR(value_of("'Modelica.Math.Special.Internal.polyEval'({1.0, 2.0, 3.0}, 2.0)"), 17.0,
              1e-14);
}

// u = 1 + 2 cos(w j + 1) + 3 sin(2 w j) with w = 2π/n, for n = 8 and n = 15 = 3·5.
TEST(LibraryText, TransformsByFourier) {
  for (const int n : {8, 15}) {
    const std::string size = std::to_string(n / 2 + 1);
    const std::string angle = "4.0 * asin(1.0) * j / " + std::to_string(n) + ".0";
    const ExportedModel model{"Integer 'info'; Real 'a'[" + size + "]; Real 'p'[" + size +
                              "]; equation ('info', 'a', 'p') = "
                              "'Modelica.Math.FastFourierTransform.Internal.rawRealFFT'({1.0 + 2.0 "
                              "* cos(" +
                              angle + " + 1.0) + 3.0 * sin(2.0 * " + angle +
                              ") for j in 0:" + std::to_string(n - 1) + "});"};
    check({{model,
            {{"info", 0.0},
             {"a[1]", 2.0},
             {"a[2]", 2.0},
             {"a[3]", 3.0},
             {"a[4]", 0.0},
             {"p[1]", 0.0},
             {"p[2]", 1.0},
             {"p[3]", -pi / 2.0}}}});
  }
}

TEST(LibraryText, KnowsPolynomialsAndAngles) {
  const std::string p = "'Modelica.Math.Polynomials.";
  EXPECT_NEAR(value_of(p + "evaluate'({1.0, 2.0, 3.0}, 2.0)"), 11.0, 1e-14);
  EXPECT_NEAR(value_of(p + "derivativeValue'({1.0, 2.0, 3.0}, 2.0)"), 6.0, 1e-14);
  EXPECT_NEAR(value_of(p + "secondDerivativeValue'({1.0, 2.0, 3.0}, 2.0)"), 2.0, 1e-14);
  EXPECT_NEAR(value_of(p + "integralValue'({1.0, 2.0, 3.0}, 2.0)"), 8.0 / 3.0 + 10.0, 1e-14);
  EXPECT_NEAR(value_of("'Modelica.Math.atan3'(0.5, -0.2, 6.0)"), std::atan2(0.5, -0.2) + 2.0 * pi,
              1e-14);
  EXPECT_NEAR(value_of("'Modelica.Math.wrapAngle'(7.0)"), 7.0 - 2.0 * pi, 1e-14);
  EXPECT_NEAR(value_of("'Modelica.Math.asinh'(-0.5)"), std::asinh(-0.5), 1e-15);
  EXPECT_NEAR(value_of("'Modelica.Math.Vectors.interpolate'({0.0, 1.0, 2.0}, {0.0, 1.0, 4.0}, "
                       "1.5)"),
              2.5, 1e-15);
}

// With k1 = k2 both polynomials are odd and their second derivatives are 0 at 0: sqrt(x) goes over
// into (5x - x³)/4, of value 1 and slope 1/2 at x = 1, and x² into (x + x³)/2.
TEST(LibraryText, RegularisesRootsAndSquares) {
  const std::string fluid = "'Modelica.Fluid.Utilities.";
  EXPECT_NEAR(value_of(fluid + "regRoot2.regRoot2_utility'(0.5, 1.0, 1.0, 1.0, false, 1.0)"),
              0.59375, 1e-15);
  EXPECT_NEAR(value_of(fluid + "regRoot2'(-0.5, 1.0, 1.0, 1.0)"), -0.59375, 1e-15);
  EXPECT_NEAR(value_of(fluid + "regRoot2'(4.0, 1.0, 4.0, 1.0)"), 4.0, 1e-15);
  EXPECT_NEAR(value_of(fluid + "regSquare2.regSquare2_utility'(0.5, 1.0, 1.0, 1.0, false, 1.0)"),
              0.3125, 1e-15);
  EXPECT_NEAR(value_of(fluid + "regSquare2'(-0.5, 1.0, 1.0, 1.0)"), -0.3125, 1e-15);
  EXPECT_NEAR(value_of(fluid + "regSquare2'(-3.0, 1.0, 1.0, 2.0)"), -18.0, 1e-14);
  EXPECT_NEAR(value_of(fluid + "regRoot'(3.0, 4.0)"), 3.0 / std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(value_of(fluid + "regSquare'(3.0, 4.0)"), 15.0, 1e-14);
  EXPECT_NEAR(value_of(fluid + "regStep'(0.5, 3.0, 1.0, 1.0)"), 2.6875, 1e-15);
}

// Between unequal roots the second derivative is continuous at 0.
TEST(LibraryText, JoinsUnequalRootsSmoothly) {
  const auto y = [](double x) {
    return value_of("'Modelica.Fluid.Utilities.regRoot2'(" + std::to_string(x) +
                    ", 1.0, 2.0, 1.0)");
  };
  const double h = 1e-2;
  const double right = y(3 * h) * -1.0 + 4.0 * y(2 * h) - 5.0 * y(h) + 2.0 * y(0.0);
  const double left = y(-3 * h) * -1.0 + 4.0 * y(-2 * h) - 5.0 * y(-h) + 2.0 * y(0.0);
  EXPECT_NEAR(right / (h * h), left / (h * h), 1e-8);
}

// 12.4.6 of the specification of Modelica.
TEST(LibraryText, CallsFunctionsOfScalarsForEachElement) {
  const ExportedModel model{
      "Real 'y'[2]; Real 'z'[2]; equation 'y' = 'f'({time, 3.0}, 10.0); 'z' = "
      "'Modelica.Units.Conversions.to_deg'({asin(1.0), 0.0});",
      "function 'f' input Real 'u'; input Real 'w'; output Real 'y'; algorithm 'y' := 2.0 * 'u' + "
      "'w'; end 'f';"};
  check({{model, {{"y[1]", 14.0}, {"y[2]", 16.0}, {"z[1]", 90.0}, {"z[2]", 0.0}}}});
}

TEST(LibraryText, LeavesOutCallsThatOnlyWriteFiles) {
  std::vector<Diagnostic> warnings;
  const ExportedModel model{
      "Real 'y'(start = 0.0, fixed = true); algorithm when time > 1.0 then 'y' := 3.0; "
      "'report'('y'); end when;",
      "function 'report' input Real 'u'; output Boolean 'done'; algorithm 'done' := "
      "'Modelica.Utilities.Streams.writeRealMatrix'(\"a.mat\", \"m\", {{'u'}}, true); end "
      "'report';"};
  parse_model(model.text(), "m.bmo", {.warnings = &warnings});
  EXPECT_EQ(warnings.size(), 1U);
  EXPECT_EQ(final_value(model, "y"), 3.0);
}

// x³ has these values and slopes at 0 and 2.
TEST(LibraryText, InterpolatesByCubicPolynomials) {
  EXPECT_NEAR(value_of("'Modelica.Fluid.Utilities.evaluatePoly3_derivativeAtZero'(1.5, 2.0, 8.0, "
                       "12.0, 0.0)"),
              3.375, 1e-14);
  const std::string monotone = "'Modelica.Fluid.Utilities.regFun3'";
  EXPECT_NEAR(value_of(monotone + "(0.3, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0)"), 0.3, 1e-15);
  // (2 t + t²)/3: its slopes at the ends are 2/3 and 4/3.
  EXPECT_NEAR(value_of(monotone + "(0.5, 0.0, 1.0, 0.0, 1.0, 2.0 / 3.0, 4.0 / 3.0)"), 1.25 / 3.0,
              1e-14);
}

// With slopes of 10 the cubic polynomial falls between the ends (slope -3.5 in the middle). The
// straight piece has a quarter of the mean slope, 0.25, and passes the middle by symmetry.
TEST(LibraryText, KeepsInterpolationMonotone) {
  const ExportedModel model{
      "Real 'y'[3]; Real 'c'; equation ('y'[1], 'c') = 'Modelica.Fluid.Utilities.regFun3'(0.5, "
      "0.0, "
      "1.0, 0.0, 1.0, 10.0, 10.0); 'y'[2] = 'Modelica.Fluid.Utilities.regFun3'(0.6, 0.0, 1.0, 0.0, "
      "1.0, 10.0, 10.0); 'y'[3] = 'Modelica.Fluid.Utilities.regFun3'(1.0 - 1e-6, 0.0, 1.0, 0.0, "
      "1.0, 10.0, 10.0);"};
  check({{model, {{"y[1]", 0.5}, {"y[2]", 0.525}, {"y[3]", 1.0 - 1e-5}, {"c", 0.25}}}});
}

/// Mass flow of water through 10 m of pipe of 0.1 m, roughness 2.5e-5 m, at a pressure loss.
std::string flow_at(const std::string& dp) {
  return "'Modelica.Fluid.Somewhere.pipe.WallFriction.Internal.m_flow_of_dp_fric'(" + dp +
         ", 1000.0, 900.0, 1e-3, 2e-3, 10.0, 0.1, 0.1 ^ 2 * Modelica.Constants.pi / 4.0, 745.0, "
         "4000.0, 2.5e-4)";
}

// Hagen and Poiseuille: m = π d⁴ ρ Δp/(128 μ l), the properties those of the side it comes from.
TEST(LibraryText, FollowsHagenPoiseuilleInLaminarFlow) {
  EXPECT_NEAR(value_of(flow_at("1e-3")), pi * 1e-4 * 1000.0 * 1e-3 / (128.0 * 1e-3 * 10.0), 1e-12);
  EXPECT_NEAR(value_of(flow_at("-1e-3")), -pi * 1e-4 * 900.0 * 1e-3 / (128.0 * 2e-3 * 10.0), 1e-12);
}

// Colebrook and White: 1/√λ = −2 lg(2.51/(Re √λ) + 0.27 Δ) with λ = 2 d³ ρ Δp/(l μ² Re²).
TEST(LibraryText, FollowsColebrookInTurbulentFlow) {
  const double m = value_of(flow_at("1e4"));
  const double re = m * 0.1 / (pi * 0.01 / 4.0 * 1e-3);
  const double root = std::sqrt(2.0 * 1e-3 * 1000.0 * 1e4 / (10.0 * 1e-6)) / re;
  EXPECT_GT(re, 4000.0);
  EXPECT_NEAR(1.0 / root, -2.0 * std::log10(2.51 / (re * root) + 0.27 * 2.5e-4), 1e-10);
}

// λ Re² = 64·745 at the end of laminar flow: the pressure there, and one just above.
TEST(LibraryText, GoesSmoothlyFromLaminarToTurbulentFlow) {
  const double dp = 64.0 * 745.0 * 10.0 * 1e-6 / (2.0 * 1e-3 * 1000.0);
  const double slope = pi * 1e-4 * 1000.0 / (128.0 * 1e-3 * 10.0);
  const std::string above = fmt::format("{}", dp * (1.0 + 1e-6));
  EXPECT_NEAR(value_of(flow_at(above)), slope * dp * (1.0 + 1e-6), 1e-11 * slope * dp);
  const std::string between =
      "'Modelica.Fluid.pipe.WallFriction.pressureLoss_m_flow.interpolateInRegion2'(";
  EXPECT_NEAR(value_of(between + "745.0, 745.0, 4000.0, 2.5e-4)"), 64.0 * 745.0, 1e-8);
  // Swamee and Jain at Re = 4000.
  const double end =
      0.25 * std::pow(4000.0 / std::log10(2.5e-4 / 3.7 + 5.74 / std::pow(4000.0, 0.9)), 2.0);
  EXPECT_NEAR(value_of(between + "4000.0, 745.0, 4000.0, 2.5e-4)"), end, 1e-9 * end);
}

constexpr double thermal = 1.380649e-23 / 1.6021918e-19 * 300.15;

TEST(LibraryText, KnowsTheCurrentsOfSpiceJunctions) {
  const std::string junction = "'Modelica.Electrical.Spice3.Internal.Functions.junction2'(";
  EXPECT_NEAR(value_of(junction + "0.6, 300.15, 1.0, 1e-14)"),
              1e-14 * (std::exp(0.6 / thermal) - 1.0), 1e-15);
  // The reverse current joins the exponential at -3 Vt, and tends to -Is.
  const double edge = 1e-14 * (std::exp(-3.0) - 1.0);
  EXPECT_NEAR(value_of(fmt::format("{}{}, 300.15, 1.0, 1e-14)", junction, -3.0001 * thermal)), edge,
              1e-18);
  EXPECT_NEAR(value_of(junction + "-10.0, 300.15, 1.0, 1e-14)"), -1e-14, 1e-20);
  const std::string breakdown = "'Modelica.Electrical.Spice3.Internal.Functions.junction3'(";
  EXPECT_NEAR(value_of(breakdown + "-5.5, 300.15, 1.0, 1e-14, 5.0)"),
              -1e-14 * std::exp(0.5 / thermal), 1e-12);
}

// C0 = 2 pF, φ = 0.8 V, m = 1/2, fc = 1/2; F2 = (1/2)^1.5, F3 = 1/4.
TEST(LibraryText, KnowsTheCapacitancesOfSpiceJunctions) {
  const auto at = [](const std::string& v) {
    return ExportedModel{
        "Real 'c'; Real 'q'; equation ('c', 'q') = "
        "'Modelica.Electrical.Spice3.Internal.Functions.junctionCapRevised'(2.0, " +
        v + ", 0.4, 0.5, 0.8, 1.6 * (1.0 - sqrt(0.5)), 0.5 ^ 1.5, 0.25);"};
  };
  check({{at("-2.4"), {{"c", 1.0}, {"q", 2.0 * 1.6 * (1.0 - 2.0)}}},
         {at("0.4"), {{"c", 2.0 / std::sqrt(0.5)}, {"q", 3.2 * (1.0 - std::sqrt(0.5))}}},
         {at("0.8"), {{"c", 2.0 / std::pow(0.5, 1.5) * 0.75}}}});
}

// β/2 (vgs − vto)² (1 + λ vds) beyond pinch-off, β (vgst vds − vds²/2) (1 + λ vds) before, nothing
// below the threshold. Without body effect the threshold is that given.
TEST(LibraryText, KnowsTheDrainCurrentOfAMosfet) {
  const std::string package = "Modelica.Electrical.Spice3.Internal.";
  const std::string records = fmt::format(
      "record '{0}Mos1.Mos1Calc' Real 'm_tPhi'; Real 'm_tVbi'; Real 'm_Beta'; Real 'm_von'; Real "
      "'m_vdsat'; Real 'm_cdrain'; Real 'm_gm'; Real 'm_gds'; Real 'm_gmbs'; end "
      "'{0}Mos1.Mos1Calc'; record '{0}Mos1.Mos1ModelLineParams' Real 'm_lambda'; end "
      "'{0}Mos1.Mos1ModelLineParams'; record '{0}SpiceConstants' Real 'c'; end "
      "'{0}SpiceConstants'; record '{0}Mos.MosModelLineVariables' Real 'm_gamma'; end "
      "'{0}Mos.MosModelLineVariables';",
      package);
  const auto at = [&](const std::string& vgs, const std::string& vds) {
    return ExportedModel{
        fmt::format("Real 'i'; equation 'i' = ('{0}Mos1.drainCur'(0.0, {1}, {2}, "
                    "'{0}Mos1.Mos1Calc'(0.6, 1.0, 2e-3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), "
                    "'{0}Mos1.Mos1ModelLineParams'(0.1), '{0}SpiceConstants'(0.0), "
                    "'{0}Mos.MosModelLineVariables'(0.0), 1)).'m_cdrain';",
                    package, vgs, vds),
        records};
  };
  check({{at("3.0", "4.0"), {{"i", 1e-3 * 4.0 * 1.4}}},
         {at("3.0", "1.0"), {{"i", 2e-3 * (2.0 - 0.5) * 1.1}}},
         {at("0.9", "1.0"), {{"i", 0.0}}}});
}

}  // namespace
}  // namespace daedal
