model DoublePendulum "Two masses on two rods, released horizontally, index 3"
  parameter Real g(unit = "m/s2") = 9.81;
  Real x1(start = 1);
  Real y1(start = 0, fixed = true);
  Real x2(start = 2);
  Real y2(start = 0, fixed = true);
  Real vx1;
  Real vy1(start = 0, fixed = true);
  Real vx2;
  Real vy2(start = 0, fixed = true);
  Real lambda1, lambda2;
equation
  der(x1) = vx1;
  der(y1) = vy1;
  der(x2) = vx2;
  der(y2) = vy2;
  der(vx1) = -lambda1*x1 + lambda2*(x2 - x1);
  der(vy1) = -lambda1*y1 + lambda2*(y2 - y1) - g;
  der(vx2) = -lambda2*(x2 - x1);
  der(vy2) = -lambda2*(y2 - y1) - g;
  x1^2 + y1^2 = 1 "first rod";
  (x2 - x1)^2 + (y2 - y1)^2 = 1 "second rod";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end DoublePendulum;
