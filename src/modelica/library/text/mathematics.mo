// SPDX-License-Identifier: BSD-3-Clause
// erf by W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23
// (1969) 631-637, to 1e-15; its inverse by three steps of Halley's method, which triple the
// digits each, from the first terms of its series or the approximation of S. Winitzki (2008),
// which have two.

function 'Modelica.Math.Vectors.length'
  input Real v[:];
  output Real result;
algorithm
  result := sqrt(v * v);
end 'Modelica.Math.Vectors.length';

function 'Modelica.Math.Vectors.norm'
  input Real v[:];
  input Real p = 2;
  output Real result;
algorithm
  if p == 2 then
    result := sqrt(v * v);
  else
    result := sum(abs(v) .^ p) ^ (1 / p);
  end if;
end 'Modelica.Math.Vectors.norm';

function 'Modelica.Math.Vectors.normalize'
  input Real v[:];
  input Real eps = 2.220446049250313e-14;
  output Real result[size(v, 1)];
algorithm
  result := v / max(sqrt(v * v), eps);
end 'Modelica.Math.Vectors.normalize';

function 'Modelica.Math.Vectors.normalizeWithAssert'
  input Real v[:];
  output Real result[size(v, 1)];
algorithm
  assert(v * v > 0, "A vector of length zero has no direction.");
  result := v / sqrt(v * v);
end 'Modelica.Math.Vectors.normalizeWithAssert';

function 'Modelica.Math.BooleanVectors.allTrue'
  input Boolean b[:];
  output Boolean result;
algorithm
  result := size(b, 1) > 0 and min(cat(1, {true}, b));
end 'Modelica.Math.BooleanVectors.allTrue';

function 'Modelica.Math.BooleanVectors.anyTrue'
  input Boolean b[:];
  output Boolean result;
algorithm
  result := max(cat(1, {false}, b));
end 'Modelica.Math.BooleanVectors.anyTrue';

function 'Modelica.Math.BooleanVectors.countTrue'
  input Boolean b[:];
  output Integer n;
algorithm
  n := sum(if b[i] then 1 else 0 for i in 1:size(b, 1));
end 'Modelica.Math.BooleanVectors.countTrue';

function 'Modelica.Math.BooleanVectors.oneTrue'
  input Boolean b[:];
  output Boolean result;
algorithm
  result := sum(if b[i] then 1 else 0 for i in 1:size(b, 1)) == 1;
end 'Modelica.Math.BooleanVectors.oneTrue';

function 'Modelica.Math.BooleanVectors.firstTrueIndex'
  input Boolean b[:];
  output Integer index;
algorithm
  index := 0;
  for i in 1:size(b, 1) loop
    if b[i] then
      index := i;
      return;
    end if;
  end for;
end 'Modelica.Math.BooleanVectors.firstTrueIndex';


function 'Matrices.solve' "Gaussian elimination with partial pivoting"
  input Real A[:, :];
  input Real b[size(A, 1)];
  output Real x[size(b, 1)];
  Integer n = size(b, 1);
  Real U[size(A, 1), size(A, 1)] = A;
  Real y[size(b, 1)] = b;
  Integer p;
  Real other;
algorithm
  for k in 1:n loop
    p := k;
    for i in k + 1:n loop
      if abs(U[i, k]) > abs(U[p, k]) then
        p := i;
      end if;
    end for;
    for j in k:n loop
      other := U[k, j];
      U[k, j] := U[p, j];
      U[p, j] := other;
    end for;
    other := y[k];
    y[k] := y[p];
    y[p] := other;
    for i in k + 1:n loop
      other := U[i, k] / U[k, k];
      for j in k:n loop
        U[i, j] := U[i, j] - other * U[k, j];
      end for;
      y[i] := y[i] - other * y[k];
    end for;
  end for;
  for k in n:-1:1 loop
    x[k] := y[k];
    for j in k + 1:n loop
      x[k] := x[k] - U[k, j] * x[j];
    end for;
    x[k] := x[k] / U[k, k];
  end for;
end 'Matrices.solve';

function 'Modelica.Math.Special.Internal.polyEval' "c[1] + c[2]*u + c[3]*u^2 + ..."
  input Real c[:];
  input Real u;
  output Real y;
algorithm
  y := 0;
  for k in size(c, 1):-1:1 loop
    y := y * u + c[k];
  end for;
end 'Modelica.Math.Special.Internal.polyEval';

function 'Modelica.Math.Special.Internal.erfcUtil' "1 - erf(z) for z > 0.46875"
  input Real z;
  output Real y;
  Real s = z * z;
algorithm
  if z <= 4 then
    y := ((((((((2.15311535474403846e-8 * z + 5.64188496988670089e-1) * z
      + 8.88314979438837594) * z + 6.61191906371416295e1) * z + 2.98635138197400131e2) * z
      + 8.81952221241769090e2) * z + 1.71204761263407058e3) * z + 2.05107837782607147e3) * z
      + 1.23033935479799725e3) / ((((((((z + 1.57449261107098347e1) * z
      + 1.17693950891312499e2) * z + 5.37181101862009858e2) * z + 1.62138957456669019e3) * z
      + 3.29079923573345963e3) * z + 4.36261909014324716e3) * z + 3.43936767414372164e3) * z
      + 1.23033935480374942e3);
  else
    y := (5.6418958354775628695e-1 - (((((1.63153871373020978e-2 / s + 3.05326634961232344e-1) / s
      + 3.60344899949804439e-1) / s + 1.25781726111229246e-1) / s + 1.60837851487422766e-2) / s
      + 6.58749161529837803e-4) / (((((1 / s + 2.56852019228982242) / s + 1.87295284992346725) / s
      + 5.27905102951428412e-1) / s + 6.05183413124413191e-2) / s + 2.33520497626869185e-3) / s)
      / z;
  end if;
  y := exp(-s) * y;
end 'Modelica.Math.Special.Internal.erfcUtil';

function 'Modelica.Math.Special.Internal.erfNearZero' "For |u| <= 0.47"
  input Real u;
  output Real y;
  Real s = u * u;
algorithm
  y := u * ((((1.85777706184603153e-1 * s + 3.16112374387056560) * s + 1.13864154151050156e2) * s
    + 3.77485237685302021e2) * s + 3.20937758913846947e3) / ((((s + 2.36012909523441209e1) * s
    + 2.44024637934444173e2) * s + 1.28261652607737228e3) * s + 2.84423683343917062e3);
end 'Modelica.Math.Special.Internal.erfNearZero';

function 'Modelica.Math.Special.erf'
  input Real u;
  output Real y;
algorithm
  if abs(u) <= 0.46875 then
    y := 'Modelica.Math.Special.Internal.erfNearZero'(u);
  else
    y := sign(u) * (1 - 'Modelica.Math.Special.Internal.erfcUtil'(abs(u)));
  end if;
end 'Modelica.Math.Special.erf';

function 'Modelica.Math.Special.erfc'
  input Real u;
  output Real y;
algorithm
  y := if u > 0.46875 then 'Modelica.Math.Special.Internal.erfcUtil'(u)
    else 1 - 'Modelica.Math.Special.erf'(u);
end 'Modelica.Math.Special.erfc';

function 'Modelica.Math.Special.Internal.erfInvUtil' "erf(y) = p >= 0, q = 1 - p"
  input Real p;
  input Real q;
  output Real y;
  Real b;
  Real l;
  Real e;
algorithm
  if p <= 0.5 then
    y := 0.886226925452758 * p * (1 + 0.2617993877991494 * p ^ 2);
    for i in 1:3 loop
      e := ('Modelica.Math.Special.Internal.erfNearZero'(y) - p) * 0.886226925452758 * exp(y * y);
      y := y - e / (1 + y * e);
    end for;
  else
    l := log(q * (1 + p));
    b := 2 / (3.141592653589793 * 0.147) + l / 2;
    y := sqrt(sqrt(b ^ 2 - l / 0.147) - b);
    for i in 1:3 loop
      e := (q - 'Modelica.Math.Special.Internal.erfcUtil'(y)) * 0.886226925452758 * exp(y * y);
      y := y - e / (1 + y * e);
    end for;
  end if;
end 'Modelica.Math.Special.Internal.erfInvUtil';

function 'Modelica.Math.Special.erfInv'
  input Real u;
  output Real y;
algorithm
  y := if u < 0 then -'Modelica.Math.Special.Internal.erfInvUtil'(-u, 1 + u)
    else 'Modelica.Math.Special.Internal.erfInvUtil'(u, 1 - u);
end 'Modelica.Math.Special.erfInv';

function 'Modelica.Math.Special.erfcInv'
  input Real u;
  output Real y;
algorithm
  y := if u < 0.5 then 'Modelica.Math.Special.Internal.erfInvUtil'(1 - u, u)
    else 'Modelica.Math.Special.erfInv'(1 - u);
end 'Modelica.Math.Special.erfcInv';

function 'Modelica.Math.asinh'
  input Real u;
  output Real y;
algorithm
  y := sign(u) * log(abs(u) + sqrt(u * u + 1));
end 'Modelica.Math.asinh';

function 'Modelica.Math.acosh'
  input Real u;
  output Real y;
algorithm
  y := log(u + sqrt((u - 1) * (u + 1)));
end 'Modelica.Math.acosh';

function 'Modelica.Math.atan3' "The angle of (u2, u1) that is nearest to u0"
  input Real u1;
  input Real u2;
  input Real u0 = 0;
  output Real y;
  Real w;
algorithm
  w := atan2(u1, u2);
  y := w + 6.283185307179586 * ceil((u0 - w) / 6.283185307179586 - 0.5);
end 'Modelica.Math.atan3';

function 'Modelica.Math.wrapAngle' "Between -pi and pi, or between 0 and 2*pi"
  input Real u;
  input Boolean positiveRange = false;
  output Real y;
algorithm
  y := mod(u, 6.283185307179586);
  y := if not positiveRange and y > 3.141592653589793 then y - 6.283185307179586 else y;
end 'Modelica.Math.wrapAngle';

function 'Modelica.Math.isEqual'
  input Real s1;
  input Real s2;
  input Real eps = 0;
  output Boolean result;
algorithm
  result := abs(s1 - s2) <= eps;
end 'Modelica.Math.isEqual';

function 'Modelica.Math.Vectors.interpolate' "On the polygon through the points (x, y), x rising"
  input Real x[:];
  input Real y[size(x, 1)];
  input Real xi;
  input Integer iLast = 1;
  output Real yi;
  output Integer iNew;
algorithm
  iNew := 1;
  for k in 2:size(x, 1) - 1 loop
    if xi >= x[k] then
      iNew := k;
    end if;
  end for;
  yi := y[1];
  for k in 1:size(x, 1) - 1 loop
    if k == iNew then
      yi := if x[k + 1] == x[k] then y[k]
        else y[k] + (y[k + 1] - y[k]) * (xi - x[k]) / (x[k + 1] - x[k]);
    end if;
  end for;
end 'Modelica.Math.Vectors.interpolate';

function 'Modelica.Math.Vectors.reverse'
  input Real v[:];
  output Real result[size(v, 1)];
algorithm
  result := {v[size(v, 1) + 1 - i] for i in 1:size(v, 1)};
end 'Modelica.Math.Vectors.reverse';

function 'Modelica.Math.Polynomials.evaluate' "p[1]*u^n + ... + p[n + 1]"
  input Real p[:];
  input Real u;
  output Real y;
algorithm
  y := 0;
  for k in 1:size(p, 1) loop
    y := y * u + p[k];
  end for;
end 'Modelica.Math.Polynomials.evaluate';

function 'Modelica.Math.Polynomials.derivative'
  input Real p[:];
  output Real q[size(p, 1) - 1];
algorithm
  q := {(size(p, 1) - i) * p[i] for i in 1:size(p, 1) - 1};
end 'Modelica.Math.Polynomials.derivative';

function 'Modelica.Math.Polynomials.derivativeValue'
  input Real p[:];
  input Real u;
  output Real y;
algorithm
  y := 'Modelica.Math.Polynomials.evaluate'('Modelica.Math.Polynomials.derivative'(p), u);
end 'Modelica.Math.Polynomials.derivativeValue';

function 'Modelica.Math.Polynomials.secondDerivativeValue'
  input Real p[:];
  input Real u;
  output Real y;
algorithm
  y := 'Modelica.Math.Polynomials.derivativeValue'('Modelica.Math.Polynomials.derivative'(p), u);
end 'Modelica.Math.Polynomials.secondDerivativeValue';

function 'Modelica.Math.Polynomials.integral' "Zero at u = 0"
  input Real p[:];
  output Real q[size(p, 1) + 1];
algorithm
  q := cat(1, {p[i] / (size(p, 1) + 1 - i) for i in 1:size(p, 1)}, {0});
end 'Modelica.Math.Polynomials.integral';

function 'Modelica.Math.Polynomials.integralValue'
  input Real p[:];
  input Real u_high;
  input Real u_low = 0;
  output Real y;
algorithm
  y := 'Modelica.Math.Polynomials.evaluate'('Modelica.Math.Polynomials.integral'(p), u_high)
    - 'Modelica.Math.Polynomials.evaluate'('Modelica.Math.Polynomials.integral'(p), u_low);
end 'Modelica.Math.Polynomials.integralValue';

function 'Modelica.Math.Special.sinc'
  input Real u;
  output Real y;
algorithm
  y := if abs(u) > 5e-4 then sin(u) / u else 1 - u ^ 2 / 6 * (1 - u ^ 2 / 20);
end 'Modelica.Math.Special.sinc';

function 'Xorshift64star.initialState' "Ten numbers on from the seeds"
  input Integer localSeed;
  input Integer globalSeed;
  output Integer state[2];
  Real r;
algorithm
  state := if localSeed == 0 and globalSeed == 0 then {126247697, 0} else {localSeed, globalSeed};
  for i in 1:10 loop
    (r, state) := 'Xorshift64star.random'(state);
  end for;
end 'Xorshift64star.initialState';

function 'Random.Utilities.initialStateWithXorshift64star' "Numbers of xorshift64* in a row"
  input Integer localSeed;
  input Integer globalSeed;
  input Integer nState;
  output Integer state[nState];
  Integer pair[2];
  Real r;
algorithm
  pair := 'Xorshift64star.initialState'(localSeed, globalSeed);
  for i in 1:nState loop
    if i > 2 and mod(i, 2) == 1 then
      (r, pair) := 'Xorshift64star.random'(pair);
    end if;
    state[i] := pair[2 - mod(i, 2)];
  end for;
end 'Random.Utilities.initialStateWithXorshift64star';

function 'Xorshift128plus.initialState'
  input Integer localSeed;
  input Integer globalSeed;
  output Integer state[4];
algorithm
  state := 'Random.Utilities.initialStateWithXorshift64star'(localSeed, globalSeed, 4);
end 'Xorshift128plus.initialState';

function 'Xorshift1024star.initialState'
  input Integer localSeed;
  input Integer globalSeed;
  output Integer state[33];
algorithm
  state := 'Random.Utilities.initialStateWithXorshift64star'(localSeed, globalSeed, 33);
end 'Xorshift1024star.initialState';

function 'Modelica.Math.Distributions.Uniform.density'
  input Real u;
  input Real u_min = 0;
  input Real u_max = 1;
  output Real y;
algorithm
  y := if u < u_min or u > u_max then 0 else 1 / (u_max - u_min);
end 'Modelica.Math.Distributions.Uniform.density';

function 'Modelica.Math.Distributions.Uniform.cumulative'
  input Real u;
  input Real u_min = 0;
  input Real u_max = 1;
  output Real y;
algorithm
  y := max(0, min(1, (u - u_min) / (u_max - u_min)));
end 'Modelica.Math.Distributions.Uniform.cumulative';

function 'Modelica.Math.Distributions.Uniform.quantile'
  input Real u;
  input Real y_min = 0;
  input Real y_max = 1;
  output Real y;
algorithm
  y := u * (y_max - y_min) + y_min;
end 'Modelica.Math.Distributions.Uniform.quantile';

function 'Modelica.Math.Distributions.Normal.density'
  input Real u;
  input Real mu = 0;
  input Real sigma = 1;
  output Real y;
algorithm
  y := exp(-((u - mu) / sigma) ^ 2 / 2) / (sigma * sqrt(2 * 3.141592653589793));
end 'Modelica.Math.Distributions.Normal.density';

function 'Modelica.Math.Distributions.Normal.cumulative'
  input Real u;
  input Real mu = 0;
  input Real sigma = 1;
  output Real y;
algorithm
  y := (1 + 'Modelica.Math.Special.erf'((u - mu) / (sigma * sqrt(2)))) / 2;
end 'Modelica.Math.Distributions.Normal.cumulative';

function 'Modelica.Math.Distributions.Normal.quantile'
  input Real u;
  input Real mu = 0;
  input Real sigma = 1;
  output Real y;
algorithm
  y := mu + sigma * sqrt(2) * 'Modelica.Math.Special.erfInv'(2 * u - 1);
end 'Modelica.Math.Distributions.Normal.quantile';

function 'Modelica.Math.Distributions.Weibull.density'
  input Real u;
  input Real lambda = 1;
  input Real k;
  output Real y;
algorithm
  y := if u >= 0 then (k / lambda) * (u / lambda) ^ (k - 1) * exp(-(u / lambda) ^ k) else 0;
end 'Modelica.Math.Distributions.Weibull.density';

function 'Modelica.Math.Distributions.Weibull.cumulative'
  input Real u;
  input Real lambda = 1;
  input Real k;
  output Real y;
algorithm
  y := if u >= 0 then 1 - exp(-(u / lambda) ^ k) else 0;
end 'Modelica.Math.Distributions.Weibull.cumulative';

function 'Modelica.Math.Distributions.Weibull.quantile'
  input Real u;
  input Real lambda = 1;
  input Real k = 1;
  output Real y;
algorithm
  y := lambda * (-log(1 - u)) ^ (1 / k);
end 'Modelica.Math.Distributions.Weibull.quantile';
