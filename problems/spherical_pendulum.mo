model SphericalPendulum "A mass on a rod in space, z upwards, index 3"
  parameter Real g(unit = "m/s2") = 9.81;
  Real x(start = 1);
  Real y(start = 0, fixed = true);
  Real z(start = 0, fixed = true);
  Real vx;
  Real vy(start = 1, fixed = true);
  Real vz(start = 0, fixed = true);
  Real lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(z) = vz;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y;
  der(vz) = -lambda*z - g;
  x^2 + y^2 + z^2 = 1 "rod";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end SphericalPendulum;
