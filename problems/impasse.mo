model Impasse "x' = -1, 0 = x - y^2: no solution beyond t = 1"
  Real x(start = 1, fixed = true);
  Real y(start = 1);
equation
  der(x) = -1;
  x - y^2 = 0 "parabola";
  annotation(experiment(StopTime = 2));
end Impasse;
