// SPDX-License-Identifier: BSD-3-Clause
// What functions of media return, with the fields that the library gives them, and the terms of
// which equations of state by the Helmholtz energy consist.

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

function 'HelmholtzDerivs.with_terms' "Adds n*delta^i*tau^j, times exp(-delta^l) where l > 0"
  input 'Modelica.Media.Common.HelmholtzDerivs' ideal;
  input Real n[:];
  input Integer i[:];
  input Real j[:];
  input Integer l[:];
  output 'Modelica.Media.Common.HelmholtzDerivs' f;
  Real delta = ideal.delta;
  Real tau = ideal.tau;
  Real a "A term, and delta/a times its slopes by delta";
  Real b;
  Real c;
algorithm
  f := ideal;
  for k in 1:size(n, 1) loop
    a := n[k] * delta ^ i[k] * tau ^ j[k];
    b := i[k];
    c := i[k] * (i[k] - 1);
    if l[k] > 0 then
      a := a * exp(-delta ^ l[k]);
      b := i[k] - l[k] * delta ^ l[k];
      c := b * (b - 1) - l[k] ^ 2 * delta ^ l[k];
    end if;
    f.f := f.f + a;
    f.fdelta := f.fdelta + a * b / delta;
    f.fdeltadelta := f.fdeltadelta + a * c / delta ^ 2;
    f.ftau := f.ftau + a * j[k] / tau;
    f.ftautau := f.ftautau + a * j[k] * (j[k] - 1) / tau ^ 2;
    f.fdeltatau := f.fdeltatau + a * b * j[k] / (delta * tau);
  end for;
end 'HelmholtzDerivs.with_terms';
