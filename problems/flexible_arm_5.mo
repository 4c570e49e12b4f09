model FlexibleArm5 "A flexible-joint arm on a prescribed path, index 5"
  Real q1(start = 0) "link";
  Real v1(start = 1);
  Real q2(start = 0.5) "motor";
  Real v2(start = 1);
  Real z(start = 0, fixed = true) "load";
  Real w(start = 1, fixed = true);
  Real u "what the path demands of the actuator";
  Real s = (q2 - q1) + 0.5*(q2 - q1)^3 "spring";
  // Forces such that q2 = sin t + cos(t)/2, u = sin 2t, z = sin t.
  Real s0 = 0.5*cos(time) + 0.5*(0.5*cos(time))^3;
equation
  der(q1) = v1;
  der(v1) = -sin(q1) + s + 0.3*z - sin(time) + sin(sin(time)) - s0 - 0.3*sin(time);
  der(q2) = v2;
  der(v2) = u - s - sin(time) - 0.5*cos(time) - sin(2*time) + s0;
  der(z) = w;
  der(w) = -z - 0.1*w^3 + 0.2*q1*q2 + 0.1*cos(time)^3 - 0.2*sin(time)*(sin(time) + 0.5*cos(time));
  q1 = sin(time) "path";
  annotation(experiment(StartTime = 0, StopTime = 20, Tolerance = 1e-8));
end FlexibleArm5;
