model SliderCrank "Petzold, Ren, Maly (5.2), (5.3): it passes a bifurcation at (0, pi)"
  constant Real pi = 3.14159265358979324;
  Real th1(start = pi/4, fixed = true);
  Real th2(start = 3*pi/4);
  Real w1(start = 0, fixed = true);
  Real w2;
  Real lambda;
equation
  der(th1) = w1;
  der(th2) = w2;
  2*der(w1) + cos(th2 - th1)*der(w2) = sin(th2 - th1)*w2^2 - 19.6*sin(th1) - sin(th1)*lambda;
  cos(th2 - th1)*der(w1) + der(w2) = -sin(th2 - th1)*w1^2 - 9.8*sin(th2) - sin(th2)*lambda;
  -cos(th1) - cos(th2) = 0 "slider";
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8));
end SliderCrank;
