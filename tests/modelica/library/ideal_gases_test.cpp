// SPDX-License-Identifier: BSD-3-Clause
/// Ideal gases against tests/oracles/ideal_gases.py.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;

const std::string function = "'Modelica.Media.IdealGases.Common.Functions.";
const std::string reference = "'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'";
const std::string nitrogen =
    "'Modelica.Media.IdealGases.Common.DataRecord'(\"N2\", 0.0280134, 1000.0, 309498.4543111511, "
    "1000.0, {22103.71497, -381.846182, 6.08273836, -0.00853091441, 1.384646189e-05, "
    "-9.62579362e-09, 2.519705809e-12}, {710.846086, -10.76003744}, {587712.406, -2239.249073, "
    "6.06694922, -0.00061396855, 1.491806679e-07, -1.923105485e-11, 1.061954386e-15}, "
    "{12832.10415, "
    "-15.86640027}, 296.8033869505308)";

/// The value at the end of the run, at 2 s.
double value(const std::string& call) {
  const Solution solution = ExportedModel{"Real 'y'; equation 'y' = " + call + ";"}.solve();
  EXPECT_EQ(solution.status, Status::success) << solution.message;
  return solution.final_value("y");
}

double of_nitrogen(const std::string& property, const std::string& more) {
  return value(function + property + "'(" + nitrogen + ", " + more + ")");
}

// The tables have ten digits, those of their constants of integration among them.
TEST(IdealGases, HaveHeatCapacityEnthalpyAndEntropy) {
  EXPECT_NEAR(of_nitrogen("cp_T", "498.0 + time"), 1055.98980563, 1e-6);
  EXPECT_NEAR(of_nitrogen("cp_Tlow", "498.0 + time"), 1055.98980563, 1e-6);
  EXPECT_NEAR(of_nitrogen("cp_T", "1498.0 + time"), 1243.75371156, 1e-6);
  const std::string from_25C = "false, " + reference + ".'ZeroAt25C'";
  EXPECT_NEAR(of_nitrogen("h_T", "498.0 + time, " + from_25C), 210997.589264, 1e-2);
  EXPECT_NEAR(of_nitrogen("h_Tlow", "498.0 + time, " + from_25C), 210997.589264, 1e-2);
  EXPECT_NEAR(of_nitrogen("h_T", "1498.0 + time, " + from_25C), 1370930.3649, 0.1);
  EXPECT_NEAR(of_nitrogen("s0_T", "498.0 + time"), 7380.00093389, 0.01);
  EXPECT_NEAR(of_nitrogen("s0_Tlow", "498.0 + time"), 7380.00093389, 0.01);
  EXPECT_NEAR(of_nitrogen("s0_T", "1498.0 + time"), 8634.41734653, 0.01);
}

// The enthalpy of formation of the record is 1000 here, so that it shows.
TEST(IdealGases, HaveTheEnthalpyOfReferenceThatIsAskedFor) {
  const double at_500K = 210997.589264;
  EXPECT_NEAR(of_nitrogen("h_T", "498.0 + time"), at_500K - 1000.0 + 309498.4543111511, 1e-2);
  EXPECT_NEAR(of_nitrogen("h_T", "498.0 + time, true, " + reference + ".'UserDefined', 77.0"),
              at_500K - 1000.0 + 77.0, 1e-2);
}

TEST(IdealGases, ConductMomentumAndHeat) {
  EXPECT_NEAR(value(function + "dynamicViscosityLowPressure'(298.0 + time, 126.2, 0.0280134, "
                               "90.1e-6, 0.037, 0.0)"),
              1.77056989491e-05, 1e-15);
  // Eucken: (9 gamma - 5)/4 of cv, modified: 1.32 cv + 1.77 R.
  const double cp = 1040.0;
  const double R = 296.8033869505308;
  const double cv = cp - R;
  EXPECT_NEAR(
      value(function + "thermalConductivityEstimate'(1038.0 + time, 1e-3, 1, " + nitrogen + ")"),
      1e-3 * cv * (9.0 * cp / cv - 5.0) / 4.0, 1e-9);
  EXPECT_NEAR(
      value(function + "thermalConductivityEstimate'(1038.0 + time, 1e-3, 2, " + nitrogen + ")"),
      1e-3 * (1.32 * cv + 1.77 * R), 1e-9);
}

TEST(IdealGases, Mix) {
  const std::string medium = "'Modelica.Media.Examples.MixtureGases.Medium1.";
  EXPECT_NEAR(value(medium + "gasMixtureViscosity'({0.77 + 0.01 * time, 0.23 - 0.01 * time}, "
                             "{0.0280134, 0.0319988}, {1.78e-5, 2.07e-5})"),
              1.84088912361e-05, 1e-15);
  // 2 g of hydrogen and 32 g of oxygen are a mole each.
  EXPECT_NEAR(value(medium + "massToMoleFractions'({0.5 * time / 17.0, 16.0 / 17.0}, {0.002, "
                             "0.032}) * {2.0, 4.0}"),
              3.0, 1e-9);
  EXPECT_NEAR(value(medium + "moleToMassFractions'({0.25 * time, 0.5}, {0.002, 0.032}) * {17.0, "
                             "34.0}"),
              33.0, 1e-9);
}

}  // namespace
}  // namespace daedal
