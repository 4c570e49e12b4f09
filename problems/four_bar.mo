model FourBar "A crank-rocker of uniform bars (1 kg/m) under gravity, angles against the horizontal"
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real a(unit = "m") = 1 "crank";
  parameter Real b(unit = "m") = 3 "coupler";
  parameter Real c(unit = "m") = 2.5 "rocker";
  parameter Real d(unit = "m") = 3 "distance of the ground pivots";
  constant Real pi = 3.14159265358979324;
  Real th1(start = pi/2, fixed = true);
  Real th2(start = 0.51216119318615);
  Real th3(start = 1.7253864163355364);
  Real w1(start = 0, fixed = true);
  Real w2, w3;
  Real lambda1, lambda2 "forces of the coupler on the rocker";
  Real k "inertia that couples crank and coupler";
  Real s "its centrifugal counterpart";
equation
  der(th1) = w1;
  der(th2) = w2;
  der(th3) = w3;
  k = a*b^2/2*cos(th1 - th2);
  s = a*b^2/2*sin(th1 - th2);
  (a^3/3 + b*a^2)*der(w1) + k*der(w2) = -s*w2^2 - (a/2 + b)*a*g*cos(th1)
    + a*sin(th1)*lambda1 - a*cos(th1)*lambda2;
  k*der(w1) + b^3/3*der(w2) = s*w1^2 - b^2/2*g*cos(th2)
    + b*sin(th2)*lambda1 - b*cos(th2)*lambda2;
  c^3/3*der(w3) = -c^2/2*g*cos(th3) - c*sin(th3)*lambda1 + c*cos(th3)*lambda2;
  a*cos(th1) + b*cos(th2) - c*cos(th3) = d "loop x";
  a*sin(th1) + b*sin(th2) - c*sin(th3) = 0 "loop y";
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-8),
    daedal(animate = "rod(0,0; a*cos(th1), a*sin(th1); d + c*cos(th3), c*sin(th3); d,0)
      trace(d + c*cos(th3), c*sin(th3))"));
end FourBar;
