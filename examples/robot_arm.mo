model RobotArm "A robot arm that wipes a table: drives move it, the table carries its hand"
  // Turntable, shoulder and elbow; point masses in the elbow and in the hand; y points upwards. The
  // hand stays on the table: a constraint, whose multiplier is the force of the table, downwards.
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  parameter Real h(unit = "m") = 0.6 "height of the shoulder above the table";
  parameter Real a(unit = "m") = 0.7 "upper arm";
  parameter Real b(unit = "m") = 0.6 "forearm";
  parameter Real m1(unit = "kg") = 4 "elbow";
  parameter Real m2(unit = "kg") = 2 "hand";
  parameter Real J(unit = "kg.m2") = 0.5 "turntable";
  parameter Real k(unit = "N.m/rad") = 400 "stiffness of the drives";
  parameter Real d(unit = "N.m.s/rad") = 60 "their damping";
  Real turn(start = 0, fixed = true) "angle of the turntable, as those of the joints in radians";
  Real shoulder(start = -0.05, fixed = true), elbow(start = -1.2);
  Real reach(unit = "m") = 0.7 + 0.15*cos(2*time) "where the drives want the hand";
  Real wanted = 0.8*sin(time) "and the turntable";
  Real xE = a*cos(shoulder)*cos(turn), yE = h + a*sin(shoulder), zE = a*cos(shoulder)*sin(turn);
  Real r(unit = "m") = a*cos(shoulder) + b*cos(shoulder + elbow) "distance of the hand from the axis";
  Real xH = r*cos(turn), yH = yE + b*sin(shoulder + elbow), zH = r*sin(turn);
lagrangian
  coordinates turn, shoulder, elbow;
  kinetic J/2*der(turn)^2;
  kinetic m1/2*(der(xE)^2 + der(yE)^2 + der(zE)^2);
  kinetic m2/2*(der(xH)^2 + der(yH)^2 + der(zH)^2);
  potential m1*g*yE + m2*g*yH;
  force turn = k*(wanted - turn) - d*der(turn);
  force shoulder = -k*(r - reach)*(-a*sin(shoulder) - b*sin(shoulder + elbow)) - d*der(shoulder);
  force elbow = k*(r - reach)*b*sin(shoulder + elbow) - d*der(elbow);
  constraint yH = 0 "table";
initial equation
  der(turn) = 0;
  der(shoulder) = 0;
  annotation(
    experiment(StopTime = 6.3, Tolerance = 1e-7),
    daedal(animate = "rod(0,0,0; 0,h,0; xE,yE,zE; xH,yH,zH) body(xE,yE,zE) body(xH,yH,zH) trace(xH,yH,zH)"));
end RobotArm;
