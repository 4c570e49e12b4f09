model CapacitorLoop "A capacitor across a voltage source, beside a series of R, L and C: index 2"
  parameter Real R = 0.5 "resistance";
  parameter Real L = 0.1 "inductance";
  parameter Real C = 0.2 "capacitance of the series";
  parameter Real C0 = 0.01 "capacitance across the source";
  Real u "voltage of the source";
  Real u0 "voltage across the source's capacitor";
  Real i0 "its current";
  Real i(start = 0, fixed = true) "current of the series";
  Real u_C(start = 0, fixed = true) "voltage of its capacitor";
  Real i_source "current of the source";
equation
  u = sin(2*time);
  u0 = u "loop";
  C0*der(u0) = i0;
  u = R*i + L*der(i) + u_C;
  C*der(u_C) = i;
  i_source = i0 + i;
  annotation(experiment(StopTime = 10));
end CapacitorLoop;
