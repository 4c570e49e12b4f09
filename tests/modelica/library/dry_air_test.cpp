// SPDX-License-Identifier: BSD-3-Clause
/// Dry air against tests/oracles/dry_air.py.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;

ExportedModel air(const std::string& body) {
  return {body,
          "record 'Modelica.Media.Common.HelmholtzDerivs' Real 'd'; Real 'T'; Real 'R_s'; Real "
          "'delta'; Real 'tau'; Real 'f'; Real 'fdelta'; Real 'fdeltadelta'; Real 'ftau'; Real "
          "'ftautau'; Real 'fdeltatau'; end 'Modelica.Media.Common.HelmholtzDerivs';"};
}

const std::string inverse = "'Modelica.Media.Air.ReferenceAir.Air_Utilities.Inverses.";

TEST(DryAir, HasItsDensityAtAPressure) {
  check({{air("Real 'd'[2]; equation 'd'[1] = " + inverse + "dofpT'(1e5, 300.0, 0.1); 'd'[2] = " +
              inverse + "dofpT'(9e6 + 5e5 * time, 250.0, 0.1);"),
          {{"d[1]", 1.16132502987614}, {"d[2]", 148.02619072039}}}});
}

TEST(DryAir, HasItsStateAtAnEnthalpyOrAnEntropy) {
  const std::string variables = "Real 'd'; Real 'T'; equation ('d', 'T') = " + inverse;
  check({{air(variables + "dTofph'(1e7, -53643.4272067197, 0.1, 1e-9);"),
          {{"d", 148.02619072039}, {"T", 250.0}}},
         {air(variables + "dTofph'(1e5, 230162.968249186, 0.1, 1e-9);"),
          {{"d", 0.696352626295092}, {"T", 500.0}}},
         {air(variables + "dTofps'(1e5, 259.935004833049, 0.1, 1e-6);"),
          {{"d", 1.16132502987614}, {"T", 300.0}}}});
}

}  // namespace
}  // namespace daedal
