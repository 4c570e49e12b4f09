model LockUp "A slider crank with rods of 1 and 0.9 m and prescribed crank: it locks at cos(th1) = 0.9"
  constant Real pi = 3.14159265358979324;
  Real th1(start = pi/4);
  Real th2(start = 2.4746);
  Real w1(start = -1);
  Real w2;
  Real lambda;
  Real torque;
equation
  der(th1) = w1;
  der(th2) = w2;
  2*der(w1) + 0.9*cos(th2 - th1)*der(w2) = 0.9*sin(th2 - th1)*w2^2 - 19.6*sin(th1) - sin(th1)*lambda - torque;
  0.9*cos(th2 - th1)*der(w1) + 0.81*der(w2) = -0.9*sin(th2 - th1)*w1^2 - 8.82*sin(th2) - 0.9*sin(th2)*lambda;
  -cos(th1) - 0.9*cos(th2) = 0 "slider";
  th1 = pi/4 - time "drive";
  annotation(experiment(StopTime = 1));
end LockUp;
