// SPDX-License-Identifier: BSD-3-Clause
/// Moist air and what it is made of, against the check values of the releases of IAPWS.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;

const std::string moist = "'Modelica.Media.Air.ReferenceMoistAir.Utilities.";
const std::string ice = moist + "Ice09_Utilities.";

ExportedModel properties_of_ice(const std::string& state) {
  return {"Real 'v'; Real 'h'; Real 's'; equation 'v' = 1 / " + ice + "rho_pT'" + state +
          "; 'h' = " + ice + "h_pT'" + state + "; 's' = " + ice + "s_pT'" + state + ";"};
}

// R10-06(2009), Table 6.
TEST(MoistAir, HasIce) {
  check({{properties_of_ice("(611.657, 273.16)"),
          {{"v", 0.109085812737e-2}, {"h", -0.333444253966e6}, {"s", -0.122069433940e4}}},
         {properties_of_ice("(101325.0, 273.152519)"),
          {{"v", 0.109084388214e-2}, {"h", -0.333354873637e6}, {"s", -0.122076932550e4}}},
         {properties_of_ice("(1e8, 100.0)"),
          {{"v", 0.106193389260e-2}, {"h", -0.483491635676e6}, {"s", -0.261195122589e4}}}});
}

// R14-08(2011), section 4: 8.94735 Pa at 230 K; the inverse is exact.
TEST(MoistAir, HasThePressureOfSublimation) {
  check(
      {{{"Real 'p'; Real 'T'; equation 'T' = " + ice + "Basic.Tsub'(0.5 * " + ice +
             "Basic.psub'(230.0) * time); 'p' = round(" + ice + "Basic.psub'(230.0) * 1e5) / 1e5;",
         "function 'round' input Real 'x'; output Real 'y'; algorithm 'y' := floor('x' + 0.5); "
         "end 'round';"},
        {{"p", 8.94735}, {"T", 230.0}}}});
}

// The saturation of IAPWS-95 at 275 K, 450 K and 625 K (R6-95(2018), Table 8), from which the
// equation of Wagner and Pruss deviates by less than 0.01 %.
TEST(MoistAir, HasThePressureOfSaturation) {
  const std::string water = moist + "Water95_Utilities.";
  for (const auto& [T, p] :
       {std::pair{275.0, 0.698451167e3}, {450.0, 0.932203564e6}, {625.0, 0.169082693e8}}) {
    const ExportedModel model{fmt::format(
        "Real 'p'; Real 'T'; equation 'p' = {0}psat'({1}); 'T' = {0}Tsat'({0}psat'({1}));", water,
        T)};
    EXPECT_NEAR(test::final_value(model, "p"), p, 1e-4 * p);
    EXPECT_NEAR(test::final_value(model, "T"), T, 1e-9 * T);
  }
}

// A mixture of ideal gases by the law of Dalton: what steam there is at saturation follows from its
// pressure, and what there is less of it has the pressure that its moles give it.
TEST(MoistAir, SharesItsPressureByMoles) {
  const std::string variables = "Real 'ps'; Real 'x'; Real 'pd'; Real 'over'; equation 'ps' = ";
  const ExportedModel model{variables + moist + "Water95_Utilities.psat'(300.0); 'x' = " + moist +
                            "xws_pT'(1e5, 300.0); 'pd' = " + moist +
                            "pd_pTX'(1e5, 300.0, {0.01, 0.99}); 'over' = " + moist +
                            "pd_pTX'(1e5, 300.0, {0.2, 0.8});"};
  const double k = 0.018015268 / 0.0289586;
  const double ps = test::final_value(model, "ps");
  EXPECT_NEAR(test::final_value(model, "x"), k * ps / (1e5 - ps), 1e-12);
  EXPECT_NEAR(test::final_value(model, "pd"), 1e5 * (0.01 / 0.99) / (k + 0.01 / 0.99), 1e-6);
  EXPECT_NEAR(test::final_value(model, "over"), ps, 1e-9);
}

}  // namespace
}  // namespace daedal
