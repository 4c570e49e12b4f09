// SPDX-License-Identifier: BSD-3-Clause
// Dry air by E. W. Lemmon, R. T Jacobsen, S. G. Penoncello and D. G. Friend, "Thermodynamic
// properties of air and mixtures of nitrogen, argon, and oxygen from 60 to 2000 K at pressures to
// 2000 MPa", J. Phys. Chem. Ref. Data 29 (2000) 331-385: the reduced Helmholtz energy f(delta,
// tau) of (24) and (25) with Tables 12 and 13, delta = d/(302.5507 kg/m3), tau = 132.6312 K/T.
// N10 has the sign with which the library sets its zero of enthalpy: the term is linear in tau
// but for exp(-87*tau), so that it moves the zero alone.
//
// Inverses by Newton's method from the ideal gas, in a fixed number of steps; an assertion tells
// where that was not enough. Zeros of enthalpy and entropy:
// h = 0 and s = 161.8028 J/(kg.K) at 273.15 K and 101325 Pa.

function 'ReferenceAir.Air_Utilities.Basic.Helmholtz'
  input Real d;
  input Real T;
  output 'Modelica.Media.Common.HelmholtzDerivs' f;
  Real N[13] = {0.605719400e-7, -0.210274769e-4, -0.158860716e-3, -13.841928076, 17.275266575,
    -0.195363420e-3, 2.490888032, 0.791309509, 0.212236768, 0.197938904, 25.36365, 16.90741,
    87.31279};
  Real n[19] = {0.118160747229, 0.713116392079, -1.61824192067, 0.0714140178971, -0.0865421396646,
    0.134211176704, 0.0112626704218, -0.0420533228842, 0.0349008431982, 0.000164957183186,
    -0.101365037912, -0.173813690970, -0.0472103183731, -0.0122523554253, -0.146629609713,
    -0.0316055879821, 0.000233594806142, 0.0148287891978, -0.00938782884667};
  Integer i[19] = {1, 1, 1, 2, 3, 3, 4, 4, 4, 6, 1, 3, 5, 6, 1, 3, 11, 1, 3};
  Real j[19] = {0.0, 0.33, 1.01, 0.0, 0.0, 0.15, 0.0, 0.2, 0.35, 1.35, 1.6, 0.8, 0.95, 1.25, 3.6, 6.0,
    3.25, 3.5, 15.0};
  Integer l[19] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3};
  Real delta = d / 302.5507652;
  Real tau = 132.6312 / T;
  Real e8;
  Real e9;
  Real e10;
algorithm
  e8 := exp(-N[11] * tau);
  e9 := exp(-N[12] * tau);
  e10 := 2 / 3 * exp(-N[13] * tau);
  f.d := d;
  f.T := T;
  f.R_s := 287.117;
  f.delta := delta;
  f.tau := tau;
  f.f := log(delta) + N[6] * tau ^ 1.5 + N[7] * log(tau) + N[8] * log(1 - e8) + N[9] * log(1 - e9)
    + N[10] * (N[13] * tau + log(1 + e10));
  f.ftau := 1.5 * N[6] * sqrt(tau) + N[7] / tau + N[8] * N[11] * e8 / (1 - e8)
    + N[9] * N[12] * e9 / (1 - e9) + N[10] * N[13] / (1 + e10);
  f.ftautau := 0.75 * N[6] / sqrt(tau) - N[7] / tau ^ 2 - N[8] * N[11] ^ 2 * e8 / (1 - e8) ^ 2
    - N[9] * N[12] ^ 2 * e9 / (1 - e9) ^ 2 + N[10] * N[13] ^ 2 * e10 / (1 + e10) ^ 2;
  for k in 1:5 loop
    f.f := f.f + N[k] * tau ^ (k - 4);
    f.ftau := f.ftau + (k - 4) * N[k] * tau ^ (k - 5);
    f.ftautau := f.ftautau + (k - 4) * (k - 5) * N[k] * tau ^ (k - 6);
  end for;
  f.fdelta := 1 / delta;
  f.fdeltadelta := -1 / delta ^ 2;
  f.fdeltatau := 0;
  f := 'HelmholtzDerivs.with_terms'(f, n, i, j, l);
end 'ReferenceAir.Air_Utilities.Basic.Helmholtz';

function 'ReferenceAir.Air_Utilities.Inverses.dofpT'
  input Real p;
  input Real T;
  input Real delp;
  output Real d;
  'Modelica.Media.Common.HelmholtzDerivs' f;
algorithm
  d := p / (287.117 * T);
  for k in 1:6 loop
    f := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'(d, T);
    d := d - (d * f.delta * f.fdelta - p / (287.117 * T))
      / (f.delta * (2 * f.fdelta + f.delta * f.fdeltadelta));
  end for;
  f := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'(d, T);
  assert(abs(287.117 * T * d * f.delta * f.fdelta - p) <= 1e-6 * p,
    "The density of air is not found by Newton's method from that of the ideal gas.");
end 'ReferenceAir.Air_Utilities.Inverses.dofpT';

function 'ReferenceAir.Air_Utilities.dTofpy' "From pressure and enthalpy, or entropy"
  input Real p;
  input Real y;
  input Boolean is_enthalpy;
  output Real d;
  output Real T;
  'Modelica.Media.Common.HelmholtzDerivs' f;
  'Modelica.Media.Common.HelmholtzDerivs' f0;
  Real R = 287.117;
  Real d0;
  Real y0 "At 273.15 K and 101325 Pa";
  Real rp;
  Real ry;
  Real pd;
  Real pT;
  Real yd;
  Real yT;
  Real cv;
algorithm
  d0 := 'ReferenceAir.Air_Utilities.Inverses.dofpT'(101325, 273.15, 0.1);
  f0 := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'(d0, 273.15);
  y0 := if is_enthalpy then R * 273.15 * (f0.tau * f0.ftau + f0.delta * f0.fdelta)
    else R * (f0.tau * f0.ftau - f0.f) - 161.8028;
  T := if is_enthalpy then 273.15 + y / 1005 else 273.15 * exp((y - 161.8028
    + R * log(p / 101325)) / 1005);
  d := p / (R * T);
  for k in 1:8 loop
    f := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'(d, T);
    pd := R * T * f.delta * (2 * f.fdelta + f.delta * f.fdeltadelta);
    pT := R * d * f.delta * (f.fdelta - f.tau * f.fdeltatau);
    cv := -R * f.tau ^ 2 * f.ftautau;
    rp := R * T * d * f.delta * f.fdelta - p;
    if is_enthalpy then
      ry := R * T * (f.tau * f.ftau + f.delta * f.fdelta) - y0 - y;
      yd := R * T / d * f.delta * (f.tau * f.fdeltatau + f.fdelta + f.delta * f.fdeltadelta);
      yT := cv + pT / d;
    else
      ry := R * (f.tau * f.ftau - f.f) - y0 - y;
      yd := -pT / d ^ 2;
      yT := cv / T;
    end if;
    d := d - (rp * yT - ry * pT) / (pd * yT - pT * yd);
    T := T - (pd * ry - yd * rp) / (pd * yT - pT * yd);
  end for;
  f := 'ReferenceAir.Air_Utilities.Basic.Helmholtz'(d, T);
  assert(abs(R * T * d * f.delta * f.fdelta - p) <= 1e-6 * p,
    "The state of air is not found by Newton's method from that of the ideal gas.");
end 'ReferenceAir.Air_Utilities.dTofpy';

function 'ReferenceAir.Air_Utilities.Inverses.dTofph'
  input Real p;
  input Real h;
  input Real delp;
  input Real delh;
  output Real d;
  output Real T;
algorithm
  (d, T) := 'ReferenceAir.Air_Utilities.dTofpy'(p, h, true);
end 'ReferenceAir.Air_Utilities.Inverses.dTofph';

function 'ReferenceAir.Air_Utilities.Inverses.dTofps'
  input Real p;
  input Real s;
  input Real delp;
  input Real dels;
  output Real d;
  output Real T;
algorithm
  (d, T) := 'ReferenceAir.Air_Utilities.dTofpy'(p, s, false);
end 'ReferenceAir.Air_Utilities.Inverses.dTofps';
