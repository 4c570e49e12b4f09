model LimitedPendulum "A pendulum in Cartesian coordinates that bounces off a wall at x = -0.5;
written as it is, with its constraint: index 3"
  parameter Real g = 9.81 "gravity";
  parameter Real wall = -0.5;
  Real x(start = 1);
  Real y(start = 0, fixed = true);
  Real vx(start = 0);
  Real vy(start = 0, fixed = true);
  Real lambda "tension of the rod";
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = 1 "rod";
  when x < wall then
    reinit(vx, -pre(vx));
    reinit(vy, -pre(vy));
  end when;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8, Interval = 0.01));
end LimitedPendulum;
