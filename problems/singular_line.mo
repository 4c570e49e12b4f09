model SingularLine "Petzold, Ren, Maly, Example 5.1, with y of the sign that makes GB = t^2"
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 2 - time*y;
  time*(x - time - 1) = 0 "line";
  annotation(experiment(StartTime = -1, StopTime = 1, Tolerance = 1e-8));
end SingularLine;
