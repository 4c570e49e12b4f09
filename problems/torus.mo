model Torus "A motion on a torus, index 3; all constraints implicit (Campbell, Moore (36)-(39))"
  parameter Real rho = 5;
  parameter Real r = 10;
  parameter Real alpha = 1;
  Real x1(start = 15, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = 0, fixed = true);
  Real u1(start = 0, fixed = true);
  Real u2(start = 15, fixed = true);
  Real u3(start = -5, fixed = true);
  Real lambda(start = 0, fixed = true);
  // The seven equations (36) as residuals y = f(x', x, t): they are zero only through phi below.
  Real y1 = der(x1) - u1;
  Real y2 = der(x2) - u2;
  Real y3 = der(x3) - u3;
  Real y4 = der(u1) - (u3*cos(time) - x3*sin(time) - u2 + 2*x1*(1 - r/d)*lambda);
  Real y5 = der(u2) - (u3*sin(time) + x3*cos(time) + u1 + 2*x2*(1 - r/d)*lambda);
  Real y6 = der(u3) - (-x3 + 2*x3*lambda);
  Real y7 = x1^2 + x2^2 + x3^2 - 2*r*d + r^2 - rho^2;
  Real d = sqrt(x1^2 + x2^2);
initial equation
  // phi vanishes at y = 2*alpha too: the start says which root is meant.
  der(x1) = 0;
  der(x2) = 15;
  der(x3) = -5;
  der(u1) = -20;
  der(u2) = 0;
  der(u3) = 0;
equation
  (y1 - alpha)^2 = alpha^2 "phi1";
  (y1 - alpha)^2 + (y2 - alpha)^2 = 2*alpha^2 "phi2";
  (y1 - alpha)^2 + (y2 - alpha)^2 + (y3 - alpha)^2 = 3*alpha^2 "phi3";
  (y1 - alpha)^2 + (y2 - alpha)^2 + (y3 - alpha)^2 + (y4 - alpha)^2 = 4*alpha^2 "phi4";
  (y1 - alpha)^2 + (y2 - alpha)^2 + (y3 - alpha)^2 + (y4 - alpha)^2 + (y5 - alpha)^2
    = 5*alpha^2 "phi5";
  (y1 - alpha)^2 + (y2 - alpha)^2 + (y3 - alpha)^2 + (y4 - alpha)^2 + (y5 - alpha)^2
    + (y6 - alpha)^2 = 6*alpha^2 "phi6";
  (y1 - alpha)^2 + (y2 - alpha)^2 + (y3 - alpha)^2 + (y4 - alpha)^2 + (y5 - alpha)^2
    + (y6 - alpha)^2 + (y7 - alpha)^2 = 7*alpha^2 "phi7";
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-8));
end Torus;
