model Pendulum "A point mass on a rod"
  parameter Real g(unit = "m/s2", min = 0) = 9.81;
  Real x(start = 1, fixed = true), y, lambda(nominal = 10, stateSelect = StateSelect.never);
initial equation
  der(x) = 0;
equation
  der(der(x)) = -lambda * x;
  der(der(y)) = -lambda * y - g;
  x ^ 2 + y ^ 2 = 1;
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end Pendulum;
