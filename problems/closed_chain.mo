model ClosedChain "Uniform rods between (-1, 0) and (1, 0), released from a half circle"
  parameter Integer N = 10 "number of rods";
  constant Real pi = 3.14159265358979324;
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real m = 1/N "mass of a rod";
  parameter Real l = 2*sin(pi/(2*N)) "length of a rod";
  Real x[N - 1](start = {cos(pi + pi*i/N) for i in 1:N - 1});
  Real y[N - 1](start = {sin(pi + pi*i/N) for i in 1:N - 1});
  Real vx[N - 1], vy[N - 1];
  Real lambda[N];
  Real dx[N], dy[N] "from joint to joint";
equation
  dx[1] = x[1] + 1;
  dy[1] = y[1];
  for i in 2:N - 1 loop
    dx[i] = x[i] - x[i - 1];
    dy[i] = y[i] - y[i - 1];
  end for;
  dx[N] = 1 - x[N - 1];
  dy[N] = -y[N - 1];
  for i in 1:N - 1 loop
    der(x[i]) = vx[i];
    der(y[i]) = vy[i];
  end for;
  for i in 1:N - 1 loop
    m/6*((if i > 1 then der(vx[max(i - 1, 1)]) else 0) + 4*der(vx[i])
      + (if i < N - 1 then der(vx[min(i + 1, N - 1)]) else 0))
      = lambda[i + 1]*dx[i + 1] - lambda[i]*dx[i];
    m/6*((if i > 1 then der(vy[max(i - 1, 1)]) else 0) + 4*der(vy[i])
      + (if i < N - 1 then der(vy[min(i + 1, N - 1)]) else 0))
      = lambda[i + 1]*dy[i + 1] - lambda[i]*dy[i] - m*g;
  end for;
  for i in 1:N loop
    (dx[i]^2 + dy[i]^2 - l^2)/2 = 0;
  end for;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end ClosedChain;
