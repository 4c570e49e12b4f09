// SPDX-License-Identifier: BSD-3-Clause
// Wall friction in terms of lambda2 = lambda*Re^2, which is finite at rest (I. E. Idelchik,
// "Handbook of Hydraulic Resistance", 3rd edition (1994), chapter 2):
//   laminar     lambda2 = 64*Re (Hagen, Poiseuille),
//   turbulent   Re = -2*sqrt(lambda2)*lg(2.51/sqrt(lambda2) + 0.27*Delta) (Colebrook, White), or
//               lambda2 = 0.25*(Re/lg(Delta/3.7 + 5.74/Re^0.9))^2 (Swamee, Jain),
//   between     the cubic polynomial of lg(Re) and lg(lambda2) with the values and slopes of
//   both.
// regFun3 is the monotone interpolation of M. G. Gasparo and R. Morandi, "Piecewise cubic
// monotone interpolation with assigned slopes", Computing 46 (1991) 355-365: the cubic polynomial
// with the given values and slopes, or, if its slope c between the ends comes down to less than a
// tenth of the mean slope, two cubic pieces with a straight one between them.
// regRoot2 and regSquare2 go through 0 on two cubic polynomials, x1 > 0 and x2 < 0 being where
// the root or the square begins. Their common slope y0d at 0 is the one that makes their second
// derivatives there equal, too: with q(x, y, y') = 3y - xy' and w = x2/x1 this is
// (q2/w - q1*w)/(2*x1*(1 - w)). Below a bound the polynomials rise everywhere.

function 'Fluid.Utilities.evaluatePoly3_derivativeAtZero'
  "The cubic polynomial with p(0) = 0, p'(0) = y0d, p(x1) = y1, p'(x1) = y1d"
  input Real x;
  input Real x1;
  input Real y1;
  input Real y1d;
  input Real y0d;
  output Real y;
  Real t = x / x1;
algorithm
  y := t * (x1 * y0d + t * (3 * y1 - x1 * (y1d + 2 * y0d) + t * (x1 * (y1d + y0d) - 2 * y1)));
end 'Fluid.Utilities.evaluatePoly3_derivativeAtZero';

function 'Fluid.Utilities.regFun3'
  input Real x;
  input Real x0;
  input Real x1;
  input Real y0;
  input Real y1;
  input Real y0d;
  input Real y1d;
  output Real y;
  output Real c "Slope between the ends";
  Real h = x1 - x0;
  Real mean = (y1 - y0) / h;
  Real t = (x - x0) / h;
  Real p = y0d + y1d - 2 * mean "Of the cubic polynomial's slope 3*p*t^2 + 2*q*t + y0d";
  Real q = 3 * mean - 2 * y0d - y1d;
  Real tm "Where the slope is extreme";
  Real omega "The slope there";
  Real rho;
  Real left;
  Real right;
algorithm
  if abs(p) <= 1e-13 * (abs(y0d) + abs(y1d)) or mean == 0 then
    tm := 0.5;
    omega := y0d + 0.75 * p + q;
  else
    tm := -q / (3 * p);
    omega := y0d - q ^ 2 / (3 * p);
  end if;
  if tm <= 0 or tm >= 1 or mean == 0 or omega * mean >= 0.1 * mean ^ 2 then
    y := y0 + h * t * (y0d + t * (q + t * p));
    c := if tm <= 0 or tm >= 1 then y0d + 0.75 * p + q else omega;
  else
    c := if omega * mean > 0 then 0.1 * mean
      else max(0.1, 0.25 * min(abs(omega / mean), 1)) * mean;
    rho := 3 * (mean - c) / (y0d * tm + y1d * (1 - tm) - c);
    left := rho * tm;
    right := rho * (1 - tm);
    if t < left then
      y := y0 + h * (c * t + (y0d - c) / 3 * left * (1 - (1 - t / left) ^ 3));
    elseif t < 1 - right then
      y := y0 + h * (c * t + (y0d - c) / 3 * left);
    else
      y := y1 - h * (c * (1 - t) + (y1d - c) / 3 * right * (1 - (1 - (1 - t) / right) ^ 3));
    end if;
  end if;
end 'Fluid.Utilities.regFun3';

function 'Fluid.Utilities.cubicHermite'
  input Real x;
  input Real x1;
  input Real x2;
  input Real y1;
  input Real y2;
  input Real y1d;
  input Real y2d;
  output Real y;
  output Real yd;
  Real h = x2 - x1;
  Real t = (x - x1) / h;
  Real m = (y2 - y1) / h;
algorithm
  y := y1 + h * t * (y1d + t * (3 * m - 2 * y1d - y2d + t * (y1d + y2d - 2 * m)));
  yd := y1d + t * (2 * (3 * m - 2 * y1d - y2d) + 3 * t * (y1d + y2d - 2 * m));
end 'Fluid.Utilities.cubicHermite';

function 'Fluid.Utilities.smoothZero' "The slope y0d at 0 of two cubic polynomials, at most limit"
  input Real x1;
  input Real y1;
  input Real y1d;
  input Real x2;
  input Real y2;
  input Real y2d;
  input Real limit;
  output Real y0d;
  Real w = x2 / x1;
algorithm
  y0d := min(((3 * y2 - x2 * y2d) / w - (3 * y1 - x1 * y1d) * w) / (2 * x1 * (1 - w)), limit);
end 'Fluid.Utilities.smoothZero';

function 'regRoot2.regRoot2_utility' "sqrt(k1*x) from x1 on, -sqrt(-k2*x) down from -x1*k2/k1"
  input Real x;
  input Real x1;
  input Real k1;
  input Real k2;
  input Boolean use_yd0;
  input Real yd0;
  output Real y;
  Real x2;
  Real y1;
  Real y2;
  Real y1d;
  Real y2d;
  Real limit;
  Real y0d;
algorithm
  x2 := if k2 > 0 then -x1 * (k2 / k1) else -x1;
  y1 := sqrt(max(k1, 0) * x1);
  y2 := -sqrt(max(k2, 0) * abs(x2));
  y1d := y1 / (2 * x1);
  y2d := y2 / (2 * x2);
  limit := 0.9 * min(sqrt(8.75 * max(k1, 0) / x1), sqrt(8.75 * max(k2, 0) / abs(x2)));
  y0d := if use_yd0 then min(yd0, limit)
    else 'Fluid.Utilities.smoothZero'(x1, y1, y1d, x2, y2, y2d, limit);
  if x <= x2 then
    y := -sqrt(max(k2, 0) * abs(x));
  elseif x < 0 then
    y := 'Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, x2, y2, y2d, y0d);
  else
    y := 'Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, x1, y1, y1d, y0d);
  end if;
end 'regRoot2.regRoot2_utility';

function 'Fluid.Utilities.regRoot2'
  input Real x;
  input Real x_small = 0.01;
  input Real k1 = 1;
  input Real k2 = 1;
  input Boolean use_yd0 = false;
  input Real yd0 = 1;
  output Real y;
algorithm
  y := if x >= x_small then sqrt(k1 * x) elseif x <= -x_small then -sqrt(k2 * abs(x))
    elseif k1 >= k2 then 'regRoot2.regRoot2_utility'(x, x_small, k1, k2, use_yd0, yd0)
    else -'regRoot2.regRoot2_utility'(-x, x_small, k2, k1, use_yd0, yd0);
end 'Fluid.Utilities.regRoot2';

function 'regSquare2.regSquare2_utility' "k1*x^2 from x1 on, -k2*x^2 down from -x1"
  input Real x;
  input Real x1;
  input Real k1;
  input Real k2;
  input Boolean use_yd0;
  input Real yd0;
  output Real y;
  Real limit = 0.9 * sqrt(5) * x1 * min(k1, k2);
  Real y0d;
algorithm
  y0d := if use_yd0 then min(yd0, limit)
    else 'Fluid.Utilities.smoothZero'(x1, k1 * x1 ^ 2, 2 * k1 * x1, -x1, -k2 * x1 ^ 2, 2 * k2 * x1,
      limit);
  if x <= -x1 then
    y := -k2 * x ^ 2;
  elseif x < 0 then
    y := 'Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, -x1, -k2 * x1 ^ 2, 2 * k2 * x1, y0d);
  else
    y := 'Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, x1, k1 * x1 ^ 2, 2 * k1 * x1, y0d);
  end if;
end 'regSquare2.regSquare2_utility';

function 'Fluid.Utilities.regSquare2'
  input Real x;
  input Real x_small = 0.01;
  input Real k1 = 1;
  input Real k2 = 1;
  input Boolean use_yd0 = false;
  input Real yd0 = 1;
  output Real y;
algorithm
  y := if x >= x_small then k1 * x ^ 2 elseif x <= -x_small then -k2 * x ^ 2
    elseif k1 >= k2 then 'regSquare2.regSquare2_utility'(x, x_small, k1, k2, use_yd0, yd0)
    else -'regSquare2.regSquare2_utility'(-x, x_small, k2, k1, use_yd0, yd0);
end 'Fluid.Utilities.regSquare2';

function 'Fluid.Utilities.regPow' "sign(x)*|x|^a, smooth at 0"
  input Real x;
  input Real a;
  input Real delta = 0.01;
  output Real y;
algorithm
  y := x * (x * x + delta * delta) ^ ((a - 1) / 2);
end 'Fluid.Utilities.regPow';

function 'Fluid.Utilities.regRoot'
  input Real x;
  input Real delta = 0.01;
  output Real y;
algorithm
  y := 'Fluid.Utilities.regPow'(x, 0.5, delta);
end 'Fluid.Utilities.regRoot';

function 'Fluid.Utilities.regRoot_der'
  input Real x;
  input Real delta = 0.01;
  input Real dx;
  output Real dy;
algorithm
  dy := dx * (0.5 * x * x + delta * delta) / (x * x + delta * delta) ^ 1.25;
end 'Fluid.Utilities.regRoot_der';

function 'Fluid.Utilities.regSquare'
  input Real x;
  input Real delta = 0.01;
  output Real y;
algorithm
  y := 'Fluid.Utilities.regPow'(x, 2, delta);
end 'Fluid.Utilities.regSquare';

function 'Fluid.Utilities.regStep' "From y2 below -x_small to y1 above x_small by a cubic polynomial"
  input Real x;
  input Real y1;
  input Real y2;
  input Real x_small = 1e-5;
  output Real y;
  Real t;
algorithm
  t := if x > x_small then 1 elseif x < -x_small then -1
    elseif x_small > 0 then x / x_small else 0;
  y := (y1 + y2) / 2 + (y1 - y2) * t * (3 - t ^ 2) / 4;
end 'Fluid.Utilities.regStep';

function 'WallFriction.turbulentLambda2' "Swamee and Jain, and its slope in logarithms"
  input Real Re;
  input Real Delta;
  output Real lambda2;
  output Real slope;
  Real A = Delta / 3.7 + 5.74 / Re ^ 0.9;
algorithm
  lambda2 := 0.25 * (Re / log10(A)) ^ 2;
  slope := 2 + 2 * 0.9 * 5.74 / (Re ^ 0.9 * A * log(A));
end 'WallFriction.turbulentLambda2';

function 'WallFriction.turbulentRe' "Colebrook and White, and dRe/dlambda2"
  input Real lambda2;
  input Real Delta;
  output Real Re;
  output Real slope;
  Real s = sqrt(lambda2);
  Real A = 2.51 / s + 0.27 * Delta;
algorithm
  Re := -2 * s * log10(A);
  slope := (Re / s + 2 * 2.51 / (log(10) * A * s)) / (2 * s);
end 'WallFriction.turbulentRe';

function 'WallFriction.transitionRe' "Between laminar and turbulent, and dRe/dlambda2"
  input Real lambda2;
  input Real Re1;
  input Real Re2;
  input Real Delta;
  output Real Re;
  output Real slope;
  Real L2;
  Real slope2;
  Real R2;
  Real lgRe;
algorithm
  (L2, slope2) := 'WallFriction.turbulentLambda2'(Re2, Delta);
  (R2, slope2) := 'WallFriction.turbulentRe'(L2, Delta);
  (lgRe, slope) := 'Fluid.Utilities.cubicHermite'(log10(lambda2), log10(64 * Re1), log10(L2),
    log10(Re1), log10(R2), 1, slope2 * L2 / R2);
  Re := 10 ^ lgRe;
  slope := slope * Re / lambda2;
end 'WallFriction.transitionRe';

function 'massFlowRate_dp.interpolateInRegion2'
  input Real Re_turbulent;
  input Real Re1;
  input Real Re2;
  input Real Delta;
  input Real lambda2;
  output Real Re;
algorithm
  Re := 'WallFriction.transitionRe'(lambda2, Re1, Re2, Delta);
end 'massFlowRate_dp.interpolateInRegion2';

function 'pressureLoss_m_flow.interpolateInRegion2'
  input Real Re;
  input Real Re1;
  input Real Re2;
  input Real Delta;
  output Real lambda2;
  Real L2;
  Real slope2;
algorithm
  (L2, slope2) := 'WallFriction.turbulentLambda2'(Re2, Delta);
  lambda2 := 10 ^ 'Fluid.Utilities.cubicHermite'(log10(Re), log10(Re1), log10(Re2),
    log10(64 * Re1), log10(L2), 1, slope2);
end 'pressureLoss_m_flow.interpolateInRegion2';

function 'WallFriction.Internal.m_flow_of_dp_fric'
  input Real dp_fric;
  input Real rho_a;
  input Real rho_b;
  input Real mu_a;
  input Real mu_b;
  input Real length;
  input Real diameter;
  input Real crossArea;
  input Real Re1;
  input Real Re2;
  input Real Delta;
  output Real m_flow;
  output Real dm_flow_ddp_fric;
  Real rho = if dp_fric >= 0 then rho_a else rho_b;
  Real mu = if dp_fric >= 0 then mu_a else mu_b;
  Real lambda2_per_dp = 2 * diameter ^ 3 * rho / (length * mu ^ 2);
  Real lambda2 = abs(dp_fric) * lambda2_per_dp;
  Real Re;
  Real slope;
algorithm
  if lambda2 <= 64 * Re1 then
    Re := lambda2 / 64;
    slope := 1 / 64;
  else
    (Re, slope) := 'WallFriction.turbulentRe'(lambda2, Delta);
    if Re < Re2 then
      (Re, slope) := 'WallFriction.transitionRe'(lambda2, Re1, Re2, Delta);
    end if;
  end if;
  m_flow := crossArea * mu / diameter * (if dp_fric >= 0 then Re else -Re);
  dm_flow_ddp_fric := crossArea * mu / diameter * slope * lambda2_per_dp;
end 'WallFriction.Internal.m_flow_of_dp_fric';

function 'WallFriction.Internal.dp_fric_of_m_flow'
  input Real m_flow;
  input Real rho_a;
  input Real rho_b;
  input Real mu_a;
  input Real mu_b;
  input Real length;
  input Real diameter;
  input Real crossArea;
  input Real Re1;
  input Real Re2;
  input Real Delta;
  output Real dp_fric;
  output Real ddp_fric_dm_flow;
  Real rho = if m_flow >= 0 then rho_a else rho_b;
  Real mu = if m_flow >= 0 then mu_a else mu_b;
  Real Re_per_flow = diameter / (crossArea * mu);
  Real Re = abs(m_flow) * Re_per_flow;
  Real lambda2;
  Real slope;
  Real lg;
  Real L2;
  Real slope2;
  Real factor = length * mu ^ 2 / (2 * rho * diameter ^ 3);
algorithm
  if Re <= Re1 then
    lambda2 := 64 * Re;
    slope := 64;
  elseif Re >= Re2 then
    (lambda2, slope) := 'WallFriction.turbulentLambda2'(Re, Delta);
    slope := slope * lambda2 / Re;
  else
    (L2, slope2) := 'WallFriction.turbulentLambda2'(Re2, Delta);
    (lg, slope) := 'Fluid.Utilities.cubicHermite'(log10(Re), log10(Re1), log10(Re2),
      log10(64 * Re1), log10(L2), 1, slope2);
    lambda2 := 10 ^ lg;
    slope := slope * lambda2 / Re;
  end if;
  dp_fric := factor * (if m_flow >= 0 then lambda2 else -lambda2);
  ddp_fric_dm_flow := factor * slope * Re_per_flow;
end 'WallFriction.Internal.dp_fric_of_m_flow';
