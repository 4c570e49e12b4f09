model RotatedChain4 "A linear DAE of index 4 with coefficients that vary in time"
  // As RotatedChain3 with one more member: y1 + y2' = f1, y2 + y3' = f2, y3 + y4' = f3, y4 = f4, seen
  // through y = R(t) x, the rotations by t of x1, x2, then x2, x3, then x3, x4. Exact:
  // y = (sin 4t, sin 3t, sin 2t, sin t), x = R(t)' y, z = cos t.
  Real x1;
  Real x2;
  Real x3;
  Real x4;
  Real z(start = 1, fixed = true);
equation
  cos(time)*x1 - sin(time)*x2
    + der(cos(time)*(sin(time)*x1 + cos(time)*x2) - sin(time)*x3) = sin(4*time) + 3*cos(3*time);
  cos(time)*(sin(time)*x1 + cos(time)*x2) - sin(time)*x3
    + der(cos(time)*(sin(time)*(sin(time)*x1 + cos(time)*x2) + cos(time)*x3) - sin(time)*x4)
    = sin(3*time) + 2*cos(2*time);
  cos(time)*(sin(time)*(sin(time)*x1 + cos(time)*x2) + cos(time)*x3) - sin(time)*x4
    + der(sin(time)*(sin(time)*(sin(time)*x1 + cos(time)*x2) + cos(time)*x3) + cos(time)*x4)
    = sin(2*time) + cos(time);
  sin(time)*(sin(time)*(sin(time)*x1 + cos(time)*x2) + cos(time)*x3) + cos(time)*x4 = sin(time)
    "end of the chain";
  der(z) = -z + x1 - (cos(time)*sin(4*time)
    + sin(time)*(cos(time)*sin(3*time) + sin(time)*(cos(time)*sin(2*time) + sin(time)^2)))
    - sin(time) + cos(time) "state";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end RotatedChain4;
