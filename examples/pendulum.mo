model Pendulum "A planar pendulum in Cartesian coordinates, in its index-1 form: the constraint
x^2 + y^2 = 1 is differentiated twice, so that the tension lambda is an algebraic unknown"
  parameter Real g = 9.81 "gravity";
  Real x(start = 1, fixed = true);
  Real y(start = 0, fixed = true);
  Real vx(start = 0, fixed = true);
  Real vy(start = 0, fixed = true);
  Real lambda "tension of the rod";
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  lambda*(x^2 + y^2) = vx^2 + vy^2 - g*y;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end Pendulum;
