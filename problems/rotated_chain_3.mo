model RotatedChain3 "A linear DAE of index 3 with coefficients that vary in time"
  // The chain y1 + y2' = f1, y2 + y3' = f2, y3 = f3 has index 3 and no freedom: y3 is given, y2 takes
  // its first derivative, y1 its second, y1' its third. It is seen through y = R(t) x, R the rotation
  // of x1, x2 by t followed by that of x2, x3, so that every equation has every unknown in it and
  // the constraint y3 = sin t moves. Exact: y = (sin 3t, sin 2t, sin t), x = R(t)' y, z = cos t.
  Real x1;
  Real x2;
  Real x3;
  Real z(start = 1, fixed = true);
equation
  cos(time)*x1 - sin(time)*x2
    + der(cos(time)*(sin(time)*x1 + cos(time)*x2) - sin(time)*x3) = sin(3*time) + 2*cos(2*time);
  cos(time)*(sin(time)*x1 + cos(time)*x2) - sin(time)*x3
    + der(sin(time)*(sin(time)*x1 + cos(time)*x2) + cos(time)*x3) = sin(2*time) + cos(time);
  sin(time)*(sin(time)*x1 + cos(time)*x2) + cos(time)*x3 = sin(time) "end of the chain";
  der(z) = -z + x1 - (cos(time)*sin(3*time) + sin(time)*(cos(time)*sin(2*time) + sin(time)^2))
    - sin(time) + cos(time) "state";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end RotatedChain3;
