// SPDX-License-Identifier: BSD-3-Clause
/// Water and steam against the tables of check values in the release of IAPWS-IF97, R7-97(2012).

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;
using testing::HasSubstr;

ExportedModel water(const std::string& body) {
  return {body,
          "record 'Modelica.Media.Common.HelmholtzDerivs' Real 'd'; Real 'T'; Real 'R_s'; Real "
          "'delta'; Real 'tau'; Real 'f'; Real 'fdelta'; Real 'fdeltadelta'; Real 'ftau'; Real "
          "'ftautau'; Real 'fdeltatau'; end 'Modelica.Media.Common.HelmholtzDerivs'; "
          "record 'Modelica.Media.Common.GibbsDerivs' Real 'p'; Real 'T'; Real 'R_s'; Real 'pi'; "
          "Real 'tau'; Real 'g'; Real 'gpi'; Real 'gpipi'; Real 'gtau'; Real 'gtautau'; Real "
          "'gtaupi'; end 'Modelica.Media.Common.GibbsDerivs'; "
          "record 'Modelica.Media.Common.PhaseBoundaryProperties' Real 'd'; Real 'h'; Real 'u'; "
          "Real 's'; Real 'cp'; Real 'cv'; Real 'pt'; Real 'pd'; end "
          "'Modelica.Media.Common.PhaseBoundaryProperties';"};
}

const std::string basic = "'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.";
const std::string base = "'Modelica.Media.Water.IF97_Utilities.BaseIF97.";
const std::string common = "'Modelica.Media.Common.";

/// Volume, enthalpy, inner energy, entropy and cp in kJ, as the release lists them.
struct Row {
  std::string state;
  double v, h, u, s, cp;
};

void check_rows(const std::string& convert, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    check({{water(fmt::format(
                "{0}PhaseBoundaryProperties' 'b'; Real 'v'; equation 'b' = {0}{1}({2}{3}); "
                "'v' = 1 / 'b'.'d';",
                common, convert, basic, row.state)),
            {{"v", row.v},
             {"b.h", 1e3 * row.h},
             {"b.u", 1e3 * row.u},
             {"b.s", 1e3 * row.s},
             {"b.cp", 1e3 * row.cp}}}});
  }
}

// Tables 5, 15 and 42.
TEST(Water, HasThePropertiesOfItsGibbsEnergies) {
  check_rows("gibbsToBoundaryProps'",
             {{"g1'(3e6, 300)", 0.100215168e-2, 115.331273, 112.324818, 0.392294792, 4.17301218},
              {"g1'(80e6, 300)", 0.971180894e-3, 184.142828, 106.448356, 0.368563852, 4.01008987},
              {"g1'(3e6, 500)", 0.120241800e-2, 975.542239, 971.934985, 2.58041912, 4.65580682},
              {"g2'(3500, 300)", 39.4913866, 2549.91145, 2411.69160, 8.52238967, 1.91300162},
              {"g2'(3500, 700)", 92.3015898, 3335.68375, 3012.62819, 10.1749996, 2.08141274},
              {"g2'(30e6, 700)", 0.542946619e-2, 2631.49474, 2468.61076, 5.17540298, 10.3505092},
              {"g5'(0.5e6, 1500)", 1.38455090, 5219.76855, 4527.49310, 9.65408875, 2.61609445},
              {"g5'(30e6, 1500)", 0.0230761299, 5167.23514, 4474.95124, 7.72970133, 2.72724317},
              {"g5'(30e6, 2000)", 0.0311385219, 6571.22604, 5637.07038, 8.53640523, 2.88569882}});
}

// Table 33.
TEST(Water, HasThePropertiesOfItsHelmholtzEnergy) {
  check_rows("helmholtzToBoundaryProps'",
             {{"f3'(500, 650)", 2e-3, 1863.43019, 1812.26279, 4.05427273, 13.8935717},
              {"f3'(200, 650)", 5e-3, 2375.12401, 2263.65868, 4.85438792, 44.6579342},
              {"f3'(500, 750)", 2e-3, 2258.68845, 2102.06932, 4.46971906, 6.34165359}});
}

// Tables 7 and 24: T(p, h); tables 35 and 36.
TEST(Water, HasItsTemperatureAtAnEnthalpyAndAtSaturation) {
  const std::vector<std::pair<std::string, double>> rows = {
      {"tph1'(3e6, 500e3)", 391.798509},   {"tph1'(80e6, 500e3)", 378.108626},
      {"tph1'(80e6, 1500e3)", 611.041229}, {"tph2'(0.001e6, 3000e3)", 534.433241},
      {"tph2'(3e6, 3000e3)", 575.373370},  {"tph2'(3e6, 4000e3)", 1010.77577},
      {"tph2'(5e6, 3500e3)", 801.299102},  {"tph2'(5e6, 4000e3)", 1015.31583},
      {"tph2'(25e6, 3500e3)", 875.279054}, {"tph2'(40e6, 2700e3)", 743.056411},
      {"tph2'(60e6, 2700e3)", 791.137067}, {"tph2'(60e6, 3200e3)", 882.756860},
      {"tsat'(0.1e6)", 372.755919},        {"tsat'(1e6)", 453.035632},
      {"tsat'(10e6)", 584.149488},         {"psat'(300)", 3536.58941},
      {"psat'(500)", 2638897.76},          {"psat'(600)", 12344314.6}};
  for (const auto& [call, value] : rows) {
    check({{water("Real 'T'; equation 'T' = " + basic + call + ";"), {{"T", value}}}});
  }
}

// Tables 5, 8 and 18 of the supplementary release SR3-03(2014); table 33 the other way round.
TEST(Water, HasItsStateAtAnEnthalpyNearTheCriticalPoint) {
  const std::vector<std::pair<std::string, double>> rows = {
      {"Basic.tph3a'(20e6, 1700e3)", 629.3083892},
      {"Basic.tph3a'(50e6, 2000e3)", 690.5718338},
      {"Basic.tph3a'(100e6, 2100e3)", 733.6163014},
      {"Basic.tph3b'(20e6, 2500e3)", 641.8418053},
      {"Basic.tph3b'(50e6, 2400e3)", 735.1848618},
      {"Basic.tph3b'(100e6, 2700e3)", 842.0460876},
      {"Basic.vph3a'(20e6, 1700e3)", 1.749903962e-3},
      {"Basic.vph3a'(50e6, 2000e3)", 1.908139035e-3},
      {"Basic.vph3a'(100e6, 2100e3)", 1.676229776e-3},
      {"Basic.vph3b'(20e6, 2500e3)", 6.670547043e-3},
      {"Basic.vph3b'(50e6, 2400e3)", 2.801244590e-3},
      {"Basic.vph3b'(100e6, 2700e3)", 2.404234998e-3},
      {"Regions.psat3ofh'(1700e3)", 17.24175718e6},
      {"Regions.psat3ofh'(2000e3)", 21.93442957e6},
      {"Regions.psat3ofh'(2400e3)", 20.18090839e6}};
  for (const auto& [call, value] : rows) {
    check({{water("Real 'y'; equation 'y' = " + base + call + ";"), {{"y", value}}}});
  }
  const std::string state =
      "Real 'd'; Real 'T'; Integer 'e'; equation ('d', 'T', 'e') = " + base + "Inverses.dtofph3'";
  check({{water(state + "(25.5837018e6, 1863.43019e3, 1, 1);"), {{"d", 500.0}, {"T", 650.0}}},
         {water(state + "(22.2930643e6, 2375.12401e3, 1, 1);"), {{"d", 200.0}, {"T", 650.0}}},
         {water(state + "(78.3095639e6, 2258.68845e3, 1, 1);"), {{"d", 500.0}, {"T", 750.0}}}});
}

// Boiling water and saturated steam up to the critical point have the pressure of saturation; at
// 20 MPa 1827.10 and 2411.39 kJ/kg (W. Wagner, H.-J. Kretzschmar, "International Steam Tables",
// 2nd edition (2008), Table 2).
TEST(Water, IsSaturatedUpToTheCriticalPoint) {
  const std::string regions = base + "Regions.";
  for (const char* phase : {"l", "v"}) {
    for (const char* temperature : {"623.2", "630", "640", "646", "647", "647.09"}) {
      const std::string pressure = basic + "psat'(" + temperature + ")";
      check({{water(fmt::format("Real 'p'; {0}HelmholtzDerivs' 'f'; equation 'f' = "
                                "{1}f3'({2}rho{3}_p_R4b'({4}), {5}); 'p' = 461.526 * {5} * 'f'.'d' "
                                "* 'f'.'delta' * 'f'.'fdelta' / {4};",
                                common, basic, regions, phase, pressure, temperature)),
              {{"p", 1.0}}}});
    }
  }
  const std::string enthalpy = "Real 'h'; equation 'h' = 1e-3 * " + regions;
  EXPECT_NEAR(test::final_value(water(enthalpy + "hl_p_R4b'(20e6);"), "h"), 1827.10, 0.01);
  EXPECT_NEAR(test::final_value(water(enthalpy + "hv_p_R4b'(20e6);"), "h"), 2411.39, 0.01);
}

TEST(Water, FollowsTheSlopeOfItsSaturation) {
  // From 300 K to 500 K at 100 K a second.
  check({{water("Real 'p'(start = 3536.58941, fixed = true); Real 'T'(start = 300, fixed = true); "
                "equation der('p') = 100 * " +
                basic + "dptofT'(300 + 100 * time); der('T') = 100 * " + basic +
                "dptofT'(300 + 100 * time) * " + basic + "dtsatofp'(" + basic +
                "psat'(300 + 100 * time));"),
          {{"p", 2638897.76}, {"T", 500.0}}}});
}

TEST(Water, KnowsItsRegions) {
  const std::vector<std::pair<std::string, double>> rows = {
      {"region_ph'(1e5, 1e5, 0, 0)", 1.0},  {"region_ph'(1e5, 1e6, 0, 0)", 4.0},
      {"region_ph'(1e5, 3e6, 0, 0)", 2.0},  {"region_ph'(1e5, 5e6, 0, 0)", 5.0},
      {"region_ph'(30e6, 1e6, 0, 0)", 1.0}, {"region_ph'(30e6, 2e6, 0, 0)", 3.0},
      {"region_ph'(30e6, 3e6, 0, 0)", 2.0}, {"region_ph'(20e6, 1.7e6, 0, 0)", 3.0},
      {"region_ph'(20e6, 2e6, 0, 0)", 4.0}, {"region_ph'(20e6, 2.5e6, 0, 0)", 3.0},
      {"region_ph'(20e6, 2e6, 1, 0)", 3.0}, {"region_pT'(1e5, 300, 0)", 1.0},
      {"region_pT'(1e5, 400, 0)", 2.0},     {"region_pT'(30e6, 650, 0)", 3.0},
      {"region_pT'(1e5, 1500, 0)", 5.0},    {"region_pT'(1e5, 300, 2)", 2.0}};
  for (const auto& [call, value] : rows) {
    check(
        {{water("Integer 'n'; equation 'n' = " + base + "Regions." + call + ";"), {{"n", value}}}});
  }
}

TEST(Water, HasAHeatCapacityOfWetSteamAtConstantVolume) {
  // du = cv dT along v = 0.05 m³/kg, as far as the equations of regions 1, 2 and 4 agree with each
  // other on the slope of the saturation curve: to some 1e-6.
  const std::string sides =
      "'T' = 450 + 10 * time; 'l' = " + common + "gibbsToBoundaryProps'(" + basic + "g1'(" + basic +
      "psat'('T'), 'T')); 'g' = " + common + "gibbsToBoundaryProps'(" + basic + "g2'(" + basic +
      "psat'('T'), 'T')); 'x' = (0.05 - 1 / 'l'.'d') / (1 / 'g'.'d' - 1 / 'l'.'d'); "
      "'u' = 'l'.'u' + 'x' * ('g'.'u' - 'l'.'u'); ";
  const ExportedModel model =
      water("Real 'T'; Real 'x'; Real 'u'; Real 'U'; Real 'gap'; " + common +
            "PhaseBoundaryProperties' 'l'; " + common +
            "PhaseBoundaryProperties' 'g'; initial equation 'U' = 'u'; equation " + sides +
            "der('U') = 10 * " + common + "cv2Phase'('l', 'g', 'x', 'T', " + basic +
            "psat'('T')); 'gap' = ('U' - 'u') / 'u';");
  EXPECT_NEAR(test::final_value(model, "gap"), 0.0, 1e-5);
}

// Release R12-08, Table 4; R1-76, 20 °C and 100 °C.
TEST(Water, IsViscousAndTense) {
  const std::string viscosity =
      "Real 'eta'; equation 'eta' = 1e6 * " + base + "Transport.visc_dTp'";
  check({{water(viscosity + "(998, 298.15, 1e5);"), {{"eta", 889.735100}}},
         {water(viscosity + "(1000, 373.15, 1e5);"), {{"eta", 307.883622}}},
         {water(viscosity + "(1, 433.15, 1e5);"), {{"eta", 14.538324}}}});
  const std::string tension = "Real 's'; equation 's' = " + base + "Transport.surfaceTension'";
  EXPECT_NEAR(test::final_value(water(tension + "(293.15);"), "s"), 72.74e-3, 0.006e-3);
  EXPECT_NEAR(test::final_value(water(tension + "(373.15);"), "s"), 58.91e-3, 0.006e-3);
}

TEST(Water, SaysWhereItIsNotSupplied) {
  const ExportedModel model = water("Real 'd'; Integer 'e'; equation ('d', 'e') = " + base +
                                    "Inverses.dofpt3'(30e6, 650 + time, 1e-6);");
  EXPECT_THAT([&] { (void)model.solve(); },
              testing::ThrowsMessage<Error>(HasSubstr("region 3 of IF97")));
}

}  // namespace
}  // namespace daedal
