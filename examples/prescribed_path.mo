model PrescribedPath "The forces that hold a mass on springs to a path: index 3, conditions at both ends"
  // The mass moves in the plane on the curve y = x^2/2 and is pulled by a spring. Where it starts
  // and where it ends is given, not how fast it starts.
  parameter Real k = 4 "stiffness";
  Real x, y;
  Real vx, vy;
  Real lambda "force of the path";
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -k*x + x*lambda;
  der(vy) = -k*(y - 1) - lambda;
  y = x^2/2 "path";
constraint
  x(startTime) = -1;
  x(finalTime) = 0.5;
  annotation(experiment(StopTime = 2));
end PrescribedPath;
