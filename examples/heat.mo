model Heat "The heat equation u_t = u_xx on [0, 1]: second-order differences on a grid, the ends
held by algebraic equations; exact solution exp(-pi^2 t) sin(pi x)"
  parameter Integer n = 999 "inner points";
  parameter Real pi = 3.14159265358979323846;
  parameter Real h = 1/(n + 1);
  Real u[n];
  Real left "value at x = 0";
  Real right "value at x = 1";
equation
  left = 0;
  right + left = 0;
  der(u[1]) = (left - 2*u[1] + u[2])/h^2;
  for i in 2:n - 1 loop
    der(u[i]) = (u[i - 1] - 2*u[i] + u[i + 1])/h^2;
  end for;
  der(u[n]) = (u[n - 1] - 2*u[n] + right)/h^2;
initial equation
  for i in 1:n loop
    u[i] = sin(pi*i*h);
  end for;
  annotation(experiment(StopTime = 0.1, Tolerance = 1e-7));
end Heat;
