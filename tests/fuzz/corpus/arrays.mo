model Rod
  parameter Integer n = 3 annotation(Evaluate = true);
  constant Real pi = 3.14159;
  Real u[n + 2](each start = 0), a[2, 2], v[2], s;
equation
  u[1] = sin(pi * time);
  for i in 2:n + 1 loop
    der(u[i]) = u[i - 1] - 2 * u[i] + u[i + 1];
  end for;
  u[end] = 0;
  a = [1, 2; 3, 4] * transpose({{1, 0}, {0, 1}}) + identity(2);
  v = a * {1, -1} ./ {2, 3};
  s = sum(u[2:n]) + max(v) + v * v + sum(k ^ 2 for k in 1:3) + size(a, 1);
end Rod;
