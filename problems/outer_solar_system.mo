model OuterSolarSystem "The Sun and the four outer planets; astronomical units and days"
  // Masses, positions and velocities of September 5, 1994, 0h: E. Hairer, C. Lubich, G. Wanner,
  // Geometric Numerical Integration, 2nd ed. (2006), Table I.2.2. The Sun has the inner planets.
  parameter Integer n = 5 "Sun, Jupiter, Saturn, Uranus, Neptune";
  parameter Real G = 2.95912208286e-4;
  parameter Real m[n] = {1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546,
    0.0000517759138449};
  Real q[n, 3](start = [0, 0, 0; -3.5023653, -3.8169847, -1.5507963; 9.0755314, -3.0458353, -1.6483708;
    8.3101420, -16.2901086, -7.2521278; 11.4707666, -25.7294829, -10.8169456], each fixed = true);
  Real v[n, 3](start = [0, 0, 0; 0.00565429, -0.00412490, -0.00190589; 0.00168318, 0.00483525, 0.00192462;
    0.00354178, 0.00137102, 0.00055029; 0.00288930, 0.00114527, 0.00039677], each fixed = true);
  Real r[n, n] "distances of pairs";
  Real energy;
equation
  for i in 1:n loop
    for j in 1:n loop
      r[i, j] = if i < j then sqrt((q[i, 1] - q[j, 1])^2 + (q[i, 2] - q[j, 2])^2 + (q[i, 3] - q[j, 3])^2) else 0;
    end for;
    for k in 1:3 loop
      der(q[i, k]) = v[i, k];
      der(v[i, k]) = G*(sum(m[j]*(q[j, k] - q[i, k])/r[j, i]^3 for j in 1:i - 1)
        + sum(m[j]*(q[j, k] - q[i, k])/r[i, j]^3 for j in i + 1:n));
    end for;
  end for;
  energy = 0.5*sum(m[i]*(v[i, 1]^2 + v[i, 2]^2 + v[i, 3]^2) for i in 1:n)
    - G*sum(sum(m[i]*m[j]/r[i, j] for j in i + 1:n) for i in 1:n - 1);
  annotation(experiment(StopTime = 43326, Tolerance = 1e-12));
end OuterSolarSystem;
