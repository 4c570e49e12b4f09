model DoubledPendulum "A pendulum whose constraint is written twice"
  Real x(start = 1, fixed = true);
  Real y(start = 0);
  Real u(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real l1;
  Real l2;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -x*l1 - 2*x*l2;
  der(v) = -y*l1 - 2*y*l2 - 9.8;
  (x^2 + y^2 - 1)/2 = 0 "rod";
  x^2 + y^2 - 1 = 0 "second rod";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end DoubledPendulum;
