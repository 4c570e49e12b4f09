model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  discrete Real u(start = 0);
  Boolean flying(start = true), low = h < 0.1;
  Integer n(start = 0), k = integer(10 * time), m = mod(n, 3);
equation
  der(h) = v;
  der(v) = if flying then -9.81 else 0;
  when {h <= 0, sample(0, 0.1)} then
    n = pre(n) + 1;
    if edge(low) then
      reinit(v, -0.8 * pre(v));
    end if;
  elsewhen terminal() then
    n = 0;
  end when;
  when time > 1 then
    flying = not pre(flying);
    u = noEvent(abs(h));
  end when;
  when n > 100 and change(n) or not initial() and time > 5 then
    terminate("enough");
  end when;
  assert(h > -1, "below ground", AssertionLevel.warning);
end Ball;
