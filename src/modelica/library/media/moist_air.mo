// SPDX-License-Identifier: BSD-3-Clause
// Moist air as an ideal mixture of dry air (Lemmon et al. 2000) and steam (IAPWS R7-97), each at
// its partial pressure; what is above saturation is water (R7-97) or ice:
//
// - ice Ih: IAPWS R10-06(2009), Gibbs energy (1) with Tables 1 and 2,
// - pressure of sublimation: IAPWS R14-08(2011), (6),
// - pressure of saturation: W. Wagner and A. Pruss, "The IAPWS formulation 1995 for the
//   thermodynamic properties of ordinary water substance for general and scientific use",
//   J. Phys. Chem. Ref. Data 31 (2002) 387-535, (2.5).
//
// As in the library, air does not raise the pressure of saturation (the enhancement factor is 1).
// The dissociation that the library adds from 773.15 K on is not supplied.

function 'ReferenceAir.Air_Utilities.zero' "h and s at 273.15 K and 101325 Pa, less what the library gives them"
  output Real h;
  output Real s;
  'Modelica.Media.Common.HelmholtzDerivs' f;
algorithm
  f := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'(
    'ReferenceAir.Air_Utilities.Inverses.dofpT'(101325, 273.15, 0.1), 273.15);
  h := 287.117 * 273.15 * (f.tau * f.ftau + f.delta * f.fdelta);
  s := 287.117 * (f.tau * f.ftau - f.f) - 161.8028;
end 'ReferenceAir.Air_Utilities.zero';

function 'ReferenceAir.Air_Utilities.rho_pT'
  input Real p;
  input Real T;
  output Real rho;
algorithm
  rho := 'ReferenceAir.Air_Utilities.Inverses.dofpT'(p, T, 0.1);
end 'ReferenceAir.Air_Utilities.rho_pT';

function 'ReferenceAir.Air_Utilities.h_pT'
  input Real p;
  input Real T;
  output Real h;
  Real h0;
  'Modelica.Media.Common.HelmholtzDerivs' f;
algorithm
  h0 := 'ReferenceAir.Air_Utilities.zero'();
  f := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'('ReferenceAir.Air_Utilities.rho_pT'(p, T), T);
  h := 287.117 * T * (f.tau * f.ftau + f.delta * f.fdelta) - h0;
end 'ReferenceAir.Air_Utilities.h_pT';

function 'ReferenceAir.Air_Utilities.s_pT'
  input Real p;
  input Real T;
  output Real s;
  Real h0;
  Real s0;
  'Modelica.Media.Common.HelmholtzDerivs' f;
algorithm
  (h0, s0) := 'ReferenceAir.Air_Utilities.zero'();
  f := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'('ReferenceAir.Air_Utilities.rho_pT'(p, T), T);
  s := 287.117 * (f.tau * f.ftau - f.f) - s0;
end 'ReferenceAir.Air_Utilities.s_pT';

function 'ReferenceMoistAir.Utilities.IF97_new.rho_pT' "Steam"
  input Real p;
  input Real T;
  input Integer region = 0;
  output Real rho;
  'Modelica.Media.Common.GibbsDerivs' g;
algorithm
  g := 'IF97_Utilities.BaseIF97.Basic.g2'(p, T);
  rho := p / (461.526 * T * g.pi * g.gpi);
end 'ReferenceMoistAir.Utilities.IF97_new.rho_pT';

function 'ReferenceMoistAir.Utilities.IF97_new.h_pT'
  input Real p;
  input Real T;
  input Integer region = 0;
  output Real h;
algorithm
  h := 'IF97_Utilities.enthalpy2'(p, T);
end 'ReferenceMoistAir.Utilities.IF97_new.h_pT';

function 'ReferenceMoistAir.Utilities.IF97_new.s_pT'
  input Real p;
  input Real T;
  input Integer region = 0;
  output Real s;
  'Modelica.Media.Common.GibbsDerivs' g;
algorithm
  g := 'IF97_Utilities.BaseIF97.Basic.g2'(p, T);
  s := 461.526 * (g.tau * g.gtau - g.g);
end 'ReferenceMoistAir.Utilities.IF97_new.s_pT';

function 'ReferenceMoistAir.Utilities.Water95_Utilities.psat'
  input Real T;
  output Real p;
  Real t = 1 - T / 647.096;
  Real r = sqrt(max(t, 0)) "The powers 1.5, 3.5 and 7.5 end at the critical point";
algorithm
  p := 22.064e6 * exp(647.096 / T * (-7.85951783 * t + 1.84408259 * t * r - 11.7866497 * t ^ 3
    + 22.6807411 * t ^ 3 * r - 15.9618719 * t ^ 4 + 1.80122502 * t ^ 7 * r));
end 'ReferenceMoistAir.Utilities.Water95_Utilities.psat';

function 'ReferenceMoistAir.Utilities.Water95_Utilities.Tsat' "By Newton's method from that of IF97"
  input Real p;
  output Real T;
  Real slope "d log p / d T";
algorithm
  T := 'IF97_Utilities.BaseIF97.Basic.tsat'(min(max(p, 611.657), 22.064e6));
  for k in 1:3 loop
    slope := 'IF97_Utilities.BaseIF97.Basic.dptofT'(T) / 'IF97_Utilities.BaseIF97.Basic.psat'(T);
    T := T - log('ReferenceMoistAir.Utilities.Water95_Utilities.psat'(T)
      / min(max(p, 611.657), 22.064e6)) / slope;
  end for;
end 'ReferenceMoistAir.Utilities.Water95_Utilities.Tsat';

function 'Ice09_Utilities.Basic.psub'
  input Real T;
  output Real p;
  Real theta = T / 273.16;
algorithm
  p := 611.657 * exp((-21.2144006 * theta ^ 0.00333333333 + 27.3203819 * theta ^ 1.20666667
    - 6.10598130 * theta ^ 1.70333333) / theta);
end 'Ice09_Utilities.Basic.psub';

function 'Ice09_Utilities.Basic.Tsub' "By Newton's method in log p and 1/T"
  input Real p;
  output Real T;
  Real goal = log(min(max(p, 1e-5), 611.657) / 611.657);
  Real theta;
  Real value;
  Real slope "of the logarithm by 1/theta";
algorithm
  theta := 1 / (1 - goal / 22.5);
  for k in 1:6 loop
    value := (-21.2144006 * theta ^ 0.00333333333 + 27.3203819 * theta ^ 1.20666667
      - 6.10598130 * theta ^ 1.70333333) / theta;
    slope := -21.2144006 * (1 - 0.00333333333) * theta ^ 0.00333333333
      + 27.3203819 * (1 - 1.20666667) * theta ^ 1.20666667
      - 6.10598130 * (1 - 1.70333333) * theta ^ 1.70333333;
    theta := 1 / (1 / theta - (value - goal) / slope);
  end for;
  T := 273.16 * theta;
end 'Ice09_Utilities.Basic.Tsub';

function 'Ice09_Utilities.gibbs' "g, its slopes by p and T, and what they say"
  input Real p;
  input Real T;
  output Real rho;
  output Real h;
  output Real s;
  Real g0[5] = {-0.632020233335886e6, 0.655022213658955, -0.189369929326131e-7,
    0.339746123271053e-14, -0.556464869058991e-21};
  Real t[2, 2] = {{0.368017112855051e-1, 0.510878114959572e-1},
    {0.337315741065416, 0.335449415919309}} "Real and imaginary parts";
  Real r[2, 2];
  Real r21[2] = {-0.557107698030123e-4, 0.464578634580806e-4};
  Real r22[2] = {0.234801409215913e-10, -0.285651142904972e-10};
  Real s0 = -0.332733756492168e4;
  Real tau = T / 273.16;
  Real pi = (p - 101325) / 611.657 "Pressures are those over that of the triple point";
  Real x;
  Real a[2] "t - tau, t + tau and t: logarithms of their magnitudes and their arguments";
  Real b[2];
  Real c[2];
  Real v[2] "the bracket of (1)";
  Real d[2] "its slope by tau";
  Real w[2] "its derivative by r2's slope";
  Real m;
  Real g;
  Real gp;
  Real gT;
algorithm
  r[1, :] := {0.447050716285388e2, 0.656876847463481e2};
  r[2, :] := {-0.725974574329220e2, -0.781008427112870e2} + r21 * pi + r22 * pi ^ 2;
  g := -s0 * T;
  gp := 0;
  gT := -s0;
  for k in 1:5 loop
    g := g + g0[k] * pi ^ (k - 1);
    if k > 1 then
      gp := gp + (k - 1) * g0[k] * pi ^ (k - 2) / 611.657;
    end if;
  end for;
  for k in 1:2 loop
    a := {log((t[k, 1] - tau) ^ 2 + t[k, 2] ^ 2) / 2, atan2(t[k, 2], t[k, 1] - tau)};
    b := {log((t[k, 1] + tau) ^ 2 + t[k, 2] ^ 2) / 2, atan2(t[k, 2], t[k, 1] + tau)};
    c := {log(t[k, 1] ^ 2 + t[k, 2] ^ 2) / 2, atan2(t[k, 2], t[k, 1])};
    m := t[k, 1] ^ 2 + t[k, 2] ^ 2;
    v[1] := (t[k, 1] - tau) * a[1] - t[k, 2] * a[2] + (t[k, 1] + tau) * b[1] - t[k, 2] * b[2]
      - 2 * (t[k, 1] * c[1] - t[k, 2] * c[2]) - tau ^ 2 * t[k, 1] / m;
    v[2] := (t[k, 1] - tau) * a[2] + t[k, 2] * a[1] + (t[k, 1] + tau) * b[2] + t[k, 2] * b[1]
      - 2 * (t[k, 1] * c[2] + t[k, 2] * c[1]) + tau ^ 2 * t[k, 2] / m;
    d := b - a - {2 * tau * t[k, 1] / m, -2 * tau * t[k, 2] / m};
    g := g + 273.16 * (r[k, 1] * v[1] - r[k, 2] * v[2]);
    gT := gT + r[k, 1] * d[1] - r[k, 2] * d[2];
    if k == 2 then
      w := (r21 + 2 * pi * r22) / 611.657;
      gp := gp + 273.16 * (w[1] * v[1] - w[2] * v[2]);
    end if;
  end for;
  rho := 1 / gp;
  h := g - T * gT;
  s := -gT;
end 'Ice09_Utilities.gibbs';

function 'Ice09_Utilities.rho_pT'
  input Real p;
  input Real T;
  output Real rho;
algorithm
  rho := 'Ice09_Utilities.gibbs'(p, T);
end 'Ice09_Utilities.rho_pT';

function 'Ice09_Utilities.h_pT'
  input Real p;
  input Real T;
  output Real h;
  Real rho;
algorithm
  (rho, h) := 'Ice09_Utilities.gibbs'(p, T);
end 'Ice09_Utilities.h_pT';

function 'Ice09_Utilities.s_pT'
  input Real p;
  input Real T;
  output Real s;
  Real rho;
  Real h;
algorithm
  (rho, h, s) := 'Ice09_Utilities.gibbs'(p, T);
end 'Ice09_Utilities.s_pT';

function 'ReferenceMoistAir.Utilities.f_pT' "The enhancement factor, which the library leaves out"
  input Real p;
  input Real T;
  output Real f;
algorithm
  f := 1;
end 'ReferenceMoistAir.Utilities.f_pT';

function 'ReferenceMoistAir.Utilities.pds_pT' "Partial pressure of steam at saturation"
  input Real p;
  input Real T;
  output Real pds;
algorithm
  pds := min(p, if T >= 273.16 then 'ReferenceMoistAir.Utilities.Water95_Utilities.psat'(T)
    else 'Ice09_Utilities.Basic.psub'(T));
end 'ReferenceMoistAir.Utilities.pds_pT';

function 'ReferenceMoistAir.Utilities.xws_pT' "Steam at saturation for dry air, by mass"
  input Real p;
  input Real T;
  output Real xws;
  Real pds;
algorithm
  pds := 'ReferenceMoistAir.Utilities.pds_pT'(p, T);
  xws := if pds < p then pds * 0.018015268 / 0.0289586 / (p - pds) else 1e60;
end 'ReferenceMoistAir.Utilities.xws_pT';

function 'ReferenceMoistAir.Utilities.pd_pTX' "Partial pressure of steam"
  input Real p;
  input Real T;
  input Real X[:];
  output Real pd;
  Real xw;
algorithm
  xw := X[1] / (1 - X[1]);
  pd := if xw <= 'ReferenceMoistAir.Utilities.xws_pT'(p, T)
    then xw / (0.018015268 / 0.0289586 + xw) * p else 'ReferenceMoistAir.Utilities.pds_pT'(p, T);
end 'ReferenceMoistAir.Utilities.pd_pTX';

function 'ReferenceMoistAir.massFractionSaturation'
  input 'Modelica.Media.Air.ReferenceMoistAir.ThermodynamicState' state;
  output Real X[2];
  Real x;
algorithm
  x := 'ReferenceMoistAir.Utilities.xws_pT'(state.p, state.T);
  X := {x / (1 + x), 1 / (1 + x)};
end 'ReferenceMoistAir.massFractionSaturation';

function 'ReferenceMoistAir.Utilities.not_supplied'
  input Real T;
  output Real y;
algorithm
  assert(T < 773.15, "The dissociation of moist air, from 773.15 K on, is not supplied.");
  y := 0;
end 'ReferenceMoistAir.Utilities.not_supplied';

function 'ReferenceMoistAir.Utilities.h_dis_pTX'
  input Real p;
  input Real T;
  input Real X[:];
  output Real h;
algorithm
  h := 'ReferenceMoistAir.Utilities.not_supplied'(T);
end 'ReferenceMoistAir.Utilities.h_dis_pTX';

function 'ReferenceMoistAir.Utilities.s_dis_pTX'
  input Real p;
  input Real T;
  input Real X[:];
  output Real s;
algorithm
  s := 'ReferenceMoistAir.Utilities.not_supplied'(T);
end 'ReferenceMoistAir.Utilities.s_dis_pTX';

function 'ReferenceMoistAir.Utilities.Inverses.T_phX.T_phX_res'
  input Real u;
  input Real p;
  input Real h;
  input Real X[:];
  output Real y;
algorithm
  y := 'Modelica.Media.Air.ReferenceMoistAir.Utilities.h_pTX'(p, u, X) - h;
end 'ReferenceMoistAir.Utilities.Inverses.T_phX.T_phX_res';

function 'ReferenceMoistAir.Utilities.Inverses.T_psX.T_psX_res'
  input Real u;
  input Real p;
  input Real s;
  input Real X[:];
  output Real y;
algorithm
  y := 'Modelica.Media.Air.ReferenceMoistAir.Utilities.s_pTX'(p, u, X) - s;
end 'ReferenceMoistAir.Utilities.Inverses.T_psX.T_psX_res';
