model FourBar "A crank, a coupler and a rocker by their energies: no force is worked out by hand"
  // Uniform bars of 1 kg/m, angles against the horizontal; two coordinates more than it has freedom.
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  parameter Real a(unit = "m") = 1 "crank";
  parameter Real b(unit = "m") = 3 "coupler";
  parameter Real c(unit = "m") = 2.5 "rocker";
  parameter Real d(unit = "m") = 3 "distance of the ground pivots";
  parameter Real friction(unit = "N.m.s") = 0.5 "in the pivot of the crank";
  Real crank(start = 1.57, fixed = true), coupler(start = 0.5), rocker(start = 1.7) "angles";
  Real x(unit = "m") = a*cos(crank) + b/2*cos(coupler) "middle of the coupler";
  Real y(unit = "m") = a*sin(crank) + b/2*sin(coupler);
lagrangian
  coordinates crank, coupler, rocker;
  kinetic a^3/6*der(crank)^2;
  kinetic b/2*(der(x)^2 + der(y)^2) + b^3/24*der(coupler)^2;
  kinetic c^3/6*der(rocker)^2;
  potential a^2/2*g*sin(crank) + b*g*y + c^2/2*g*sin(rocker);
  force crank = -friction*der(crank);
  constraint a*cos(crank) + b*cos(coupler) = d + c*cos(rocker) "loop, x";
  constraint a*sin(crank) + b*sin(coupler) = c*sin(rocker) "loop, y";
initial equation
  der(crank) = 0;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end FourBar;
