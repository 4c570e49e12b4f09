// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/text/text.hpp"

namespace daedal::modelica {

std::string_view media_records_text() {
  // What functions of media return, with the fields that the library gives them.
  return R"text(
record 'Modelica.Media.Common.GibbsDerivs' "Of g/(R*T) as a function of pi and tau"
  Real p;
  Real T;
  Real R_s;
  Real pi;
  Real tau;
  Real g;
  Real gpi;
  Real gpipi;
  Real gtau;
  Real gtautau;
  Real gtaupi;
end 'Modelica.Media.Common.GibbsDerivs';

record 'Modelica.Media.Common.HelmholtzDerivs' "Of f/(R*T) as a function of delta and tau"
  Real d;
  Real T;
  Real R_s;
  Real delta;
  Real tau;
  Real f;
  Real fdelta;
  Real fdeltadelta;
  Real ftau;
  Real ftautau;
  Real fdeltatau;
end 'Modelica.Media.Common.HelmholtzDerivs';
)text";
}

}  // namespace daedal::modelica
