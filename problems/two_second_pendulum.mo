model TwoSecondPendulum "The pendulum that swings back after two seconds (Fuehrer, Leimkuhler)"
  parameter Real g(unit = "m/s2") = 13.7503716373294544;
  Real x(start = 1);
  Real y(start = 0, fixed = true);
  Real vx;
  Real vy(start = 0, fixed = true);
  Real lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x "horizontal";
  der(vy) = -lambda*y - g "vertical";
  x^2 + y^2 = 1 "rod";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end TwoSecondPendulum;
