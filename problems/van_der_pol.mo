model VanDerPol "A relaxation oscillation: smooth on long stretches, with layers of width 1e-6 between"
  parameter Real epsilon = 1e-6;
  Real y(start = 2, fixed = true);
  Real z(start = 0, fixed = true);
equation
  der(y) = z;
  epsilon*der(z) = (1 - y^2)*z - y;
  annotation(experiment(StopTime = 2));
end VanDerPol;
