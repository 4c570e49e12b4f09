// SPDX-License-Identifier: BSD-3-Clause
// The devices of SPICE as in L. W. Nagel, "SPICE2", UCB/ERL M520 (1975), and G. Massobrio and
// P. Antognetti, "Semiconductor Device Modeling with SPICE", 2nd edition (1993):
// - junctions: (1.17) I = Is*(exp(v/(n*Vt)) - 1); below -3*n*Vt the exponential gives way to
//   -Is*(1 + (3*n*Vt/(e*v))^3), which has the same value and slope there; beyond the breakdown
//   voltage I = -Is*exp(-(Vbr + v)/(n*Vt)). Above v = 80*n*Vt the exponential is continued by its
//   tangent, which no solution reaches but an iterate may;
// - depletion capacitances: (1.23), (1.24) C = C0*(1 - v/phi)^(-m) below fc*phi, its tangent above,
//   with F1, F2, F3 of (1.25), and their integrals, the charges; diffusion adds tt*dI/dv;
// - MOSFET level 1 (Shichman and Hodges): (4.25) threshold with body effect, (4.29), (4.31) drain
//   current; its gate capacitances (J. E. Meyer, RCA Review 32 (1971) 42-63), of which SPICE
//   keeps half to average over a step; JFET: (3.2), (3.3).
// SPICE's limits of junction voltages shorten Newton steps; at a solution they change nothing.

function 'Filter.coefficients.lowPass' "s -> s/w in (s + cr) and s^2 + c1*s + c0"
  input Real cr_in[:];
  input Real c0_in[:];
  input Real c1_in[size(c0_in, 1)];
  input Real f_cut;
  output Real cr[size(cr_in, 1)];
  output Real c0[size(c0_in, 1)];
  output Real c1[size(c0_in, 1)];
  Real w = 2 * 3.141592653589793 * f_cut;
algorithm
  cr := w * cr_in;
  c0 := w ^ 2 * c0_in;
  c1 := w * c1_in;
end 'Filter.coefficients.lowPass';

function 'Filter.coefficients.highPass' "s -> w/s in (s + cr) and s^2 + c1*s + c0"
  input Real cr_in[:];
  input Real c0_in[:];
  input Real c1_in[size(c0_in, 1)];
  input Real f_cut;
  output Real cr[size(cr_in, 1)];
  output Real c0[size(c0_in, 1)];
  output Real c1[size(c0_in, 1)];
  Real w = 2 * 3.141592653589793 * f_cut;
algorithm
  cr := w ./ cr_in;
  c0 := w ^ 2 ./ c0_in;
  c1 := w * c1_in ./ c0_in;
end 'Filter.coefficients.highPass';

function 'Spice3.Internal.Functions.junctionExponential'
  input Real v;
  input Real vte;
  input Real Is;
  output Real i;
  output Real g;
  Real e;
algorithm
  e := exp(min(v / vte, 80));
  g := Is * e / vte;
  i := if v <= 80 * vte then Is * (e - 1) else Is * (e - 1) + g * (v - 80 * vte);
end 'Spice3.Internal.Functions.junctionExponential';

function 'Spice3.Internal.Functions.junctionReverse'
  input Real v;
  input Real vte;
  input Real Is;
  output Real i;
  output Real g;
  Real r;
algorithm
  r := (3 * vte / (v * exp(1))) ^ 3;
  i := -Is * (1 + r);
  g := 3 * Is * r / v;
end 'Spice3.Internal.Functions.junctionReverse';

function 'Spice3.Internal.Functions.junction2'
  input Real voltage;
  input Real temp;
  input Real ncoeff;
  input Real satcur;
  output Real current;
  output Real cond;
  Real vte = 1.380649e-23 / 1.6021918e-19 * temp * ncoeff;
algorithm
  if voltage >= -3 * vte then
    (current, cond) := 'Spice3.Internal.Functions.junctionExponential'(voltage, vte, satcur);
  else
    (current, cond) := 'Spice3.Internal.Functions.junctionReverse'(voltage, vte, satcur);
  end if;
end 'Spice3.Internal.Functions.junction2';

function 'Spice3.Internal.Functions.junction3'
  input Real voltage;
  input Real temp;
  input Real ncoeff;
  input Real satcur;
  input Real v1;
  output Real current;
  output Real cond;
  Real vte = 1.380649e-23 / 1.6021918e-19 * temp * ncoeff;
  Real e;
algorithm
  if voltage >= -3 * vte then
    (current, cond) := 'Spice3.Internal.Functions.junctionExponential'(voltage, vte, satcur);
  elseif voltage >= -v1 then
    (current, cond) := 'Spice3.Internal.Functions.junctionReverse'(voltage, vte, satcur);
  else
    e := exp(min(-(v1 + voltage) / vte, 80));
    current := -satcur * e;
    cond := satcur * e / vte;
  end if;
end 'Spice3.Internal.Functions.junction3';

function 'Spice3.Internal.Functions.junction2SPICE3MOSFETRevised'
  input Real voltage;
  input Real temp;
  input Real ncoeff;
  input Real satcur;
  output Real current;
  output Real cond;
  Real vte = 1.380649e-23 / 1.6021918e-19 * temp * ncoeff;
algorithm
  if voltage <= 0 then
    cond := satcur / vte;
    current := cond * voltage;
  else
    (current, cond) := 'Spice3.Internal.Functions.junctionExponential'(voltage, vte, satcur);
  end if;
end 'Spice3.Internal.Functions.junction2SPICE3MOSFETRevised';

function 'Spice3.Internal.Functions.junction2SPICE3BJT'
  input Real voltage;
  input Real temp;
  input Real ncoeff;
  input Real ncoeff2;
  input Real satcur;
  input Real satcur2;
  output Real current;
  output Real cond;
  output Real current2;
  output Real cond2;
  Real vt = 1.380649e-23 / 1.6021918e-19 * temp;
algorithm
  if voltage >= -5 * vt * ncoeff then
    (current, cond) := 'Spice3.Internal.Functions.junctionExponential'(voltage, vt * ncoeff, satcur);
    (current2, cond2) := 'Spice3.Internal.Functions.junctionExponential'(voltage, vt * ncoeff2,
      satcur2);
  else
    current := -satcur;
    cond := -satcur / voltage;
    current2 := -satcur2;
    cond2 := -satcur2 / voltage;
  end if;
  current := current + 1e-12 * voltage;
  cond := cond + 1e-12;
end 'Spice3.Internal.Functions.junction2SPICE3BJT';

function 'Spice3.Internal.Functions.junctionCapRevised'
  input Real capin;
  input Real voltage;
  input Real depcap;
  input Real mj;
  input Real phij;
  input Real f1;
  input Real f2;
  input Real f3;
  output Real capout;
  output Real charge;
  Real a;
algorithm
  if voltage < depcap then
    a := 1 - voltage / phij;
    capout := capin * a ^ (-mj);
    charge := capin * phij * (1 - a ^ (1 - mj)) / (1 - mj);
  else
    capout := capin / f2 * (f3 + mj * voltage / phij);
    charge := capin * (f1 + (f3 * (voltage - depcap)
      + mj / (2 * phij) * (voltage ^ 2 - depcap ^ 2)) / f2);
  end if;
end 'Spice3.Internal.Functions.junctionCapRevised';

function 'Spice3.Internal.Functions.junctionCapTransTime'
  input Real capin;
  input Real voltage;
  input Real depcap;
  input Real mj;
  input Real phij;
  input Real f1;
  input Real f2;
  input Real f3;
  input Real transittime;
  input Real conduct;
  input Real current;
  output Real capout;
  output Real charge;
algorithm
  (capout, charge) := 'Spice3.Internal.Functions.junctionCapRevised'(capin, voltage, depcap, mj,
    phij, f1, f2, f3);
  capout := capout + transittime * conduct;
  charge := charge + transittime * current;
end 'Spice3.Internal.Functions.junctionCapTransTime';

function 'Modelica.Electrical.Spice3.Internal.Mos1.drainCur'
  input Real vbs;
  input Real vgs;
  input Real vds;
  input 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1Calc' in_c;
  input 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1ModelLineParams' in_p;
  input 'Modelica.Electrical.Spice3.Internal.SpiceConstants' in_C;
  input 'Modelica.Electrical.Spice3.Internal.Mos.MosModelLineVariables' in_vp;
  input Integer in_m_type;
  output 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1Calc' out_c;
  Real root;
  Real bulk;
  Real vgst;
  Real beta;
algorithm
  out_c := in_c;
  if vbs <= 0 then
    root := sqrt(in_c.m_tPhi - vbs);
  else
    root := max(0, sqrt(in_c.m_tPhi) - vbs / (2 * sqrt(in_c.m_tPhi)));
  end if;
  bulk := if root <= 0 then 0 else in_vp.m_gamma / (2 * root);
  out_c.m_von := in_c.m_tVbi * in_m_type + in_vp.m_gamma * root;
  vgst := vgs - out_c.m_von;
  out_c.m_vdsat := max(vgst, 0);
  beta := in_c.m_Beta * (1 + in_p.m_lambda * vds);
  if vgst <= 0 then
    out_c.m_cdrain := 0;
    out_c.m_gm := 0;
    out_c.m_gds := 0;
  elseif vgst <= vds then
    out_c.m_cdrain := beta * vgst ^ 2 / 2;
    out_c.m_gm := beta * vgst;
    out_c.m_gds := in_p.m_lambda * in_c.m_Beta * vgst ^ 2 / 2;
  else
    out_c.m_cdrain := beta * vds * (vgst - vds / 2);
    out_c.m_gm := beta * vds;
    out_c.m_gds := beta * (vgst - vds) + in_p.m_lambda * in_c.m_Beta * vds * (vgst - vds / 2);
  end if;
  out_c.m_gmbs := out_c.m_gm * bulk;
end 'Modelica.Electrical.Spice3.Internal.Mos1.drainCur';

function 'Modelica.Electrical.Spice3.Internal.Mos.mosCalcDEVqmeyer'
  input Real vgs;
  input Real vgd;
  input Real vgb;
  input 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1Calc' in_c;
  output 'Modelica.Electrical.Spice3.Internal.Mos.DEVqmeyer' qm;
  Real vgst = vgs - in_c.m_von;
  Real vds = vgs - vgd;
  Real phi = in_c.m_tPhi;
  Real cox = in_c.m_capOx;
algorithm
  qm.qm_capgb := 0;
  qm.qm_capgs := 0;
  qm.qm_capgd := 0;
  if vgst <= -phi then
    qm.qm_capgb := cox / 2;
  elseif vgst <= 0 then
    qm.qm_capgb := -vgst * cox / (2 * phi);
    if vgst > -phi / 2 then
      qm.qm_capgs := cox * (2 * vgst / phi + 1) / 3;
    end if;
  elseif in_c.m_vdsat <= vds then
    qm.qm_capgs := cox / 3;
  else
    qm.qm_capgd := cox * (1 - (in_c.m_vdsat / (2 * in_c.m_vdsat - vds)) ^ 2) / 3;
    qm.qm_capgs := cox * (1 - ((in_c.m_vdsat - vds) / (2 * in_c.m_vdsat - vds)) ^ 2) / 3;
  end if;
end 'Modelica.Electrical.Spice3.Internal.Mos.mosCalcDEVqmeyer';

function 'Modelica.Electrical.Spice3.Internal.SpiceRoot.limitJunctionVoltageRevised'
  input Real voltage;
  output Real pnvoltage;
algorithm
  pnvoltage := voltage;
end 'Modelica.Electrical.Spice3.Internal.SpiceRoot.limitJunctionVoltageRevised';

function 'Modelica.Electrical.Spice3.Internal.Jfet.drainCur'
  input Real vds;
  input Real vgs;
  input Real vgd;
  input 'Modelica.Electrical.Spice3.Internal.Fet.Fet' in_f;
  input 'Modelica.Electrical.Spice3.Internal.Jfet.JfetModelLine' in_fm;
  output 'Modelica.Electrical.Spice3.Internal.Fet.Fet' out_f;
  Real direction = if vds >= 0 then 1 else -1;
  Real v = abs(vds);
  Real vgt = (if vds >= 0 then vgs else vgd) - in_fm.m_threshold;
  Real beta = in_fm.m_beta * in_f.m_area * (1 + in_fm.m_lModulation * v);
algorithm
  out_f := in_f;
  if vgt <= 0 then
    out_f.m_cdrain := 0;
  elseif vgt <= v then
    out_f.m_cdrain := direction * beta * vgt ^ 2;
  else
    out_f.m_cdrain := direction * beta * v * (2 * vgt - v);
  end if;
end 'Modelica.Electrical.Spice3.Internal.Jfet.drainCur';

function 'Modelica.Electrical.Spice3.Internal.Jfet.calculateGateCap'
  input 'Modelica.Electrical.Spice3.Internal.Fet.Fet' in_f;
  input Real vgs;
  input Real vgd;
  output Real capgs;
  output Real chargegs;
  output Real capgd;
  output Real chargegd;
algorithm
  (capgs, chargegs) := 'Spice3.Internal.Functions.junctionCapRevised'(in_f.m_tCGS, vgs,
    in_f.m_corDepCap, 0.5, in_f.m_tGatePot, in_f.m_f1, in_f.m_f2, in_f.m_f3);
  (capgd, chargegd) := 'Spice3.Internal.Functions.junctionCapRevised'(in_f.m_tCGD, vgd,
    in_f.m_corDepCap, 0.5, in_f.m_tGatePot, in_f.m_f1, in_f.m_f2, in_f.m_f3);
end 'Modelica.Electrical.Spice3.Internal.Jfet.calculateGateCap';
