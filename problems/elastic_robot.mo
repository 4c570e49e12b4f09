model ElasticRobot "A two-link robot with elastic joints on a prescribed path of its tip, index 5"
  // Point masses of 1 kg at the ends of links of 1 m, angle q2 against the first link; the motors
  // turn the links through springs (Spong's model). The torques u1, u2 are what the path demands.
  parameter Real k(unit = "N.m/rad") = 20 "stiffness of the joints";
  parameter Real J(unit = "kg.m2") = 0.1 "inertia of the motors";
  parameter Real g(unit = "m/s2") = 9.81;
  Real q1(start = 0.5);
  Real q2(start = 1.3);
  Real v1(start = 0.4);
  Real v2(start = 0);
  Real theta1(start = 1.2);
  Real theta2(start = 1.2);
  Real omega1;
  Real omega2;
  Real u1;
  Real u2;
equation
  der(q1) = v1;
  der(q2) = v2;
  der(theta1) = omega1;
  der(theta2) = omega2;
  (3 + 2*cos(q2))*der(v1) + (1 + cos(q2))*der(v2) - sin(q2)*(2*v1*v2 + v2^2) + 2*g*cos(q1)
    + g*cos(q1 + q2) = k*(theta1 - q1) "link 1";
  (1 + cos(q2))*der(v1) + der(v2) + sin(q2)*v1^2 + g*cos(q1 + q2) = k*(theta2 - q2) "link 2";
  J*der(omega1) = u1 - k*(theta1 - q1) "motor 1";
  J*der(omega2) = u2 - k*(theta2 - q2) "motor 2";
  // The tip of the arm at q1 = 0.5 + 0.4 sin t, q2 = 1 + 0.3 cos t.
  cos(q1) + cos(q1 + q2) = cos(0.5 + 0.4*sin(time)) + cos(1.5 + 0.4*sin(time) + 0.3*cos(time))
    "tip x";
  sin(q1) + sin(q1 + q2) = sin(0.5 + 0.4*sin(time)) + sin(1.5 + 0.4*sin(time) + 0.3*cos(time))
    "tip y";
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8));
end ElasticRobot;
