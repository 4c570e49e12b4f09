model Robertson "Robertson's chemical kinetics: stiff over eleven decades of time"
  parameter Real k1 = 0.04;
  parameter Real k2 = 3e7;
  parameter Real k3 = 1e4;
  Real y1(start = 1, fixed = true);
  Real y2(start = 0, fixed = true, nominal = 1e-6);
  Real y3 "given by conservation of mass, an algebraic equation";
equation
  der(y1) = -k1*y1 + k3*y2*y3;
  der(y2) = k1*y1 - k3*y2*y3 - k2*y2^2;
  y1 + y2 + y3 = 1;
  annotation(experiment(StopTime = 4e10, Tolerance = 1e-6));
end Robertson;
