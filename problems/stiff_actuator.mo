model StiffActuator "A damped pendulum pushed by an actuator with a short time constant: index 3, stiff"
  // The actuator follows the pendulum with the time constant 1/k. Everything comes to rest, and an
  // explicit integrator stays at the limit of its stability, 1/k, all the same.
  parameter Real k = 1000;
  parameter Real damping = 4;
  Real x(start = 0.6);
  Real y(start = -0.8, fixed = true);
  Real u;
  Real v(start = 0, fixed = true);
  Real a(start = 0.6, fixed = true);
  Real lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lambda*x + a - damping*u;
  der(v) = -lambda*y - 9.81 - damping*v;
  der(a) = -k*(a - x) "actuator";
  x^2 + y^2 = 1 "rod";
  annotation(experiment(StartTime = 0, StopTime = 60, Tolerance = 1e-4));
end StiffActuator;
