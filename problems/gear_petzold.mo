model GearPetzold "A linear DAE of index 2 with coefficients that vary in time"
  // The derivative of "sum" taken from "rate" leaves x2 = 2 cos t - cos t: index 2 and no freedom in
  // x1 and x2, whatever eta. Backward differentiation of the equations as they stand multiplies
  // errors by eta/(1 + eta) in every step, and diverges for eta < -1/2 (Gear, Petzold, SIAM J. Numer.
  // Anal. 21 (1984) 716). Exact: x1 = sin t - eta t cos t, x2 = cos t, z = cos t.
  parameter Real eta = -2;
  Real x1;
  Real x2;
  Real z(start = 1, fixed = true);
equation
  x1 + eta*time*x2 = sin(time) "sum";
  der(x1) + eta*time*der(x2) + (1 + eta)*x2 = 2*cos(time) "rate";
  der(z) = -z + x1 - (sin(time) - eta*time*cos(time)) - sin(time) + cos(time) "state";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end GearPetzold;
