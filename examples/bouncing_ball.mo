model BouncingBall "A ball that loses a fifth of its speed at every impact"
  parameter Real g = 9.81 "gravity";
  parameter Real e = 0.8 "restitution";
  Real h(start = 1, fixed = true) "height";
  Real v(start = 0, fixed = true) "velocity";
  discrete Real impacts(start = 0, fixed = true) "number of impacts";
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e*pre(v));
    impacts = pre(impacts) + 1;
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9, Interval = 0.01));
end BouncingBall;
