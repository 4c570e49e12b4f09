// SPDX-License-Identifier: BSD-3-Clause
// 1,1,1,2-tetrafluoroethane by R. Tillner-Roth and H. D. Baehr, "An international standard
// formulation for the thermodynamic properties of 1,1,1,2-tetrafluoroethane (HFC-134a) for
// temperatures from 170 K to 455 K and pressures up to 70 MPa", J. Phys. Chem. Ref. Data 23
// (1994) 657-729: the reduced Helmholtz energy with its ideal and its residual part,
// delta = d/(508 kg/m3), tau = 374.18 K/T. Its zeros are h = 200 kJ/kg and s = 1 kJ/(kg.K) of
// the boiling liquid at 0 degrees Celsius.
//
// States at saturation are those of equal Gibbs energies (Maxwell), by Newton's method from the
// auxiliary equations of the paper; states of one phase by Newton's method from them. Up to
// 4 MPa: nearer to the critical point an assertion ends the run.

record 'R134a_ph.SaturationProperties'
  Real psat;
  Real Tsat;
end 'R134a_ph.SaturationProperties';

function 'R134a.Common.FindInterval' "The last point that is not above x"
  input Real x;
  input Real breaks[:];
  output Integer i;
  output Integer error;
algorithm
  i := 1;
  for k in 2:size(breaks, 1) - 1 loop
    if x >= breaks[k] then
      i := k;
    end if;
  end for;
  error := if x < breaks[1] or x >= breaks[size(breaks, 1)] then 1 else 0;
end 'R134a.Common.FindInterval';

function 'R134a.Common.CubicSplineEval' "Coefficients of falling powers"
  input Real x;
  input Real coefs[4];
  output Real y;
algorithm
  y := ((coefs[1] * x + coefs[2]) * x + coefs[3]) * x + coefs[4];
end 'R134a.Common.CubicSplineEval';

function 'R134a.Common.CubicSplineDerEval'
  input Real x;
  input Real coefs[4];
  output Real yder;
algorithm
  yder := (3 * coefs[1] * x + 2 * coefs[2]) * x + coefs[3];
end 'R134a.Common.CubicSplineDerEval';

function f_R134a "Helmholtz energy"
  input Real d;
  input Real T;
  output 'Modelica.Media.Common.HelmholtzDerivs' f;
  Real n[21] = {0.5586817e-1, 0.4982230, 0.2458698e-1, 0.8570145e-3, 0.4788584e-3, -0.1800808e1,
    0.2671641, -0.4781652e-1, 0.1423987e-1, 0.3324062, -0.7485907e-2, 0.1017263e-3, -0.5184567,
    -0.8692288e-1, 0.2057144, -0.5000457e-2, 0.4603262e-3, -0.3497836e-2, 0.6995038e-2,
    -0.1452184e-1, -0.1285458e-3};
  Integer i[21] = {2, 1, 3, 6, 6, 1, 1, 2, 5, 2, 2, 4, 1, 4, 1, 2, 4, 1, 5, 3, 10};
  Real j[21] = {-0.5, 0, 0, 0, 1.5, 1.5, 2, 2, 1, 3, 5, 1, 5, 5, 6, 10, 10, 10, 18, 22, 50};
  Integer l[21] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4};
  Real delta = d / 508;
  Real tau = 374.18 / T;
algorithm
  f.d := d;
  f.T := T;
  f.R_s := 8.314471 / 0.102032;
  f.delta := delta;
  f.tau := tau;
  f.f := log(delta) - 1.019535 + 9.047135 * tau - 1.629789 * log(tau) - 9.723916 * tau ^ (-0.5)
    - 3.927170 * tau ^ (-0.75);
  f.ftau := 9.047135 - 1.629789 / tau + 0.5 * 9.723916 * tau ^ (-1.5)
    + 0.75 * 3.927170 * tau ^ (-1.75);
  f.ftautau := 1.629789 / tau ^ 2 - 0.75 * 9.723916 * tau ^ (-2.5)
    - 1.3125 * 3.927170 * tau ^ (-2.75);
  f.fdelta := 1 / delta;
  f.fdeltadelta := -1 / delta ^ 2;
  f.fdeltatau := 0;
  f := 'HelmholtzDerivs.with_terms'(f, n, i, j, l);
end f_R134a;

function 'R134a.from_Helmholtz' "What the Helmholtz energy says, and slopes by d and T"
  input Real d;
  input Real T;
  output Real p;
  output Real h;
  output Real s;
  output Real pd;
  output Real pT;
  output Real hd;
  output Real hT;
  'Modelica.Media.Common.HelmholtzDerivs' f;
algorithm
  f := f_R134a(d, T);
  p := f.R_s * T * d * f.delta * f.fdelta;
  h := f.R_s * T * (f.tau * f.ftau + f.delta * f.fdelta);
  s := f.R_s * (f.tau * f.ftau - f.f);
  pd := f.R_s * T * f.delta * (2 * f.fdelta + f.delta * f.fdeltadelta);
  pT := f.R_s * d * f.delta * (f.fdelta - f.tau * f.fdeltatau);
  hd := f.R_s * T / d * f.delta * (f.tau * f.fdeltatau + f.fdelta + f.delta * f.fdeltadelta);
  hT := pT / d - f.R_s * f.tau ^ 2 * f.ftautau;
end 'R134a.from_Helmholtz';

function 'R134a.auxiliary' "Vapour pressure and saturated densities, near what they are"
  input Real T;
  output Real p;
  output Real slope "d log p / dT";
  output Real dl;
  output Real dv;
  Real x = max(1 - T / 374.18, 1e-4);
  Real y;
algorithm
  y := -7.686556 * x + 2.311791 * x ^ 1.5 - 2.039554 * x ^ 2 - 3.583758 * x ^ 4;
  p := 4.05629e6 * exp(374.18 / T * y);
  slope := -374.18 / T ^ 2 * y - (-7.686556 + 1.5 * 2.311791 * x ^ 0.5 - 2 * 2.039554 * x
    - 4 * 3.583758 * x ^ 3) / T;
  dl := 518.20 + 884.13 * x ^ (1 / 3) + 485.84 * x ^ (2 / 3) + 193.29 * x ^ (10 / 3);
  dv := 516.86 * exp(-2.837294 * x ^ (1 / 3) - 7.875988 * x ^ (2 / 3) + 4.478586 * x ^ 0.5
    - 14.140125 * x ^ 2.25 - 52.361297 * x ^ 5.5);
end 'R134a.auxiliary';

function 'R134a.saturation' "By pressure"
  input Real p;
  output Real T;
  output Real dl;
  output Real dv;
  Real q;
  Real slope;
  Real pl;
  Real hl;
  Real sl;
  Real pdl;
  Real pTl;
  Real pv;
  Real hv;
  Real sv;
  Real pdv;
  Real pTv;
  Real step;
algorithm
  assert(p > 380 and p < 4e6, "The states of saturated R134a are supplied from 390 Pa to 4 MPa.");
  q := min(max(p, 300), 4.02e6);
  T := 374.18 / (1 - log(q / 4.05629e6) / 7);
  for k in 1:4 loop
    (pl, slope) := 'R134a.auxiliary'(T);
    T := T - log(pl / q) / slope;
  end for;
  (pl, slope, dl, dv) := 'R134a.auxiliary'(T);
  for k in 1:3 loop
    (pl, hl, sl, pdl, pTl) := 'R134a.from_Helmholtz'(dl, T);
    (pv, hv, sv, pdv, pTv) := 'R134a.from_Helmholtz'(dv, T);
    step := ((hl - T * sl + (q - pl) / dl) - (hv - T * sv + (q - pv) / dv)) / (sl - sv);
    dl := dl + (q - pl - pTl * step) / pdl;
    dv := dv + (q - pv - pTv * step) / pdv;
    T := T + step;
  end for;
end 'R134a.saturation';

function 'R134a_ph.saturationTemperature'
  input Real p;
  output Real T;
algorithm
  T := 'R134a.saturation'(p);
end 'R134a_ph.saturationTemperature';

function 'R134a_ph.saturationPressure' "By Newton's method from the auxiliary equation"
  input Real T;
  output Real p;
  Real slope;
  Real dl;
  Real dv;
  Real Ts;
  Real pl;
  Real hl;
  Real sl;
  Real pv;
  Real hv;
  Real sv;
algorithm
  p := 'R134a.auxiliary'(T);
  for k in 1:2 loop
    (Ts, dl, dv) := 'R134a.saturation'(p);
    (pl, hl, sl) := 'R134a.from_Helmholtz'(dl, Ts);
    (pv, hv, sv) := 'R134a.from_Helmholtz'(dv, Ts);
    p := p + (T - Ts) * (sv - sl) / (1 / dv - 1 / dl);
  end for;
end 'R134a_ph.saturationPressure';

function 'R134a_ph.setSat_p'
  input Real p;
  output 'R134a_ph.SaturationProperties' sat;
algorithm
  sat.psat := p;
  sat.Tsat := 'R134a_ph.saturationTemperature'(p);
end 'R134a_ph.setSat_p';

function 'R134a_ph.setSat_T'
  input Real T;
  output 'R134a_ph.SaturationProperties' sat;
algorithm
  sat.psat := 'R134a_ph.saturationPressure'(T);
  sat.Tsat := T;
end 'R134a_ph.setSat_T';

function 'R134a.boundary' "Properties of both phases by pressure"
  input Real p;
  output Real T;
  output Real dl;
  output Real dv;
  output Real hl;
  output Real hv;
  output Real sl;
  output Real sv;
  Real pressure;
algorithm
  (T, dl, dv) := 'R134a.saturation'(p);
  (pressure, hl, sl) := 'R134a.from_Helmholtz'(dl, T);
  (pressure, hv, sv) := 'R134a.from_Helmholtz'(dv, T);
end 'R134a.boundary';

function 'R134a_ph.bubbleDensity'
  input 'R134a_ph.SaturationProperties' sat;
  output Real d;
  Real T;
algorithm
  (T, d) := 'R134a.saturation'(sat.psat);
end 'R134a_ph.bubbleDensity';

function 'R134a_ph.dewDensity'
  input 'R134a_ph.SaturationProperties' sat;
  output Real d;
  Real T;
  Real dl;
algorithm
  (T, dl, d) := 'R134a.saturation'(sat.psat);
end 'R134a_ph.dewDensity';

function 'R134a_ph.bubbleEnthalpy'
  input 'R134a_ph.SaturationProperties' sat;
  output Real h;
  Real y[3];
algorithm
  (y[1], y[2], y[3], h) := 'R134a.boundary'(sat.psat);
end 'R134a_ph.bubbleEnthalpy';

function 'R134a_ph.dewEnthalpy'
  input 'R134a_ph.SaturationProperties' sat;
  output Real h;
  Real y[4];
algorithm
  (y[1], y[2], y[3], y[4], h) := 'R134a.boundary'(sat.psat);
end 'R134a_ph.dewEnthalpy';

function 'R134a_ph.bubbleEntropy'
  input 'R134a_ph.SaturationProperties' sat;
  output Real s;
  Real y[5];
algorithm
  (y[1], y[2], y[3], y[4], y[5], s) := 'R134a.boundary'(sat.psat);
end 'R134a_ph.bubbleEntropy';

function 'R134a_ph.dewEntropy'
  input 'R134a_ph.SaturationProperties' sat;
  output Real s;
  Real y[6];
algorithm
  (y[1], y[2], y[3], y[4], y[5], y[6], s) := 'R134a.boundary'(sat.psat);
end 'R134a_ph.dewEntropy';

function 'R134a_ph.getPhase_ph'
  input Real p;
  input Real h;
  output Integer phase;
  Real y[3];
  Real hl;
  Real hv;
algorithm
  (y[1], y[2], y[3], hl, hv) := 'R134a.boundary'(p);
  phase := if h < hl or h > hv then 1 else 2;
end 'R134a_ph.getPhase_ph';

function 'R134a_ph.dtofphOnePhase'
  input Real p;
  input Real h;
  input Real delp;
  input Real delh;
  output Real d;
  output Real T;
  output Integer error;
  Real y[3];
  Real hl;
  Real hv;
  Real dl;
  Real dv;
  Real Ts;
  Real goal "h, or the boundary that is nearer";
  Real p0;
  Real h0;
  Real s0;
  Real pd;
  Real pT;
  Real hd;
  Real hT;
algorithm
  (Ts, dl, dv, hl, hv) := 'R134a.boundary'(p);
  if h < (hl + hv) / 2 then
    goal := min(h, hl);
    // h' at 180 K, 0 degrees Celsius and 360 K, of the equation of state, inverted by a parabola.
    T := min(Ts, 180 + (goal - 83483) * (93.15 / 116517 + (goal - 200000)
      * (86.85 / 136059 - 93.15 / 116517) / 252576));
    (y[1], y[2], d) := 'R134a.auxiliary'(T);
    d := max(d, dl);
  else
    goal := max(h, hv);
    T := Ts + (goal - hv) / 1000;
    d := dv * Ts / T;
  end if;
  for k in 1:8 loop
    (p0, h0, s0, pd, pT, hd, hT) := 'R134a.from_Helmholtz'(d, T);
    d := max(d - ((p0 - p) * hT - (h0 - goal) * pT) / (pd * hT - pT * hd), 0.3 * d);
    T := T - (pd * (h0 - goal) - hd * (p0 - p)) / (pd * hT - pT * hd);
  end for;
  (p0, h0) := 'R134a.from_Helmholtz'(d, T);
  assert(abs(p0 - p) <= 1e-6 * p and abs(h0 - goal) <= 1,
    "The state of R134a is not found by Newton's method from that of saturation.");
  error := 0;
end 'R134a_ph.dtofphOnePhase';

function dt_ph "Density and temperature of R134a"
  input Real p;
  input Real h;
  output Real d;
  output Real T;
  Real dl;
  Real dv;
  Real hl;
  Real hv;
  Real x;
  Integer error;
algorithm
  (T, dl, dv, hl, hv) := 'R134a.boundary'(p);
  if h < hl or h > hv then
    (d, T, error) := 'R134a_ph.dtofphOnePhase'(p, h, 0, 0);
  else
    x := (h - hl) / (hv - hl);
    d := 1 / ((1 - x) / dl + x / dv);
  end if;
end dt_ph;

function 'R134a_ph.dofpT'
  input Real p;
  input Real T;
  input Real delp;
  output Real d;
  Real Ts;
  Real y[5];
  Real p0;
  Real h0;
  Real s0;
  Real pd;
algorithm
  Ts := 'R134a.saturation'(p);
  if T < Ts then
    (y[1], y[2], d) := 'R134a.auxiliary'(T);
  else
    d := p * 0.102032 / (8.314471 * T);
  end if;
  for k in 1:8 loop
    (p0, h0, s0, pd) := 'R134a.from_Helmholtz'(d, T);
    d := d - (p0 - p) / pd;
  end for;
end 'R134a_ph.dofpT';

function 'R134a_ph.hofpT'
  input Real p;
  input Real T;
  input Real delp;
  output Real h;
  Real p0;
algorithm
  (p0, h) := 'R134a.from_Helmholtz'('R134a_ph.dofpT'(p, T, delp), T);
end 'R134a_ph.hofpT';

function 'R134a_ph.phaseBoundaryAssert'
  input Real p;
  input Real T;
algorithm
  assert(abs(T - 'R134a.saturation'(p)) > 1, "R134a by pressure and temperature is nearer than 1 K "
    + "to its saturation, where they do not say what it is.");
end 'R134a_ph.phaseBoundaryAssert';
