model Counter
  Real x, y;
  Integer n(start = 0);
algorithm
  x := 1;
  for i in 1:3 loop
    x := x * time + i;
  end for;
  if time > 1 then
    y := x;
  else
    y := -x;
  end if;
  when sample(0, 1) then
    n := pre(n) + 1;
  end when;
end Counter;
