model SwingUp "A pendulum is swung up with the least effort: a boundary value problem"
  // Minimise the integral of u^2/2 over the time T. Pontryagin's principle: with the Hamiltonian
  // H = u^2/2 + p*omega + q*(u - sin(theta)), der(p) = -dH/dtheta, der(q) = -dH/domega, dH/du = 0.
  Real theta "angle from the lower position";
  Real omega "angular velocity";
  Real p "costate of the angle";
  Real q "costate of the velocity";
  Real u "torque, an algebraic variable";
equation
  der(theta) = omega;
  der(omega) = u - sin(theta);
  der(p) = q*cos(theta);
  der(q) = -p;
  u + q = 0 "stationarity";
constraint
  theta(startTime) = 0;
  omega(startTime) = 0;
  theta(finalTime) = 3.141592653589793;
  omega(finalTime) = 0;
  annotation(experiment(StopTime = 6));
end SwingUp;
