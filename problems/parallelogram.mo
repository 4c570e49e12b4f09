model Parallelogram "Two equal cranks and a coupler: singular whenever the bars lie flat"
  Real th1(start = -0.8, fixed = true);
  Real th2(start = -0.8);
  Real w1(start = 2, fixed = true);
  Real w2(start = 2);
  Real lambda;
  Real dx = 2 + cos(th2) - cos(th1);
  Real dy = sin(th2) - sin(th1);
equation
  der(th1) = w1;
  der(th2) = w2;
  der(w1) = 0.5 - (dx*sin(th1) - dy*cos(th1))*lambda;
  der(w2) = -(dy*cos(th2) - dx*sin(th2))*lambda;
  (dx^2 + dy^2 - 4)/2 = 0 "coupler";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end Parallelogram;
