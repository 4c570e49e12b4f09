model Linkage "A coupler on three parallel cranks: one crank more than it needs"
  // Point masses at both ends of the coupler, joints in Cartesian coordinates, every rod as its
  // length says: index 3. Cranks of equal length keep the coupler horizontal, so that any two of
  // them hold it, and the third repeats what they say.
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  parameter Real m(unit = "kg") = 1 "mass at each end of the coupler";
  parameter Real r(unit = "m") = 1 "length of the cranks";
  parameter Real w(unit = "m") = 2 "length of the coupler, and distance of the outer pivots";
  Real xA(unit = "m", start = 0.8, fixed = true), yA(unit = "m", start = -0.6) "left end";
  Real xB(unit = "m", start = 2.8), yB(unit = "m", start = -0.6) "right end";
  Real vxA(unit = "m/s", start = 0, fixed = true), vyA(unit = "m/s");
  Real vxB(unit = "m/s"), vyB(unit = "m/s");
  Real left, right, middle, coupler "force of each rod, divided by its length";
equation
  der(xA) = vxA;
  der(yA) = vyA;
  der(xB) = vxB;
  der(yB) = vyB;
  m*der(vxA) = -left*xA - middle*(xA + xB - w)/4 + coupler*(xB - xA);
  m*der(vyA) = -left*yA - middle*(yA + yB)/4 + coupler*(yB - yA) - m*g;
  m*der(vxB) = -right*(xB - w) - middle*(xA + xB - w)/4 - coupler*(xB - xA);
  m*der(vyB) = -right*yB - middle*(yA + yB)/4 - coupler*(yB - yA) - m*g;
  xA^2 + yA^2 = r^2 "left crank";
  (xB - w)^2 + yB^2 = r^2 "right crank";
  ((xA + xB - w)/2)^2 + ((yA + yB)/2)^2 = r^2 "middle crank";
  (xB - xA)^2 + (yB - yA)^2 = w^2 "coupler";
  annotation(
    experiment(StopTime = 5, Tolerance = 1e-8),
    daedal(animate = "rod(0,0; xA,yA; xB,yB; w,0) rod(w/2,0; (xA + xB)/2,(yA + yB)/2)
      body(xA,yA) body(xB,yB) trace(xA,yA)"));
end Linkage;
