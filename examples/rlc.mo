model RLC "A series circuit driven by a source: differential and algebraic equations, index 1"
  parameter Real R = 0.5 "resistance";
  parameter Real L = 0.1 "inductance";
  parameter Real C = 0.2 "capacitance";
  parameter Real amplitude = 1;
  Real i(start = 0, fixed = true, unit = "A") "current";
  Real u_C(start = 0, fixed = true, unit = "V") "voltage of the capacitor";
  Real u_R(unit = "V");
  Real u_L(unit = "V");
  Real u(unit = "V") "voltage of the source";
equation
  u = amplitude*sin(2*time);
  u = u_R + u_L + u_C;
  u_R = R*i;
  u_L = L*der(i);
  C*der(u_C) = i;
  annotation(experiment(StopTime = 10, Interval = 0.02));
end RLC;
