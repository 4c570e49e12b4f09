// SPDX-License-Identifier: BSD-3-Clause
/// R134a against what Tillner-Roth and Baehr (1994) fix or list, and against itself where it is
/// inverted.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;
using test::final_value;

const std::string medium = "'Modelica.Media.R134a.R134a_ph.";

// The boiling liquid at 0 degrees Celsius has h = 200 kJ/kg and s = 1 kJ/(kg.K) by definition; the
// other values are those of the tables of the paper, rounded there.
TEST(R134a, HasThePropertiesOfItsSaturation) {
  const std::string sat = medium + "setSat_T'(273.15)";
  const ExportedModel model{
      fmt::format("Real 'p'; Real 'h'[2]; Real 's'[2]; Real 'd'[2]; Real 'T'; equation "
                  "'p' = {0}saturationPressure'(273.15); 'h'[1] = {0}bubbleEnthalpy'({1}); "
                  "'h'[2] = {0}dewEnthalpy'({1}); 's'[1] = {0}bubbleEntropy'({1}); "
                  "'s'[2] = {0}dewEntropy'({1}); 'd'[1] = {0}bubbleDensity'({1}); "
                  "'d'[2] = {0}dewDensity'({1}); 'T' = {0}saturationTemperature'(101325);",
                  medium, sat)};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("p"), 292800, 10);
  EXPECT_NEAR(solution.final_value("h[1]"), 200e3, 0.02);
  EXPECT_NEAR(solution.final_value("s[1]"), 1e3, 1e-3);
  EXPECT_NEAR(solution.final_value("h[2]"), 398600, 10);
  EXPECT_NEAR(solution.final_value("s[2]"), 1727.1, 0.1);
  EXPECT_NEAR(solution.final_value("d[1]"), 1294.8, 0.1);
  EXPECT_NEAR(solution.final_value("d[2]"), 14.428, 1e-3);
  EXPECT_NEAR(solution.final_value("T"), 247.08, 0.01);
}

// p and h of d and T, by the slopes of the Helmholtz energy, give d and T back: liquid, vapour, hot
// gas.
TEST(R134a, HasTheStateThatItsPressureAndEnthalpyGive) {
  for (const auto& [d, T] :
       {std::pair{1275.0, 280.0}, {1498.0, 205.0}, {20.0, 330.0}, {0.5, 420.0}}) {
    const ExportedModel model{fmt::format(
        "'Modelica.Media.Common.HelmholtzDerivs' 'f'; Real 'p'; Real 'h'; Real 'd'; Real "
        "'T'; equation 'f' = {0}f_R134a'({1}, {2}); 'p' = 'f'.'R_s' * {1} * {2} * "
        "'f'.'delta' * 'f'.'fdelta'; 'h' = 'f'.'R_s' * {2} * ('f'.'tau' * 'f'.'ftau' + "
        "'f'.'delta' * 'f'.'fdelta'); ('d', 'T') = {0}dt_ph'('p', 'h');",
        medium, d, T)};
    EXPECT_NEAR(final_value(model, "d"), d, 1e-7 * d);
    EXPECT_NEAR(final_value(model, "T"), T, 1e-7 * T);
  }
}

// Between the phases the volume is that of their masses.
TEST(R134a, MixesItsPhasesByMass) {
  const std::string sat = medium + "setSat_p'(5e5)";
  const ExportedModel model{fmt::format(
      "Real 'd'; Real 'T'; Real 'v'; equation ('d', 'T') = {0}dt_ph'(5e5, 0.25 * "
      "{0}bubbleEnthalpy'({1}) + 0.75 * {0}dewEnthalpy'({1})); 'v' = 0.25 / {0}bubbleDensity'({1}) "
      "+ 0.75 / {0}dewDensity'({1}) - 1 / 'd';",
      medium, sat)};
  EXPECT_NEAR(final_value(model, "v"), 0.0, 1e-12);
}

// Splines as the library tabulates them: x^2 from 1 on, 2x - 1 before.
TEST(R134a, HasTheSplinesOfTheLibrary) {
  const std::string common = "'Modelica.Media.R134a.Common.";
  const std::string definition =
      "function 'square' input Real 'x'; output Real 'y'; constant Real 'breaks'[3] = {0, 1, 9}; "
      "constant Real 'coefs'[3, 4] = {{0, 0, 2, -1}, {0, 1, 2, 1}, {0, 0, 0, 0}}; Integer 'i'; "
      "Integer 'error'; algorithm ('i', 'error') := " +
      common + "FindInterval'('x', 'breaks'); 'y' := " + common +
      "CubicSplineEval'('x' - 'breaks'['i'], 'coefs'['i', 1:4]); end 'square';";
  EXPECT_NEAR(final_value({"Real 'y'; equation 'y' = 'square'(1.5 * time);", definition}, "y"), 9.0,
              1e-12);
  EXPECT_NEAR(final_value({"Real 'y'; equation 'y' = 'square'(0.1 * time);", definition}, "y"),
              -0.6, 1e-12);
}

}  // namespace
}  // namespace daedal
